package irtest

import "github.com/eaglet-workbench/eaglet/kernels/ir"

// maxDepth is how deep regions nest.
const maxDepth = 5

// instrs fills the region at hand.
func (g *generator) instrs() {
	n := 1 + g.r.IntN(12)
	if g.b.Depth() <= 2 { // head, trip and bodies spend what there is
		n = g.budget
	}
	for ; n > 0 && g.budget > 0; n-- {
		g.budget--
		g.b.SetPos(g.pos())
		deep := g.b.Depth() >= maxDepth
		switch p := g.r.IntN(100); {
		case p < 6 && !deep:
			g.ifInstr()
		case p < 9 && !deep:
			g.loop()
		case p < 10 && g.faults:
			g.fault()
		case p < 20 && len(g.arrays) > 0:
			g.onArray()
		default:
			g.pure()
		}
	}
}

// pure emits an operation with one result.
func (g *generator) pure() {
	op := ir.OpConst
	for op == ir.OpConst || op == ir.OpLoad {
		op = ir.Op(1 + g.r.IntN(int(ir.OpIf)-1))
	}
	t := g.oneType()
	for !op.Takes(t) {
		t = types[g.r.IntN(len(types))]
	}
	switch {
	case op == ir.OpLookup || op == ir.OpLen:
		g.lookup(op)
	case op == ir.OpTable:
		for i := range g.k.Tables {
			if g.k.Tables[i].Type == t {
				g.add(g.b.EmitTable(t, i, g.value(ir.I64)))
				return
			}
		}
	case op.Converts():
		from := types[g.r.IntN(len(types))]
		for !op.TakesFrom(t, from) {
			from = types[g.r.IntN(len(types))]
		}
		g.add(g.b.EmitConvert(op, t, g.value(from)))
	default:
		args := make([]ir.Value, op.Arity())
		for i := range args {
			args[i] = g.value(op.ArgType(t, ir.Invalid, i))
		}
		if len(args) > 1 && op.ArgType(t, ir.Invalid, 1) == t && g.r.IntN(12) == 0 {
			args[len(args)-1] = args[len(args)-2]
			if op == ir.OpSelect && t != ir.Bool {
				args[1] = args[2]
			}
		}
		g.add(g.b.Emit(op, t, args...))
	}
}

// lookup emits the read of a random plane that no step writes, or the length of a table.
func (g *generator) lookup(op ir.Op) {
	i := g.r.IntN(len(g.k.Planes))
	switch p := &g.k.Planes[i]; {
	case p.Role == ir.RoleTable && op == ir.OpLen:
		g.add(g.b.EmitLen(i))
	case p.Role == ir.RoleTable || p.Role == ir.RoleInput || p.Role == ir.RoleParam:
		g.add(g.b.EmitLookup(p.Type, i, g.index()))
	}
}

// index is an i64, more often than not a small one.
func (g *generator) index() ir.Value {
	if g.r.IntN(3) == 0 {
		return g.value(ir.I64)
	}
	small := g.b.EmitConst(ir.I64, g.r.Uint64N(6))
	if g.r.IntN(2) == 0 {
		return small
	}
	return g.b.Emit(ir.OpRem, ir.I64, g.value(ir.I64), g.b.EmitConst(ir.I64, 1+g.r.Uint64N(5)))
}

// onArray emits a statement on a local array, a fill first.
func (g *generator) onArray() {
	if len(g.local) == 0 || g.r.IntN(8) == 0 {
		a := g.arrays[g.r.IntN(len(g.arrays))]
		g.b.EmitArray(a, g.value(g.b.Values().Arrays[a].Type))
		g.local = append(g.local, a)
		return
	}
	a := g.local[g.r.IntN(len(g.local))]
	if g.r.IntN(2) == 0 {
		g.add(g.b.EmitGet(a, g.index()))
	} else {
		i := g.index()
		g.b.EmitPut(a, i, g.value(g.b.Values().Arrays[a].Type))
	}
}

// inner makes a region with parameters, then yields what yield says; its values are forgotten after.
func (g *generator) inner(params []ir.Value, yield func() []ir.Value) *ir.Region {
	pool, local := g.pool, g.local
	g.local = local[:len(local):len(local)]
	for t := range pool { // appends inside must not be seen outside
		g.pool[t] = pool[t][:len(pool[t]):len(pool[t])]
	}
	r := &ir.Region{Params: params}
	g.b.Push(r)
	for _, p := range params {
		g.add(p)
	}
	g.instrs()
	r.Yield = yield()
	g.b.Pop()
	g.pool, g.local = pool, local
	return r
}

// someTypes are the types of up to n results.
func (g *generator) someTypes(n int) []ir.Type {
	var ts []ir.Type
	for range g.r.IntN(n + 1) {
		ts = append(ts, g.oneType())
	}
	return ts
}

func (g *generator) values(ts []ir.Type) []ir.Value {
	var xs []ir.Value
	for _, t := range ts {
		xs = append(xs, g.value(t))
	}
	return xs
}

func (g *generator) ifInstr() {
	c, ts := g.value(ir.Bool), g.someTypes(3)
	yield := func() []ir.Value { return g.values(ts) }
	for _, x := range g.b.EmitIf(c, g.inner(nil, yield), g.inner(nil, yield)) {
		g.add(x)
	}
}

func (g *generator) loop() {
	ts := g.someTypes(3)
	args := g.values(ts)
	var params []ir.Value
	for _, t := range ts {
		params = append(params, g.b.Values().New(t))
	}
	body := g.inner(params, func() []ir.Value {
		y := []ir.Value{g.value(ir.Bool)}
		for i, t := range ts {
			if g.r.IntN(5) == 0 {
				y = append(y, params[i]) // does not change
			} else {
				y = append(y, g.value(t))
			}
		}
		return y
	})
	for _, x := range g.b.EmitLoop(1+g.r.Uint64N(4), args, body) {
		g.add(x)
	}
}

// fault emits a fault that needs several things at once, so that most samples go on.
func (g *generator) fault() {
	c := g.value(ir.Bool)
	for range g.r.IntN(4) {
		c = g.b.Emit(ir.OpAnd, ir.Bool, c, g.value(ir.Bool))
	}
	g.b.EmitFault(ir.FaultDivide+ir.FaultKind(g.r.IntN(4)), c)
}
