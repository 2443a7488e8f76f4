package kernels

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// The directives: comments that begin with //eaglet:.
const (
	directivePrefix = "//eaglet:"
	kernelDirective = "kernel"
	capDirectiveTag = "cap"
	maxCap          = 1 << 20 // turns of a capped loop
)

// options are those of //eaglet:kernel.
type options struct {
	steps     int // 0: auto
	guard     ir.Guard
	contract  bool
	precision ir.Type // what float64 in the source means
}

// capKey is the last line of the comment that holds a //eaglet:cap.
type capKey struct {
	file int
	line int
}

type capDirective struct {
	comment *ast.Comment
	turns   int
	used    bool
}

// directive splits a comment into the word after //eaglet: and its arguments; ok is false for any other
// comment.
func directive(c *ast.Comment) (word string, args []string, ok bool) {
	rest, ok := strings.CutPrefix(c.Text, directivePrefix)
	if !ok {
		return "", nil, false
	}
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return "", nil, true
	}
	return fields[0], fields[1:], true
}

// directives goes over the comments of all files: it collects the caps of loops, and refuses directives
// that are unknown, or of a kernel and above no type of the package (kernel has those that are).
func (p *pkg) directives(kernel map[*ast.Comment]bool) {
	for _, f := range p.syntax {
		for _, g := range f.Comments {
			for _, c := range g.List {
				word, args, ok := directive(c)
				switch {
				case !ok:
				case word == capDirectiveTag:
					p.capDirective(g, c, args)
				case word != kernelDirective:
					d := p.at("E011", c, "the directive eaglet:%s is unknown", word)
					d.Rewrite = "the directives are eaglet:kernel and eaglet:cap"
				case !kernel[c]:
					p.at("E014", c)
				}
			}
		}
	}
}

func (p *pkg) capDirective(g *ast.CommentGroup, c *ast.Comment, args []string) {
	n := 0
	if len(args) == 1 {
		n, _ = strconv.Atoi(args[0])
	}
	if n < 1 || n > maxCap {
		d := p.at("E011", c, "the directive is malformed: eaglet:cap takes a number of turns from 1 to %d", maxCap)
		d.Rewrite = "write //eaglet:cap 64"
		n = 1
	}
	d := &capDirective{comment: c, turns: n}
	for _, last := range []token.Pos{c.End(), g.End()} { // more comments may follow
		end := p.position(between{last - 1, last})
		p.caps[capKey{int(end.File), int(end.Line)}] = d
	}
}

// cap is the directive above a loop, nil when there is none. It marks it used.
func (p *pkg) cap(loop token.Pos) *capDirective {
	at := p.position(between{loop, loop + 1})
	d := p.caps[capKey{int(at.File), int(at.Line) - 1}]
	if d != nil {
		d.used = true
	}
	return d
}

// unusedCaps warns of //eaglet:cap above anything but a loop.
func (p *pkg) unusedCaps() {
	for _, d := range p.caps {
		if !d.used {
			p.at("W004", d.comment).delete("delete the directive")
		}
	}
}

// kernelOptions parses the arguments of //eaglet:kernel.
func (p *pkg) kernelOptions(c *ast.Comment, args []string) options {
	o := options{precision: ir.F64}
	var seen []string
	bad := func(rewrite, what string, a ...any) {
		p.at("E011", c, append([]any{"the directive is malformed: " + what}, a...)...).Rewrite = rewrite
	}
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		if slices.Contains(seen, key) {
			bad("leave one of them out", "%s is given twice", key)
			continue
		}
		seen = append(seen, key)
		at := slices.IndexFunc(optionRules, func(r optionRule) bool { return r.key == key })
		switch {
		case at < 0:
			bad("the options are steps=, guard=, fma= and precision=", "the option %q is unknown", key)
		case !optionRules[at].set(&o, value):
			bad("write "+key+"= and "+optionRules[at].want, "%s is %q", key, value)
		}
	}
	return o
}
