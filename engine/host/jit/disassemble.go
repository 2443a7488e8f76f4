package jit

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// The other way round: instructions from bytes, for listings, in Intel's syntax. It reads what the encoder writes and
// nothing else, from the same tables; so a listing shows what the processor sees, not what was meant.

// decoder reads the instructions of one target.
type decoder struct {
	code []byte
	at   int
	isa  *isa
	memo map[opcodeKey]op
}

// opcodeKey is what tells the instructions of a table apart.
type opcodeKey struct{ mm, pp, w, opcode, length, form uint8 }

// Kinds of operands in the key: whether ModRM names a register or memory tells loads from moves.
const (
	keyRegister = iota
	keyMemory
)

func newDecoder(code []byte, isa *isa) *decoder {
	d := &decoder{code: code, isa: isa, memo: map[opcodeKey]op{}}
	for o := range isa.insns {
		in := &isa.insns[o]
		if in.name == "" {
			continue
		}
		key := opcodeKey{in.mm, in.pp, in.w, in.opcode, in.length, keyRegister}
		switch in.form {
		case formLoad, formStore, formGather, formScatter:
			key.form = keyMemory
			d.memo[key] = op(o)
			continue
		}
		if _, taken := d.memo[key]; !taken {
			d.memo[key] = op(o)
		}
		key.form = keyMemory
		if _, taken := d.memo[key]; !taken && in.flags&memory != 0 {
			d.memo[key] = op(o)
		}
	}
	return d
}

// next is the text of the instruction at d.at, which it passes.
func (d *decoder) next() (text string, err error) {
	start := d.at
	defer func() {
		if x := recover(); x != nil { // the code ends within an instruction
			err = fmt.Errorf("jit: no instruction at %#x: % x", start, d.code[start:min(start+16, len(d.code))])
		}
	}()
	switch d.code[d.at] {
	case 0x62:
		text = d.evex()
	case 0xC4, 0xC5:
		text = d.vex()
	default:
		text = d.general()
	}
	if text == "" {
		return "", fmt.Errorf("jit: no instruction at %#x: % x", start, d.code[start:min(start+16, len(d.code))])
	}
	return text, nil
}

func (d *decoder) byte() byte {
	d.at++
	return d.code[d.at-1]
}

func (d *decoder) int32() int32 {
	d.at += 4
	return int32(binary.LittleEndian.Uint32(d.code[d.at-4:]))
}

// prefix is what an EVEX or VEX prefix says.
type prefix struct {
	mm, pp, w, length, opcode uint8
	reg, rm, index, v         uint8 // high bits of register numbers; v is whole
	mask                      uint8
	zero, broadcast, evex     bool
}

func (d *decoder) evex() string {
	p0, p1, p2 := d.code[d.at+1], d.code[d.at+2], d.code[d.at+3]
	p := prefix{evex: true, opcode: d.code[d.at+4]}
	d.at += 5
	p.mm, p.w, p.pp, p.length = p0&7, p1>>7, p1&3, p2>>5&3
	p.reg = (p0>>7&1^1)<<3 | (p0>>4&1^1)<<4
	p.index = (p0>>6&1^1)<<3 | (p2>>3&1^1)<<4
	p.rm = (p0>>5&1^1)<<3 | (p0>>6&1^1)<<4
	p.v = ^(p1>>3)&15 | (p2>>3&1^1)<<4
	p.mask, p.zero, p.broadcast = p2&7, p2&0x80 != 0, p2&0x10 != 0
	return d.vector(&p)
}

func (d *decoder) vex() string {
	var p prefix
	first := d.byte()
	if first == 0xC5 {
		b := d.byte()
		p.mm, p.reg, p.v, p.length, p.pp = map0F, (b>>7&1^1)<<3, ^(b>>3)&15, b>>2&1, b&3
	} else {
		b, c := d.byte(), d.byte()
		p.mm, p.reg, p.index, p.rm = b&31, (b>>7&1^1)<<3, (b>>6&1^1)<<3, (b>>5&1^1)<<3
		p.w, p.v, p.length, p.pp = c>>7, ^(c>>3)&15, c>>2&1, c&3
	}
	p.opcode = d.byte()
	if d.isa.encodesMasks() && first == 0xC5 && p.pp == pp66 {
		if text := d.maskInstruction(&p); text != "" {
			return text
		}
	}
	return d.vector(&p)
}

