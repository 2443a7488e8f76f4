package kernels

import (
	"go/ast"
	"go/types"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// condInfo says how a bool was computed, while Step is lowered.
type condInfo struct {
	kind ir.CondKind
	at   ast.Node
	op   ir.Op
	kids []condKid
}

// condKid is an operand with its source.
type condKid struct {
	val  scalar
	expr ast.Expr // nil for x of x op= y
}

// note remembers how a bool value came about. A value that is known already keeps its story.
func (l *lowering) note(v scalar, c *condInfo) {
	if v.constant() || l.conds[v.val] != nil || l.frame.site != nil {
		return
	}
	l.conds[v.val] = c
}

// maxCondDepth bounds the parts of a finish condition inside each other; below, a part is not taken apart.
const maxCondDepth = 50

// taken is the finish condition taken apart: a tree over values that can be seen at the end of the trip.
func (l *lowering) taken(v scalar, text string, visible map[ir.Value]bool, depth int) *ir.Cond {
	out := &ir.Cond{Kind: ir.CondOpaque, Result: l.use(v), LHSText: text}
	c := l.conds[v.val]
	if v.constant() || c == nil || depth > maxCondDepth {
		return out
	}
	if text == "" {
		out.LHSText = l.text(c.at)
	}
	out.Pos = l.position(c.at)
	for _, k := range c.kids {
		if !k.val.constant() && !visible[k.val.val] {
			return out
		}
	}
	out.LHSText = ""
	out.Kind = c.kind
	if c.kind == ir.CondCompare {
		out.Op = c.op
		out.LHS, out.RHS = l.use(c.kids[0].val), l.use(c.kids[1].val)
		out.LHSText, out.RHSText = l.kidText(c.kids[0]), l.kidText(c.kids[1])
		return out
	}
	for _, k := range c.kids {
		kid := l.taken(k.val, l.kidText(k), visible, depth+1)
		if kid.Kind == c.kind && c.kind != ir.CondNot {
			out.Kids = append(out.Kids, kid.Kids...) // a && b && c is one node
			continue
		}
		out.Kids = append(out.Kids, kid)
	}
	return out
}

func (l *lowering) kidText(k condKid) string {
	if k.expr == nil {
		return ""
	}
	return l.text(ast.Unparen(k.expr))
}

// finish is the finish declaration for Step's result.
func (l *lowering) finish(s *sample, decl *ast.FuncDecl, result *types.Var, exit scalar, visible map[ir.Value]bool) *ir.Finish {
	at := ast.Node(decl.Type.Results)
	name := result.Name()
	text := name
	if exprs := assignedTo(s, l.frame.pkg, decl, result); len(exprs) == 1 {
		at = exprs[0]
		text = l.text(at)
	} else if c := l.conds[exit.val]; c != nil && !exit.constant() {
		at = c.at
		text = l.text(at)
	}
	if text == "" || text == "_" {
		text = defaultMask
	}
	cond := l.taken(exit, text, visible, 0)
	if cond.Pos == (ir.Pos{}) {
		cond.Pos = l.position(at)
	}
	if exit.constant() {
		if exit.isTrue() {
			l.at("W002", at)
		} else {
			l.at("W001", at)
		}
	}
	return &ir.Finish{Name: s.mask, Text: text, Pos: l.position(at), Cond: cond}
}

// assignedTo are the expressions that Step gives its result: by assignment, or in a return.
func assignedTo(_ *sample, p *pkg, decl *ast.FuncDecl, result *types.Var) []ast.Expr {
	var out []ast.Expr
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ReturnStmt:
			if len(n.Results) == 1 {
				out = append(out, n.Results[0])
			}
		case *ast.AssignStmt:
			for i, e := range n.Lhs {
				id, ok := e.(*ast.Ident)
				if ok && p.info.Uses[id] == result && len(n.Lhs) == len(n.Rhs) {
					out = append(out, n.Rhs[i])
				}
			}
		}
		return true
	})
	return out
}
