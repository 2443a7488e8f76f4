package ir

// Regions are the regions inside in, in the order of the text form; none for most operations. Missing
// ones of a malformed instruction are left out.
func (in *Instr) Regions() []*Region {
	switch in.Op {
	case OpIf:
		return present(in.Then, in.Else)
	case OpLoop:
		return present(in.Body)
	}
	return nil
}

func present(rs ...*Region) []*Region {
	out := rs[:0]
	for _, r := range rs {
		if r != nil {
			out = append(out, r)
		}
	}
	return out
}

// Walk calls f for every instruction of r and of the regions inside, in the order of the text form: an
// instruction comes before those inside it.
func (r *Region) Walk(f func(*Instr)) {
	for _, in := range r.Instrs {
		f(in)
		for _, inner := range in.Regions() {
			inner.Walk(f)
		}
	}
}

// Funcs are Init, when there is one, and the observables.
func (k *Kernel) Funcs() []*Func {
	if k.Init == nil {
		return k.Observables
	}
	return append([]*Func{k.Init}, k.Observables...)
}

// Faults says whether a sample can fault in a step.
func (k *Kernel) Faults() bool { return k.Step.Trip.Faults() }

// Faults says whether r or a region inside it holds an OpFault.
func (r *Region) Faults() bool {
	for _, in := range r.Instrs {
		if in.Op == OpFault {
			return true
		}
		for _, inner := range in.Regions() {
			if inner.Faults() {
				return true
			}
		}
	}
	return false
}

// MapValues replaces every value that the nodes of f name by to(value); 0 stays 0.
func (f *Finish) MapValues(to func(Value) Value) {
	if f == nil || f.Cond == nil {
		return
	}
	f.Cond.Walk(func(c *Cond) {
		for _, x := range []*Value{&c.Result, &c.LHS, &c.RHS} {
			if *x != 0 {
				*x = to(*x)
			}
		}
	})
}
