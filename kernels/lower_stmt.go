package kernels

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// frame is one function being expanded.
type frame struct {
	pkg      *pkg
	outer    *frame
	vars     map[*types.Var]int // first cell; of what it points to for a receiver that is a pointer
	types    map[*types.TypeParam]types.Type
	results  []result
	returned int // the flag cell: this path has returned
	targets  []*target
	site     ast.Node // inside mathlib: the call in the user's source
	depth    int
}

// result is a result of a function: its cells.
type result struct {
	base, size int
	typ        types.Type
}

// target is a statement that break or continue leaves: a loop or a switch. Its flags are cells that say
// whether this path has left; a path that has left runs nothing until the flag's statement ends.
type target struct {
	label             string
	loop              bool
	broken, continued int
}

// flags calls f for every flag cell of the current function.
func (fr *frame) flags(f func(cell int)) {
	f(fr.returned)
	for _, t := range fr.targets {
		f(t.broken)
		if t.loop {
			f(t.continued)
		}
	}
}

// left says whether the current path has left the statement list it is in.
func (l *lowering) left(at span) scalar {
	out := boolean(false)
	l.frame.flags(func(cell int) {
		if flag := l.mem[cell]; !flag.isFalse() {
			out = l.emit(at, ir.OpOr, ir.Bool, out, flag)
		}
	})
	return out
}

// surelyLeft is left for the constant answer yes. It makes no instruction.
func (l *lowering) surelyLeft() bool {
	sure := false
	l.frame.flags(func(cell int) { sure = sure || l.mem[cell].isTrue() })
	return sure
}

// clearFlags says that the path has not left.
func (l *lowering) clearFlags() {
	l.frame.flags(func(cell int) { l.set(cell, boolean(false)) })
}

// flag makes a flag cell.
func (l *lowering) flag() int {
	l.mem = append(l.mem, boolean(false))
	return len(l.mem) - 1
}

// sequence lowers statements one after the other, the rest of the list under a guard once a path may have left.
func (l *lowering) sequence(stmts []ast.Stmt) {
	for i, s := range stmts {
		if l.surelyLeft() {
			return
		}
		if left := l.left(s); !left.constant() {
			l.guard(s, l.not(s, left), never, func() { l.sequence(stmts[i:]) })
			return
		}
		if l.stmt(s, stmts[i+1:]) {
			return
		}
	}
}

// block lowers a list with a scope of its own.
func (l *lowering) block(stmts []ast.Stmt) {
	top := len(l.mem)
	l.sequence(stmts)
	l.shrink(top)
}

// stmt lowers one statement. rest are the statements after it in its list; the result says that they were
// lowered too, in the branch that goes on.
func (l *lowering) stmt(s ast.Stmt, rest []ast.Stmt) bool {
	l.tick(1, s)
	l.loaded = l.loaded[:0]
	l.here = s
	switch s := s.(type) {
	case *ast.EmptyStmt:
	case *ast.BlockStmt:
		l.block(s.List)
	case *ast.ExprStmt:
		l.exprs(s.X)
	case *ast.DeclStmt:
		l.declStmt(s)
	case *ast.AssignStmt:
		l.assign(s)
	case *ast.IncDecStmt:
		l.incDec(s)
	case *ast.IfStmt:
		return l.ifStmt(s, rest)
	case *ast.SwitchStmt:
		l.switchStmt(s, "")
	case *ast.ForStmt:
		l.forStmt(s, "", s.Pos())
	case *ast.RangeStmt:
		l.rangeStmt(s, "", s.Pos())
	case *ast.LabeledStmt:
		return l.labeled(s, rest)
	case *ast.BranchStmt:
		l.branchStmt(s)
	case *ast.ReturnStmt:
		l.returnStmt(s)
	default:
		l.fail("E099", s, "the statement %T came through the checks", s)
	}
	return false
}

func (l *lowering) labeled(s *ast.LabeledStmt, rest []ast.Stmt) bool {
	switch inner := s.Stmt.(type) {
	case *ast.ForStmt:
		l.forStmt(inner, s.Label.Name, s.Pos())
	case *ast.RangeStmt:
		l.rangeStmt(inner, s.Label.Name, s.Pos())
	case *ast.SwitchStmt:
		l.switchStmt(inner, s.Label.Name)
	default:
		return l.stmt(s.Stmt, rest)
	}
	return false
}

// breakable runs f inside a target that break can leave.
func (l *lowering) breakable(label string, f func()) {
	top := len(l.mem)
	t := &target{label: label, broken: l.flag()}
	l.frame.targets = append(l.frame.targets, t)
	f()
	l.frame.targets = l.frame.targets[:len(l.frame.targets)-1]
	l.shrink(top)
}

