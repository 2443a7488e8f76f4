package oracle

import (
	"bytes"
	"errors"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/eaglet-workbench/eaglet/kernels"
)

// shrinkRounds and shrinkWidth bound the work of [Shrink]: rounds, and smaller kernels tried in each.
const (
	shrinkRounds = 60
	shrinkWidth  = 48
)

// Shrink makes a kernel file smaller as long as it stays a kernel of which bad says yes, and returns the
// smallest it found. bad is asked about many texts at once; each of them loads.
func Shrink(text []byte, bad func(texts [][]byte) []bool) []byte {
	skip := 0 // how many of the largest cuts to leave out, since none of them helped
	for range shrinkRounds {
		var tries [][]byte
		all := smaller(text)
		for ; skip < len(all) && len(tries) < shrinkWidth; skip++ {
			if k, _ := kernels.LoadSource(file("shrink", all[skip]), "shrink.go"); k != nil {
				tries = append(tries, all[skip])
			}
		}
		if len(tries) == 0 {
			break
		}
		if i := slices.Index(bad(tries), true); i >= 0 { // the first is the shortest
			text, skip = tries[i], 0
		}
	}
	return text
}

// smaller are the texts with one part cut out, the shortest first. Some may be no kernels.
func smaller(text []byte) [][]byte {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "shrink.go", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	var out [][]byte
	seen := map[string]bool{string(text): true}
	try := func(edits ...edit) {
		s := tidy([]byte((&rewriting{text: text, base: f.FileStart}).spliced(f.FileStart, f.FileEnd, edits)))
		if s != nil && len(s) < len(text) && !seen[string(s)] {
			seen[string(s)] = true
			out = append(out, s)
		}
	}
	source := func(n ast.Node) string { return string(text[n.Pos()-f.FileStart : n.End()-f.FileStart]) }
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl, *ast.TypeSpec:
			try(edit{n.Pos(), n.End(), ""})
		case *ast.GenDecl:
			try(edit{n.Pos(), n.End(), ""})
		case *ast.Field:
			try(edit{n.Pos(), n.End(), ""})
		case *ast.BlockStmt:
			cutStatements(n.List, try)
		case *ast.CaseClause:
			cutStatements(n.Body, try)
			try(edit{n.Pos(), n.End(), ""})
		case *ast.IfStmt:
			try(edit{n.Pos(), n.End(), source(n.Body)})
			if n.Else != nil {
				try(edit{n.Body.End(), n.Else.End(), ""})
				try(edit{n.Pos(), n.End(), source(n.Else)})
			}
		case *ast.ForStmt:
			try(edit{n.Pos(), n.End(), source(n.Body)})
		case *ast.RangeStmt:
			try(edit{n.Pos(), n.End(), source(n.Body)})
		case *ast.BinaryExpr:
			try(edit{n.Pos(), n.End(), source(n.X)})
			try(edit{n.Pos(), n.End(), source(n.Y)})
		case *ast.CallExpr:
			for _, a := range n.Args {
				try(edit{n.Pos(), n.End(), source(a)})
			}
		case *ast.ParenExpr:
			try(edit{n.Pos(), n.End(), source(n.X)})
		case *ast.UnaryExpr:
			try(edit{n.Pos(), n.End(), source(n.X)})
		case *ast.CompositeLit:
			try(edit{n.Lbrace + 1, n.Rbrace, ""})
		}
		return true
	})
	slices.SortStableFunc(out, func(a, b []byte) int { return len(a) - len(b) })
	return out
}

// cutStatements tries without runs of statements: all, halves, and so on down to single ones.
func cutStatements(list []ast.Stmt, try func(...edit)) {
	for n := len(list); n > 0; n /= 2 {
		for i := 0; i+n <= len(list); i += n {
			try(edit{list[i].Pos(), list[i+n-1].End(), ""})
		}
	}
}

// tidy formats a text and takes out what it does not use any more, which Go would refuse; nil when that
// does not make a package of it.
func tidy(text []byte) []byte {
	for range 12 {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "shrink.go", text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil
		}
		var unused []token.Pos
		cfg := types.Config{Importer: standard(), Error: func(err error) {
			var e types.Error
			if errors.As(err, &e) && (strings.HasPrefix(e.Msg, "declared and not used") || strings.Contains(e.Msg, "imported and not used") || strings.Contains(e.Msg, "defined and not used")) {
				unused = append(unused, e.Pos)
			}
		}}
		_, err = cfg.Check("shrink", fset, []*ast.File{f}, nil)
		if err == nil {
			out, err := format.Source(text)
			if err != nil {
				return nil
			}
			return bytes.ReplaceAll(out, []byte("\n\n\n"), []byte("\n\n"))
		}
		if len(unused) == 0 {
			return nil
		}
		text = withoutUnused(text, f, unused)
	}
	return nil
}

// withoutUnused blanks variables that nothing reads, and cuts imports and labels that nothing names.
func withoutUnused(text []byte, f *ast.File, unused []token.Pos) []byte {
	var edits []edit
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			if n.Tok == token.IMPORT && slices.Contains(unused, n.Specs[0].Pos()) {
				edits = append(edits, edit{n.Pos(), n.End(), ""})
				return false
			}
			if len(n.Specs) == 1 {
				if v, ok := n.Specs[0].(*ast.ValueSpec); ok && len(v.Names) == 1 && slices.Contains(unused, v.Names[0].Pos()) {
					edits = append(edits, edit{n.Pos(), n.End(), ""})
					return false
				}
			}
		case *ast.LabeledStmt:
			if slices.Contains(unused, n.Pos()) {
				edits = append(edits, edit{n.Pos(), n.Stmt.Pos(), ""})
			}
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE && len(n.Lhs) == 1 && slices.Contains(unused, n.Lhs[0].Pos()) {
				edits = append(edits, edit{n.Pos(), n.Rhs[0].Pos(), "_ = "})
				return false
			}
		case *ast.Ident:
			if slices.Contains(unused, n.Pos()) {
				edits = append(edits, edit{n.Pos(), n.End(), "_"})
			}
		}
		return true
	})
	return []byte((&rewriting{text: text, base: f.FileStart}).spliced(f.FileStart, f.FileEnd, edits))
}
