package jit

import "encoding/binary"

// assembler appends machine code. It makes no decisions: registers are numbers, memory is an address.
//
// Registers of the machine that the code uses: rdi holds the frame; rax, rcx, rdx, rsi, r8 and r9 are scratch within
// one instruction of the allocator.
type assembler struct {
	isa  *isa
	code []byte
}

// vector encodes an instruction of the target's table, see evex and vex.
func (a *assembler) vector(o op, reg, v uint8, rm operand, mask uint8, zero bool, imm uint8) {
	a.isa.encode(a, o, reg, v, rm, mask, zero, imm)
}

// General registers.
const (
	rax = 0
	rcx = 1
	rdx = 2
	rsi = 6
	rdi = 7
	r8  = 8
	r9  = 9
)

// address is memory: base + displacement, with a vector of indexes times 1<<scale if index >= 0.
type address struct {
	base  uint8
	disp  int32
	index int8
	scale uint8
}

func frameAt(disp int32) address { return address{base: rdi, disp: disp, index: -1} }

// operand is what ModRM.rm names: a register, or memory; broadcast: one element for all lanes.
type operand struct {
	reg       uint8
	inMemory  bool
	broadcast bool
	at        address
}

func inReg(r uint8) operand { return operand{reg: r} }

func (a *assembler) emit(bs ...byte) { a.code = append(a.code, bs...) }

func (a *assembler) emit32(v int32) {
	a.code = binary.LittleEndian.AppendUint32(a.code, uint32(v))
}

// evex encodes an instruction of insns512: reg goes to ModRM.reg, v to vvvv (0 when there is none), rm to
// ModRM.rm. mask 0 is none; zero clears the lanes that the mask leaves out instead of keeping them.
func (a *assembler) evex(o op, reg, v uint8, rm operand, mask uint8, zero bool, imm uint8) {
	in := &insns512[o]
	var x, b uint8
	switch {
	case !rm.inMemory:
		b, x = rm.reg>>3&1, rm.reg>>4&1
	default:
		b = rm.at.base >> 3 & 1
		if rm.at.index >= 0 {
			x = uint8(rm.at.index) >> 3 & 1
		}
	}
	high := v >> 4 & 1
	if rm.inMemory && rm.at.index >= 0 {
		high = uint8(rm.at.index) >> 4 & 1
	}
	p2 := in.length<<5 | (high^1)<<3 | mask
	if zero {
		p2 |= 0x80
	}
	if rm.broadcast {
		p2 |= 0x10
	}
	a.emit(0x62,
		(reg>>3&1^1)<<7|(x^1)<<6|(b^1)<<5|(reg>>4&1^1)<<4|in.mm,
		in.w<<7|(^v&15)<<3|4|in.pp,
		p2, in.opcode)
	unit := int32(16) << in.length
	switch {
	case rm.broadcast, in.form == formGather, in.form == formScatter, o == vbroadcastq, o == vbroadcastd:
		unit = int32(in.size)
	}
	a.modRM(reg, rm, unit)
	if in.flags&hasImm != 0 {
		a.emit(imm)
	}
}

// vex encodes an instruction of insns2. mask is the register of a blend's or a gather's mask, else 0; zero is
// of no meaning here.
func (a *assembler) vex(o op, reg, v uint8, rm operand, mask uint8, _ bool, imm uint8) {
	in := &insns2[o]
	if in.form == formGather {
		v = mask
	}
	var x, b uint8
	switch {
	case !rm.inMemory:
		b = rm.reg >> 3 & 1
	default:
		b = rm.at.base >> 3 & 1
		if rm.at.index >= 0 {
			x = uint8(rm.at.index) >> 3 & 1
		}
	}
	last := (^v&15)<<3 | in.length<<2 | in.pp
	if r := (reg>>3&1 ^ 1) << 7; in.mm == map0F && in.w|x|b == 0 {
		a.emit(0xC5, r|last, in.opcode)
	} else {
		a.emit(0xC4, r|(x^1)<<6|(b^1)<<5|in.mm, in.w<<7|last, in.opcode)
	}
	a.modRM(reg, rm, 1)
	switch {
	case in.form == formBlend:
		a.emit(mask << 4)
	case in.flags&hasImm != 0:
		a.emit(imm)
	}
}

// modRM encodes the register, rm and what belongs to it. unit is what a short displacement counts in; 1
// where there is no EVEX prefix.
func (a *assembler) modRM(reg uint8, rm operand, unit int32) {
	reg = reg & 7 << 3
	if !rm.inMemory {
		a.emit(0xC0 | reg | rm.reg&7)
		return
	}
	base := rm.at.base & 7
	low := base
	if rm.at.index >= 0 || base == 4 {
		low = 4 // a SIB byte follows
	}
	short := rm.at.disp%unit == 0 && rm.at.disp/unit >= -128 && rm.at.disp/unit <= 127
	mod := uint8(0x80)
	switch {
	case rm.at.disp == 0 && base != 5:
		mod = 0
	case short:
		mod = 0x40
	}
	a.emit(mod | reg | low)
	if low == 4 {
		index := uint8(4)
		if rm.at.index >= 0 {
			index = uint8(rm.at.index) & 7
		}
		a.emit(rm.at.scale<<6 | index<<3 | base)
	}
	switch mod {
	case 0x40:
		a.emit(uint8(rm.at.disp / unit))
	case 0x80:
		a.emit32(rm.at.disp)
	}
}

// Mask registers. No register above 7 is involved, so the prefix has two bytes.

func (a *assembler) maskPrefix(l, v uint8) { a.emit(0xC5, 0x80|(^v&15)<<3|l<<2|pp66) }