func (l *lowering) branchStmt(s *ast.BranchStmt) {
	if s.Tok == token.FALLTHROUGH {
		return // the switch has seen it
	}
	for i := len(l.frame.targets) - 1; i >= 0; i-- {
		t := l.frame.targets[i]
		named := s.Label != nil
		if named && s.Label.Name != t.label || s.Tok == token.CONTINUE && !t.loop {
			continue
		}
		if s.Tok == token.CONTINUE {
			l.set(t.continued, boolean(true))
		} else {
			l.set(t.broken, boolean(true))
		}
		return
	}
	l.fail("E099", s, "a %s without a target came through the checks", s.Tok)
}

func (l *lowering) returnStmt(s *ast.ReturnStmt) {
	if len(s.Results) > 0 {
		var vals [][]scalar
		for _, e := range s.Results {
			vals = append(vals, l.exprs(e)...)
		}
		for i, r := range l.frame.results {
			for j, v := range vals[i] {
				l.set(r.base+j, v)
			}
		}
	}
	l.set(l.frame.returned, boolean(true))
}

func (l *lowering) ifStmt(s *ast.IfStmt, rest []ast.Stmt) bool {
	top := len(l.mem)
	if s.Init != nil {
		l.stmt(s.Init, nil)
	}
	cond := l.condition(s.Cond)
	consumed := false
	switch {
	case cond.isTrue():
		l.block(s.Body.List)
	case cond.isFalse():
		if s.Else != nil {
			l.stmt(s.Else, nil)
		}
	default:
		consumed = l.fork(s, cond, rest)
	}
	l.shrink(top)
	return consumed
}

// condition evaluates the condition of an if or a loop, which begins a new order of reads and calls.
func (l *lowering) condition(e ast.Expr) scalar {
	l.loaded = l.loaded[:0]
	return l.one(e)
}

// fork lowers an if whose condition is not constant. When one branch surely leaves, the rest of the list
// goes into the other.
func (l *lowering) fork(s *ast.IfStmt, cond scalar, rest []ast.Stmt) (consumed bool) {
	a := l.begin(s)
	l.block(s.Body.List)
	thenLeaves := l.surelyLeft()
	l.end(a)

	var els []ast.Stmt
	if s.Else != nil {
		els = append(els, s.Else)
	}
	b := l.begin(s)
	if thenLeaves {
		els, consumed = append(els, rest...), true
	}
	l.block(els)
	elseLeaves := l.surelyLeft()
	l.end(b)
	if elseLeaves && !thenLeaves && len(rest) > 0 {
		l.reopen(a, s)
		l.block(rest)
		l.end(a)
		consumed = true
	}
	l.merge(s.Cond, cond, a, b, never)
	return consumed
}

func (l *lowering) switchStmt(s *ast.SwitchStmt, label string) {
	top := len(l.mem)
	if s.Init != nil {
		l.stmt(s.Init, nil)
	}
	w := &switchWork{lowering: l, stmt: s, fallback: -1}
	l.loaded = l.loaded[:0]
	if s.Tag != nil {
		w.tag, w.tagged = l.expr(s.Tag), true
	}
	for i, c := range s.Body.List {
		c := c.(*ast.CaseClause)
		w.clauses = append(w.clauses, c)
		if c.List == nil {
			w.fallback = i
		}
	}
	l.breakable(label, func() { w.from(0) })
	l.shrink(top)
}

// switchWork is a switch being lowered.
type switchWork struct {
	*lowering
	stmt     *ast.SwitchStmt
	clauses  []*ast.CaseClause
	fallback int // the default clause, -1 for none
	tagged   bool
	tag      []scalar
}

// from lowers the clauses from i on as one chain of ifs.
func (w *switchWork) from(i int) {
	if i == len(w.clauses) {
		if w.fallback >= 0 {
			w.body(w.fallback)
		}
		return
	}
	c := w.clauses[i]
	if c.List == nil {
		w.from(i + 1)
		return
	}
	cond := boolean(false)
	for _, e := range c.List {
		cond = w.either(e, token.LOR, cond, func() scalar { return w.matches(e) })
	}
	switch {
	case cond.isTrue():
		w.body(i)
	case cond.isFalse():
		w.from(i + 1)
	default:
		a := w.begin(c)
		w.body(i)
		w.end(a)
		b := w.begin(c)
		w.from(i + 1)
		w.end(b)
		w.merge(c, cond, a, b, never)
	}
}

