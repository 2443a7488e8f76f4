package jit

import "github.com/eaglet-workbench/eaglet/kernels/ir"

// Operations without effects: which instructions each becomes. What a NaN's sign and payload are is left
// open, as the interpreter shows neither: stores, Bits, Abs and Copysign see the one canonical NaN.

// Predicates of comparisons: of integers, and of floats without signalling.
const (
	cmpEqual = 0
	cmpLess  = 1

	floatEqual        = 0x00
	floatUnordered    = 0x03
	floatNotEqual     = 0x04 // or unordered
	floatOrdered      = 0x07
	floatLess         = 0x11
	floatLessEqual    = 0x12
	floatGreaterEqual = 0x1D
	floatGreater      = 0x1E
)

// Roundings of vrndscale, without the inexact exception.
const (
	roundEven  = 0x08
	roundFloor = 0x09
	roundCeil  = 0x0A
	roundTrunc = 0x0B
)

// pick is the instruction for elements of t's size.
func pick(t ir.Type, wide, narrow op) op {
	if t.Bytes() == 8 {
		return wide
	}
	return narrow
}

func size(t ir.Type) uint8 { return uint8(t.Bytes()) }

// Emitters: a new value of two or one others.

func (l *lowering) mask3(o op, a, b value) value {
	return l.emit(inst{op: o, dst: l.newMask(), a: a, b: b})
}

func (l *lowering) vector3(o op, a, b value) value {
	return l.emit(inst{op: o, dst: l.newVector(insns[o].size), a: a, b: b})
}

func (l *lowering) vectorImm(o op, a, b value, imm uint8) value {
	return l.emit(inst{op: o, dst: l.newVector(insns[o].size), a: a, b: b, imm: imm})
}

// unary is a vector of elements of the given size, of b.
func (l *lowering) unary(o op, size uint8, b value) value {
	return l.emit(inst{op: o, dst: l.newVector(size), b: b})
}

func (l *lowering) compare(o op, a, b value, predicate uint8) value {
	return l.emit(inst{op: o, dst: l.newMask(), a: a, b: b, imm: predicate})
}

// merge is x, and y in the lanes of on.
func (l *lowering) merge(size uint8, x, y, on value) value {
	o := vpblendmq
	if size == 4 {
		o = vpblendmd
	}
	return l.emit(inst{op: o, dst: l.newVector(size), a: x, b: y, mask: on})
}

// choose is c ? x : y.
func (l *lowering) choose(t ir.Type, c, x, y value) value {
	switch {
	case x == y:
		return x
	case t == ir.Bool:
		return l.mask3(korb, l.mask3(kandb, c, x), l.mask3(kandnb, c, y))
	}
	return l.merge(size(t), y, x, c)
}

// fresh is x, as a value that no variable changes: an operation that changes nothing needs it.
func (l *lowering) fresh(x value) value {
	if l.infos[x].variable {
		return l.copyOf(x)
	}
	return x
}

// floatConst is a float of type t.
func (l *lowering) floatConst(t ir.Type, wide uint64, narrow uint32) value {
	if t == ir.F64 {
		return l.constant(8, wide)
	}
	return l.constant(4, uint64(narrow))
}

func (l *lowering) signBit(t ir.Type) value { return l.floatConst(t, 1<<63, 1<<31) }
func (l *lowering) restBits(t ir.Type) value {
	return l.floatConst(t, 1<<63-1, 1<<31-1)
}

