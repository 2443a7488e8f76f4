package jit

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"unsafe"
)

// emulator runs the code on machines without AVX-512. It decodes bytes, so that a wrong encoding runs
// wrong, and it says in plain Go what the processor's manual says about every instruction that the code
// generator emits. Anything else is a panic.
type emulator struct {
	code   []byte
	base   uint64
	ip     int
	vec    [32][64]byte
	k      [8]uint8
	gp     [16]uint64
	zf, sf bool
	count  int
}

// emulate makes an executor of code.
func emulate(code []byte) executor {
	e := &emulator{code: code}
	return func(entry uintptr, frame unsafe.Pointer) {
		e.base = uint64(entry)
		for i := range e.vec { // calls keep nothing
			for j := range e.vec[i] {
				e.vec[i][j] = byte(0xA5 ^ i*7 ^ j*13)
			}
		}
		for i := range e.k {
			e.k[i] = uint8(0x5A + i*31)
		}
		e.gp[rdi], e.ip = uint64(uintptr(frame)), 0
		for e.step() {
		}
	}
}

func pointer(at uint64) unsafe.Pointer {
	p := uintptr(at)
	return *(*unsafe.Pointer)(unsafe.Pointer(&p))
}

func memoryAt(at uint64, n int) []byte { return unsafe.Slice((*byte)(pointer(at)), n) }

func (e *emulator) u8() byte { e.ip++; return e.code[e.ip-1] }
func (e *emulator) i32() int32 {
	e.ip += 4
	return int32(binary.LittleEndian.Uint32(e.code[e.ip-4:]))
}

// lanes is what a vector register of the emulator holds of 64-bit elements.
const lanes = 8

// place is a decoded ModRM.rm.
type place struct {
	reg   int // -1: memory
	at    uint64
	index int // of a vector of indexes, -1: none
	scale uint8
}

// modRM decodes; x and b are the prefix's extension bits, unit scales a short displacement, vsib says
// that the index is a vector and high its fifth bit.
func (e *emulator) modRM(r, x, b uint8, evex, vsib bool, high uint8, unit int) (reg int, p place) {
	m := e.u8()
	reg = int(m>>3&7 | r<<3)
	mod, rm := m>>6, m&7
	if mod == 3 {
		p.reg = int(rm | b<<3)
		if evex {
			p.reg |= int(x) << 4
		}
		return reg, p
	}
	p.reg, p.index = -1, -1
	base := int(rm | b<<3)
	if rm == 4 {
		sib := e.u8()
		base = int(sib&7 | b<<3)
		p.scale = sib >> 6
		index := int(sib>>3&7 | x<<3)
		switch {
		case vsib:
			p.index = index | int(high)<<4
		case index != 4:
			p.at += e.gp[index] << p.scale
		}
		if mod == 0 && sib&7 == 5 {
			panic("no base")
		}
	} else if mod == 0 && rm == 5 {
		d := e.i32()
		p.at = e.base + uint64(int64(e.ip)+int64(d))
		return reg, p
	}
	p.at += e.gp[base]
	switch mod {
	case 1:
		p.at += uint64(int64(int8(e.u8())) * int64(unit))
	case 2:
		p.at += uint64(int64(e.i32()))
	}
	return reg, p
}

func (e *emulator) step() bool {
	e.count++
	switch b := e.code[e.ip]; b {
	case 0x62:
		e.ip++
		e.evex()
	case 0xC5:
		e.ip++
		e.vex()
	case 0xC3:
		return false
	default:
		e.general()
	}
	return true
}

func (e *emulator) flags(v uint64, width int) {
	e.zf, e.sf = v<<(64-width) == 0, v>>(width-1)&1 == 1
}

