package kernels

import (
	"errors"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"strings"
)

// Bounds of nesting. The parser and the type checker recurse over what they read; these keep any file far
// from the end of the stack.
const (
	maxBrackets = 200
	maxDepth    = 1000 // nodes of the syntax tree on the way to a leaf
)

// pkg is a kernel's package between parsing and compiling.
type pkg struct {
	*reporter
	syntax    []*ast.File
	types     *types.Package
	info      *types.Info
	funcs     map[*types.Func]*ast.FuncDecl
	vars      map[*types.Var]*packageVar
	receivers map[*types.Var]bool // those that are pointers
	caps      map[capKey]*capDirective
	consts    map[*types.Const]ast.Expr // see constants
	strings   bool                      // it has strings: type errors about them are said already
	trusts    bool                      // mathlib: ours, not a user's
}

// parse scans and parses the files. It reports every mistake of form, and returns nil when there is one:
// what the parser makes of a broken file is not worth checking further.
func parse(r *reporter) *pkg {
	p := &pkg{reporter: r, caps: make(map[capKey]*capDirective)}
	if len(r.files) == 0 {
		r.inFile("E001", "", "there is no file to load")
		return nil
	}
	for _, s := range r.files {
		if len(s.Text) > maxFileBytes {
			r.inFile("E002", s.Name, "the file has %d bytes", len(s.Text))
			continue
		}
		if r.scan(s); r.errors() {
			continue
		}
		p.parseFile(s)
	}
	if r.errors() {
		return nil
	}
	p.noStrings()
	if !p.expandable() {
		return nil
	}
	return p
}

// scan goes over the tokens before the parser does: it bounds nesting, and it refuses comments that the
// parser would obey.
func (r *reporter) scan(s *source) {
	fset := token.NewFileSet()
	file := fset.AddFile(s.Name, -1, len(s.Text))
	var sc scanner.Scanner
	sc.Init(file, s.Text, nil, scanner.ScanComments) // errors come again from the parser
	depth := 0
	for {
		pos, tok, lit := sc.Scan()
		switch tok {
		case token.EOF:
			return
		case token.LPAREN, token.LBRACK, token.LBRACE:
			if depth++; depth > maxBrackets {
				at := file.Offset(pos)
				r.atOffset("E006", s, at, at+1)
				return
			}
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		case token.COMMENT:
			r.comment(s, file.Offset(pos), lit)
		}
	}
}

func (r *reporter) comment(s *source, at int, text string) {
	switch {
	case strings.HasPrefix(text, "//line ") || strings.HasPrefix(text, "/*line "):
		if d := r.atOffset("E005", s, at, at+len(text)); !strings.Contains(text, "\n") {
			d.delete("delete the comment")
		}
	case constraint.IsGoBuild(text) || constraint.IsPlusBuild(text):
		r.atOffset("E007", s, at, at+len(text)).delete("delete the constraint")
	}
}

func (p *pkg) parseFile(s *source) {
	f, err := parser.ParseFile(p.fset, s.Name, s.Text, parser.ParseComments|parser.SkipObjectResolution|parser.AllErrors)
	if f != nil {
		s.token = p.fset.File(f.FileStart)
	}
	if err != nil {
		p.syntaxErrors(s, err)
		return
	}
	if n := deep(f); n != nil {
		p.at("E006", n)
		return
	}
	p.syntax = append(p.syntax, f)
	if first := p.syntax[0]; f.Name.Name != first.Name.Name {
		p.at("E008", f.Name, "the files of a folder belong to different packages, %s and %s", first.Name.Name, f.Name.Name)
	}
}

func (r *reporter) syntaxErrors(s *source, err error) {
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		r.inFile("E003", s.Name, "syntax error: %s", oneLine(err.Error()))
		return
	}
	for _, e := range list {
		if strings.Contains(e.Msg, "exceeded max nesting depth") {
			r.atOffset("E006", s, e.Pos.Offset, e.Pos.Offset+1)
			continue
		}
		r.atOffset("E003", s, e.Pos.Offset, e.Pos.Offset+1, "syntax error: %s", oneLine(e.Msg))
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// deep returns the first node more than maxDepth below the file, nil when there is none.
func deep(f *ast.File) ast.Node {
	var found ast.Node
	depth := 0
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			depth--
			return false
		}
		if depth >= maxDepth {
			if found == nil {
				found = n
			}
			return false
		}
		depth++
		return true
	})
	return found
}

// doc is the package comment.
func (p *pkg) doc() string {
	for _, f := range p.syntax {
		if f.Doc != nil {
			return strings.TrimSpace(f.Doc.Text())
		}
	}
	return ""
}
