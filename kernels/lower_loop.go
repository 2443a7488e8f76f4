package kernels

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// Which form a loop takes. Unrolling lets constants flow (the stages of a tableau, the elements of an
// array) and costs code; one OpLoop costs nothing but loses them.
const (
	maxUnrolled = 8000   // instructions that unrolling may make when one OpLoop would do
	maxUnroll   = 20_000 // turns of a loop that is unrolled
	probeTurns  = 2      // after these turns a loop that would grow far too large is not unrolled further
	minRolled   = 4      // a loop that may be left early is tried as an OpLoop from this many turns on
)

// loop is a for or range statement being lowered.
type loop struct {
	at     ast.Stmt
	pos    token.Pos     // where a directive stands above: the loop or its label
	cond   func() scalar // nil: for ever
	each   func()        // sets the variables of a range before the body; nil for none
	body   []ast.Stmt
	post   func() // nil for none
	turns  int    // the most turns, when that is known before the first one; -1 otherwise
	count  int    // a cell that counts the turns, when turns is known
	first  int64  // what it holds in the first turn
	stride int64  // what every turn adds to it
	scope  int    // cells from here on are the loop's own
	target *target
}

// newLoop makes a loop with its flags, which lie below its scope: they matter on every path.
func (l *lowering) newLoop(at ast.Stmt, label string, body []ast.Stmt) *loop {
	lp := &loop{at: at, body: body, turns: -1, count: -1}
	lp.target = &target{label: label, loop: true, broken: l.flag(), continued: l.flag()}
	lp.scope = len(l.mem)
	return lp
}

func (l *lowering) forStmt(s *ast.ForStmt, label string, pos token.Pos) {
	top := len(l.mem)
	lp := l.newLoop(s, label, s.Body.List)
	lp.pos = pos
	if s.Init != nil {
		l.stmt(s.Init, nil)
	}
	if s.Cond != nil {
		lp.cond = func() scalar { return l.condition(s.Cond) }
	}
	if s.Post != nil {
		lp.post = func() { l.stmt(s.Post, nil) }
	}
	l.countTurns(s, lp)
	l.loop(lp, l.frame.pkg.caps[l.capKey(pos)])
	l.shrink(top)
}

// capKey is where a directive above pos ends.
func (l *lowering) capKey(pos token.Pos) capKey {
	at := l.frame.pkg.position(between{pos, pos + 1})
	return capKey{int(at.File), int(at.Line) - 1}
}

// rangeStmt lowers a range over an integer, an array or a table as a counting loop.
func (l *lowering) rangeStmt(s *ast.RangeStmt, label string, pos token.Pos) {
	top := len(l.mem)
	lp := l.newLoop(s, label, s.Body.List)
	lp.pos = pos
	limit, elem := l.rangeOver(s)
	count := len(l.mem)
	l.mem = append(l.mem, scalar{typ: limit.typ})
	lp.cond = func() scalar { return l.emit(s, ir.OpLt, limit.typ, l.mem[count], limit) }
	lp.post = func() { l.set(count, l.emit(s, ir.OpAdd, limit.typ, l.mem[count], one(limit.typ))) }
	lp.each = func() {
		l.rangeVar(s, s.Key, []scalar{l.mem[count]})
		if s.Value != nil {
			l.rangeVar(s, s.Value, elem(l.mem[count]))
		}
	}
	if limit.constant() {
		lp.turns = max(int(int64(limit.bits)), 0)
		if limit.typ == ir.I32 {
			lp.turns = max(int(int32(limit.bits)), 0)
		}
		lp.count, lp.stride = count, 1
	}
	l.loop(lp, l.frame.pkg.caps[l.capKey(pos)])
	l.shrink(top)
}

// rangeOver evaluates what a range goes over: the number of turns, and how an element is read.
func (l *lowering) rangeOver(s *ast.RangeStmt) (limit scalar, elem func(i scalar) []scalar) {
	t := l.typeOf(s.X)
	if _, ok := t.Underlying().(*types.Basic); ok {
		limit = l.one(s.X)
		// An untyped constant takes the type of the variable.
		if id, ok := s.Key.(*ast.Ident); ok && limit.constant() && id.Name != "_" {
			if b, ok := l.typeOf(id).Underlying().(*types.Basic); ok {
				limit.typ = l.basic(b)
			}
		}
		return limit, nil
	}
	p := l.place(s.X)
	if p == nil || p.table == nil && p.plane == 0 && !l.spares(s, p) {
		// The range is over a copy.
		n, ok := t.Underlying().(*types.Array)
		if !ok {
			l.fail("E050", s.X)
		}
		if s.Value == nil {
			return integer(n.Len()), nil
		}
		vals := l.expr(s.X)
		p = &place{typ: t, base: l.alloc(t, s.X)}
		l.own(s, p.base, len(l.mem)-p.base, s.X)
		l.write(p.base, vals)
	}
	limit = l.lengthOf(s.X, p)
	return limit, func(i scalar) []scalar { return l.load(s.X, l.indexPlace(s.X, p, i)) }
}

