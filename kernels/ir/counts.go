package ir

import "math/bits"

// Tally counts instructions by what they cost.
type Tally struct {
	Flops    uint64 `json:"flops"`    // operations on floats that [Op.Flop] counts; a fused multiply-add is one
	Integers uint64 `json:"integers"` // arithmetic, bitwise operations and shifts on integers
	Logic    uint64 `json:"logic"`    // and, or, xor, not on bools
	Compares uint64 `json:"compares"`
	Selects  uint64 `json:"selects"`
	Converts uint64 `json:"converts"` // convert, bits, frombits
	Loads    uint64 `json:"loads"`    // components of planes
	Tables   uint64 `json:"tables"`   // reads of constant tables
	Branches uint64 `json:"branches"` // ifs, and loops (once each)
	Faults   uint64 `json:"faults"`
	Lookups  uint64 `json:"lookups"` // reads of table planes, and of a component that is chosen at run time
	Arrays   uint64 `json:"arrays"`  // operations on local arrays
}

// OpCounts are the instructions of a region. The embedded tally has those outside of loops, with both
// arms of every if; Loops has those in loop bodies times the most turns the loop may take.
type OpCounts struct {
	Tally
	Loops Tally `json:"loops"`
}

// Counts counts the instructions of r and of the regions inside it. Sums stop at the largest uint64.
func Counts(r *Region) OpCounts {
	var c OpCounts
	c.add(r, 0)
	return c
}

// add counts r, whose instructions run at most turns times; 0 means that r is in no loop.
func (c *OpCounts) add(r *Region, turns uint64) {
	t, n := &c.Tally, uint64(1)
	if turns != 0 {
		t, n = &c.Loops, turns
	}
	for _, in := range r.Instrs {
		if cell := t.cell(in); cell != nil {
			*cell = plus(*cell, n)
		}
		switch in.Op {
		case OpIf:
			c.add(in.Then, turns)
			c.add(in.Else, turns)
		case OpLoop:
			c.add(in.Body, times(n, in.Imm))
		}
	}
}

// cell is the count that in adds to, nil for a constant, which costs nothing.
func (t *Tally) cell(in *Instr) *uint64 {
	switch {
	case in.Op == OpConst || in.Op == OpInvalid || in.Op == OpLen:
		return nil
	case in.Op == OpLookup:
		return &t.Lookups
	case in.Op.OnArray():
		return &t.Arrays
	case in.Op == OpLoad:
		return &t.Loads
	case in.Op == OpTable:
		return &t.Tables
	case in.Op == OpSelect:
		return &t.Selects
	case in.Op.Converts():
		return &t.Converts
	case in.Op == OpIf || in.Op == OpLoop:
		return &t.Branches
	case in.Op == OpFault:
		return &t.Faults
	case in.Op.Compare():
		return &t.Compares
	case in.Type == Bool:
		return &t.Logic
	case in.Type.Integer():
		return &t.Integers
	}
	return &t.Flops
}

func plus(a, b uint64) uint64 {
	s, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return 1<<64 - 1
	}
	return s
}

func times(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	if hi != 0 {
		return 1<<64 - 1
	}
	return lo
}
