package kernels

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"strconv"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

func itoa(n int) string { return strconv.Itoa(n) }

// one evaluates an expression of a basic type.
func (l *lowering) one(e ast.Expr) scalar { return l.expr(e)[0] }

// exprs evaluates an expression to its values: several for a call with several results, none for one
// without.
func (l *lowering) exprs(e ast.Expr) [][]scalar {
	if c, ok := ast.Unparen(e).(*ast.CallExpr); ok && !l.isConstant(e) {
		return l.call(c)
	}
	return [][]scalar{l.expr(e)}
}

func (l *lowering) isConstant(e ast.Expr) bool {
	return l.frame.pkg.info.Types[e].Value != nil
}

// expr evaluates an expression with one value.
func (l *lowering) expr(e ast.Expr) []scalar {
	l.tick(1, e)
	if tv := l.frame.pkg.info.Types[e]; tv.Value != nil {
		return []scalar{l.constant(e, tv.Value, l.frame.subst(tv.Type))}
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return l.expr(e.X)
	case *ast.UnaryExpr:
		return []scalar{l.unary(e)}
	case *ast.BinaryExpr:
		return []scalar{l.binaryExpr(e)}
	case *ast.CallExpr:
		return l.call(e)[0]
	case *ast.CompositeLit:
		return l.composite(e)
	case *ast.Ident, *ast.StarExpr:
		if p := l.place(e); p != nil {
			return l.load(e, p)
		}
	case *ast.SelectorExpr:
		return l.selected(e)
	case *ast.IndexExpr:
		return l.indexed(e)
	}
	l.fail("E099", e, "the expression %T came through the checks", e)
	return nil
}

// constant is a constant of the source as a scalar of type t, rounded once.
func (l *lowering) constant(e ast.Expr, v constant.Value, t types.Type) scalar {
	typ := ir.Invalid
	if b, ok := t.Underlying().(*types.Basic); ok {
		typ = l.basic(b)
	}
	switch {
	case typ == ir.Invalid:
		l.fail("E046", e, "the type %s is refused", t)
	case typ == ir.Bool:
		return boolean(constant.BoolVal(v))
	case typ.Float():
		return l.floatConstant(e, v, typ)
	}
	v = constant.ToInt(v)
	n, exact := constant.Int64Val(v)
	if !exact {
		u, _ := constant.Uint64Val(v)
		n = int64(u)
	}
	return scalar{typ: typ, bits: uint64(n) & typ.Mask()}
}

// one is the number 1 of a type.
func one(t ir.Type) scalar {
	switch t {
	case ir.F64:
		return scalar{typ: t, bits: math.Float64bits(1)}
	case ir.F32:
		return scalar{typ: t, bits: uint64(math.Float32bits(1))}
	}
	return scalar{typ: t, bits: 1}
}

// constantInt is a constant index.
func (l *lowering) constantInt(e ast.Expr) int64 {
	n, _ := constant.Int64Val(constant.ToInt(l.frame.pkg.info.Types[e].Value))
	return n
}

func (l *lowering) selected(e *ast.SelectorExpr) []scalar {
	if p := l.place(e); p != nil {
		return l.load(e, p)
	}
	sel := l.frame.pkg.info.Selections[e]
	if sel == nil || sel.Kind() != types.FieldVal {
		if id := l.frame.pkg.info.Uses[e.Sel]; id != nil {
			l.fail("E099", e, "%s came through the checks", id.Name())
		}
		l.fail("E099", e, "a selector came through the checks")
	}
	vals, t := l.expr(e.X), l.typeOf(e.X)
	for _, i := range sel.Index() {
		s := t.Underlying().(*types.Struct)
		from := l.layouts.offset(s, i)
		t = s.Field(i).Type()
		vals = vals[from : from+l.sizeOf(t, e)]
	}
	return vals
}