// encodesMasks says whether the target has mask registers.
func (i *isa) encodesMasks() bool { return i.maskClass == mask }

// maskInstruction is one on mask registers, "" for another.
func (d *decoder) maskInstruction(p *prefix) string {
	modRM := d.code[d.at]
	reg, rm := modRM>>3&7, modRM&7
	switch p.opcode {
	case 0x90, 0x91:
		if modRM>>6 != 3 {
			m := d.modRM(p, 1)
			if p.opcode == 0x91 {
				return fmt.Sprintf("kmovb %s, k%d", m.text, m.reg)
			}
			return fmt.Sprintf("kmovb k%d, %s", m.reg, m.text)
		}
		d.at++
		return fmt.Sprintf("kmovb k%d, k%d", reg, rm)
	case 0x93:
		d.at++
		return fmt.Sprintf("kmovb %s, k%d", general32[reg], rm)
	case 0x98:
		d.at++
		return fmt.Sprintf("kortestb k%d, k%d", reg, rm)
	}
	for _, in := range maskInsns {
		if in.opcode != p.opcode || in.opcode == 0x90 {
			continue
		}
		d.at++
		if in.l == 0 {
			return fmt.Sprintf("%s k%d, k%d", in.name, reg, rm)
		}
		return fmt.Sprintf("%s k%d, k%d, k%d", in.name, reg, p.v, rm)
	}
	return ""
}

// rmOperand is what ModRM names.
type rmOperand struct {
	reg      uint8 // low bits
	inMemory bool
	rm       uint8 // low bits of a register
	text     string
}

// modRM reads ModRM and what belongs to it; unit is what a short displacement counts in.
func (d *decoder) modRM(p *prefix, unit int32) rmOperand {
	return d.modRMIndexed(p, unit, "")
}

// modRMIndexed reads memory whose index is a vector register of a kind, such as "zmm".
func (d *decoder) modRMIndexed(p *prefix, unit int32, vector string) rmOperand {
	b := d.byte()
	m := rmOperand{reg: b >> 3 & 7, rm: b & 7}
	mod := b >> 6
	if mod == 3 {
		return m
	}
	m.inMemory = true
	base, index, scale := m.rm|p.rm&8, uint8(4), uint8(0)
	if m.rm == 4 {
		sib := d.byte()
		base, index, scale = sib&7|p.rm&8, sib>>3&7|p.index, sib>>6
	}
	var disp int32
	switch mod {
	case 1:
		disp = int32(int8(d.byte())) * unit
	case 2:
		disp = d.int32()
	}
	var text strings.Builder
	text.WriteString("[" + general64[base])
	if index != 4 || vector != "" {
		name := general64[index&15]
		if vector != "" {
			name = fmt.Sprintf("%s%d", vector, index)
		}
		fmt.Fprintf(&text, "+%s*%d", name, 1<<scale)
	}
	switch {
	case disp < 0:
		fmt.Fprintf(&text, "-%#x", -int64(disp))
	case disp > 0:
		fmt.Fprintf(&text, "+%#x", disp)
	}
	m.text = text.String() + "]"
	return m
}

var vectorNames = [...]string{"xmm", "ymm", "zmm"}