// pure emits an operation without effects and gives its result.
func (l *lowering) pure(in *ir.Instr) value {
	t := in.Type
	arg := func(i int) value { return l.env[in.Args[i]] }
	two := func(wide, narrow op) value { return l.vector3(pick(t, wide, narrow), arg(0), arg(1)) }
	switch in.Op {
	case ir.OpConst:
		return l.constant(size(t), in.Imm)
	case ir.OpAdd:
		if t.Float() {
			return two(vaddpd, vaddps)
		}
		return two(vpaddq, vpaddd)
	case ir.OpSub:
		if t.Float() {
			return two(vsubpd, vsubps)
		}
		return two(vpsubq, vpsubd)
	case ir.OpMul:
		if t.Float() {
			return two(vmulpd, vmulps)
		}
		return two(vpmullq, vpmulld)
	case ir.OpDiv, ir.OpRem:
		return l.divide(in.Op, t, arg(0), arg(1))
	case ir.OpNeg:
		if t.Float() {
			return l.vector3(pick(t, vpxorq, vpxord), arg(0), l.signBit(t))
		}
		return l.vector3(pick(t, vpsubq, vpsubd), l.constant(size(t), 0), arg(0))
	case ir.OpAnd, ir.OpOr, ir.OpXor:
		i := in.Op - ir.OpAnd
		if t == ir.Bool {
			return l.mask3([...]op{kandb, korb, kxorb}[i], arg(0), arg(1))
		}
		return two([...]op{vpandq, vporq, vpxorq}[i], [...]op{vpandd, vpord, vpxord}[i])
	case ir.OpNot:
		if t == ir.Bool {
			return l.emit(inst{op: knotb, dst: l.newMask(), b: arg(0)})
		}
		return l.vector3(pick(t, vpxorq, vpxord), arg(0), l.constant(size(t), t.Mask()))
	case ir.OpShl:
		return l.shift(t, vpsllvq, vpsllvd, arg(0), arg(1))
	case ir.OpShr:
		if t.Signed() {
			return l.shift(t, vpsravq, vpsravd, arg(0), arg(1))
		}
		return l.shift(t, vpsrlvq, vpsrlvd, arg(0), arg(1))
	case ir.OpSqrt:
		return l.unary(pick(t, vsqrtpd, vsqrtps), size(t), arg(0))
	case ir.OpFMA:
		r := l.variable(t)
		l.assign(r, arg(0), 0)
		return l.emit(inst{op: pick(t, vfmadd213pd, vfmadd213ps), dst: r, a: arg(1), b: arg(2)})
	case ir.OpAbs:
		return l.vector3(pick(t, vpandq, vpandd), arg(0), l.restBits(t))
	case ir.OpFloor, ir.OpCeil, ir.OpTrunc, ir.OpRoundEven:
		mode := [...]uint8{roundFloor, roundCeil, roundTrunc, roundEven}[in.Op-ir.OpFloor]
		return l.vectorImm(pick(t, vrndscalepd, vrndscaleps), 0, arg(0), mode)
	case ir.OpCopysign:
		return l.copysign(t, arg(0), arg(1))
	case ir.OpMin, ir.OpMax:
		return l.extreme(in.Op, t, arg(0), arg(1))
	case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe:
		return l.comparison(in.Op, t, arg(0), arg(1))
	case ir.OpSelect:
		return l.fresh(l.choose(t, arg(0), arg(1), arg(2)))
	case ir.OpConvert:
		return l.convert(t, in.From, arg(0))
	case ir.OpBits:
		x := arg(0)
		nan := l.compare(pick(t, vcmppd, vcmpps), x, x, floatUnordered)
		return l.merge(size(t), x, l.floatConst(in.From, ir.NaN64, ir.NaN32), nan)
	case ir.OpFromBits:
		return l.fresh(arg(0))
	case ir.OpTable:
		cells := len(l.k.Tables[in.Imm].Bits)
		return l.lookup(t, arg(0), l.constant(8, uint64(max(cells, 1))), l.addressOf(scalarTable, int(in.Imm)), 0)
	case ir.OpLookup:
		return l.planeLookup(in, arg(0))
	case ir.OpLen:
		return l.length(int(in.Imm))
	}
	return l.fail("operation %v", in.Op)
}

// shift is x shifted by y, which is 64 bits wide whatever x is.
func (l *lowering) shift(t ir.Type, wide, narrow op, x, y value) value {
	if t.Bytes() == 8 {
		return l.vector3(wide, x, y)
	}
	if bits, ok := l.known[y]; ok {
		y = l.constant(4, min(bits, 64))
	} else {
		y = l.unary(vpmovusqd, 4, y)
	}
	return l.vector3(narrow, x, y)
}

// divide is the quotient or the rest. 32-bit integers go through float64, whose quotient is less than half
// a unit of the integer quotient's distance to the next integer away from the true one.
func (l *lowering) divide(o ir.Op, t ir.Type, x, y value) value {
	switch {
	case t.Float():
		return l.vector3(pick(t, vdivpd, vdivps), x, y)
	case t.Bytes() == 8:
		var how uint8
		if t.Signed() {
			how |= divideSigned
		}
		if o == ir.OpRem {
			how |= divideRest
		}
		return l.emit(inst{op: opDivide, dst: l.newVector(8), a: x, b: y, imm: how})
	}
	to, from := vcvtudq2pd, vcvttpd2udq
	if t.Signed() {
		to, from = vcvtdq2pd, vcvttpd2dq
	}
	defined := l.compare(vptestmd, y, y, 0)
	q := l.unary(from, 4, l.vector3(vdivpd, l.unary(to, 8, x), l.unary(to, 8, y)))
	if o == ir.OpRem {
		q = l.vector3(vpsubd, x, l.vector3(vpmulld, q, y))
	}
	return l.emit(inst{op: vmovdqa32, dst: l.newVector(4), b: q, mask: defined, zero: true})
}

