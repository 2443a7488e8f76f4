// Package irtest makes random kernels and batches for tests of whatever reads or runs the IR: printers,
// passes, engines. It knows the IR only. The same seed gives the same kernel and the same planes on every
// machine.
package irtest

import (
	"fmt"
	"math/rand/v2"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Kernel is a random kernel that [ir.Verify] accepts: planes of all types and roles, tables, local arrays, a step of
// about size instructions with nested ifs, loops and faults in every position that the rules allow, a
// finish condition (mostly), an init (often) and observables. Constants are drawn with a liking for those
// that rewrites look for.
func Kernel(seed uint64, size int) *ir.Kernel {
	g := &generator{r: rand.New(rand.NewPCG(seed, 0x656167)), size: size}
	g.k = &ir.Kernel{
		Name: fmt.Sprintf("random%d", seed), Files: []string{"random.go"},
		Guard: ir.Guard(g.r.IntN(2)), Steps: g.r.IntN(3), StepsMax: ir.DefaultStepsMax,
		Precision: ir.F64, FMA: g.r.IntN(2) == 1,
	}
	g.planes()
	g.tables()
	g.step()
	if g.r.IntN(3) > 0 {
		g.init()
	}
	for i := range 1 + g.r.IntN(2) {
		g.observable(i)
	}
	return g.k
}

type generator struct {
	r    *rand.Rand
	k    *ir.Kernel
	b    *ir.Builder
	size int // instructions the step should have

	budget int                    // instructions that may still be made in the code at hand
	pool   [ir.F64 + 1][]ir.Value // values visible here, by type
	faults bool
	arrays []int // local arrays that the code at hand may use
	local  []int // of those, the ones that are filled here
}

var types = []ir.Type{ir.Bool, ir.I32, ir.I64, ir.U32, ir.U64, ir.F32, ir.F64}

func (g *generator) oneType() ir.Type {
	if g.r.IntN(3) == 0 {
		return ir.F64
	}
	return types[g.r.IntN(len(types))]
}

func (g *generator) pos() ir.Pos {
	if g.r.IntN(4) == 0 {
		return ir.Pos{}
	}
	line, col := 1+g.r.Int32N(99), 1+g.r.Int32N(60)
	return ir.Pos{Line: line, Col: col, End: col + g.r.Int32N(9)}
}

func (g *generator) planes() {
	roles := []ir.Role{ir.RoleState, ir.RoleState, ir.RoleInput, ir.RoleParam, ir.RoleOutput, ir.RoleTable}
	for i := range 4 + g.r.IntN(10) {
		p := ir.Plane{
			Name: fmt.Sprintf("p%d", i), Field: fmt.Sprintf("P%d", i), Type: g.oneType(),
			Role: roles[i%len(roles)], Pos: g.pos(), Init: g.rule(),
		}
		if p.Role == ir.RoleTable {
			p.Len = g.r.IntN(5)
		}
		for range g.r.IntN(3) {
			if p.Role == ir.RoleTable {
				break
			}
			p.Dims = append(p.Dims, 1+g.r.IntN(2))
		}
		if g.r.IntN(3) == 0 {
			p.Unit, p.Doc = "m/s", "a \"doc\" comment\n"
		}
		g.k.Planes = append(g.k.Planes, p)
	}
}

func (g *generator) rule() ir.Init {
	switch g.r.IntN(4) {
	case 0:
		return ir.Init{Kind: ir.InitUniform, Args: []float64{-1, 1e300}, Text: "uniform(-1, 1e300)"}
	case 1:
		return ir.Init{Kind: ir.InitChoice, Args: []float64{0.1, 2, -3}, Text: "choice(0.1, 2, -3)"}
	case 2:
		return ir.Init{Kind: ir.InitIndex, Text: "index()"}
	}
	return ir.Init{Kind: ir.InitConst, Args: []float64{0}}
}

func (g *generator) tables() {
	for i, t := range types {
		tab := ir.Table{Name: fmt.Sprintf("table.%d", i), Type: t}
		for range 1 + g.r.IntN(12) {
			tab.Bits = append(tab.Bits, Bits(g.r, t))
		}
		g.k.Tables = append(g.k.Tables, tab)
	}
}

// cells are the components of plane i.
func (g *generator) cells(i int) []ir.Cell {
	var cs []ir.Cell
	for c := range g.k.Planes[i].Width() {
		cs = append(cs, ir.Cell{Plane: i, Comp: int32(c)})
	}
	return cs
}

// begin starts the code of a step or func.
func (g *generator) begin(v *ir.Values, r *ir.Region, size int, faults bool) {
	g.b, g.budget, g.faults = ir.NewBuilder(v, r), size, faults
	g.arrays, g.local = nil, nil
	for i := range g.r.IntN(3) {
		a := ir.Array{Name: fmt.Sprintf("a.%d", i), Type: g.oneType(), Len: 1 + g.r.IntN(5)}
		v.Arrays = append(v.Arrays, a)
		g.arrays = append(g.arrays, i)
	}
	g.pool = [ir.F64 + 1][]ir.Value{}
}

func (g *generator) step() {
	s := &g.k.Step
	g.begin(&s.Values, &s.Head, g.size/4, false)
	for i := range g.k.Planes {
		role := g.k.Planes[i].Role
		for _, c := range g.cells(i) {
			switch {
			case role == ir.RoleTable:
			case role == ir.RoleOutput, role == ir.RoleState && g.r.IntN(8) > 0:
				s.Carry = append(s.Carry, c)
			case role != ir.RoleOutput:
				g.load(c)
			}
		}
	}
	arrays := g.arrays
	g.arrays = nil // none in the head
	g.instrs()
	g.arrays = arrays
	g.b.Push(&s.Trip)
	g.budget, g.faults = g.size, true
	for _, c := range s.Carry {
		x := s.New(g.k.Planes[c.Plane].Type)
		s.Trip.Params = append(s.Trip.Params, x)
		g.add(x)
	}
	g.instrs()
	g.finish()
	for _, c := range s.Carry {
		s.Trip.Yield = append(s.Trip.Yield, g.value(g.k.Planes[c.Plane].Type))
	}
	g.b.Pop()
}

func (g *generator) init() {
	f := &ir.Func{Name: "init", Doc: "starts"}
	g.k.Init = f
	g.begin(&f.Values, &f.Body, g.size/3, true)
	g.loads()
	g.instrs()
	for i := range g.k.Planes {
		if role := g.k.Planes[i].Role; role == ir.RoleParam || role == ir.RoleTable || g.r.IntN(2) == 0 {
			continue
		}
		for _, c := range g.cells(i) {
			f.Stores = append(f.Stores, c)
			f.Body.Yield = append(f.Body.Yield, g.value(g.k.Planes[i].Type))
		}
	}
}

func (g *generator) observable(i int) {
	f := &ir.Func{Name: fmt.Sprintf("o%d", i), Unit: "J"}
	g.k.Observables = append(g.k.Observables, f)
	g.begin(&f.Values, &f.Body, g.size/3, false)
	g.loads()
	g.instrs()
	f.Body.Yield = []ir.Value{g.value(g.oneType())}
}

// loads loads some cells of every plane.
func (g *generator) loads() {
	for i := range g.k.Planes {
		for _, c := range g.cells(i) {
			if g.k.Planes[i].Role != ir.RoleTable && g.r.IntN(4) > 0 {
				g.load(c)
			}
		}
	}
}

func (g *generator) load(c ir.Cell) {
	g.b.SetPos(g.pos())
	g.add(g.b.EmitLoad(g.k.Planes[c.Plane].Type, c.Plane, c.Comp))
}

// add makes x one of the values to choose from.
func (g *generator) add(x ir.Value) {
	t := g.b.Values().Type(x)
	g.pool[t] = append(g.pool[t], x)
}

// value is a value of type t: one that is visible, recent ones more often, or a new constant.
func (g *generator) value(t ir.Type) ir.Value {
	pool := g.pool[t]
	if len(pool) == 0 || g.r.IntN(6) == 0 {
		x := g.b.EmitConst(t, Bits(g.r, t))
		g.add(x)
		return x
	}
	if recent := 6; len(pool) > recent && g.r.IntN(2) == 0 {
		pool = pool[len(pool)-recent:]
	}
	return pool[g.r.IntN(len(pool))]
}

// finish makes the exit flag and the finish condition. Most conditions hold rarely, so that samples take
// more than one step.
func (g *generator) finish() {
	s := &g.k.Step
	if g.r.IntN(8) == 0 {
		s.Trip.Yield = []ir.Value{g.b.EmitConst(ir.Bool, 0)}
		return
	}
	c := g.cond(2)
	g.k.Finish = &ir.Finish{Name: "terminated", Text: "a\t&& b", Pos: g.pos(), Cond: c}
	s.Trip.Yield = []ir.Value{c.Result}
}

func (g *generator) cond(depth int) *ir.Cond {
	c := &ir.Cond{Kind: ir.CondKind(g.r.IntN(5)), Pos: g.pos()}
	if depth == 0 && c.Kind != ir.CondOpaque {
		c.Kind = ir.CondCompare
	}
	switch c.Kind {
	case ir.CondCompare:
		t := g.oneType()
		for c.Op = ir.OpEq + ir.Op(g.r.IntN(6)); !c.Op.Takes(t); t = g.oneType() {
		}
		c.LHS, c.RHS, c.LHSText, c.RHSText = g.value(t), g.value(t), "s.A", "1"
		c.Result = g.b.Emit(c.Op, t, c.LHS, c.RHS)
	case ir.CondNot:
		c.Kids = []*ir.Cond{g.cond(depth - 1)}
		c.Result = g.b.Emit(ir.OpNot, ir.Bool, c.Kids[0].Result)
	case ir.CondOpaque:
		c.LHSText, c.Result = "f(x)", g.value(ir.Bool)
	default:
		c.Kids = []*ir.Cond{g.cond(depth - 1), g.cond(depth - 1)}
		op := ir.OpAnd
		if c.Kind == ir.CondOr {
			op = ir.OpOr
		}
		c.Result = g.b.Emit(op, ir.Bool, c.Kids[0].Result, c.Kids[1].Result)
	}
	return c
}
