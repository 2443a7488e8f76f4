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
	steps    int // 0: auto
	guard    ir.Guard
	contract bool
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
	end := p.position(between{g.End() - 1, g.End()})
	p.caps[capKey{int(end.File), int(end.Line)}] = &capDirective{comment: c, turns: n}
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
			p.at("W004", d.comment)
		}
	}
}

// kernelOptions parses the arguments of //eaglet:kernel.
func (p *pkg) kernelOptions(c *ast.Comment, args []string) options {
	var o options
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
		switch key {
		case "steps":
			n, err := strconv.Atoi(value)
			switch {
			case value == "auto":
			case err != nil || n < 1 || n > 1<<30:
				bad("write steps=auto, or steps=16", "steps is %q", value)
			default:
				o.steps = n
			}
		case "guard":
			switch value {
			case ir.GuardMask.String():
			case ir.GuardActiveSet.String():
				o.guard = ir.GuardActiveSet
			default:
				bad("write guard=mask or guard=active_set", "guard is %q", value)
			}
		case "fma":
			if o.contract = value == "contract"; !o.contract && value != "off" {
				bad("write fma=off or fma=contract", "fma is %q", value)
			}
		case "precision":
			switch value {
			case "f64":
			case "f32":
				p.at("E062", c)
			default:
				bad("write precision=f64", "precision is %q", value)
			}
		default:
			bad("the options are steps=, guard=, fma= and precision=", "the option %q is unknown", key)
		}
	}
	return o
}
