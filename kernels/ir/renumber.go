package ir

// numbering gives each value of v that regions define its number in order of definition as the text
// form has it: parameters, then results before what is inside the instruction. Index is the old number;
// 0 means that nothing defines the value. next is one past the last number.
func numbering(v *Values, regions ...*Region) (to []Value, next Value) {
	n := numberer{to: make([]Value, len(v.Types)), next: 1}
	for _, r := range regions {
		n.region(r)
	}
	return n.to, n.next
}

type numberer struct {
	to   []Value
	next Value
}

// region numbers what r defines; it passes over what a malformed kernel lacks, so that Print can show it.
func (n *numberer) region(r *Region) {
	n.define(r.Params)
	for _, in := range r.Instrs {
		if in == nil {
			continue
		}
		n.define(in.Results)
		for _, inner := range in.Regions() {
			n.region(inner)
		}
	}
}

func (n *numberer) define(xs []Value) {
	for _, x := range xs {
		if x > 0 && int(x) < len(n.to) && n.to[x] == 0 {
			n.to[x] = n.next
			n.next++
		}
	}
}

// Renumber gives the values of a verified k, in place, the numbers that the text form shows, and drops
// types that no value has any more. It is idempotent, and Read gives kernels that are numbered so.
func (k *Kernel) Renumber() {
	s := &k.Step
	k.Finish.MapValues(renumber(&s.Values, &s.Head, &s.Trip))
	for _, f := range k.Funcs() {
		renumber(&f.Values, &f.Body)
	}
}

func renumber(v *Values, regions ...*Region) func(Value) Value {
	to, next := numbering(v, regions...)
	types := make([]Type, next)
	for x, n := range to {
		if n != 0 {
			types[n] = v.Types[x]
		}
	}
	if next == 1 {
		types = nil
	}
	v.Types = types
	get := func(x Value) Value { return to[x] }
	for _, r := range regions {
		r.MapValues(get)
	}
	return get
}

// MapValues replaces every value that r and the regions inside it name, definitions and uses, by
// to(value).
func (r *Region) MapValues(to func(Value) Value) {
	mapAll(r.Params, to)
	mapAll(r.Yield, to)
	for _, in := range r.Instrs {
		mapAll(in.Args, to)
		mapAll(in.Results, to)
		for _, inner := range in.Regions() {
			inner.MapValues(to)
		}
	}
}

func mapAll(xs []Value, to func(Value) Value) {
	for i, x := range xs {
		xs[i] = to(x)
	}
}