// indexed is a[i], of a place or of the result of a call.
func (l *lowering) indexed(e *ast.IndexExpr) []scalar {
	if p := l.place(e); p != nil {
		return l.load(e, p)
	}
	top := len(l.mem)
	p := &place{typ: l.typeOf(e.X), base: l.alloc(l.typeOf(e.X), e)}
	l.own(e, p.base, len(l.mem)-p.base, e)
	l.write(p.base, l.expr(e.X))
	elem := l.indexPlace(e, p, l.index(e.Index))
	if elem == nil {
		l.fail("E032", e)
	}
	settled := len(l.loaded)
	out := l.load(e, elem)
	l.loaded = l.loaded[:settled] // no later call can change the temporary, whose cells will be another's
	l.shrink(top)
	return out
}

func (l *lowering) composite(e *ast.CompositeLit) []scalar {
	t := l.typeOf(e)
	typs := l.scalarsOf(t, e)
	out := make([]scalar, len(typs))
	for i, typ := range typs {
		out[i].typ = typ
	}
	switch u := t.Underlying().(type) {
	case *types.Array:
		size, next := l.sizeOf(u.Elem(), e), int64(0)
		for _, elt := range e.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				next, elt = l.constantInt(kv.Key), kv.Value
			}
			copy(out[int(next)*size:], l.expr(elt))
			next++
		}
	case *types.Struct:
		for i, elt := range e.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				i, elt = fieldIndex(u, kv.Key.(*ast.Ident).Name), kv.Value
			}
			copy(out[l.layouts.offset(u, i):], l.expr(elt))
		}
	default:
		l.fail("E032", e)
	}
	return out
}

func (l *lowering) unary(e *ast.UnaryExpr) scalar {
	x := l.one(e.X)
	switch e.Op {
	case token.SUB:
		return l.emit(e, ir.OpNeg, x.typ, x)
	case token.XOR:
		return l.emit(e, ir.OpNot, x.typ, x)
	case token.NOT:
		out := l.not(e, x)
		l.note(out, &condInfo{kind: ir.CondNot, at: e, kids: []condKid{{x, e.X}}})
		return out
	}
	return x // +x
}

// operand is one side of a binary operation: a value, or an expression still to be evaluated.
type operand struct {
	val  scalar
	expr ast.Expr
}

func (l *lowering) eval(o operand) scalar {
	if o.expr == nil {
		return o.val
	}
	return l.one(o.expr)
}

func (l *lowering) binaryExpr(e *ast.BinaryExpr) scalar {
	switch e.Op {
	case token.LAND, token.LOR:
		settled := len(l.loaded)
		x := l.one(e.X)
		l.loaded = l.loaded[:settled] // && and || have an order
		var y scalar
		out := l.either(e, e.Op, x, func() scalar { y = l.one(e.Y); return y })
		if !x.constant() && y.typ == ir.Bool {
			kind := ir.CondAnd
			if e.Op == token.LOR {
				kind = ir.CondOr
			}
			l.note(out, &condInfo{kind: kind, at: e, kids: []condKid{{x, e.X}, {y, e.Y}}})
		}
		return out
	case token.EQL, token.NEQ:
		if _, ok := l.typeOf(e.X).Underlying().(*types.Basic); !ok {
			eq := l.equal(e, l.expr(e.X), l.expr(e.Y))
			if e.Op == token.NEQ {
				eq = l.not(e, eq)
			}
			return eq
		}
	}
	return l.binary(e, e.Op, operand{expr: e.X}, operand{expr: e.Y})
}

var binaryOps = map[token.Token]ir.Op{
	token.ADD: ir.OpAdd, token.SUB: ir.OpSub, token.MUL: ir.OpMul, token.QUO: ir.OpDiv, token.REM: ir.OpRem,
	token.AND: ir.OpAnd, token.OR: ir.OpOr, token.XOR: ir.OpXor,
	token.EQL: ir.OpEq, token.NEQ: ir.OpNe, token.LSS: ir.OpLt, token.LEQ: ir.OpLe, token.GTR: ir.OpGt, token.GEQ: ir.OpGe,
}

