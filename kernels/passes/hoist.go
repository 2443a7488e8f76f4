package passes

import (
	"math/bits"
	"sort"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// hoist moves what does not change from turn to turn out of the trip, into the head, and out of loops,
// before the loop.
//
// A pure operation is total, so it may leave an if on the way and be computed where it was not needed;
// it never leaves an if for that alone. An if or loop moves as a whole when all it uses is further out,
// nothing in it faults or works on a local array, and no if stands in the way. A fault, and what is done
// to a local array, stays where it is.
func hoist(k *ir.Kernel) {
	for _, c := range codes(k) {
		h := &hoister{v: c.values, home: make([]int32, len(c.values.Types))}
		for i, r := range c.regions {
			h.push(r, i > 0) // the trip is run again and again: a loop round its own body
			h.instrs(r)
		}
		for i := len(c.regions) - 1; i >= 0; i-- {
			h.use(c.regions[i].Yield)
			c.regions[i].Instrs = h.pop().out
		}
	}
}

type hoister struct {
	v     *ir.Values
	home  []int32 // by value: index in stack of the region that defines it
	stack []frame // the regions round the instruction at hand, outermost first
	loops []int   // indices in stack of the frames that are loops, ascending
}

// frame is an open region.
type frame struct {
	out  []*ir.Instr // what stays or arrived in the region
	loop bool        // leaving the region saves turns: a loop's body or the trip
	used depths      // homes of the values that what is in out uses, inner regions included
	held bool        // holds a fault or works on an array
}

// depths is a set of indices in the stack.
type depths []uint64

func (d *depths) add(i int32) {
	for int(i>>6) >= len(*d) {
		*d = append(*d, 0)
	}
	(*d)[i>>6] |= 1 << (i & 63)
}

// merge adds those of o that are below n.
func (d *depths) merge(o depths, n int) {
	for w, set := range o {
		if rest := n - 64*w; rest <= 0 {
			return
		} else if rest < 64 {
			set &= 1<<rest - 1
		}
		for w >= len(*d) {
			*d = append(*d, 0)
		}
		(*d)[w] |= set
	}
}

// deepest is the largest index in d, 0 when it is empty.
func (d depths) deepest() int {
	for w := len(d) - 1; w >= 0; w-- {
		if d[w] != 0 {
			return 64*w + bits.Len64(d[w]) - 1
		}
	}
	return 0
}

func (h *hoister) push(r *ir.Region, loop bool) {
	d := len(h.stack)
	h.stack = append(h.stack, frame{out: make([]*ir.Instr, 0, len(r.Instrs)), loop: loop})
	if loop {
		h.loops = append(h.loops, d)
	}
	for _, p := range r.Params {
		h.home[p] = int32(d)
	}
}

func (h *hoister) pop() frame {
	d := len(h.stack) - 1
	f := h.stack[d]
	h.stack = h.stack[:d]
	if f.loop {
		h.loops = h.loops[:len(h.loops)-1]
	}
	return f
}

// use records that the innermost region uses xs.
func (h *hoister) use(xs []ir.Value) {
	f := &h.stack[len(h.stack)-1]
	for _, x := range xs {
		f.used.add(h.home[x])
	}
}

func (h *hoister) instrs(r *ir.Region) {
	for _, in := range r.Instrs {
		switch in.Op {
		case ir.OpIf, ir.OpLoop:
			h.structured(in)
		case ir.OpFault, ir.OpArray, ir.OpGet, ir.OpPut:
			h.stack[len(h.stack)-1].held = true
			h.place(in, len(h.stack)-1)
		default:
			h.pure(in)
		}
	}
}

// place appends in to the region at index d of the stack.
func (h *hoister) place(in *ir.Instr, d int) {
	f := &h.stack[d]
	f.out = append(f.out, in)
	for _, a := range in.Args {
		f.used.add(h.home[a])
	}
	for _, x := range in.Results {
		h.home[x] = int32(d)
	}
}

// pure places a pure operation just outside of the outermost loop in which its arguments do not change,
// or where it was.
func (h *hoister) pure(in *ir.Instr) {
	need, d := 0, len(h.stack)-1
	for _, a := range in.Args {
		need = max(need, int(h.home[a]))
	}
	if i := sort.SearchInts(h.loops, need+1); i < len(h.loops) {
		d = h.loops[i] - 1
	}
	h.place(in, d)
}

// structured hoists from the regions of an if or loop, then places what is left of it.
func (h *hoister) structured(in *ir.Instr) {
	d := len(h.stack) - 1
	var used depths
	for _, a := range in.Args {
		used.add(h.home[a])
	}
	held := false
	for _, r := range in.Regions() {
		h.push(r, in.Op == ir.OpLoop)
		h.instrs(r)
		h.use(r.Yield)
		f := h.pop()
		r.Instrs = f.out
		used.merge(f.used, d+1)
		held = held || f.held
	}
	if in.Op == ir.OpIf && len(in.Then.Instrs) == 0 && len(in.Else.Instrs) == 0 {
		for _, s := range selects(h.v, in) {
			h.pure(s)
		}
		return
	}
	if held {
		h.stack[d].held = true
	} else {
		for need := used.deepest(); d > need && h.stack[d].loop; {
			d--
		}
	}
	h.place(in, d)
	h.stack[d].used.merge(used, d+1)
}