// copysign is |x| with the sign of y, a NaN y counting as positive.
func (l *lowering) copysign(t ir.Type, x, y value) value {
	and := pick(t, vpandq, vpandd)
	number := l.compare(pick(t, vcmppd, vcmpps), y, y, floatOrdered)
	sign := l.emit(inst{op: and, dst: l.newVector(size(t)), a: y, b: l.signBit(t), mask: number, zero: true})
	return l.vector3(pick(t, vporq, vpord), l.vector3(and, x, l.restBits(t)), sign)
}

// Tables of vfixupimm: what becomes of dst where the operand is a NaN, or the infinity that decides. A
// digit for each kind of operand: QNaN, SNaN, zero, one, -Inf, +Inf, negative, positive, from the right. 0
// keeps dst, 3 is a NaN, 4 is -Inf, 5 is +Inf.
const (
	fixNaN      = 0x00000033
	fixMinusInf = 0x00040000
	fixPlusInf  = 0x00500000
	rangeMin    = 4 // the sign of zeros counts
	rangeMax    = 5
)

// extreme is the minimum or maximum; of floats as Go's math.Min and math.Max: the infinity that decides
// wins over a NaN, a NaN over the rest, and -0 is less than 0.
func (l *lowering) extreme(o ir.Op, t ir.Type, x, y value) value {
	isMin := o == ir.OpMin
	if !t.Float() {
		ops := [...]op{vpmaxuq, vpmaxud, vpmaxsq, vpmaxsd, vpminuq, vpminud, vpminsq, vpminsd}
		i := 0
		if isMin {
			i = 4
		}
		if t.Signed() {
			i += 2
		}
		return l.vector3(pick(t, ops[i], ops[i+1]), x, y)
	}
	if l.plain(t, x) {
		x, y = y, x
	}
	if l.plain(t, y) { // the instruction gives its second operand where one is a NaN
		if isMin {
			return l.vector3(pick(t, vminpd, vminps), y, x)
		}
		return l.vector3(pick(t, vmaxpd, vmaxps), y, x)
	}
	how, infinity := uint8(rangeMax), uint64(fixPlusInf)
	if isMin {
		how, infinity = rangeMin, fixMinusInf
	}
	r := l.variable(t)
	s := size(t)
	l.emit(inst{op: pick(t, vrangepd, vrangeps), dst: r, a: x, b: y, imm: how})
	fix := pick(t, vfixupimmpd, vfixupimmps)
	for _, f := range []struct {
		x     value
		table uint64
	}{{x, fixNaN}, {y, fixNaN | infinity}, {x, infinity}} {
		l.emit(inst{op: fix, dst: r, a: f.x, b: l.constant(s, f.table)})
	}
	return r
}

// plain says whether x is known to be a finite number other than zero.
func (l *lowering) plain(t ir.Type, x value) bool {
	bits, ok := l.known[x]
	if !ok {
		return false
	}
	if t == ir.F32 {
		return bits<<33 != 0 && bits&(1<<31-1) < 0x7F800000
	}
	return bits<<1 != 0 && bits&(1<<63-1) < 0x7FF<<52
}

func (l *lowering) comparison(o ir.Op, t ir.Type, x, y value) value {
	i := o - ir.OpEq
	switch {
	case t == ir.Bool && o == ir.OpEq:
		return l.mask3(kxnorb, x, y)
	case t == ir.Bool:
		return l.mask3(kxorb, x, y)
	case t.Float():
		p := [...]uint8{floatEqual, floatNotEqual, floatLess, floatLessEqual, floatGreater, floatGreaterEqual}[i]
		return l.compare(pick(t, vcmppd, vcmpps), x, y, p)
	}
	p := [...]uint8{cmpEqual, 4, cmpLess, 2, 6, 5}[i]
	if t.Signed() {
		return l.compare(pick(t, vpcmpq, vpcmpd), x, y, p)
	}
	return l.compare(pick(t, vpcmpuq, vpcmpud), x, y, p)
}

