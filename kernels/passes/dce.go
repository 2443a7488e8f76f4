package passes

import "github.com/eaglet-workbench/eaglet/kernels/ir"

// dce removes what nothing uses: operations, results of ifs, values that a loop carries, local arrays that
// nothing reads with what is written to them, and ifs and loops that have neither a used result nor a fault
// nor a write to an array that is read. What is used begins at the yields of the trip, of
// init and of observables, at the values of the finish condition, and at every fault whose condition is
// not the constant false.
func dce(k *ir.Kernel) {
	for _, c := range codes(k) {
		m := &marker{
			origin: make([]origin, len(c.values.Types)), live: make([]bool, len(c.values.Types)), kept: make(map[*ir.Instr]bool),
			read: make([]bool, len(c.values.Arrays)), writes: make([][]path, len(c.values.Arrays)),
		}
		for _, r := range c.regions {
			m.find(r, nil)
		}
		m.mark(c.regions[len(c.regions)-1].Yield...)
		if c.finish != nil {
			c.finish.Cond.Walk(func(n *ir.Cond) { m.mark(n.Result, n.LHS, n.RHS) })
		}
		for _, f := range m.faults {
			m.fault(f)
		}
		m.spread()
		for _, r := range c.regions {
			m.sweep(r)
		}
		m.arrays(c)
	}
}

// arrays drops the declarations of arrays that nothing reads; their writes are gone already.
func (m *marker) arrays(c code) {
	to := make([]uint64, len(m.read))
	kept := c.values.Arrays[:0]
	for i, a := range c.values.Arrays {
		if m.read[i] {
			to[i] = uint64(len(kept))
			kept = append(kept, a)
		}
	}
	if len(kept) == len(m.read) {
		return
	}
	c.values.Arrays = kept
	for _, r := range c.regions {
		r.Walk(func(in *ir.Instr) {
			if in.Op.OnArray() {
				in.Imm = to[in.Imm]
			}
		})
	}
}

// origin says what defines a value: result i of an instruction, or of a loop also parameter i of its body.
type origin struct {
	in *ir.Instr // nil for a parameter of the trip
	i  int32
}

type marker struct {
	origin []origin // by value
	live   []bool   // by value
	work   []ir.Value
	kept   map[*ir.Instr]bool // ifs, loops, faults and writes to arrays that stay
	faults []path
	read   []bool   // by local array
	writes [][]path // by local array: fills and puts
}

// path is an instruction and the if or loop round it.
type path struct {
	in    *ir.Instr
	round *path
}

// find records where values come from and where faults are.
func (m *marker) find(r *ir.Region, round *path) {
	for _, in := range r.Instrs {
		for i, x := range in.Results {
			m.origin[x] = origin{in: in, i: int32(i)}
		}
		switch in.Op {
		case ir.OpFault:
			m.faults = append(m.faults, path{in, round})
		case ir.OpArray, ir.OpPut:
			m.writes[in.Imm] = append(m.writes[in.Imm], path{in, round})
		case ir.OpLoop:
			for i, p := range in.Body.Params {
				m.origin[p] = origin{in: in, i: int32(i)}
			}
		}
		if inner := in.Regions(); inner != nil {
			here := &path{in, round}
			for _, r := range inner {
				m.find(r, here)
			}
		}
	}
}

// mark makes values live; 0 is none.
func (m *marker) mark(xs ...ir.Value) {
	for _, x := range xs {
		if x != 0 && !m.live[x] {
			m.live[x] = true
			m.work = append(m.work, x)
		}
	}
}

// fault keeps a fault and the path that leads to it, unless it can never happen.
func (m *marker) fault(f path) {
	if d := m.origin[f.in.Args[0]].in; d != nil && d.Op == ir.OpConst && d.Imm == 0 {
		return
	}
	m.statement(f)
}

// statement keeps a statement and the path that leads to it.
func (m *marker) statement(f path) {
	m.kept[f.in] = true
	m.mark(f.in.Args...)
	for p := f.round; p != nil && !m.kept[p.in]; p = p.round {
		m.keep(p.in)
	}
}

// keep makes what decides the way of an if or loop live.
func (m *marker) keep(in *ir.Instr) {
	if m.kept[in] {
		return
	}
	m.kept[in] = true
	if in.Op == ir.OpIf {
		m.mark(in.Args[0])
	} else {
		m.mark(in.Body.Yield[0])
	}
}

// spread makes live what live values are made of.
func (m *marker) spread() {
	for len(m.work) > 0 {
		x := m.work[len(m.work)-1]
		m.work = m.work[:len(m.work)-1]
		o := m.origin[x]
		switch {
		case o.in == nil:
		case o.in.Op == ir.OpIf:
			m.keep(o.in)
			m.mark(o.in.Then.Yield[o.i], o.in.Else.Yield[o.i])
		case o.in.Op == ir.OpLoop:
			m.keep(o.in)
			m.mark(o.in.Args[o.i], o.in.Body.Yield[1+o.i])
			m.mark(o.in.Body.Params[o.i], o.in.Results[o.i])
		default:
			m.mark(o.in.Args...)
			if o.in.Op == ir.OpGet && !m.read[o.in.Imm] {
				m.read[o.in.Imm] = true
				for _, w := range m.writes[o.in.Imm] {
					m.statement(w)
				}
			}
		}
	}
}

// sweep drops what is not live from r.
func (m *marker) sweep(r *ir.Region) {
	out := r.Instrs[:0]
	for _, in := range r.Instrs {
		switch in.Op {
		case ir.OpFault, ir.OpArray, ir.OpPut:
			if !m.kept[in] {
				continue
			}
		case ir.OpIf, ir.OpLoop:
			if !m.kept[in] {
				continue
			}
			m.trim(in)
			for _, inner := range in.Regions() {
				m.sweep(inner)
			}
		default:
			if !m.live[in.Results[0]] {
				continue
			}
		}
		out = append(out, in)
	}
	clear(r.Instrs[len(out):])
	r.Instrs = out
}

// trim drops the results of an if or loop that are not live, with what belongs to them.
func (m *marker) trim(in *ir.Instr) {
	n := 0
	for i, x := range in.Results {
		if !m.live[x] {
			continue
		}
		in.Results[n] = x
		if in.Op == ir.OpIf {
			in.Then.Yield[n], in.Else.Yield[n] = in.Then.Yield[i], in.Else.Yield[i]
		} else {
			in.Args[n], in.Body.Params[n], in.Body.Yield[1+n] = in.Args[i], in.Body.Params[i], in.Body.Yield[1+i]
		}
		n++
	}
	in.Results = in.Results[:n]
	if in.Op == ir.OpIf {
		in.Then.Yield, in.Else.Yield = in.Then.Yield[:n], in.Else.Yield[:n]
		return
	}
	in.Args, in.Body.Params, in.Body.Yield = in.Args[:n], in.Body.Params[:n], in.Body.Yield[:1+n]
}