// vector is an instruction of the target's table.
func (d *decoder) vector(p *prefix) string {
	key := opcodeKey{p.mm, p.pp, p.w, p.opcode, p.length, keyRegister}
	if d.code[d.at]>>6 != 3 {
		key.form = keyMemory
	}
	o, ok := d.memo[key]
	if !ok {
		return ""
	}
	in := &d.isa.insns[o]
	unit := int32(1)
	if p.evex {
		unit = int32(16) << in.length
		if p.broadcast || in.form == formGather || in.form == formScatter || strings.HasPrefix(in.name, "vpbroadcast") {
			unit = int32(in.size)
		}
	}
	dst, src := d.widths(in)
	indexKind := ""
	if in.form == formGather || in.form == formScatter {
		indexKind = vectorNames[in.length]
	}
	m := d.modRMIndexed(p, unit, indexKind)
	reg := m.reg | p.reg
	rm := m.text
	switch {
	case m.inMemory && p.broadcast:
		rm += fmt.Sprintf("{1to%d}", 16<<in.length/int(in.size))
	case !m.inMemory:
		kind := src
		if in.form == formMR {
			kind = dst
		}
		rm = fmt.Sprintf("%s%d", kind, m.rm|p.rm)
	}
	under := ""
	if p.mask != 0 {
		under = fmt.Sprintf("{k%d}", p.mask)
		if p.zero {
			under += "{z}"
		}
	}
	third := fmt.Sprintf("%s%d", vectorNames[in.length], p.v)
	var operands []string
	switch in.form {
	case formRVM:
		operands = []string{fmt.Sprintf("%s%d%s", dst, reg, under), third, rm}
	case formKVM:
		operands = []string{fmt.Sprintf("k%d%s", m.reg, under), third, rm}
	case formRM, formLoad:
		operands = []string{fmt.Sprintf("%s%d%s", dst, reg, under), rm}
	case formMR:
		operands = []string{rm + under, fmt.Sprintf("%s%d", src, reg)}
	case formStore:
		operands = []string{rm + under, fmt.Sprintf("%s%d", dst, reg)}
	case formBlend:
		mask := d.byte() >> 4
		return fmt.Sprintf("%s %s%d, %s, %s, %s%d", in.name, dst, reg, third, rm, vectorNames[in.length], mask)
	case formToGeneral:
		return fmt.Sprintf("%s %s, %s", in.name, general32[reg&15], rm)
	case formFromK:
		operands = []string{fmt.Sprintf("%s%d", dst, reg), fmt.Sprintf("k%d", m.rm)}
	case formToK:
		operands = []string{fmt.Sprintf("k%d", m.reg), rm}
	case formGather:
		operands = []string{fmt.Sprintf("%s%d%s", dst, reg, under), rm}
		if !p.evex {
			operands = append(operands, fmt.Sprintf("%s%d", dst, p.v))
		}
	case formScatter:
		operands = []string{rm + under, fmt.Sprintf("%s%d", dst, reg)}
	default:
		return ""
	}
	if in.flags&hasImm != 0 {
		operands = append(operands, fmt.Sprintf("%#x", d.byte()))
	}
	return in.name + " " + strings.Join(operands, ", ")
}

// widths are the registers of an instruction's result and of its source, where they differ in width.
func (d *decoder) widths(in *insn) (dst, src string) {
	dst, src = vectorNames[in.length], vectorNames[in.length]
	half := vectorNames[max(in.length, 1)-1]
	switch in.name {
	case "vpmovsxdq", "vpmovzxdq", "vcvtdq2pd", "vcvtudq2pd", "vcvtps2pd", "vcvttps2qq", "vcvttps2uqq":
		src = half
	case "vpmovqd", "vpmovusqd", "vextractf128", "vextracti128", "vcvtqq2ps", "vcvtuqq2ps", "vcvtpd2ps", "vcvttpd2dq", "vcvttpd2udq":
		dst = half
	case "vpgatherqd", "vpscatterqd":
		dst = half
	}
	return dst, src
}

var (
	general64 = [16]string{"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"}
	general32 = [16]string{"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"}
)

// conditions of jumps, by the low bits of their opcode.
var conditions = [16]string{"jo", "jno", "jb", "jae", "je", "jne", "jbe", "ja", "js", "jns", "jp", "jnp", "jl", "jge", "jle", "jg"}

// arithmetic names the general instructions whose opcode's bits 3 to 5 say which they are.
var arithmetic = [8]string{"add", "or", "adc", "sbb", "and", "sub", "xor", "cmp"}