// general runs an instruction on general registers.
func (e *emulator) general() {
	w, r, x, b := uint8(0), uint8(0), uint8(0), uint8(0)
	o := e.u8()
	if o&0xF0 == 0x40 {
		w, r, x, b = o>>3&1, o>>2&1, o>>1&1, o&1
		o = e.u8()
	}
	width := 32 + 32*int(w)
	rm := func() (int, place) { return e.modRM(r, x, b, false, false, 0, 1) }
	load := func(p place) uint64 {
		switch {
		case p.reg >= 0 && w == 1:
			return e.gp[p.reg]
		case p.reg >= 0:
			return uint64(uint32(e.gp[p.reg]))
		case w == 1:
			return *(*uint64)(pointer(p.at))
		}
		return uint64(*(*uint32)(pointer(p.at)))
	}
	store := func(p place, v uint64) {
		switch {
		case p.reg >= 0 && w == 1:
			e.gp[p.reg] = v
		case p.reg >= 0:
			e.gp[p.reg] = uint64(uint32(v))
		case w == 1:
			*(*uint64)(pointer(p.at)) = v
		default:
			*(*uint32)(pointer(p.at)) = uint32(v)
		}
	}
	jump := func(taken bool) {
		d := e.i32()
		if taken {
			e.ip += int(d)
		}
	}
	switch o {
	case 0x8B:
		reg, p := rm()
		store(place{reg: reg}, load(p))
	case 0x89:
		reg, p := rm()
		store(p, load(place{reg: reg}))
	case 0x8D:
		reg, p := rm()
		store(place{reg: reg}, p.at)
	case 0xC7:
		_, p := rm()
		store(p, uint64(int64(e.i32())))
	case 0x29, 0x31, 0x21, 0x85:
		reg, p := rm()
		x, y := load(p), load(place{reg: reg})
		v := x & y
		switch o {
		case 0x29:
			v = x - y
		case 0x31:
			v = x ^ y
		}
		if o != 0x85 {
			store(p, v)
		}
		e.flags(v, width)
	case 0x81, 0x83:
		digit, p := rm()
		var imm int64
		if o == 0x83 {
			imm = int64(int8(e.u8()))
		} else {
			imm = int64(e.i32())
		}
		v := load(p) - uint64(imm)
		switch digit &^ 8 {
		case 0:
			v = load(p) + uint64(imm)
			store(p, v)
		case 5:
			store(p, v)
		case 7:
		default:
			panic("81 digit")
		}
		e.flags(v, width)
	case 0xFF:
		digit, p := rm()
		switch digit &^ 8 {
		case 0:
			store(p, load(p)+1)
			e.flags(load(p), width)
		case 1:
			store(p, load(p)-1)
			e.flags(load(p), width)
		case 4:
			e.ip = int(e.gp[p.reg] - e.base)
		default:
			panic("ff digit")
		}
	case 0xF7:
		digit, p := rm()
		y := load(p)
		switch digit &^ 8 {
		case 3:
			store(p, -y)
		case 6:
			e.gp[rax], e.gp[rdx] = bits.Div64(e.gp[rdx], e.gp[rax], y)
		case 7:
			if int64(e.gp[rax])>>63 != int64(e.gp[rdx]) {
				panic("idiv without cqo")
			}
			x := int64(e.gp[rax])
			if x == math.MinInt64 && int64(y) == -1 {
				panic("idiv overflows")
			}
			e.gp[rax], e.gp[rdx] = uint64(x/int64(y)), uint64(x%int64(y))
		}
	case 0x99:
		e.gp[rdx] = uint64(int64(e.gp[rax]) >> 63)
	case 0xB8, 0xB9, 0xBA, 0xBB:
		e.gp[o-0xB8] = binary.LittleEndian.Uint64(e.code[e.ip:])
		e.ip += 8
	case 0xE9:
		jump(true)
	case 0x0F:
		switch o = e.u8(); o {
		case 0x84:
			jump(e.zf)
		case 0x85:
			jump(!e.zf)
		case 0x89:
			jump(!e.sf)
		case 0xB6:
			reg, p := rm()
			e.gp[reg] = uint64(*(*uint8)(pointer(p.at)))
		case 0xBC:
			reg, p := rm()
			e.gp[reg] = uint64(bits.TrailingZeros32(uint32(load(p))))
		default:
			panic(fmt.Sprintf("0f %#x", o))
		}
	default:
		panic(fmt.Sprintf("opcode %#x at %d", o, e.ip))
	}
}

