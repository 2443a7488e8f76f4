package kernels

import (
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// Comparison is one comparison of a finish condition, as it stands in the source.
type Comparison struct {
	LHS, RHS string // source text of the operands
	Op       ir.Op
	Negated  bool // it stands under an odd number of nots: the condition wants it false
	Pos      ir.Pos
}

// Text is the comparison as written: s.T >= s.TEnd.
func (c *Comparison) Text() string {
	text := c.LHS + " " + opText[c.Op] + " " + c.RHS
	if c.Negated {
		text = "!(" + text + ")"
	}
	return text
}

var opText = map[ir.Op]string{ir.OpEq: "==", ir.OpNe: "!=", ir.OpLt: "<", ir.OpLe: "<=", ir.OpGt: ">", ir.OpGe: ">="}

// Margin is how far the comparison is from what finishes a sample: below 0 is short of it, 0 and more is
// there, NaN stays NaN. For == it is minus the distance of the operands, for != the distance.
func (c *Comparison) Margin(lhs, rhs float64) float64 {
	m := lhs - rhs
	op := c.Op
	if c.Negated {
		op = map[ir.Op]ir.Op{ir.OpEq: ir.OpNe, ir.OpNe: ir.OpEq, ir.OpLt: ir.OpGe, ir.OpLe: ir.OpGt, ir.OpGt: ir.OpLe, ir.OpGe: ir.OpLt}[op]
	}
	switch op {
	case ir.OpLt, ir.OpLe:
		return -m
	case ir.OpEq:
		return -max(m, -m)
	case ir.OpNe:
		return max(m, -m)
	}
	return m
}

// FinishProbe makes steps of single samples on the interpreter and shows the operands of their finish
// condition. It changes nothing but the planes it is given: give it a copy.
type FinishProbe struct {
	Comparisons []Comparison
	// Any says that one comparison that holds finishes a sample (an or); else all have to (an and), or the
	// condition mixes both and Opaque is set too.
	Any    bool
	Opaque bool // part of the condition is no comparison that could be taken apart

	carried int
	machine *interp.FuncMachine
}

// NewFinishProbe makes a probe for one goroutine; nil for a kernel without a finish declaration.
func NewFinishProbe(k *Kernel) *FinishProbe {
	fin := k.IR.Finish
	if fin == nil || fin.Cond == nil {
		return nil
	}
	c := k.IR.Clone() // the func takes over its instructions
	step := &c.Step
	f := &ir.Func{Values: step.Values, Name: "finish", Stores: step.Carry}
	f.Body.Instrs = append(f.Body.Instrs, step.Head.Instrs...)
	for i, cell := range step.Carry {
		t := c.Planes[cell.Plane].Type
		f.Body.Instrs = append(f.Body.Instrs, &ir.Instr{
			Op: ir.OpLoad, Type: t, Imm: uint64(cell.Plane), Comp: cell.Comp, Results: []ir.Value{step.Trip.Params[i]},
		})
	}
	f.Body.Instrs = append(f.Body.Instrs, step.Trip.Instrs...)
	f.Body.Yield = append(f.Body.Yield, step.Trip.Yield[1:]...)
	f.Body.Yield = append(f.Body.Yield, step.Trip.Yield[0])

	p := &FinishProbe{carried: len(step.Carry)}
	ors, ands := 0, 0
	var walk func(n *ir.Cond, negated bool)
	walk = func(n *ir.Cond, negated bool) {
		switch n.Kind {
		case ir.CondCompare:
			p.Comparisons = append(p.Comparisons, Comparison{LHS: n.LHSText, RHS: n.RHSText, Op: n.Op, Negated: negated, Pos: n.Pos})
			f.Body.Yield = append(f.Body.Yield, n.LHS, n.RHS)
		case ir.CondNot:
			negated = !negated
		case ir.CondAnd, ir.CondOr:
			if (n.Kind == ir.CondOr) != negated { // De Morgan
				ors++
			} else {
				ands++
			}
		default:
			p.Opaque = true
		}
		for _, kid := range n.Kids {
			walk(kid, negated)
		}
	}
	walk(c.Finish.Cond, false)
	p.Any = ors > 0
	if ors > 0 && ands > 0 {
		p.Opaque = true
	}
	p.machine = interp.CompileFunc(c, f).NewMachine()
	return p
}

// Look gives what the next step of each of the n samples would find: exits[i] whether it finishes, and
// lhs[j][i], rhs[j][i] the operands of comparison j, as float64. Nothing is stored.
func (p *FinishProbe) Look(planes [][]byte, n int) (exits []bool, lhs, rhs [][]float64) {
	column := func(r int) []float64 {
		out := make([]float64, n)
		p.machine.Float64(r, planes, n, 0, out, nil)
		return out
	}
	exits = make([]bool, n)
	for i, v := range column(p.carried) {
		exits[i] = v == 1 // a sample that faults gives NaN
	}
	for j := range p.Comparisons {
		lhs = append(lhs, column(p.carried+1+2*j))
		rhs = append(rhs, column(p.carried+2+2*j))
	}
	return exits, lhs, rhs
}

// Step makes the step: the carried cells are stored. A sample that faults keeps its state.
func (p *FinishProbe) Step(planes [][]byte, n int) {
	p.machine.Store(planes, n, interp.NewCursor(0, n), nil)
}
