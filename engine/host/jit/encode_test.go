package jit

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// disassemble is what objdump says about code, an instruction per line, blanks made one.
func disassemble(t *testing.T, code []byte) []string {
	t.Helper()
	tool, err := exec.LookPath("objdump")
	if err != nil {
		if strings.Contains(os.Getenv("EAGLET_REQUIRE"), "objdump") {
			t.Fatal(err)
		}
		t.Skip("objdump is not installed (binutils)")
	}
	file := filepath.Join(t.TempDir(), "code")
	if err := os.WriteFile(file, code, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(tool, "-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", "-w", "--no-show-raw-insn", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(out)) {
		if at, text, ok := strings.Cut(line, ":\t"); ok && !strings.Contains(at, "format") {
			lines = append(lines, strings.Join(strings.Fields(text), " "))
		}
	}
	return lines
}

func vectorName(o op, r uint8, narrow bool) string {
	if insns512[o].length == len256 || narrow {
		return fmt.Sprintf("ymm%d", r)
	}
	return fmt.Sprintf("zmm%d", r)
}

// narrows says which operands of an instruction are half as long as its vector length.
func narrows(o op) (dst, src bool) {
	in, out := sizesOf(o)
	switch {
	case insns512[o].length == len256:
		return false, false
	case insns512[o].form == formGather || insns512[o].form == formScatter:
		return insns512[o].size == 4, insns512[o].size == 4
	}
	return out < 8, in < 8
}

// spelling is how objdump should spell an instruction; rm is the text of ModRM.rm.
func spelling(o op, reg, v uint8, rm string, m uint8, zero bool, imm uint8) string {
	in := &insns512[o]
	narrowDst, narrowSrc := narrows(o)
	masked := func(s string) string {
		if m != 0 {
			s += fmt.Sprintf("{k%d}", m)
		}
		if zero {
			s += "{z}"
		}
		return s
	}
	var args []string
	switch in.form {
	case formRVM:
		args = []string{masked(vectorName(o, reg, false)), vectorName(o, v, false), rm}
	case formKVM:
		args = []string{masked(fmt.Sprintf("k%d", reg)), vectorName(o, v, false), rm}
	case formMR, formStore, formScatter:
		args = []string{masked(rm), vectorName(o, reg, narrowSrc)}
	default:
		args = []string{masked(vectorName(o, reg, narrowDst)), rm}
	}
	name := in.name
	if in.form == formKVM && in.flags&hasImm != 0 { // the predicate is in the name
		floats := map[uint8]string{0: "eq", 3: "unord", 4: "neq", 7: "ord", 0x11: "lt_oq", 0x12: "le_oq", 0x1D: "ge_oq", 0x1E: "gt_oq"}
		integers := map[uint8]string{0: "eq", 1: "lt", 2: "le", 4: "neq", 5: "nlt", 6: "nle"}
		if rest, ok := strings.CutPrefix(name, "vcmp"); ok {
			return "vcmp" + floats[imm] + rest + " " + strings.Join(args, ",")
		}
		return "vpcmp" + integers[imm] + strings.TrimPrefix(name, "vpcmp") + " " + strings.Join(args, ",")
	}
	if in.flags&hasImm != 0 {
		args = append(args, fmt.Sprintf("0x%x", imm))
	}
	return name + " " + strings.Join(args, ",")
}

var pointerSize = regexp.MustCompile(`(XMMWORD|YMMWORD|ZMMWORD|QWORD|DWORD|BYTE) (PTR|BCST) `)

// plainMemory drops the size that objdump gives for memory.
func plainMemory(s string) string { return pointerSize.ReplaceAllString(s, "") }

func hexDisp(d int32) string {
	if d < 0 {
		return fmt.Sprintf("-0x%x", -int64(d))
	}
	return fmt.Sprintf("+0x%x", d)
}

// vectorForms emits every instruction of the table in the forms that the allocator uses, with registers
// of every range and displacements round every boundary, and calls check with the bytes and the spelling.
func vectorForms(table func(o op) bool, use func(a *assembler, want string)) {
	a := &assembler{isa: &avx512}
	immediates := func(o op) []uint8 {
		switch {
		case insns512[o].flags&hasImm == 0:
			return []uint8{0}
		case o == vcmppd || o == vcmpps:
			return []uint8{0, 3, 4, 7, 0x11, 0x12, 0x1D, 0x1E}
		case insns512[o].form == formKVM:
			return []uint8{0, 1, 2, 4, 5, 6}
		}
		return []uint8{4, 8, 11}
	}
	regs := []uint8{0, 1, 7, 8, 15, 16, 23, 24, 31}
	for o := opInvalid + 1; o < firstMask; o++ {
		if insns512[o].name == "" || !table(o) {
			continue
		}
		in := &insns512[o]
		narrowDst, narrowSrc := narrows(o)
		for _, imm := range immediates(o) {
			for i, r := range regs {
				reg, v, rm := r, regs[(i+3)%len(regs)], regs[(i+5)%len(regs)]
				m, zero := uint8(i%8), false
				switch in.form {
				case formKVM:
					reg %= 8
				case formRM, formMR:
					v, zero = 0, m != 0 && i%2 == 1
				case formRVM:
					zero = m != 0 && i%2 == 1
				case formFromK:
					v, m = 0, 0
				case formGather, formScatter:
					m = m%7 + 1
				}
				switch in.form {
				case formFromK:
					a.evex(o, reg, 0, inReg(rm%8), 0, false, 0)
					use(a, spelling(o, reg, 0, fmt.Sprintf("k%d", rm%8), 0, false, 0))
				case formMR:
					a.evex(o, reg, 0, inReg(rm), m, zero, imm)
					use(a, spelling(o, reg, 0, vectorName(o, rm, narrowDst), m, zero, imm))
				case formRVM, formRM, formKVM:
					a.evex(o, reg, v, inReg(rm), m, zero, imm)
					use(a, spelling(o, reg, v, vectorName(o, rm, narrowSrc), m, zero, imm))
				}
				for _, disp := range []int32{0, 64, 8128, 8192, -8192, 8, 1016, 1024, 100, 508, -4} {
					at := operand{inMemory: true, at: frameAt(disp)}
					text := "[rdi" + hexDisp(disp) + "]"
					if disp == 0 {
						text = "[rdi]"
					}
					switch {
					case in.form == formLoad || in.form == formStore:
						m := m
						if o == vbroadcastq || o == vbroadcastd {
							m = 0
						}
						a.evex(o, reg, 0, at, m, false, imm)
						use(a, spelling(o, reg, 0, text, m, false, imm))
					case in.form == formGather || in.form == formScatter:
						base, name := uint8(rdi), "rdi"
						if i%2 == 0 {
							base, name = rax, "rax"
						}
						index := regs[(i+1)%len(regs)]
						at := operand{inMemory: true, at: address{base: base, disp: disp, index: int8(index), scale: 2 + uint8(i%2)}}
						text := fmt.Sprintf("[%s+zmm%d*%d%s]", name, index, 4<<(i%2), hexDisp(disp))
						if disp == 0 {
							text = fmt.Sprintf("[%s+zmm%d*%d]", name, index, 4<<(i%2))
						}
						a.evex(o, reg, 0, at, m, false, 0)
						use(a, spelling(o, reg, 0, text, m, false, 0))
					case in.flags&memory != 0:
						a.evex(o, reg, v, at, m, zero, imm)
						use(a, spelling(o, reg, v, text, m, zero, imm))
						at.broadcast = true
						a.evex(o, reg, v, at, m, zero, imm)
						use(a, spelling(o, reg, v, text+"{b}", m, zero, imm))
					}
				}
			}
		}
	}
}

// compareText says where objdump reads something else than what was meant.
func compareText(code []byte, want []string, got []string) (wrong []string) {
	for i := range want {
		g := ""
		if i < len(got) {
			g = plainMemory(strings.TrimPrefix(got[i], "{evex} "))
			g = regexp.MustCompile(`\{1to\d+\}`).ReplaceAllString(g, "{b}")
			if strings.Contains(got[i], "BCST") && !strings.Contains(g, "{b}") { // newer spelling
				g = strings.Replace(g, "]", "]{b}", 1)
			}
		}
		if g != want[i] {
			wrong = append(wrong, fmt.Sprintf("instruction %d: %q, want %q", i, g, want[i]))
		}
	}
	if len(got) != len(want) {
		wrong = append(wrong, fmt.Sprintf("%d instructions, want %d (%d bytes)", len(got), len(want), len(code)))
	}
	return wrong
}

func encodeAll(table func(op) bool) (code []byte, want []string) {
	vectorForms(table, func(a *assembler, s string) { code, want = a.code, append(want, s) })
	return code, want
}

func TestVectorEncodingsAreWhatObjdumpReads(t *testing.T) {
	code, want := encodeAll(func(op) bool { return true })
	for i, w := range compareText(code, want, disassemble(t, code)) {
		t.Error(w)
		if i > 20 {
			break
		}
	}
	t.Logf("%d forms", len(want))
}

func TestAWrongEncodingIsNoticed(t *testing.T) {
	defer func(old uint8) { insns512[vpmaxsq].opcode = old }(insns512[vpmaxsq].opcode)
	only := func(o op) bool { return o == vpmaxsq }
	if code, want := encodeAll(only); len(compareText(code, want, disassemble(t, code))) != 0 {
		t.Fatal("vpmaxsq is taken for wrong as it is")
	}
	insns512[vpmaxsq].opcode = insns512[vpminsq].opcode
	code, want := encodeAll(only)
	if len(compareText(code, want, disassemble(t, code))) == 0 {
		t.Error("vpmaxsq with the opcode of vpminsq is taken for right")
	}
}

func TestOtherEncodingsAreWhatObjdumpReads(t *testing.T) {
	a := &assembler{isa: &avx512}
	var want []string
	say := func(format string, args ...any) { want = append(want, fmt.Sprintf(format, args...)) }
	for r := range uint8(8) {
		x, y := (r+3)%8, (r+5)%8
		for _, o := range []op{kandb, kandnb, korb, kxorb, kxnorb} {
			a.mask3(o, r, x, y)
			say("%s k%d,k%d,k%d", maskInsns[o-firstMask].name, r, x, y)
		}
		a.mask2(knotb, r, y)
		say("knotb k%d,k%d", r, y)
		a.mask2(kmovb, r, y)
		say("kmovb k%d,k%d", r, y)
		a.maskTest(r, y)
		say("kortestb k%d,k%d", r, y)
		a.maskToGeneral(rax, r)
		say("kmovb eax,k%d", r)
		for _, d := range []int32{1, 127, 128, -128, -129, 5000} {
			a.maskLoad(r, frameAt(d))
			say("kmovb k%d,[rdi%s]", r, hexDisp(d))
			a.maskStore(frameAt(d), r)
			say("kmovb [rdi%s],k%d", hexDisp(d), r)
		}
	}
	for _, d := range []int32{1, 127, 128, 5000} {
		h := hexDisp(d)
		a.load64(rax, frameAt(d))
		say("mov rax,[rdi%s]", h)
		a.load64(r9, address{base: r8, disp: d, index: -1})
		say("mov r9,[r8%s]", h)
		a.store64(frameAt(d), r9)
		say("mov [rdi%s],r9", h)
		a.load32(rcx, frameAt(d))
		say("mov ecx,[rdi%s]", h)
		a.store32(frameAt(d), rdx)
		say("mov [rdi%s],edx", h)
		a.loadByte(rax, frameAt(d))
		say("movzx eax,[rdi%s]", h)
		a.set32(frameAt(d), 77)
		say("mov [rdi%s],0x4d", h)
		a.set64(frameAt(d), 77)
		say("mov [rdi%s],0x4d", h)
		a.dec32(frameAt(d))
		say("dec [rdi%s]", h)
		a.dec64(frameAt(d))
		say("dec [rdi%s]", h)
		a.inc32(frameAt(d))
		say("inc [rdi%s]", h)
		a.sub32(frameAt(d), 1234)
		say("sub [rdi%s],0x4d2", h)
	}
	a.const64(rax, 0x123456789abcdef0)
	say("movabs rax,0x123456789abcdef0")
	a.const64(r9, 5)
	say("movabs r9,0x5")
	a.ret()
	say("ret")
	for _, w := range compareText(a.code, want, disassemble(t, a.code)) {
		t.Error(w)
	}
}
