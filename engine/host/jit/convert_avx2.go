package jit

import "github.com/eaglet-workbench/eaglet/kernels/ir"

// Conversions that AVX2 has no instruction for. They put integers into the significand of a float of a
// fixed exponent, and take them out of it; every step but the last is exact, so the result is rounded once.

// Floats whose significand holds an integer: 2^52 the low 32 bits, 2^84 the high ones.
const (
	bits2p52         = 0x4330000000000000
	bits2p84         = 0x4530000000000000
	bits2p84and2p63  = 0x4530000080000000 // 2^84 + 2^63
	bits2p84and2p52  = 0x4530000000100000 // 2^84 + 2^52
	bits2p84and63and = 0x4530000080100000 // 2^84 + 2^63 + 2^52
	bits3p51         = 0x4338000000000000 // 3 * 2^51: negative integers too
	bits2p32         = 0x41F0000000000000
	bits2m32         = 0x3DF0000000000000 // 2^-32
)

func (s select2) convert(l *lowering, t, from ir.Type, x value) value {
	switch {
	case from.Integer() && t.Integer():
		switch {
		case size(t) == 4:
			return l.narrow(x)
		case from.Signed():
			return l.unary(vpmovsxdq, 8, x)
		}
		return l.unary(vpmovzxdq, 8, x)
	case from.Integer():
		return s.toFloat(l, t, from, x)
	case t == ir.F64:
		return l.unary(vcvtps2pd, 8, x)
	case t == ir.F32:
		return l.unary(vcvtpd2ps, 4, x)
	}
	return s.saturate(l, t, from, x)
}

// toFloat is the integer x rounded to a float.
func (s select2) toFloat(l *lowering, t, from ir.Type, x value) value {
	if from == ir.I32 {
		return l.unary(map[ir.Type]op{ir.F32: vcvtdq2ps, ir.F64: vcvtdq2pd}[t], size(t), x)
	}
	var wide value
	if from == ir.U32 {
		magic := l.constant(8, bits2p52)
		wide = l.vector3(vsubpd, l.vector3(vporq, l.unary(vpmovzxdq, 8, x), magic), magic)
	} else {
		if t == ir.F32 {
			x = s.sticky(l, from, x)
		}
		wide = s.wide(l, from, x)
	}
	if t == ir.F32 {
		return l.unary(vcvtpd2ps, 4, wide)
	}
	return wide
}

// wide is a 64-bit integer rounded to a float64: the sum of its high and its low half, each exact.
func (select2) wide(l *lowering, from ir.Type, x value) value {
	top, all := l.constant(8, bits2p84), l.constant(8, bits2p84and2p52)
	if from.Signed() {
		top, all = l.constant(8, bits2p84and2p63), l.constant(8, bits2p84and63and)
	}
	low := l.vectorImm(vpblendd, l.constant(8, bits2p52), x, 0x55)
	high := l.vector3(vpxorq, l.vector3(vpsrlvq, x, l.constant(8, 32)), top)
	return l.vector3(vaddpd, l.vector3(vsubpd, high, all), low)
}

// sticky is x with the bits that neither a float32 nor a float64 of its size holds made one bit, which
// says that there were some: rounding to float64 changes nothing then, and rounding that to float32 is
// right. Integers that a float64 holds stay as they are.
func (s select2) sticky(l *lowering, from ir.Type, x value) value {
	const low = 1<<11 - 1
	rest := l.vector3(vpaddq, l.vector3(vpandq, x, l.constant(8, low)), l.constant(8, low))
	rest = l.vector3(vpandq, rest, l.constant(8, low+1))
	folded := l.vector3(vporq, l.vector3(vpandnq, l.constant(8, low), x), rest)
	var large value
	if from.Signed() {
		past := uint64(1) << 53
		large = l.vector3(vporq, l.vector3(vpcmpgtq, x, l.constant(8, past)), l.vector3(vpcmpgtq, l.constant(8, -past), x))
	} else {
		large = s.integers(l, ir.OpGt, ir.U64, x, l.constant(8, 1<<53))
	}
	return s.merge(l, 8, x, folded, large)
}

// low32 is a float64 in [0, 2^32) truncated to 32 bits.
func (select2) low32(l *lowering, x value) value {
	whole := l.vectorImm(vrndscalepd, 0, x, roundTrunc)
	return l.narrow(l.vector3(vaddpd, whole, l.constant(8, bits2p52)))
}

// saturate is the float x truncated to an integer: the nearest end of t where t does not hold it, 0 for a
// NaN.
func (s select2) saturate(l *lowering, t, from ir.Type, x value) value {
	if t == ir.I32 && from == ir.F32 { // the instruction gives the least integer for what it does not hold
		number := s.floats(l, from, x, x, floatOrdered)
		past := s.floats(l, from, x, l.constant(4, 0x4F000000), floatGreaterEqual)
		return l.vector3(vpandd, number, l.vector3(vpxord, past, l.unary(vcvttps2dq, 4, x)))
	}
	if from == ir.F32 {
		x = l.unary(vcvtps2pd, 8, x)
	}
	switch t {
	case ir.I32:
		number := s.floats(l, ir.F64, x, x, floatOrdered)
		most := l.constant(8, 0x41DFFFFFFFC00000) // 2^31 - 1
		return s.keep(l, 4, l.unary(vcvttpd2dq, 4, l.vector3(vminpd, most, x)), number)
	case ir.U32:
		most := l.constant(8, 0x41EFFFFFFFE00000) // 2^32 - 1
		return s.low32(l, l.vector3(vminpd, l.vector3(vmaxpd, x, l.constant(8, 0)), most))
	}
	return s.saturate64(l, t, x)
}

// saturate64 takes the two halves of the truncated x apart.
func (s select2) saturate64(l *lowering, t ir.Type, x value) value {
	least, past := l.constant(8, 0), l.constant(8, 0x43F0000000000000) // 2^64
	if t.Signed() {
		least, past = l.constant(8, 0xC3E0000000000000), l.constant(8, 0x43E0000000000000) // -2^63, 2^63
	}
	// The instruction gives its second operand for a NaN, which is then a number too.
	whole := l.vectorImm(vrndscalepd, 0, l.vector3(vmaxpd, x, least), roundTrunc)
	high := l.vectorImm(vrndscalepd, 0, l.vector3(vmulpd, whole, l.constant(8, bits2m32)), roundFloor)
	low := l.vector3(vsubpd, whole, l.vector3(vmulpd, high, l.constant(8, bits2p32)))
	magic := l.constant(8, bits3p51)
	r := l.vectorImm(vpblendd, l.vector3(vpsllvq, l.vector3(vaddpd, high, magic), l.constant(8, 32)),
		l.vector3(vaddpd, low, l.constant(8, bits2p52)), 0x55)
	most := t.Mask()
	if t.Signed() {
		most >>= 1
	}
	beyond := s.floats(l, ir.F64, x, past, floatGreaterEqual)
	r = s.merge(l, 8, r, l.constant(8, most), beyond)
	if t.Signed() {
		r = s.keep(l, 8, r, s.floats(l, ir.F64, x, x, floatOrdered))
	}
	return r
}