func (w *switchWork) matches(e ast.Expr) scalar {
	w.loaded = w.loaded[:0]
	v := w.expr(e)
	if !w.tagged {
		return v[0]
	}
	return w.equal(e, w.tag, v)
}

// body lowers clause i, and the next one when it ends in fallthrough.
func (w *switchWork) body(i int) {
	stmts := w.clauses[i].Body
	w.block(stmts)
	if n := len(stmts); n > 0 {
		if b, ok := stmts[n-1].(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH {
			w.guard(b, w.not(b, w.left(b)), never, func() { w.body(i + 1) })
		}
	}
}

// equal compares two values of one type, scalar by scalar.
func (l *lowering) equal(at span, x, y []scalar) scalar {
	out := boolean(true)
	for i := range x {
		out = l.emit(at, ir.OpAnd, ir.Bool, out, l.emit(at, ir.OpEq, x[i].typ, x[i], y[i]))
	}
	return out
}

func (l *lowering) declStmt(s *ast.DeclStmt) {
	d, ok := s.Decl.(*ast.GenDecl)
	if !ok || d.Tok != token.VAR {
		return // constants and types
	}
	for _, spec := range d.Specs {
		spec := spec.(*ast.ValueSpec)
		var vals [][]scalar
		for _, e := range spec.Values {
			vals = append(vals, l.exprs(e)...)
		}
		for i, name := range spec.Names {
			v, _ := l.frame.pkg.info.Defs[name].(*types.Var)
			if v == nil {
				continue // _
			}
			base := l.declare(v, name)
			if vals != nil {
				l.write(base, vals[i])
			}
		}
	}
}

// declare makes a variable of the current function.
func (l *lowering) declare(v *types.Var, at span) int {
	base := l.alloc(l.frame.subst(v.Type()), at)
	l.frame.vars[v] = base
	l.own(v, base, len(l.mem)-base, at)
	return base
}

// write sets cells from base on.
func (l *lowering) write(base int, vals []scalar) {
	for i, v := range vals {
		l.set(base+i, v)
	}
}

// assign lowers every form of assignment. The operands on both sides are evaluated first, then the
// assignments are made from left to right.
func (l *lowering) assign(s *ast.AssignStmt) {
	if s.Tok != token.ASSIGN && s.Tok != token.DEFINE {
		l.assignOp(s.Lhs[0], assignOps[s.Tok], s)
		return
	}
	places := make([]*place, len(s.Lhs))
	fresh := make([]*types.Var, len(s.Lhs))
	for i, e := range s.Lhs {
		id, ok := e.(*ast.Ident)
		if ok && id.Name == "_" {
			continue
		}
		if ok && s.Tok == token.DEFINE {
			if v, ok := l.frame.pkg.info.Defs[id].(*types.Var); ok {
				fresh[i] = v
				continue
			}
		}
		places[i] = l.place(e)
	}
	var vals [][]scalar
	for _, e := range s.Rhs {
		vals = append(vals, l.exprs(e)...)
	}
	for i, e := range s.Lhs {
		switch {
		case fresh[i] != nil:
			l.write(l.declare(fresh[i], e), vals[i])
		case places[i] != nil:
			l.store(e, places[i], vals[i])
		}
	}
}

var assignOps = map[token.Token]token.Token{
	token.ADD_ASSIGN: token.ADD, token.SUB_ASSIGN: token.SUB, token.MUL_ASSIGN: token.MUL, token.QUO_ASSIGN: token.QUO,
	token.REM_ASSIGN: token.REM, token.AND_ASSIGN: token.AND, token.OR_ASSIGN: token.OR, token.XOR_ASSIGN: token.XOR,
	token.SHL_ASSIGN: token.SHL, token.SHR_ASSIGN: token.SHR, token.AND_NOT_ASSIGN: token.AND_NOT,
}

// assignOp is x op= y, which is x = x op y with x evaluated once.
func (l *lowering) assignOp(x ast.Expr, op token.Token, s *ast.AssignStmt) {
	p := l.place(x)
	old := l.load(x, p)[0]
	l.store(x, p, []scalar{l.binary(s, op, operand{val: old}, operand{expr: s.Rhs[0]})})
}

func (l *lowering) incDec(s *ast.IncDecStmt) {
	p := l.place(s.X)
	old := l.load(s.X, p)[0]
	op := ir.OpAdd
	if s.Tok == token.DEC {
		op = ir.OpSub
	}
	l.store(s.X, p, []scalar{l.emit(s, op, old.typ, old, one(old.typ))})
}
