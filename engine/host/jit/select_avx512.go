package jit

import "github.com/eaglet-workbench/eaglet/kernels/ir"

// AVX-512 with F, DQ and VL: 32 registers of eight 64-bit elements, 7 masks, and instructions under them.
var avx512 = isa{
	name: "avx512", lanes: 8, row: 64,
	registers: [2]struct{ first, end int8 }{{0, 32}, {1, 8}}, // mask register 0 cannot be a mask
	insns:     &insns512, encode: (*assembler).evex, selector: select512{},
	maskClass: mask, merging: true,
	shape: shaping{together: 2, block: 12, mostGroups: 4, longTrip: 256, issue: 3, spillShare: 20},
}

// select512 chooses instructions of AVX-512.
type select512 struct{}

func (select512) logic(l *lowering, o op, a, b value) value {
	return l.emit(inst{op: o, dst: l.newMask(), a: a, b: b})
}

func (select512) not(l *lowering, a value) value {
	return l.emit(inst{op: knotb, dst: l.newMask(), b: a})
}

func (select512) fit(_ *lowering, x, _ value) value { return x }

func (s select512) chooseMask(l *lowering, c, x, y value) value {
	return s.logic(l, korb, s.logic(l, kandb, c, x), s.logic(l, kandnb, c, y))
}

func (select512) compare(l *lowering, o op, a, b value, predicate uint8) value {
	return l.emit(inst{op: o, dst: l.newMask(), a: a, b: b, imm: predicate})
}

func (s select512) floats(l *lowering, t ir.Type, x, y value, predicate uint8) value {
	return s.compare(l, pick(t, vcmppd, vcmpps), x, y, predicate)
}

func (s select512) integers(l *lowering, o ir.Op, t ir.Type, x, y value) value {
	p := [...]uint8{0, 4, 1, 2, 6, 5}[o-ir.OpEq]
	if t.Signed() {
		return s.compare(l, pick(t, vpcmpq, vpcmpd), x, y, p)
	}
	return s.compare(l, pick(t, vpcmpuq, vpcmpud), x, y, p)
}

func (s select512) nonZero(l *lowering, size uint8, x value) value {
	return s.compare(l, bySize(size, vptestmq, vptestmd), x, x, 0)
}

func (select512) merge(l *lowering, size uint8, x, y, on value) value {
	return l.emit(inst{op: bySize(size, vpblendmq, vpblendmd), dst: l.newVector(size), a: x, b: y, mask: on})
}

func (select512) keep(l *lowering, size uint8, x, on value) value {
	return l.emit(inst{op: bySize(size, vmovdqa64, vmovdqa32), dst: l.newVector(size), b: x, mask: on, zero: true})
}

func (s select512) assign(l *lowering, v, x, on value) {
	if l.infos[v].class == mask {
		l.emit(inst{op: korb, dst: v, a: s.logic(l, kandb, on, x), b: s.logic(l, kandnb, on, v)})
		return
	}
	l.emit(inst{op: l.moveOp(v), dst: v, b: x, mask: on})
}

func (select512) count(l *lowering, v, on value) {
	l.emit(inst{op: vpaddq, dst: v, a: v, b: l.constant(8, 1), mask: on})
}

func (select512) store(l *lowering, size uint8, x, on value, disp int32) {
	l.emit(inst{op: bySize(size, vstoreq, vstored), b: x, mask: on, disp: disp})
}

func (s select512) storeMask(l *lowering, x, on value, disp int32) {
	old := l.at(ir.Bool, disp, false)
	m := s.logic(l, korb, s.logic(l, kandnb, on, old), s.logic(l, kandb, on, x))
	l.emit(inst{op: opMaskStore, a: m, disp: disp})
}

func (select512) cellOf(l *lowering, x value) value { return l.unary(vpmovm2d, 4, x) }

func (s select512) fromCell(l *lowering, x value) value { return s.nonZero(l, 4, x) }

func (select512) gather(l *lowering, size uint8, index value, base, disp int32, on value) value {
	r := l.variable(map[uint8]ir.Type{4: ir.U32, 8: ir.U64}[size])
	l.assign(r, l.constant(size, 0), 0)
	scale := uint8(2)
	if size == 8 {
		scale = 3
	}
	// The instruction clears its mask.
	return l.emit(inst{op: bySize(size, vpgatherqq, vpgatherqd), dst: r, index: index, scale: scale, mask: l.copyOf(on), base: base, disp: disp})
}

func (select512) scatter(l *lowering, size uint8, x, index, on value, disp int32) {
	scale := uint8(2)
	if size == 8 {
		scale = 3
	}
	l.emit(inst{op: bySize(size, vpscatterqq, vpscatterqd), b: x, index: index, scale: scale, mask: l.copyOf(on), disp: disp})
}

func (select512) multiply64(l *lowering, x, y value) value { return l.vector3(vpmullq, x, y) }

// shift is x shifted by y, which is 64 bits wide whatever x is.
func (select512) shift(l *lowering, t ir.Type, left bool, x, y value) value {
	wide, narrow := vpsrlvq, vpsrlvd
	switch {
	case left:
		wide, narrow = vpsllvq, vpsllvd
	case t.Signed():
		wide, narrow = vpsravq, vpsravd
	}
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

// divide32 goes through float64, whose quotient is less than half a unit of the integer quotient's
// distance to the next integer away from the true one.
func (s select512) divide32(l *lowering, rest bool, t ir.Type, x, y value) value {
	to, from := vcvtudq2pd, vcvttpd2udq
	if t.Signed() {
		to, from = vcvtdq2pd, vcvttpd2dq
	}
	defined := s.nonZero(l, 4, y)
	q := l.unary(from, 4, l.vector3(vdivpd, l.unary(to, 8, x), l.unary(to, 8, y)))
	if rest {
		q = l.vector3(vpsubd, x, l.vector3(vpmulld, q, y))
	}
	return s.keep(l, 4, q, defined)
}

func (s select512) sign(l *lowering, t ir.Type, y value) value {
	number := s.floats(l, t, y, y, floatOrdered)
	return l.emit(inst{op: pick(t, vpandq, vpandd), dst: l.newVector(size(t)), a: y, b: l.signBit(t), mask: number, zero: true})
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

func (select512) extreme(l *lowering, isMin bool, t ir.Type, x, y value) value {
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

func (s select512) convert(l *lowering, t, from ir.Type, x value) value {
	switch {
	case from.Integer() && t.Integer():
		switch {
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
	return s.saturate(l, t, from, x)
}

// saturate is the float x truncated to an integer. The instruction gives the least signed or the largest
// unsigned value for whatever the type does not hold.
func (s select512) saturate(l *lowering, t, from ir.Type, x value) value {
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
	number := s.floats(l, from, x, x, floatOrdered)
	beyond := s.floats(l, from, x, past, floatGreaterEqual)
	r := l.emit(inst{op: o, dst: l.newVector(size(t)), b: x, mask: number, zero: true})
	return l.merge(size(t), r, l.constant(size(t), t.Mask()>>1), beyond)
}