// spares says whether the body of a range leaves alone what it goes over, so that no copy is needed.
func (l *lowering) spares(s *ast.RangeStmt, p *place) bool {
	root := l.frame.pkg.root(s.X)
	if root == nil || p.table != nil {
		return false
	}
	v, _ := l.frame.pkg.info.Uses[root].(*types.Var)
	return v != nil && !l.frame.pkg.assignsPart(s.Body, v, l.frame.pkg.path(s.X)) && !l.frame.pkg.assignsPart(keyValue(s), v, nil)
}

// keyValue are the variables of a range as a statement, empty when it declares them.
func keyValue(s *ast.RangeStmt) ast.Stmt {
	out := &ast.AssignStmt{Tok: token.ASSIGN}
	if s.Tok == token.ASSIGN {
		for _, e := range []ast.Expr{s.Key, s.Value} {
			if e != nil {
				out.Lhs = append(out.Lhs, e)
			}
		}
	}
	return out
}

// lengthOf is the number of elements of an array, of a table of the package or of a table plane.
func (l *lowering) lengthOf(at ast.Node, p *place) scalar {
	switch {
	case p.plane > 0:
		return l.tableLen(at, p.plane-1)
	case p.table == nil:
		return integer(p.typ.Underlying().(*types.Array).Len())
	case p.table.flat:
		return integer(int64(p.table.left[0]))
	}
	return integer(int64(len(p.table.node.kids)))
}

// rangeVar gives a variable of a range its value of this turn.
func (l *lowering) rangeVar(s *ast.RangeStmt, e ast.Expr, vals []scalar) {
	id, ok := e.(*ast.Ident)
	switch {
	case e == nil || ok && id.Name == "_":
	case s.Tok == token.DEFINE:
		if v, ok := l.frame.pkg.info.Defs[id].(*types.Var); ok {
			l.write(l.declare(v, e), vals)
		}
	default:
		l.store(e, l.place(e), vals)
	}
}

// loop lowers a loop in the form that fits it.
func (l *lowering) loop(lp *loop, limit *capDirective) {
	l.frame.targets = append(l.frame.targets, lp.target)
	l.chooseForm(lp, limit)
	l.frame.targets = l.frame.targets[:len(l.frame.targets)-1]
}

func (l *lowering) chooseForm(lp *loop, limit *capDirective) {
	if limit != nil {
		l.rolled(lp, limit.turns, true)
		return
	}
	early := lp.turns >= minRolled && leaves(lp.body)
	if early && l.attempt(func() { l.rolling++; l.rolled(lp, lp.turns, false); l.rolling-- }) {
		return
	}
	if l.attempt(func() { l.unroll(lp, maxUnrolled) }) {
		return
	}
	why := l.problem
	if lp.turns > 0 && l.attempt(func() { l.rolling++; l.demoting++; l.rolled(lp, lp.turns, false); l.rolling--; l.demoting-- }) {
		return
	}
	if why.Code == "E060" && l.attempt(func() { l.unroll(lp, maxInstrs) }) {
		return
	}
	if why.Code != "E060" {
		l.problem = why
	}
	l.capFix(l.problem, lp)
	l.raise()
}

// leaves says whether a list holds a statement that leaves its loop early, at any depth.
func leaves(list []ast.Stmt) bool {
	found := false
	for _, s := range list {
		ast.Inspect(s, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ReturnStmt:
				found = true
			case *ast.BranchStmt:
				found = found || n.Tok == token.BREAK
			}
			return !found
		})
	}
	return found
}

// unroll runs the loop turn by turn. Its condition must be constant at each; it may make limit
// instructions.
func (l *lowering) unroll(lp *loop, limit int) {
	from := l.emitted
	for turn := 0; ; turn++ {
		l.tick(1, lp.at)
		if l.surelyLeft() {
			return
		}
		left := l.left(lp.at)
		if turn > maxUnroll || l.emitted-from > limit || turn == probeTurns && limit == maxUnrolled && (l.emitted-from)/probeTurns*lp.turns > 2*limit {
			l.fail("E060", lp.at, "the loop is too large to be unrolled")
		}
		if lp.cond == nil && !left.constant() {
			l.fail("E031", lp.at)
		}
		more := false
		l.guard(lp.at, l.not(lp.at, left), lp.scope, func() { more = l.turn(lp) })
		if !more {
			return
		}
	}
}

