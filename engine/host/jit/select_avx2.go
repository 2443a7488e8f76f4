package jit

import "github.com/eaglet-workbench/eaglet/kernels/ir"

// AVX2 with FMA: 16 registers of four 64-bit elements; 32-bit values have half a register. A mask is a
// vector, all bits of a lane alike, of 64-bit or of 32-bit elements: comparisons give the one that they
// compare, and fit changes it where the other is needed.
var avx2 = isa{
	name: "avx2", lanes: 4, row: 32,
	registers: [2]struct{ first, end int8 }{{0, 16}, {0, 0}},
	insns:     &insns2, encode: (*assembler).vex, selector: select2{},
	maskClass: vector, spread: true,
	shape: shaping{together: 2, block: 8, mostGroups: 4, longTrip: 256, issue: 3, spillShare: 6},
}

// select2 chooses instructions of AVX2.
type select2 struct{}

// sized is mask x in elements of a size.
func (s select2) sized(l *lowering, x value, size uint8) value {
	if l.infos[x].size == size {
		return x
	}
	if bits, ok := l.known[x]; ok {
		if size == 4 {
			return l.constant(4, bits*(1<<32-1))
		}
		return l.constMask(bits != 0)
	}
	if y, ok := l.resized[x]; ok {
		return y
	}
	var y value
	switch m := l.inverse[x]; {
	case m != 0:
		y = s.not(l, s.sized(l, m, size))
	case size == 8:
		y = l.unary(vpmovsxdq, 8, x)
	default:
		y = l.narrow(x)
	}
	l.resized[x] = y
	return y
}

// narrow is the low halves of 64-bit elements.
func (l *lowering) narrow(x value) value {
	high := l.emit(inst{op: vextractf128, dst: l.newVector(4), b: x, imm: 1})
	return l.vectorImm(vshufps, x, high, 0x88)
}

// alike is masks in elements of the size that costs least.
func (s select2) alike(l *lowering, a, b value) (value, value) {
	size := l.infos[a].size
	if l.infos[b].size != size {
		size = 8
	}
	return s.sized(l, a, size), s.sized(l, b, size)
}

func (s select2) logic(l *lowering, o op, a, b value) value {
	a, b = s.alike(l, a, b)
	size := l.infos[a].size
	v := func(wide, narrow op, a, b value) value { return l.vector3(bySize(size, wide, narrow), a, b) }
	m, n := l.inverse[a], l.inverse[b]
	switch o {
	case kandb:
		switch {
		case m != 0:
			return v(vpandnq, vpandnd, m, b)
		case n != 0:
			return v(vpandnq, vpandnd, n, a)
		}
		return v(vpandq, vpandd, a, b)
	case kandnb:
		if m != 0 {
			return v(vpandq, vpandd, m, b)
		}
		return v(vpandnq, vpandnd, a, b)
	case korb:
		return v(vporq, vpord, a, b)
	case kxorb:
		return v(vpxorq, vpxord, a, b)
	}
	return v(vpcmpeqq, vpcmpeqd, a, b)
}

// not remembers what it turned: most of those who need the result can do with that as well, and then the
// instruction goes.
func (s select2) not(l *lowering, a value) value {
	var r value
	if l.infos[a].size == 4 {
		r = l.vector3(vpxord, a, l.constant(4, 1<<32-1))
	} else {
		r = l.vector3(vpxorq, a, l.constMask(true))
	}
	if !l.infos[a].variable {
		l.inverse[r] = a
	}
	return r
}

func (s select2) fit(l *lowering, x, v value) value { return s.sized(l, x, l.infos[v].size) }

func (s select2) chooseMask(l *lowering, c, x, y value) value {
	x, y = s.alike(l, x, y)
	return s.merge(l, l.infos[x].size, y, x, c)
}

func (select2) floats(l *lowering, t ir.Type, x, y value, predicate uint8) value {
	return l.vectorImm(pick(t, vcmppd, vcmpps), x, y, predicate)
}