// convert is x of type from as t.
func (l *lowering) convert(t, from ir.Type, x value) value {
	switch {
	case t == from:
		return l.fresh(x)
	case from.Integer() && t.Integer():
		switch {
		case size(from) == size(t):
			return l.fresh(x)
		case size(t) == 4:
			return l.unary(vpmovqd, 4, x)
		case from.Signed():
			return l.unary(vpmovsxdq, 8, x)
		}
		return l.unary(vpmovzxdq, 8, x)
	case from.Integer():
		ops := map[ir.Type][2]op{
			ir.I32: {vcvtdq2ps, vcvtdq2pd}, ir.U32: {vcvtudq2ps, vcvtudq2pd},
			ir.I64: {vcvtqq2ps, vcvtqq2pd}, ir.U64: {vcvtuqq2ps, vcvtuqq2pd},
		}
		return l.unary(ops[from][t-ir.F32], size(t), x)
	case t == ir.F64:
		return l.unary(vcvtps2pd, 8, x)
	case t == ir.F32:
		return l.unary(vcvtpd2ps, 4, x)
	}
	return l.saturate(t, from, x)
}

// saturate is the float x truncated to an integer. The instruction gives the least signed or the largest
// unsigned value for whatever the type does not hold.
func (l *lowering) saturate(t, from ir.Type, x value) value {
	ops := map[ir.Type][2]op{
		ir.I32: {vcvttps2dq, vcvttpd2dq}, ir.U32: {vcvttps2udq, vcvttpd2udq},
		ir.I64: {vcvttps2qq, vcvttpd2qq}, ir.U64: {vcvttps2uqq, vcvttpd2uqq},
	}
	o := ops[t][from-ir.F32]
	if !t.Signed() { // the maximum with 0 takes NaNs to 0 as well
		return l.unary(o, size(t), l.vector3(pick(from, vmaxpd, vmaxps), x, l.constant(size(from), 0)))
	}
	past := l.floatConst(from, 0x43E0000000000000, 0x5F000000) // 2^63
	if t == ir.I32 {
		past = l.floatConst(from, 0x41E0000000000000, 0x4F000000) // 2^31
	}
	compare := pick(from, vcmppd, vcmpps)
	number := l.compare(compare, x, x, floatOrdered)
	beyond := l.compare(compare, x, past, floatGreaterEqual)
	r := l.emit(inst{op: o, dst: l.newVector(size(t)), b: x, mask: number, zero: true})
	return l.merge(size(t), r, l.constant(size(t), t.Mask()>>1), beyond)
}

// lookup is the cell that x names of cells in memory, whose address the frame holds at base; out of range
// it is cell 0. on is the lanes to read, 0: all.
func (l *lowering) lookup(t ir.Type, x, cells value, base int32, on value) value {
	_, index := l.inside(x, cells)
	return l.read(t, index, base, on)
}

func (l *lowering) read(t ir.Type, index value, base int32, on value) value {
	if on == 0 {
		on = l.constMask(true)
	}
	if t.Bytes() == 8 {
		return l.gather(vpgatherqq, 8, index, 3, base, 0, on)
	}
	return l.fromCell(t, l.gather(vpgatherqd, 4, index, 2, base, 0, on))
}

func (l *lowering) length(plane int) value {
	return l.scalarValue(l.addScalar(scalar{kind: scalarLen, plane: plane, typ: ir.I64}))
}

// planeLookup reads a plane that no step writes.
func (l *lowering) planeLookup(in *ir.Instr, x value) value {
	p, t := &l.k.Planes[in.Imm], in.Type
	if t == ir.Bool {
		return l.fail("a look-up in the bool plane %s", p.Name)
	}
	base := l.addressOf(scalarAddress, int(in.Imm))
	switch p.Role {
	case ir.RoleTable:
		cells := l.length(int(in.Imm))
		some := l.compare(vptestmq, cells, cells, 0)
		return l.lookup(t, x, cells, base, some)
	case ir.RoleParam:
		return l.lookup(t, x, l.constant(8, uint64(p.Width())), base, 0)
	}
	g := &l.groups[l.group]
	if g.sample == 0 {
		g.sample = l.frame.vector(1)
	}
	_, index := l.inside(x, l.constant(8, uint64(p.Width())))
	n := l.scalarValue(l.addScalar(scalar{kind: scalarSamples, typ: ir.U64}))
	element := l.vector3(vpaddq, l.vector3(vpmullq, index, n), l.at(ir.I64, g.sample, false))
	return l.read(t, element, base, 0)
}