// vex runs an instruction on mask registers.
func (e *emulator) vex() {
	p := e.u8()
	v, l, pp := ^p>>3&15, p>>2&1, p&3
	o := e.u8()
	reg, rm := e.modRM(^p>>7&1, 0, 0, false, false, 0, 1)
	if pp != pp66 {
		panic("mask instruction without 66")
	}
	three := func(r uint8) {
		if l != 1 {
			panic("VEX.L is 0")
		}
		e.k[reg] = r
	}
	switch o {
	case 0x41:
		three(e.k[v] & e.k[rm.reg])
	case 0x42:
		three(^e.k[v] & e.k[rm.reg])
	case 0x45:
		three(e.k[v] | e.k[rm.reg])
	case 0x46:
		three(^(e.k[v] ^ e.k[rm.reg]))
	case 0x47:
		three(e.k[v] ^ e.k[rm.reg])
	case 0x44:
		e.k[reg] = ^e.k[rm.reg]
	case 0x90:
		if rm.reg >= 0 {
			e.k[reg] = e.k[rm.reg]
		} else {
			e.k[reg] = *(*uint8)(pointer(rm.at))
		}
	case 0x91:
		*(*uint8)(pointer(rm.at)) = e.k[reg]
	case 0x93:
		e.gp[reg] = uint64(e.k[rm.reg])
	case 0x98:
		e.zf = e.k[reg]|e.k[rm.reg] == 0
	default:
		panic(fmt.Sprintf("mask opcode %#x", o))
	}
}

var decode = func() map[[4]uint8]op {
	m := map[[4]uint8]op{}
	for o := opInvalid + 1; o < firstMask; o++ {
		in := &insns512[o]
		if in.name == "" {
			continue
		}
		key := [4]uint8{in.mm, in.pp, in.w, in.opcode}
		if _, twice := m[key]; twice {
			panic("two instructions with one encoding: " + in.name)
		}
		m[key] = o
	}
	return m
}()