// turn runs one turn of an unrolled loop; the result says that there was one.
func (l *lowering) turn(lp *loop) bool {
	if lp.cond != nil {
		c := lp.cond()
		if !c.constant() {
			l.fail("E031", condOf(lp.at))
		}
		if c.isFalse() {
			return false
		}
	}
	l.turnBody(lp)
	return true
}

// condOf is the part of a loop that says how long it runs.
func condOf(s ast.Stmt) span {
	switch s := s.(type) {
	case *ast.ForStmt:
		if s.Cond != nil {
			return s.Cond
		}
	case *ast.RangeStmt:
		return s.X
	}
	return s
}

// turnBody runs the body and what follows it in a turn, on the paths that have not left the loop.
func (l *lowering) turnBody(lp *loop) {
	top := len(l.mem)
	if lp.each != nil {
		lp.each()
	}
	l.sequence(lp.body)
	l.shrink(top)
	l.set(lp.target.continued, boolean(false))
	if lp.post == nil || l.surelyLeft() {
		return
	}
	l.guard(lp.at, l.not(lp.at, l.left(lp.at)), lp.scope, lp.post)
}

// rolled makes one OpLoop of at most turns turns. Its form is do-while inside an if:
//
//	if cond { loop { body; post; yield cond and not left, ... } }
//
// With fault set, a sample that would take one turn more faults.
func (l *lowering) rolled(lp *loop, turns int, fault bool) {
	first := boolean(true)
	if lp.cond != nil {
		first = lp.cond()
	}
	if first.isFalse() || turns < 1 {
		return
	}
	if turns > maxCap {
		l.fail("E060", lp.at, "the loop takes more than %d turns", maxCap)
	}
	l.guard(lp.at, first, never, func() {
		more := l.opLoop(lp, turns)
		if fault {
			l.fault(condOf(lp.at), ir.FaultCap, more)
		}
	})
}

// opLoop makes the OpLoop; the result says that its turns ran out.
//
// Which cells are carried from turn to turn comes out by lowering the body until the guess holds: at first
// none, then those that the body was seen to change.
func (l *lowering) opLoop(lp *loop, turns int) scalar {
	var carried []int
	for {
		emitted := l.emitted
		body, params, next := l.loopBody(lp, carried)
		missing := false
		for _, c := range body.changes {
			if !slices.Contains(carried, c.cell) && !l.dead(lp, c.cell) {
				carried, missing = append(carried, c.cell), true
			}
		}
		if missing {
			slices.Sort(carried)
			l.emitted = emitted
			continue
		}
		return l.closeLoop(lp, turns, carried, body, params, next)
	}
}

// dead says whether a cell is of no interest to the next turn or after the loop.
func (l *lowering) dead(lp *loop, cell int) bool {
	return cell == lp.target.broken || cell == lp.target.continued
}

// loopBody lowers the body with the carried cells as parameters.
func (l *lowering) loopBody(lp *loop, carried []int) (body *branch, params []ir.Value, next scalar) {
	body = l.begin(lp.at)
	for _, c := range carried {
		v := l.vals.New(l.mem[c].typ)
		params = append(params, v)
		if c == lp.count && lp.turns > 0 {
			last := lp.first + int64(lp.turns-1)*lp.stride
			if r := (interval{min(lp.first, last), max(lp.first, last)}); r.valid() {
				l.ranges[v] = r
			}
		}
		l.set(c, scalar{typ: l.mem[c].typ, val: v})
	}
	l.clearFlags() // a path that has left is in no turn
	l.turnBody(lp)
	next = l.not(lp.at, l.left(lp.at))
	if lp.cond != nil {
		next = l.either(lp.at, token.LAND, next, lp.cond)
	}
	l.end(body)
	return body, params, next
}

func (l *lowering) closeLoop(lp *loop, turns int, carried []int, body *branch, params []ir.Value, next scalar) scalar {
	// One more value is carried: whether the last turn wanted another.
	in := &ir.Instr{Op: ir.OpLoop, Imm: uint64(turns), Body: body.region}
	body.region.Params = append(params, l.vals.New(ir.Bool))
	body.region.Yield = []ir.Value{l.use(next)}
	for _, c := range carried {
		in.Args = append(in.Args, l.use(l.mem[c]))
		body.region.Yield = append(body.region.Yield, l.use(body.after(l, c)))
	}
	in.Args = append(in.Args, l.use(boolean(true)))
	body.region.Yield = append(body.region.Yield, l.use(next))
	for _, a := range in.Args {
		in.Results = append(in.Results, l.vals.New(l.vals.Type(a)))
	}
	l.append(in, lp.at)
	for i, c := range carried {
		l.set(c, scalar{typ: l.mem[c].typ, val: in.Results[i]})
	}
	return scalar{typ: ir.Bool, val: in.Results[len(carried)]}
}

