package ptx

import (
	"fmt"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Operations without effects: the instructions that each becomes. Floats round to nearest even and are never
// contracted, which is what .rn says. A NaN's sign and payload are left open, as the interpreter shows
// neither: stores, Bits, Abs and Copysign see the one canonical NaN.

// pure writes an operation without effects and gives its result.
func (c *code) pure(in *ir.Instr) string {
	t := in.Type
	arg := func(i int) string { return c.env[in.Args[i]] }
	same := func(op string) string { // on type t, with all arguments
		var operands []any
		for i := range in.Args {
			operands = append(operands, arg(i))
		}
		return c.set(classOf(t), op, operands...)
	}
	switch in.Op {
	case ir.OpConst:
		c.known[in.Results[0]] = in.Imm
		return c.set(classOf(t), "mov."+untypedFloat(t), literal(t, in.Imm))
	case ir.OpLoad:
		return c.load(t, c.cell(int(in.Imm), in.Comp), c.k.Planes[in.Imm].Role)
	case ir.OpTable:
		return c.table(in)
	case ir.OpLookup:
		return c.lookup(in)
	case ir.OpLen:
		return c.set(wide, "mov.b64", c.cells(int(in.Imm)))
	case ir.OpAdd, ir.OpSub:
		if t.Float() {
			return same(in.Op.String() + ".rn." + suffix(t))
		}
		return same(in.Op.String() + "." + suffix(t))
	case ir.OpMul:
		if t.Float() {
			return same("mul.rn." + suffix(t))
		}
		return same("mul.lo." + suffix(t))
	case ir.OpDiv:
		if t.Float() {
			return same("div.rn." + suffix(t))
		}
		return c.divide(in)
	case ir.OpRem:
		return c.divide(in)
	case ir.OpNeg:
		if t.Float() {
			return same("neg." + suffix(t))
		}
		return same(fmt.Sprintf("neg.s%d", 8*t.Bytes()))
	case ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpNot:
		return same(in.Op.String() + "." + untyped(t))
	case ir.OpShl:
		return c.set(classOf(t), "shl."+untyped(t), arg(0), c.count(in))
	case ir.OpShr:
		return c.set(classOf(t), "shr."+suffix(t), arg(0), c.count(in))
	case ir.OpSqrt:
		return same("sqrt.rn." + suffix(t))
	case ir.OpFMA:
		return same("fma.rn." + suffix(t))
	case ir.OpAbs:
		return same("abs." + suffix(t))
	case ir.OpFloor, ir.OpCeil, ir.OpTrunc, ir.OpRoundEven:
		mode := [...]string{"rmi", "rpi", "rzi", "rni"}[in.Op-ir.OpFloor]
		return same("cvt." + mode + "." + suffix(t) + "." + suffix(t))
	case ir.OpCopysign: // the sign of a NaN is that of the canonical one
		sign := c.set(classOf(t), "selp."+suffix(t), literal(t, 0), arg(1), c.nan(t, arg(1)))
		return c.set(classOf(t), "copysign."+suffix(t), sign, arg(0))
	case ir.OpMin, ir.OpMax:
		if t.Float() {
			return c.extreme(in)
		}
		return same(in.Op.String() + "." + suffix(t))
	case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe:
		return c.compare(in)
	case ir.OpSelect:
		return c.choose(t, arg(0), arg(1), arg(2))
	case ir.OpConvert:
		return c.convert(t, in.From, arg(0))
	case ir.OpBits:
		return c.set(classOf(t), "mov."+untyped(t), c.canonical(in.From, arg(0)))
	case ir.OpFromBits:
		return c.set(classOf(t), "mov."+untyped(t), arg(0))
	}
	panic(fmt.Sprintf("ptx: no instructions for %v", in.Op))
}

// untypedFloat is the suffix of a mov of a constant.
func untypedFloat(t ir.Type) string {
	if t.Float() {
		return suffix(t)
	}
	return untyped(t)
}

// divide is the quotient or the rest of integers: x/0 and x%0 are 0, the least number over -1 wraps. What
// the device does with those is not said, so that it never sees them.
func (c *code) divide(in *ir.Instr) string {
	t, x, y := in.Type, c.env[in.Args[0]], c.env[in.Args[1]]
	op := in.Op.String() + "." + suffix(t)
	bits, known := c.known[in.Args[1]]
	if known && bits != 0 && (!t.Signed() || bits != t.Mask()) {
		return c.set(classOf(t), op, x, y)
	}
	zero := c.set(predicate, "setp.eq."+suffix(t), y, 0)
	odd, minus := zero, ""
	if t.Signed() {
		minus = c.set(predicate, "setp.eq."+suffix(t), y, -1)
		odd = c.set(predicate, "or.pred", zero, minus)
	}
	by := c.set(classOf(t), "selp."+untyped(t), 1, y, odd)
	r := c.set(classOf(t), op, x, by) // the rest by 1 is 0, as it should be
	if in.Op == ir.OpDiv {
		if t.Signed() {
			r = c.set(classOf(t), "selp."+untyped(t), c.set(classOf(t), "neg."+suffix(t), x), r, minus)
		}
		r = c.set(classOf(t), "selp."+untyped(t), 0, r, zero)
	}
	return r
}

// count is the second argument of a shift as the 32 bits that the device takes; it clamps from the width on.
func (c *code) count(in *ir.Instr) string {
	if bits, ok := c.known[in.Args[1]]; ok {
		return fmt.Sprint(min(bits, 64))
	}
	return c.set(word, "cvt.u32.u64", c.set(wide, "min.u64", c.env[in.Args[1]], 64))
}

// nan says whether x is one.
func (c *code) nan(t ir.Type, x string) string { return c.set(predicate, "setp.nan."+suffix(t), x, x) }

// canonical is x with any NaN replaced by the one.
func (c *code) canonical(t ir.Type, x string) string {
	return c.set(classOf(t), "selp."+suffix(t), nanOf(t), x, c.nan(t, x))
}

func nanOf(t ir.Type) string {
	if t == ir.F32 {
		return literal(t, uint64(ir.NaN32))
	}
	return literal(t, ir.NaN64)
}

// extreme is the minimum or maximum of floats as Go's math.Min and math.Max: the infinity that decides wins
// over a NaN, a NaN over the rest, and -0 is less than 0. Where an operand is a plain number known here, the
// device's own instruction needs a look at the other's NaN only.
func (c *code) extreme(in *ir.Instr) string {
	t, least := in.Type, in.Op == ir.OpMin
	cl, fl, b := classOf(t), suffix(t), untyped(t)
	x, y := c.env[in.Args[0]], c.env[in.Args[1]]
	for i, other := range []string{y, x} {
		if bits, ok := c.known[in.Args[i]]; ok && plain(t, bits) {
			r := c.set(cl, in.Op.String()+"."+fl, x, y)
			return c.set(cl, "selp."+fl, other, r, c.nan(t, other))
		}
	}
	before, inf := "lt", literal(t, infinity(t, least))
	if !least {
		before = "gt"
	}
	r := c.set(cl, "selp."+fl, x, y, c.set(predicate, "setp."+before+"."+fl, x, y))
	// Zeros of both signs have their bits joined: or for the minimum, and for the maximum; equal numbers are
	// what they are. The bits of a NaN or'ed with any other's are those of a NaN.
	bits := classOf(map[ir.Type]ir.Type{ir.F32: ir.U32, ir.F64: ir.U64}[t])
	xb, yb := c.set(bits, "mov."+b, x), c.set(bits, "mov."+b, y)
	either := c.set(cl, "mov."+b, c.set(bits, "or."+b, xb, yb))
	if least {
		r = c.set(cl, "selp."+fl, either, r, c.set(predicate, "setp.equ."+fl, x, y))
	} else {
		both := c.set(cl, "mov."+b, c.set(bits, "and."+b, xb, yb))
		r = c.set(cl, "selp."+fl, both, r, c.set(predicate, "setp.eq."+fl, x, y))
		r = c.set(cl, "selp."+fl, either, r, c.set(predicate, "setp.nan."+fl, x, y))
	}
	for _, v := range []string{x, y} {
		r = c.set(cl, "selp."+fl, v, r, c.set(predicate, "setp.eq."+fl, v, inf))
	}
	return r
}

// infinity is the bits of minus or plus infinity.
func infinity(t ir.Type, negative bool) uint64 {
	bits, sign := uint64(0x7FF)<<52, uint64(1)<<63
	if t == ir.F32 {
		bits, sign = 0x7F800000, 1<<31
	}
	if negative {
		bits |= sign
	}
	return bits
}

// plain says whether bits are a finite number other than zero.
func plain(t ir.Type, bits uint64) bool {
	inf := infinity(t, false)
	rest := bits & (t.Mask() >> 1)
	return rest != 0 && rest < inf
}

// compare is a comparison; one with a NaN is false, but ne is true.
func (c *code) compare(in *ir.Instr) string {
	t, x, y := in.Type, c.env[in.Args[0]], c.env[in.Args[1]]
	if t == ir.Bool {
		r := c.set(predicate, "xor.pred", x, y)
		if in.Op == ir.OpEq {
			r = c.set(predicate, "not.pred", r)
		}
		return r
	}
	how := in.Op.String()
	if in.Op == ir.OpNe && t.Float() {
		how = "neu"
	}
	return c.set(predicate, "setp."+how+"."+suffix(t), x, y)
}

// choose is p ? x : y.
func (c *code) choose(t ir.Type, p, x, y string) string {
	if t != ir.Bool {
		return c.set(classOf(t), "selp."+untypedFloat(t), x, y, p)
	}
	then := c.set(predicate, "and.pred", p, x)
	orelse := c.set(predicate, "and.pred", c.set(predicate, "not.pred", p), y)
	return c.set(predicate, "or.pred", then, orelse)
}

// convert is x of type from as t: floats truncate, saturate and give 0 for NaN, integers wrap.
func (c *code) convert(t, from ir.Type, x string) string {
	cl := classOf(t)
	switch {
	case t == from || t.Integer() && from.Integer() && t.Bytes() == from.Bytes():
		return c.set(cl, "mov."+untypedFloat(t), x)
	case t.Integer() && from.Integer(): // a narrower one is extended by its own sign
		return c.set(cl, "cvt."+suffix(t)+"."+suffix(from), x)
	case t.Integer(): // the device saturates, and gives for NaN what depends on the width
		r := c.set(cl, "cvt.rzi."+suffix(t)+"."+suffix(from), x)
		return c.set(cl, "selp."+untyped(t), 0, r, c.nan(from, x))
	case from.Integer():
		return c.set(cl, "cvt.rn."+suffix(t)+"."+suffix(from), x)
	case t == ir.F64:
		return c.set(cl, "cvt.f64.f32", x)
	}
	return c.set(cl, "cvt.rn.f32.f64", x)
}