func (e *emulator) evex() {
	p0, p1, p2 := e.u8(), e.u8(), e.u8()
	code := e.u8()
	o, ok := decode[[4]uint8{p0 & 7, p1 & 3, p1 >> 7, code}]
	if !ok {
		panic(fmt.Sprintf("evex map %d pp %d w %d opcode %#x", p0&7, p1&3, p1>>7, code))
	}
	in := &insns512[o]
	if p2>>5&3 != in.length {
		panic("vector length of " + in.name)
	}
	r, x, b, rhigh := ^p0>>7&1, ^p0>>6&1, ^p0>>5&1, ^p0>>4&1
	high := ^p2 >> 3 & 1
	v := int(^p1>>3&15 | high<<4)
	broadcast, zero, aaa := p2>>4&1 == 1, p2>>7 == 1, p2&7
	vsib := in.form == formGather || in.form == formScatter
	unit := 16 << in.length
	if broadcast || vsib || o == vbroadcastq || o == vbroadcastd {
		unit = int(in.size)
	}
	reg, rm := e.modRM(r, x, b, true, vsib, high, unit)
	reg |= int(rhigh) << 4
	on := uint8(0xFF)
	if aaa != 0 {
		on = e.k[aaa]
	}
	var imm uint8
	if in.flags&hasImm != 0 {
		imm = e.u8()
	}
	if in.form != formRVM && in.form != formKVM && (v != 0 && !vsib) {
		panic("vvvv of " + in.name)
	}
	if vsib {
		e.indexed(o, reg, rm, on)
		e.k[aaa] = 0
		return
	}
	if in.form == formStore {
		for i := range lanes {
			if on>>i&1 == 1 {
				n := int(in.size)
				copy(memoryAt(rm.at+uint64(i*n), n), e.vec[reg][i*n:(i+1)*n])
			}
		}
		return
	}
	insize, outsize := sizesOf(o)
	var src [64]byte
	switch {
	case in.form == formFromK:
	case in.form == formMR:
		src = e.vec[reg]
		reg = rm.reg
	case rm.reg >= 0:
		src = e.vec[rm.reg]
	case broadcast || o == vbroadcastq || o == vbroadcastd:
		for i := range lanes {
			copy(src[i*insize:], memoryAt(rm.at, insize))
		}
	default:
		if in.form == formLoad {
			for i := range lanes { // faults only where the mask is on
				if on>>i&1 == 1 {
					copy(src[i*insize:(i+1)*insize], memoryAt(rm.at+uint64(i*insize), insize))
				}
			}
		} else {
			copy(src[:lanes*insize], memoryAt(rm.at, lanes*insize))
		}
	}
	var kr uint8
	out := e.vec[reg]
	for i := range lanes {
		var x, y, d uint64
		x, y = element(&e.vec[v], i, insize), element(&src, i, insize)
		d = element(&e.vec[reg], i, outsize)
		if in.form == formFromK {
			y = uint64(e.k[rm.reg] >> i & 1)
		}
		bit := on>>i&1 == 1
		if o == vpblendmq || o == vpblendmd {
			if !bit {
				y = x
			}
			setElement(&out, i, outsize, y)
			continue
		}
		res := lane(o, imm, d, x, y)
		switch {
		case in.form == formKVM:
			if bit && res != 0 {
				kr |= 1 << i
			}
		case bit:
			setElement(&out, i, outsize, res)
		case zero:
			setElement(&out, i, outsize, 0)
		}
	}
	if in.form == formKVM {
		e.k[reg] = kr
		return
	}
	e.vec[reg] = out
}

func (e *emulator) indexed(o op, reg int, rm place, on uint8) {
	n := int(insns512[o].size)
	for i := range lanes {
		if on>>i&1 == 0 {
			continue
		}
		at := rm.at + element(&e.vec[rm.index], i, 8)<<rm.scale
		if insns512[o].form == formGather {
			copy(e.vec[reg][i*n:(i+1)*n], memoryAt(at, n))
		} else {
			copy(memoryAt(at, n), e.vec[reg][i*n:(i+1)*n])
		}
	}
}

func element(v *[64]byte, i, size int) uint64 {
	if size == 8 {
		return binary.LittleEndian.Uint64(v[8*i:])
	}
	return uint64(binary.LittleEndian.Uint32(v[4*i:]))
}

func setElement(v *[64]byte, i, size int, x uint64) {
	if size == 8 {
		binary.LittleEndian.PutUint64(v[8*i:], x)
	} else {
		binary.LittleEndian.PutUint32(v[4*i:], uint32(x))
	}
}

// sizesOf are the sizes of the elements that an instruction reads and writes.
func sizesOf(o op) (in, out int) {
	switch o {
	case vpmovsxdq, vpmovzxdq, vcvtdq2pd, vcvtudq2pd, vcvtps2pd, vcvttps2qq, vcvttps2uqq:
		return 4, 8
	case vpmovqd, vpmovusqd, vcvtqq2ps, vcvtuqq2ps, vcvtpd2ps, vcvttpd2dq, vcvttpd2udq:
		return 8, 4
	}
	return int(insns512[o].size), int(insns512[o].size)
}