// countTurns finds out how often a loop like for i := 0; i < 10; i++ runs, when its body leaves i and the
// limit alone, and that is at most maxCap.
func (l *lowering) countTurns(s *ast.ForStmt, lp *loop) {
	cond, ok := s.Cond.(*ast.BinaryExpr)
	if !ok {
		return
	}
	id, ok := ast.Unparen(cond.X).(*ast.Ident)
	op, compare := binaryOps[cond.Op]
	if !ok || !compare || !op.Compare() {
		return
	}
	info := l.frame.pkg.info
	v, _ := info.Uses[id].(*types.Var)
	base, local := l.frame.vars[v]
	if v == nil || !local || !l.mem[base].constant() || !l.mem[base].typ.Integer() || !info.Types[cond.Y].IsValue() || info.Types[cond.Y].Value == nil {
		return
	}
	step, ok := l.counterStep(s.Post, v)
	if !ok || l.frame.pkg.assigns(s.Body, v) {
		return
	}
	start, t := l.mem[base].bits, l.mem[base].typ
	i := start
	limit := l.one(cond.Y).bits
	for n := range maxCap {
		if interp.Eval(op, t, ir.Invalid, i, limit) == 0 {
			lp.turns, lp.count, lp.first, lp.stride = n, base, signed(start, t), signed(step, t)
			return
		}
		i = interp.Eval(ir.OpAdd, t, ir.Invalid, i, step)
		l.tick(1, s)
	}
}

// signed is an integer constant as a number; a uint64 beyond int64 comes out negative.
func signed(bits uint64, t ir.Type) int64 {
	if t == ir.I32 {
		return int64(int32(bits))
	}
	return int64(bits)
}

// counterStep is what a post statement adds to v.
func (l *lowering) counterStep(post ast.Stmt, v *types.Var) (uint64, bool) {
	info := l.frame.pkg.info
	is := func(e ast.Expr) bool {
		id, ok := ast.Unparen(e).(*ast.Ident)
		return ok && info.Uses[id] == v
	}
	b, _ := v.Type().Underlying().(*types.Basic)
	if b == nil || !basicType(b).Integer() {
		return 0, false
	}
	t := basicType(b)
	switch p := post.(type) {
	case *ast.IncDecStmt:
		if is(p.X) && p.Tok == token.INC {
			return 1, true
		}
		return t.Mask(), is(p.X) // -1
	case *ast.AssignStmt:
		if (p.Tok == token.ADD_ASSIGN || p.Tok == token.SUB_ASSIGN) && is(p.Lhs[0]) && l.isConstant(p.Rhs[0]) {
			n := l.one(p.Rhs[0]).bits
			if p.Tok == token.SUB_ASSIGN {
				n = interp.Eval(ir.OpNeg, t, ir.Invalid, n)
			}
			return n, true
		}
	}
	return 0, false
}

// assigns says whether a statement assigns the variable v, or calls a method that may.
func (p *pkg) assigns(s ast.Stmt, v *types.Var) bool { return p.assignsPart(s, v, nil) }

// path are the names of the fields between the root of an addressable expression and its first index.
func (p *pkg) path(e ast.Expr) []string {
	switch x := e.(type) {
	case *ast.ParenExpr:
		return p.path(x.X)
	case *ast.StarExpr:
		return p.path(x.X)
	case *ast.IndexExpr:
		return p.path(x.X)
	case *ast.SelectorExpr:
		if inner, ok := ast.Unparen(x.X).(*ast.IndexExpr); ok {
			return p.path(inner)
		}
		return append(p.path(x.X), x.Sel.Name)
	}
	return nil
}

// assignsPart says whether a statement assigns the part of v that a path leads to, something round it or
// something in it, or calls a method that may.
func (p *pkg) assignsPart(s ast.Stmt, v *types.Var, path []string) bool {
	found := false
	hit := func(e ast.Expr) {
		if e == nil {
			return
		}
		if id := p.root(e); id != nil && p.info.Uses[id] == v {
			other := p.path(e)
			n := min(len(path), len(other))
			found = found || slices.Equal(path[:n], other[:n])
		}
	}
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				hit(e)
			}
		case *ast.IncDecStmt:
			hit(n.X)
		case *ast.RangeStmt:
			hit(n.Key)
			hit(n.Value)
		case *ast.SelectorExpr:
			if sel := p.info.Selections[n]; sel != nil && sel.Kind() == types.MethodVal {
				hit(n.X)
			}
		}
		return !found
	})
	return found
}