func (s select2) integers(l *lowering, o ir.Op, t ir.Type, x, y value) value {
	equal, greater := pick(t, vpcmpeqq, vpcmpeqd), pick(t, vpcmpgtq, vpcmpgtd)
	if o == ir.OpEq || o == ir.OpNe {
		m := l.vector3(equal, x, y)
		if o == ir.OpNe {
			m = s.not(l, m)
		}
		return m
	}
	if !t.Signed() { // the order of unsigned numbers is that of signed ones with the highest bit turned
		x, y = s.turned(l, t, x), s.turned(l, t, y)
	}
	switch o {
	case ir.OpLt:
		return l.vector3(greater, y, x)
	case ir.OpLe:
		return s.not(l, l.vector3(greater, x, y))
	case ir.OpGt:
		return l.vector3(greater, x, y)
	}
	return s.not(l, l.vector3(greater, y, x))
}

// turned is x with the highest bit turned.
func (select2) turned(l *lowering, t ir.Type, x value) value {
	top := uint64(1) << (8*t.Bytes() - 1)
	if bits, ok := l.known[x]; ok {
		return l.constant(size(t), bits^top)
	}
	return l.vector3(pick(t, vpxorq, vpxord), x, l.constant(size(t), top))
}

func (s select2) nonZero(l *lowering, size uint8, x value) value {
	return s.not(l, l.vector3(bySize(size, vpcmpeqq, vpcmpeqd), x, l.constant(size, 0)))
}

func (s select2) merge(l *lowering, size uint8, x, y, on value) value {
	on = s.sized(l, on, size)
	if m := l.inverse[on]; m != 0 {
		x, y, on = y, x, m
	}
	return l.emit(inst{op: bySize(size, vblendvpd, vblendvps), dst: l.newVector(size), a: x, b: y, mask: on})
}

func (s select2) keep(l *lowering, size uint8, x, on value) value {
	on = s.sized(l, on, size)
	if m := l.inverse[on]; m != 0 {
		return l.vector3(bySize(size, vpandnq, vpandnd), m, x)
	}
	return l.vector3(bySize(size, vpandq, vpandd), on, x)
}

func (s select2) assign(l *lowering, v, x, on value) {
	size := l.infos[v].size
	x, on = s.sized(l, x, size), s.sized(l, on, size)
	l.emit(inst{op: bySize(size, vblendvpd, vblendvps), dst: v, a: v, b: x, mask: on})
}

func (s select2) count(l *lowering, v, on value) {
	l.emit(inst{op: vpsubq, dst: v, a: v, b: s.sized(l, on, 8)})
}

// store reads and writes back the lanes left out: the frame is one worker's own.
func (s select2) store(l *lowering, size uint8, x, on value, disp int32) {
	if on != 0 {
		old := l.emit(inst{op: bySize(size, vloadq, vloadd), dst: l.newVector(size), disp: disp})
		x = s.merge(l, size, old, x, on)
	}
	l.emit(inst{op: bySize(size, vstoreq, vstored), b: x, disp: disp})
}

func (s select2) storeMask(l *lowering, x, on value, disp int32) {
	s.store(l, 8, s.sized(l, x, 8), on, disp)
}

func (s select2) cellOf(l *lowering, x value) value { return s.sized(l, x, 4) }

func (select2) fromCell(_ *lowering, x value) value { return x }

func (s select2) gather(l *lowering, size uint8, index value, base, disp int32, on value) value {
	r := l.variable(map[uint8]ir.Type{4: ir.U32, 8: ir.U64}[size])
	l.assign(r, l.constant(size, 0), 0)
	scale := uint8(2)
	if size == 8 {
		scale = 3
	}
	// The instruction clears its mask.
	return l.emit(inst{op: bySize(size, vpgatherqq, vpgatherqd), dst: r, index: index, scale: scale, mask: l.copyOf(s.sized(l, on, size)), base: base, disp: disp})
}

func (s select2) scatter(l *lowering, size uint8, x, index, on value, disp int32) {
	l.emit(inst{op: opScatter, b: x, index: index, scale: size, mask: s.sized(l, on, 8), disp: disp})
}

// multiply64 puts products of 32-bit halves together: low*low + (low*high + high*low)<<32.
func (select2) multiply64(l *lowering, x, y value) value {
	halves := l.constant(8, 32)
	cross := l.vector3(vpmulldWide, x, l.vectorImm(vpshufd, 0, y, 0xB1))
	cross = l.vector3(vpadddWide, cross, l.emit(inst{op: vpsrlvq, dst: l.newVector(8), a: cross, b: halves}))
	low := l.vector3(vpmuludq, x, y)
	return l.vector3(vpaddq, low, l.vector3(vpsllvq, cross, halves))
}