// lane is one element of a result: d was there, x and y are operands.
func lane(o op, imm uint8, d, x, y uint64) uint64 {
	size, out := sizesOf(o)
	f, g := asFloat(x, size), asFloat(y, size)
	float := func(v float64) uint64 {
		if out == 8 {
			return math.Float64bits(v)
		}
		return uint64(math.Float32bits(float32(v)))
	}
	single := func(v float32) uint64 { return uint64(math.Float32bits(v)) }
	s32, t32 := math.Float32frombits(uint32(x)), math.Float32frombits(uint32(y))
	truth := func(b bool) uint64 {
		if b {
			return 1
		}
		return 0
	}
	sx, sy := int64(x), int64(y)
	if size == 4 {
		sx, sy = int64(int32(x)), int64(int32(y))
	}
	width := uint64(size * 8)
	switch o {
	case vaddpd:
		return float(f + g)
	case vsubpd:
		return float(f - g)
	case vmulpd:
		return float(f * g)
	case vdivpd:
		return float(f / g)
	case vaddps:
		return single(s32 + t32)
	case vsubps:
		return single(s32 - t32)
	case vmulps:
		return single(s32 * t32)
	case vdivps:
		return single(s32 / t32)
	case vsqrtpd, vsqrtps:
		return float(math.Sqrt(g))
	case vmaxpd, vmaxps:
		if f > g {
			return x
		}
		return y
	case vminpd, vminps:
		if f < g {
			return x
		}
		return y
	case vrangepd, vrangeps:
		return rangeOf(imm, size, x, y)
	case vfixupimmpd, vfixupimmps:
		return fixup(size, d, x, uint32(y))
	case vfmadd213pd:
		return float(math.FMA(f, asFloat(d, 8), g))
	case vfmadd213ps:
		return single(fmaSingle(s32, math.Float32frombits(uint32(d)), t32))
	case vrndscalepd, vrndscaleps:
		switch imm {
		case 8:
			return float(math.RoundToEven(g))
		case 9:
			return float(math.Floor(g))
		case 10:
			return float(math.Ceil(g))
		case 11:
			return float(math.Trunc(g))
		}
	case vcmppd, vcmpps:
		un := f != f || g != g
		return truth(map[uint8]bool{0: f == g, 3: un, 4: un || f != g, 7: !un, 0x11: f < g, 0x12: f <= g, 0x1D: f >= g, 0x1E: f > g}[imm])
	case vpaddq, vpaddd:
		return x + y
	case vpsubq, vpsubd:
		return x - y
	case vpmullq, vpmulld:
		return x * y
	case vpandq, vpandd:
		return x & y
	case vporq, vpord:
		return x | y
	case vpxorq, vpxord:
		return x ^ y
	case vpsllvq, vpsllvd:
		if y >= width {
			return 0
		}
		return x << y
	case vpsrlvq, vpsrlvd:
		if y >= width {
			return 0
		}
		return x >> y
	case vpsravq, vpsravd:
		return uint64(sx >> min(y, width-1))
	case vpminsq, vpminsd:
		return uint64(min(sx, sy))
	case vpmaxsq, vpmaxsd:
		return uint64(max(sx, sy))
	case vpminuq, vpminud:
		return min(x, y)
	case vpmaxuq, vpmaxud:
		return max(x, y)
	case vpcmpq, vpcmpd:
		return truth([]bool{sx == sy, sx < sy, sx <= sy, false, sx != sy, sx >= sy, sx > sy}[imm])
	case vpcmpuq, vpcmpud:
		return truth([]bool{x == y, x < y, x <= y, false, x != y, x >= y, x > y}[imm])
	case vptestmq, vptestmd:
		return x & y
	case vmovdqa64, vmovdqa32, vloadq, vloadd, vbroadcastq, vbroadcastd, vpmovzxdq, vpmovqd:
		return y
	case vpmovsxdq:
		return uint64(sy)
	case vpmovusqd:
		return min(y, math.MaxUint32)
	case vpmovm2d:
		return -y
	case vcvtdq2pd:
		return float(float64(sy))
	case vcvtudq2pd:
		return float(float64(y))
	case vcvtqq2pd:
		return float(float64(sy))
	case vcvtuqq2pd:
		return float(float64(y))
	case vcvtdq2ps, vcvtqq2ps:
		return single(float32(sy))
	case vcvtudq2ps, vcvtuqq2ps:
		return single(float32(y))
	case vcvtps2pd, vcvtpd2ps:
		return float(g)
	case vcvttpd2dq, vcvttps2dq:
		if v := math.Trunc(g); v >= math.MinInt32 && v <= math.MaxInt32 {
			return uint64(uint32(int32(v)))
		}
		return 1 << 31
	case vcvttpd2qq, vcvttps2qq:
		if g >= -0x1p63 && g < 0x1p63 {
			return uint64(int64(g))
		}
		return 1 << 63
	case vcvttpd2udq, vcvttps2udq:
		if v := math.Trunc(g); v >= 0 && v <= math.MaxUint32 {
			return uint64(v)
		}
		return math.MaxUint32
	case vcvttpd2uqq, vcvttps2uqq:
		if v := math.Trunc(g); v >= 0 && v < 0x1p64 {
			return uint64(v)
		}
		return math.MaxUint64
	}
	panic("no meaning of " + insns512[o].name)
}