// general is an instruction on general registers, "" for one that the encoder does not write.
func (d *decoder) general() string {
	var p prefix
	names, size := &general32, "dword"
	b := d.byte()
	if b&0xF0 == 0x40 {
		p.reg, p.index, p.rm = b>>2&1<<3, b>>1&1<<3, b&1<<3
		if b&8 != 0 {
			names, size = &general64, "qword"
		}
		b = d.byte()
	}
	rm := func(m rmOperand) string {
		if m.inMemory {
			return m.text
		}
		return names[m.rm|p.rm]
	}
	sized := func(m rmOperand) string {
		if m.inMemory {
			return size + " " + m.text
		}
		return names[m.rm|p.rm]
	}
	switch {
	case b == 0xC3:
		return "ret"
	case b == 0xE9:
		to := d.int32()
		return fmt.Sprintf("jmp %#x", d.at+int(to))
	case b == 0xEB:
		to := int8(d.byte())
		return fmt.Sprintf("jmp %#x", d.at+int(to))
	case b&0xF0 == 0x70:
		to := int8(d.byte())
		return fmt.Sprintf("%s %#x", conditions[b&15], d.at+int(to))
	case b == 0xFF:
		m := d.modRM(&p, 1)
		switch m.reg {
		case 0:
			return "inc " + sized(m)
		case 1:
			return "dec " + sized(m)
		case 4:
			names = &general64
			return "jmp " + rm(m)
		}
	case b == 0x8B:
		m := d.modRM(&p, 1)
		return fmt.Sprintf("mov %s, %s", names[m.reg|p.reg], rm(m))
	case b == 0x89:
		m := d.modRM(&p, 1)
		return fmt.Sprintf("mov %s, %s", rm(m), names[m.reg|p.reg])
	case b == 0x8D:
		m := d.modRM(&p, 1)
		return fmt.Sprintf("lea %s, %s", names[m.reg|p.reg], m.text)
	case b == 0xC7:
		m := d.modRM(&p, 1)
		return fmt.Sprintf("mov %s, %#x", sized(m), d.int32())
	case b == 0x81, b == 0x83:
		m := d.modRM(&p, 1)
		what := sized(m)
		if b == 0x83 {
			return fmt.Sprintf("%s %s, %d", arithmetic[m.reg], what, int8(d.byte()))
		}
		return fmt.Sprintf("%s %s, %#x", arithmetic[m.reg], what, d.int32())
	case b < 0x40 && b&7 == 1:
		m := d.modRM(&p, 1)
		return fmt.Sprintf("%s %s, %s", arithmetic[b>>3], rm(m), names[m.reg|p.reg])
	case b < 0x40 && b&7 == 3:
		m := d.modRM(&p, 1)
		return fmt.Sprintf("%s %s, %s", arithmetic[b>>3], names[m.reg|p.reg], rm(m))
	case b == 0x85:
		m := d.modRM(&p, 1)
		return fmt.Sprintf("test %s, %s", rm(m), names[m.reg|p.reg])
	case b == 0xF7:
		m := d.modRM(&p, 1)
		if name := [8]string{2: "not", 3: "neg", 4: "mul", 5: "imul", 6: "div", 7: "idiv"}[m.reg]; name != "" {
			return name + " " + sized(m)
		}
	case b == 0x99:
		if names == &general64 {
			return "cqo"
		}
		return "cdq"
	case b&0xF8 == 0xB8:
		dst := names[b&7|p.rm]
		if names == &general64 {
			d.at += 8
			return fmt.Sprintf("mov %s, %#x", dst, binary.LittleEndian.Uint64(d.code[d.at-8:]))
		}
		return fmt.Sprintf("mov %s, %#x", dst, d.int32())
	case b == 0x0F:
		return d.twoBytes(&p, names)
	}
	return ""
}

func (d *decoder) twoBytes(p *prefix, names *[16]string) string {
	b := d.byte()
	switch {
	case b == 0x0B:
		return "ud2"
	case b&0xF0 == 0x80:
		to := d.int32()
		return fmt.Sprintf("%s %#x", conditions[b&15], d.at+int(to))
	case b == 0xBC:
		m := d.modRM(p, 1)
		return fmt.Sprintf("bsf %s, %s", names[m.reg|p.reg], names[m.rm|p.rm])
	case b == 0x1F:
		m := d.modRM(p, 1)
		return "nop " + m.text
	case b == 0xB6:
		m := d.modRM(p, 1)
		if m.inMemory {
			return fmt.Sprintf("movzx %s, byte %s", names[m.reg|p.reg], m.text)
		}
	}
	return ""
}