// binary lowers an operation on basic types.
func (l *lowering) binary(at ast.Node, op token.Token, x, y operand) scalar {
	if op == token.ADD || op == token.SUB {
		if out, ok := l.fused(at, op, x, y); ok {
			return out
		}
	}
	a := l.eval(x)
	b := l.eval(y)
	switch op {
	case token.SHL, token.SHR:
		return l.shift(at, op, a, b)
	case token.AND_NOT:
		return l.emit(at, ir.OpAnd, a.typ, a, l.emit(at, ir.OpNot, b.typ, b))
	case token.QUO, token.REM:
		if a.typ.Integer() && (!b.constant() || b.bits == 0) {
			l.fault(at, ir.FaultDivide, l.emit(at, ir.OpEq, b.typ, b, scalar{typ: b.typ}))
		}
	}
	code := binaryOps[op]
	out := l.emit(at, code, a.typ, a, b)
	if code.Compare() && a.typ != ir.Bool {
		l.note(out, &condInfo{kind: ir.CondCompare, at: at, op: code, kids: []condKid{{a, x.expr}, {b, y.expr}}})
	}
	return out
}

// shift is x<<y or x>>y. A count of a signed type that is negative faults.
func (l *lowering) shift(at ast.Node, op token.Token, x, y scalar) scalar {
	if y.typ.Signed() {
		if r, ok := l.interval(y, 0); !ok || r.lo < 0 {
			l.fault(at, ir.FaultShift, l.emit(at, ir.OpLt, y.typ, y, scalar{typ: y.typ}))
		}
	}
	code := ir.OpShl
	if op == token.SHR {
		code = ir.OpShr
	}
	return l.emit(at, code, x.typ, x, l.convert(at, y, ir.U64))
}

// fused forms fused multiply-adds (fma=contract). The rule is per source expression, so that it does not
// depend on what the passes find: in x*y + z, z + x*y, x*y - z and z - x*y the product is fused when it is
// a direct operand, the left one when both are. mathlib is never fused.
func (l *lowering) fused(at ast.Node, op token.Token, x, y operand) (scalar, bool) {
	if !l.contract || l.frame.pkg.trusts {
		return scalar{}, false
	}
	if p := l.product(x.expr); p != nil {
		a, b := l.one(p.X), l.one(p.Y)
		c := l.eval(y)
		if op == token.SUB {
			c = l.emit(at, ir.OpNeg, c.typ, c)
		}
		return l.emit(at, ir.OpFMA, a.typ, a, b, c), true
	}
	if p := l.product(y.expr); p != nil {
		c := l.eval(x)
		a, b := l.one(p.X), l.one(p.Y)
		if op == token.SUB {
			a = l.emit(at, ir.OpNeg, a.typ, a)
		}
		return l.emit(at, ir.OpFMA, a.typ, a, b, c), true
	}
	return scalar{}, false
}

// product is e as a product of floats that is no constant of the source, nil for anything else.
func (l *lowering) product(e ast.Expr) *ast.BinaryExpr {
	if e == nil || l.isConstant(e) {
		return nil
	}
	p, ok := ast.Unparen(e).(*ast.BinaryExpr)
	if !ok || p.Op != token.MUL {
		return nil
	}
	b, ok := l.typeOf(p).Underlying().(*types.Basic)
	if !ok || !basicType(b).Float() {
		return nil
	}
	return p
}

// either is x && y or x || y with y evaluated where it matters only: at once when it can do no harm, in a
// branch of its own when it may fault or changes a variable.
func (l *lowering) either(at ast.Node, op token.Token, x scalar, y func() scalar) scalar {
	and := op == token.LAND
	if x.constant() {
		if x.isTrue() == and {
			return y()
		}
		return x
	}
	top := len(l.mem)
	out := l.flag()
	b := l.begin(at)
	val := y()
	l.set(out, val)
	l.end(b)
	if quiet := b.without(out); quiet.simple() {
		l.shrink(top)
		l.splice(b)
		code := ir.OpOr
		if and {
			code = ir.OpAnd
		}
		return l.emit(at, code, ir.Bool, x, val)
	}
	other := l.begin(at)
	l.set(out, boolean(!and))
	l.end(other)
	if and {
		l.merge(at, x, b, other, never)
	} else {
		l.merge(at, x, other, b, never)
	}
	val = l.mem[out]
	l.shrink(top)
	return val
}

// without is the branch with the change of one cell left out.
func (b *branch) without(cell int) *branch {
	out := &branch{region: b.region}
	for _, c := range b.changes {
		if c.cell != cell {
			out.changes = append(out.changes, c)
		}
	}
	return out
}