func asFloat(b uint64, size int) float64 {
	if size == 8 {
		return math.Float64frombits(b)
	}
	return float64(math.Float32frombits(uint32(b)))
}

// fmaSingle rounds once: the sum is rounded to odd first.
func fmaSingle(x, y, z float32) float32 {
	p, q := float64(x)*float64(y), float64(z)
	s := p + q
	v := s - p
	err := float64(p-(s-v)) + float64(q-v)
	b := math.Float64bits(s)
	if b&1 == 0 && (err < 0 || err > 0) {
		if (err > 0) == (s > 0) {
			b++
		} else {
			b--
		}
	}
	return float32(math.Float64frombits(b))
}

func isNaN(b uint64, size int) bool { f := asFloat(b, size); return f != f }

func isQuiet(b uint64, size int) bool {
	if size == 8 {
		return b>>51&1 == 1
	}
	return b>>22&1 == 1
}

// rangeOf is VRANGE with the sign of the result of the comparison: the number where one operand is a
// quiet NaN, the signalling NaN made quiet where one is that, and -0 < +0.
func rangeOf(imm uint8, size int, x, y uint64) uint64 {
	quiet := uint64(1) << 51
	if size == 4 {
		quiet = 1 << 22
	}
	switch {
	case isNaN(x, size) && !isQuiet(x, size):
		return x | quiet
	case isNaN(y, size) && !isQuiet(y, size):
		return y | quiet
	case isNaN(x, size) && isNaN(y, size):
		return x
	case isNaN(x, size):
		return y
	case isNaN(y, size):
		return x
	}
	f, g := asFloat(x, size), asFloat(y, size)
	less := f < g || f == g && math.Signbit(f) && !math.Signbit(g)
	if less == (imm == rangeMin) {
		return x
	}
	return y
}

// fixup is VFIXUPIMM for the responses that are used.
func fixup(size int, d, x uint64, table uint32) uint64 {
	f, kind := asFloat(x, size), 0
	switch {
	case f != f && isQuiet(x, size):
		kind = 0
	case f != f:
		kind = 1
	case f == 0:
		kind = 2
	case f == 1:
		kind = 3
	case math.IsInf(f, -1):
		kind = 4
	case math.IsInf(f, 1):
		kind = 5
	case f < 0:
		kind = 6
	default:
		kind = 7
	}
	infinity := uint64(0x7FF) << 52
	nan, sign := uint64(0xFFF8)<<48, uint64(1)<<63
	if size == 4 {
		infinity, nan, sign = 0x7F800000, 0xFFC00000, 1<<31
	}
	switch table >> (4 * kind) & 15 {
	case 0:
		return d
	case 3:
		return nan
	case 4:
		return infinity | sign
	case 5:
		return infinity
	}
	panic("response of vfixupimm")
}
