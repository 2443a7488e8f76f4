package kernels

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// Mechanical rewrites. A diagnostic gets one where what to write is beyond doubt, or, for a cap, where the
// form is and only the number is the user's.

// fix adds a rewrite to a diagnostic.
func (d *Diagnostic) fix(message string, edits ...Edit) {
	if len(edits) > 0 {
		d.Fixes = append(d.Fixes, Fix{Message: message, Edits: edits})
	}
}

// delete removes what the diagnostic marks, when that lies on one line as a whole.
func (d *Diagnostic) delete(message string) {
	d.fix(message, Edit{Line: d.Line, Column: d.Column, EndColumn: d.EndColumn})
}

// insert is the edit that puts text before a position.
func (r *reporter) insert(at token.Pos, text string) []Edit {
	p := r.position(between{at, at})
	if p.Line == 0 {
		return nil
	}
	return []Edit{{Line: int(p.Line), Column: int(p.Col), EndColumn: int(p.Col), New: text}}
}

// lineAbove is the edit that puts a line above the one of a position, indented like it.
func (r *reporter) lineAbove(at token.Pos, text string) []Edit {
	p := r.position(between{at, at})
	if p.Line == 0 {
		return nil
	}
	line := r.files[p.File].line(int(p.Line))
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	return []Edit{{Line: int(p.Line), Column: 1, EndColumn: 1, New: indent + text + "\n"}}
}

// wrap are the edits that make e the argument of a call or conversion; e lies on one line.
func (r *reporter) wrap(e ast.Expr, fun string) []Edit {
	from, to := r.position(between{e.Pos(), e.Pos()}), r.position(between{e.End(), e.End()})
	if from.Line == 0 || from.Line != to.Line {
		return nil
	}
	line, a, b := int(from.Line), int(from.Col), int(to.Col)
	return []Edit{{line, a, a, fun + "("}, {line, b, b, ")"}}
}

// capFix is the directive above a loop whose end cannot be seen. d must speak of that loop.
func (l *lowering) capFix(d *Diagnostic, lp *loop) {
	at := l.position(condOf(lp.at))
	if d.Code != "E031" || len(d.Fixes) > 0 || l.frame.site != nil || int(at.Line) != d.Line || int(at.Col) != d.Column {
		return
	}
	d.fix("state that it takes at most 64 turns", l.lineAbove(lp.pos, "//eaglet:cap 64")...)
}

// directiveFix puts the directive above the only struct type with a method Step.
func (p *pkg) directiveFix(d *Diagnostic) {
	var found *ast.GenDecl
	for _, f := range p.syntax {
		for _, decl := range f.Decls {
			g, ok := decl.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE || len(g.Specs) != 1 || !p.hasStep(g.Specs[0].(*ast.TypeSpec)) {
				continue
			}
			if found != nil || p.position(f.Name).File != p.position(p.syntax[0].Name).File {
				return // two of them, or in another file than the diagnostic
			}
			found = g
		}
	}
	if found != nil {
		d.fix("make it a kernel", p.lineAbove(found.TokPos, "//eaglet:kernel")...)
	}
}

func (p *pkg) hasStep(spec *ast.TypeSpec) bool {
	named, ok := p.info.TypeOf(spec.Name).(*types.Named)
	if _, is := spec.Type.(*ast.StructType); !ok || !is {
		return false
	}
	for i := range named.NumMethods() {
		if named.Method(i).Name() == "Step" {
			return true
		}
	}
	return false
}

// conversionFix writes the conversion that a type error asks for: between numbers, where one side is an
// integer and the other is not, or of what is assigned.
func (p *pkg) conversionFix(d *Diagnostic, e types.Error) {
	for _, f := range p.syntax {
		if e.Pos < f.FileStart || e.Pos > f.FileEnd {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil || len(d.Fixes) > 0 || n.Pos() > e.Pos || n.End() <= e.Pos {
				return false
			}
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if (n.Pos() == e.Pos || n.OpPos == e.Pos) && strings.Contains(e.Msg, "mismatched types") {
					p.convertOne(d, n.X, n.Y)
				}
			case *ast.AssignStmt:
				for i := range n.Lhs {
					p.convertAssigned(d, n, i, e)
				}
			}
			return true
		})
	}
}

// convertAssigned converts value i of an assignment that the error speaks of to the type of its variable.
func (p *pkg) convertAssigned(d *Diagnostic, n *ast.AssignStmt, i int, e types.Error) {
	if len(n.Lhs) != len(n.Rhs) || n.Tok == token.DEFINE {
		return
	}
	x, y := n.Lhs[i], n.Rhs[i]
	if y.Pos() == e.Pos && strings.Contains(e.Msg, "cannot use") || x.Pos() == e.Pos && strings.Contains(e.Msg, "mismatched types") {
		if to, from := p.number(x), p.number(y); to != "" && from != "" && to != from {
			d.fix("convert to "+to, p.wrap(y, to)...)
		}
	}
}

// convertOne converts an integer operand to the type of the other, or the right one to that of the left.
func (p *pkg) convertOne(d *Diagnostic, x, y ast.Expr) {
	left, right := p.number(x), p.number(y)
	switch {
	case left == "" || right == "" || left == right:
	case strings.HasPrefix(right, "float") && !strings.HasPrefix(left, "float"):
		d.fix("convert to "+right, p.wrap(x, right)...)
	default:
		d.fix("convert to "+left, p.wrap(y, left)...)
	}
}

// number is the name of an expression's type when that is a number of the kernel language.
func (p *pkg) number(e ast.Expr) string {
	b, ok := p.info.TypeOf(e).(*types.Basic)
	if !ok || b.Info()&types.IsUntyped != 0 || b.Info()&types.IsNumeric == 0 || basicType(b) == 0 {
		return ""
	}
	return b.Name()
}

// callFix puts a call into a variable before the statement that it stands in.
func (l *lowering) callFix(d *Diagnostic, call ast.Expr, stmt ast.Node) {
	switch stmt.(type) {
	case *ast.AssignStmt, *ast.ReturnStmt, *ast.IncDecStmt:
	default:
		return // a condition is asked more than once, or not at all
	}
	ordered := false
	ast.Inspect(stmt, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		ordered = ordered || ok && (b.Op == token.LAND || b.Op == token.LOR)
		return true
	})
	if ordered || l.frame.site != nil || len(d.Fixes) > 0 {
		return
	}
	from, to := l.position(between{call.Pos(), call.Pos()}), l.position(between{call.End(), call.End()})
	if _, several := l.frame.pkg.info.TypeOf(call).(*types.Tuple); several || from.Line == 0 || from.Line != to.Line {
		return // several results, or several lines
	}
	const name = "before"
	if obj := l.frame.pkg.types.Scope().Innermost(call.Pos()); obj == nil {
		return
	} else if _, taken := obj.LookupParent(name, call.Pos()); taken != nil {
		return
	}
	above := l.lineAbove(stmt.Pos(), name+" := "+l.text(call))
	if above == nil || above[0].Line > int(from.Line) {
		return
	}
	d.fix("call it first", above[0], Edit{int(from.Line), int(from.Col), int(to.Col), name})
}
