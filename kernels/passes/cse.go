package passes

import "github.com/eaglet-workbench/eaglet/kernels/ir"

// cse lets one value stand for all that equal it: a pure operation that was done with the same
// arguments, earlier in the same region or in one round it, is not done again. Loads count as pure,
// since planes do not change while a head or a Func runs.
func cse(k *ir.Kernel) {
	for _, c := range codes(k) {
		n := &numbering{seen: make(map[key]ir.Value), rep: make(replacements, len(c.values.Types))}
		for _, r := range c.regions {
			n.region(r) // without leave: the head's values serve the trip
		}
		c.finish.MapValues(n.rep.of)
	}
}

// key is all that fixes the result of a pure operation.
type key struct {
	op, t, from uint8
	comp        int32
	imm         uint64
	args        [3]ir.Value
}

type numbering struct {
	seen  map[key]ir.Value
	trail []key // what the regions at hand added to seen, oldest first
	rep   replacements
}

func (n *numbering) region(r *ir.Region) {
	out := r.Instrs[:0]
	for _, in := range r.Instrs {
		n.rep.all(in.Args)
		for _, inner := range in.Regions() {
			mark := len(n.trail)
			n.region(inner)
			n.leave(mark)
		}
		if in.Op.Pure() && n.known(in) {
			continue
		}
		out = append(out, in)
	}
	clear(r.Instrs[len(out):])
	r.Instrs = out
	n.rep.all(r.Yield)
}

// leave forgets what was added since mark: it is not visible outside of its region.
func (n *numbering) leave(mark int) {
	for _, k := range n.trail[mark:] {
		delete(n.seen, k)
	}
	n.trail = n.trail[:mark]
}

// known records in's result, or replaces it by the value that equals it and says so.
func (n *numbering) known(in *ir.Instr) bool {
	k := keyOf(in)
	if x, ok := n.seen[k]; ok {
		n.rep[in.Results[0]] = x
		return true
	}
	n.seen[k] = in.Results[0]
	n.trail = append(n.trail, k)
	return false
}

// keyOf brings operations that are the same under exchange of their arguments to one key; the payload of
// a NaN, which may depend on the order, is nobody's to see.
func keyOf(in *ir.Instr) key {
	k := key{op: uint8(in.Op), t: uint8(in.Type), from: uint8(in.From), comp: in.Comp, imm: in.Imm}
	copy(k.args[:], in.Args)
	swap := false
	switch in.Op {
	case ir.OpAdd, ir.OpMul, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpMin, ir.OpMax, ir.OpEq, ir.OpNe, ir.OpFMA:
		swap = k.args[0] > k.args[1]
	case ir.OpGt: // x > y is y < x
		k.op, swap = uint8(ir.OpLt), true
	case ir.OpGe:
		k.op, swap = uint8(ir.OpLe), true
	}
	if swap {
		k.args[0], k.args[1] = k.args[1], k.args[0]
	}
	return k
}