// mask3 is dst = x op y.
func (a *assembler) mask3(o op, dst, x, y uint8) {
	in := &maskInsns[o-firstMask]
	a.maskPrefix(in.l, x)
	a.emit(in.opcode, 0xC0|dst<<3|y)
}

// mask2 is dst = op x, for knotb and kmovb.
func (a *assembler) mask2(o op, dst, x uint8) {
	a.maskPrefix(0, 0)
	a.emit(maskInsns[o-firstMask].opcode, 0xC0|dst<<3|x)
}

func (a *assembler) maskLoad(dst uint8, from address) {
	a.maskPrefix(0, 0)
	a.emit(0x90)
	a.modRM(dst, operand{inMemory: true, at: from}, 1)
}

func (a *assembler) maskStore(to address, src uint8) {
	a.maskPrefix(0, 0)
	a.emit(0x91)
	a.modRM(src, operand{inMemory: true, at: to}, 1)
}

// maskToGeneral is the 32-bit register dst = mask src.
func (a *assembler) maskToGeneral(dst, src uint8) {
	a.maskPrefix(0, 0)
	a.emit(0x93, 0xC0|dst<<3|src)
}

// maskTest sets the zero flag when x|y has no lane.
func (a *assembler) maskTest(x, y uint8) {
	a.maskPrefix(0, 0)
	a.emit(0x98, 0xC0|x<<3|y)
}

// General registers.

// rex is the prefix for 64-bit operands w, a register operand and an rm register.
func rex(w, reg, rm uint8) byte { return 0x40 | w<<3 | reg>>3&1<<2 | rm>>3&1 }

// short emits the prefix of an operation on 32 bits, if one of its registers needs it.
func (a *assembler) short(reg, rm uint8) {
	if p := rex(0, reg, rm); p != 0x40 {
		a.emit(p)
	}
}

// load64 and store64 move between a general register and memory.
func (a *assembler) load64(dst uint8, from address) {
	a.emit(rex(1, dst, from.base), 0x8B)
	a.modRM(dst, operand{inMemory: true, at: from}, 1)
}

func (a *assembler) store64(to address, src uint8) {
	a.emit(rex(1, src, to.base), 0x89)
	a.modRM(src, operand{inMemory: true, at: to}, 1)
}

// load32 and store32 are the same for 32 bits.
func (a *assembler) load32(dst uint8, from address) {
	a.short(dst, from.base)
	a.emit(0x8B)
	a.modRM(dst, operand{inMemory: true, at: from}, 1)
}

func (a *assembler) store32(to address, src uint8) {
	a.short(src, to.base)
	a.emit(0x89)
	a.modRM(src, operand{inMemory: true, at: to}, 1)
}

// loadByte is the 32-bit register dst = the byte at from.
func (a *assembler) loadByte(dst uint8, from address) {
	a.emit(0x0F, 0xB6)
	a.modRM(dst, operand{inMemory: true, at: from}, 1)
}

// set32 stores a constant of 32 bits; set64 one of 64 bits, sign-extended.
func (a *assembler) set32(to address, v int32) {
	a.emit(0xC7)
	a.modRM(0, operand{inMemory: true, at: to}, 1)
	a.emit32(v)
}

func (a *assembler) set64(to address, v int32) {
	a.emit(rex(1, 0, to.base), 0xC7)
	a.modRM(0, operand{inMemory: true, at: to}, 1)
	a.emit32(v)
}

// const64 is dst = v.
func (a *assembler) const64(dst uint8, v uint64) {
	a.emit(rex(1, 0, dst), 0xB8|dst&7)
	a.code = binary.LittleEndian.AppendUint64(a.code, v)
}

// dec32, dec64, inc32 count in memory and set the zero flag.
func (a *assembler) dec32(at address) {
	a.emit(0xFF)
	a.modRM(1, operand{inMemory: true, at: at}, 1)
}

func (a *assembler) dec64(at address) {
	a.emit(rex(1, 0, at.base), 0xFF)
	a.modRM(1, operand{inMemory: true, at: at}, 1)
}

func (a *assembler) inc32(at address) {
	a.emit(0xFF)
	a.modRM(0, operand{inMemory: true, at: at}, 1)
}

// sub32 subtracts a constant in memory and sets the flags.
func (a *assembler) sub32(at address, v int32) {
	a.emit(0x81)
	a.modRM(5, operand{inMemory: true, at: at}, 1)
	a.emit32(v)
}

// add64 adds a constant in memory.
func (a *assembler) add64(at address, v int32) {
	a.emit(rex(1, 0, at.base), 0x81)
	a.modRM(0, operand{inMemory: true, at: at}, 1)
	a.emit32(v)
}

func (a *assembler) ret() { a.emit(0xC3) }

// Conditions of a jump, as the low bits of its opcode.
const (
	ifZero    = 0x4
	ifNotZero = 0x5
	ifNotSign = 0x9
	always    = 0xFF
)

// jump emits a jump whose target is not known yet and returns the place to patch.
func (a *assembler) jump(cond uint8) int {
	if cond == always {
		a.emit(0xE9)
	} else {
		a.emit(0x0F, 0x80|cond)
	}
	a.emit32(0)
	return len(a.code)
}

// here makes the jump whose place is given go to the end of the code.
func (a *assembler) here(place int) { a.target(place, len(a.code)) }

// target makes the jump whose place is given go to an offset of the code.
func (a *assembler) target(place, to int) {
	binary.LittleEndian.PutUint32(a.code[place-4:], uint32(int32(to-place)))
}
