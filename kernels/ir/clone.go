package ir

import "slices"

// Clone copies k so deeply that nothing of the copy is shared with k. Values keep their numbers. k must
// be a tree (which [Verify] checks): a region that hung in two places would be copied twice.
func (k *Kernel) Clone() *Kernel {
	c := *k
	c.Files = slices.Clone(k.Files)
	c.Planes = slices.Clone(k.Planes)
	for i := range c.Planes {
		p := &c.Planes[i]
		p.Dims = slices.Clone(p.Dims)
		p.Init.Args = slices.Clone(p.Init.Args)
	}
	c.Tables = slices.Clone(k.Tables)
	for i := range c.Tables {
		c.Tables[i].Bits = slices.Clone(c.Tables[i].Bits)
	}
	c.Step = Step{
		Values: k.Step.Values.clone(),
		Head:   k.Step.Head.clone(),
		Trip:   k.Step.Trip.clone(),
		Carry:  slices.Clone(k.Step.Carry),
	}
	c.Init = k.Init.Clone()
	c.Observables = slices.Clone(k.Observables)
	for i, f := range c.Observables {
		c.Observables[i] = f.Clone()
	}
	if k.Finish != nil {
		f := *k.Finish
		f.Cond = f.Cond.clone()
		c.Finish = &f
	}
	return &c
}

// Clone copies f deeply; nil gives nil.
func (f *Func) Clone() *Func {
	if f == nil {
		return nil
	}
	c := *f
	c.Values = f.Values.clone()
	c.Body = f.Body.clone()
	c.Stores = slices.Clone(f.Stores)
	return &c
}

func (v Values) clone() Values {
	return Values{Types: slices.Clone(v.Types), Arrays: slices.Clone(v.Arrays)}
}

func (r *Region) clone() Region {
	c := Region{Params: slices.Clone(r.Params), Yield: slices.Clone(r.Yield)}
	if r.Instrs != nil {
		c.Instrs = make([]*Instr, len(r.Instrs))
	}
	block := make([]Instr, len(r.Instrs)) // one allocation for the region's instructions
	for i, in := range r.Instrs {
		if in == nil {
			continue
		}
		n := &block[i]
		*n = *in
		n.Args = slices.Clone(in.Args)
		n.Results = slices.Clone(in.Results)
		n.Then = in.Then.clonePointer()
		n.Else = in.Else.clonePointer()
		n.Body = in.Body.clonePointer()
		c.Instrs[i] = n
	}
	return c
}

func (r *Region) clonePointer() *Region {
	if r == nil {
		return nil
	}
	c := r.clone()
	return &c
}

func (c *Cond) clone() *Cond {
	if c == nil {
		return nil
	}
	n := *c
	n.Kids = slices.Clone(c.Kids)
	for i, k := range n.Kids {
		n.Kids[i] = k.clone()
	}
	return &n
}
