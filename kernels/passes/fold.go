package passes

import (
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// fold computes what is constant, by the interpreter's own meaning of the operations, and rewrites what
// is simpler in another form with the same bits (fold_rules.go). An if whose condition is known becomes
// the region it takes; an if of constants becomes selects; a loop of one turn becomes its body. Faults
// stay where their path leads.
func fold(k *ir.Kernel) {
	for _, c := range codes(k) {
		f := &folder{k: k, v: c.values}
		f.grow()
		for _, r := range c.regions {
			r.Walk(func(in *ir.Instr) {
				if in.Op.Pure() {
					f.def[in.Results[0]] = in
				}
			})
		}
		for _, r := range c.regions {
			f.region(r)
		}
		c.finish.MapValues(f.rep.of)
	}
}

type folder struct {
	k   *ir.Kernel
	v   *ir.Values
	def []*ir.Instr  // the pure operation that defines a value, nil for others
	rep replacements // by value

	truth []int8      // of bools on the path at hand: 1 true, -1 false, 0 unknown
	out   []*ir.Instr // the region at hand, as far as it is done
}

// grow makes the tables as long as the list of values.
func (f *folder) grow() {
	n := len(f.v.Types)
	for len(f.def) < n {
		f.def = append(f.def, nil)
		f.rep = append(f.rep, 0)
		f.truth = append(f.truth, 0)
	}
}

// region rewrites r.
func (f *folder) region(r *ir.Region) {
	outer := f.out
	f.out = make([]*ir.Instr, 0, len(r.Instrs))
	f.instrs(r.Instrs)
	r.Instrs, f.out = f.out, outer
	f.rep.all(r.Yield)
}

func (f *folder) instrs(ins []*ir.Instr) {
	for _, in := range ins {
		f.rep.all(in.Args)
		switch in.Op {
		case ir.OpIf:
			f.ifInstr(in)
		case ir.OpLoop:
			f.loop(in)
		case ir.OpFault, ir.OpArray, ir.OpGet, ir.OpPut:
			f.out = append(f.out, in)
		default:
			f.simple(in)
		}
	}
}

// maxRewrites bounds how often one instruction is rewritten; each rule leads to a simpler operation, so
// chains are short.
const maxRewrites = 8

// simple folds a pure operation: to a constant, to another value, or to a simpler operation.
func (f *folder) simple(in *ir.Instr) {
	for range maxRewrites {
		if f.evaluate(in) {
			break
		}
		rule := rules[in.Op]
		if rule == nil {
			break
		}
		same, changed := rule(f, in)
		if same != 0 {
			f.rep[in.Results[0]] = same
			return
		}
		if !changed {
			break
		}
	}
	f.out = append(f.out, in)
}

// evaluate makes in a constant when all its arguments are.
func (f *folder) evaluate(in *ir.Instr) bool {
	if len(in.Args) == 0 {
		return true
	}
	if in.Op == ir.OpLookup {
		return false // of memory that is not here
	}
	var args [3]uint64
	for i, a := range in.Args {
		bits, ok := f.constant(a)
		if !ok {
			return false
		}
		args[i] = bits
	}
	t := in.Op.ResultType(in.Type)
	if in.Op == ir.OpTable {
		f.become(in, t, cell(&f.k.Tables[in.Imm], args[0]))
		return true
	}
	f.become(in, t, interp.Eval(in.Op, in.Type, in.From, args[:len(in.Args)]...))
	return true
}

// cell is what a read of a table gives.
func cell(t *ir.Table, index uint64) uint64 {
	if index >= uint64(len(t.Bits)) {
		index = 0
	}
	return t.Bits[index]
}

// constant is the bits of x when x is a constant.
func (f *folder) constant(x ir.Value) (uint64, bool) {
	if d := f.def[x]; d != nil && d.Op == ir.OpConst {
		return d.Imm, true
	}
	return 0, false
}

// become makes in the constant of type t with the given bits.
func (f *folder) become(in *ir.Instr, t ir.Type, bits uint64) {
	*in = ir.Instr{Op: ir.OpConst, Type: t, Imm: bits, Results: in.Results, Pos: in.Pos}
}

// emit appends the constant of type t with the given bits at the position of in.
func (f *folder) emit(in *ir.Instr, t ir.Type, bits uint64) ir.Value {
	x := f.v.New(t)
	f.grow()
	c := &ir.Instr{Op: ir.OpConst, Type: t, Imm: bits, Results: []ir.Value{x}, Pos: in.Pos}
	f.def[x] = c
	f.out = append(f.out, c)
	return x
}

// known says whether a bool has the same value whenever control comes here, and which.
func (f *folder) known(x ir.Value) (value, ok bool) {
	if bits, is := f.constant(x); is {
		return bits == 1, true
	}
	return f.truth[x] > 0, f.truth[x] != 0
}

// ifInstr folds an if.
func (f *folder) ifInstr(in *ir.Instr) {
	for d := f.def[in.Args[0]]; d != nil && d.Op == ir.OpNot; d = f.def[in.Args[0]] {
		in.Args[0] = d.Args[0]
		in.Then, in.Else = in.Else, in.Then
	}
	c := in.Args[0]
	if value, ok := f.known(c); ok {
		taken := in.Else
		if value {
			taken = in.Then
		}
		f.instrs(taken.Instrs)
		for i, x := range in.Results {
			f.rep[x] = f.rep.of(taken.Yield[i])
		}
		return
	}
	f.branch(in.Then, c, 1)
	f.branch(in.Else, c, -1)
	if constants(in.Then) && constants(in.Else) {
		f.out = append(append(f.out, in.Then.Instrs...), in.Else.Instrs...)
		for _, s := range selects(f.v, in) {
			f.def[s.Results[0]] = s
			f.simple(s)
		}
		return
	}
	for i, x := range in.Results {
		if y := in.Then.Yield[i]; y == in.Else.Yield[i] {
			f.rep[x] = y
		}
	}
	f.out = append(f.out, in)
}

// branch folds a region that is run when the bool c is true (1) or false (-1), with all that follows
// from it: both sides of a true and, both sides of a false or, the argument of a not.
func (f *folder) branch(r *ir.Region, c ir.Value, truth int8) {
	set := []ir.Value{c}
	f.truth[c] = truth
	for i := 0; i < len(set) && i < maxFacts; i++ {
		x := set[i]
		d := f.def[x]
		if d == nil || d.Type != ir.Bool {
			continue
		}
		t := f.truth[x]
		switch {
		case d.Op == ir.OpNot:
			t = -t
		case d.Op == ir.OpAnd && t > 0, d.Op == ir.OpOr && t < 0:
		default:
			continue
		}
		for _, a := range d.Args {
			if f.truth[a] == 0 {
				f.truth[a] = t
				set = append(set, a)
			}
		}
	}
	f.region(r)
	for _, x := range set {
		f.truth[x] = 0
	}
}

// maxFacts bounds what is concluded from one condition, so that long chains of them stay near-linear.
const maxFacts = 32

// constants says whether r holds nothing but constants.
func constants(r *ir.Region) bool {
	for _, in := range r.Instrs {
		if in.Op != ir.OpConst {
			return false
		}
	}
	return true
}

// selects are what an if without code of its own means: one select for each result.
func selects(v *ir.Values, in *ir.Instr) []*ir.Instr {
	var out []*ir.Instr
	for i, x := range in.Results {
		out = append(out, &ir.Instr{
			Op: ir.OpSelect, Type: v.Type(x), Pos: in.Pos, Results: []ir.Value{x},
			Args: []ir.Value{in.Args[0], in.Then.Yield[i], in.Else.Yield[i]},
		})
	}
	return out
}

// loop folds a loop. A carried value that every turn yields as it is stands for its first value.
func (f *folder) loop(in *ir.Instr) {
	b := in.Body
	stop, constant := f.constant(b.Yield[0])
	if in.Imm == 1 || constant && stop == 0 {
		for i, p := range b.Params {
			f.rep[p] = in.Args[i]
		}
		f.instrs(b.Instrs)
		for i, x := range in.Results {
			f.rep[x] = f.rep.of(b.Yield[1+i])
		}
		return
	}
	for i, p := range b.Params {
		if b.Yield[1+i] == p {
			f.rep[p], f.rep[in.Results[i]] = in.Args[i], in.Args[i]
		}
	}
	f.region(b)
	f.out = append(f.out, in)
}