// shift goes through 64 bits where the count, which is 64 bits wide, is not known.
func (s select2) shift(l *lowering, t ir.Type, left bool, x, y value) value {
	if t.Bytes() == 4 {
		if bits, ok := l.known[y]; ok {
			o := vpsrlvd
			switch {
			case left:
				o = vpsllvd
			case t.Signed():
				o = vpsravd
			}
			return l.vector3(o, x, l.constant(4, min(bits, 64)))
		}
		wide := ir.U64
		if t.Signed() {
			wide = ir.I64
		}
		return l.narrow(s.shift(l, wide, left, s.convert(l, wide, t, x), y))
	}
	switch {
	case left:
		return l.vector3(vpsllvq, x, y)
	case t.Signed(): // of negative numbers the complement is shifted
		minus := l.vector3(vpcmpgtq, l.constant(8, 0), x)
		return l.vector3(vpxorq, l.vector3(vpsrlvq, l.vector3(vpxorq, x, minus), y), minus)
	}
	return l.vector3(vpsrlvq, x, y)
}

// divide32 goes through float64, whose quotient is less than half a unit of the integer quotient's
// distance to the next integer away from the true one.
func (s select2) divide32(l *lowering, rest bool, t ir.Type, x, y value) value {
	undefined := l.vector3(vpcmpeqd, y, l.constant(4, 0))
	f := l.vector3(vdivpd, s.convert(l, ir.F64, t, x), s.convert(l, ir.F64, t, y))
	var q value
	if t.Signed() { // the least integer by -1 gives 2^31, which becomes the least integer
		q = l.unary(vcvttpd2dq, 4, f)
	} else {
		q = s.low32(l, f)
	}
	if rest {
		q = l.vector3(vpsubd, x, l.vector3(vpmulld, q, y))
	}
	return l.vector3(vpandnd, undefined, q)
}

func (s select2) sign(l *lowering, t ir.Type, y value) value {
	number := s.floats(l, t, y, y, floatOrdered)
	return l.vector3(pick(t, vpandq, vpandd), number, l.vector3(pick(t, vpandq, vpandd), y, l.signBit(t)))
}

// extreme of floats: the instruction gives its second operand where one is a NaN or both are zeros, so it
// is run in both orders; the bits of the two agree but there.
func (s select2) extreme(l *lowering, isMin bool, t ir.Type, x, y value) value {
	if !t.Float() {
		return s.extremeInteger(l, isMin, t, x, y)
	}
	or, and := pick(t, vporq, vpord), pick(t, vpandq, vpandd)
	if isMin {
		o := pick(t, vminpd, vminps)
		a, b := l.vector3(o, x, y), l.vector3(o, y, x)
		both := l.vector3(or, a, b) // -0 of zeros; a NaN of a NaN
		infinity := l.floatConst(t, 0xFFF<<52, 0xFF800000)
		wins := l.vector3(or, s.floats(l, t, a, infinity, floatEqual), s.floats(l, t, b, infinity, floatEqual))
		return s.merge(l, size(t), both, infinity, wins)
	}
	o := pick(t, vmaxpd, vmaxps)
	a, b := l.vector3(o, x, y), l.vector3(o, y, x)
	both := l.vector3(and, a, b) // +0 of zeros; +Inf of that and a NaN
	both = l.vector3(or, both, s.floats(l, t, x, y, floatUnordered))
	infinity := l.floatConst(t, 0x7FF<<52, 0x7F800000)
	wins := l.vector3(or, s.floats(l, t, a, infinity, floatEqual), s.floats(l, t, b, infinity, floatEqual))
	return s.merge(l, size(t), both, infinity, wins)
}

func (s select2) extremeInteger(l *lowering, isMin bool, t ir.Type, x, y value) value {
	if t.Bytes() == 4 {
		ops := map[ir.Type][2]op{ir.I32: {vpmaxsd, vpminsd}, ir.U32: {vpmaxud, vpminud}}[t]
		if isMin {
			return l.vector3(ops[1], x, y)
		}
		return l.vector3(ops[0], x, y)
	}
	greater := s.integers(l, ir.OpGt, t, x, y)
	if isMin {
		return s.merge(l, 8, x, y, greater)
	}
	return s.merge(l, 8, y, x, greater)
}
