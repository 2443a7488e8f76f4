package jit

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the files of testdata anew")

// spelling2 is how objdump should spell an instruction of AVX2; rm is the text of ModRM.rm.
func spelling2(o op, reg, v uint8, rm string, mask, imm uint8) string {
	in := &insns2[o]
	dst, _ := narrows2(o)
	kind := "ymm"
	if in.length == len128 {
		kind = "xmm"
	}
	name := in.name
	if o == vcmppd || o == vcmpps {
		names := map[uint8]string{0: "eq", 3: "unord", 4: "neq", 7: "ord", 0x11: "lt_oq", 0x12: "le_oq", 0x1D: "ge_oq", 0x1E: "gt_oq"}
		name = "vcmp" + names[imm] + strings.TrimPrefix(name, "vcmp")
	}
	var args []string
	switch in.form {
	case formRVM:
		args = []string{fmt.Sprintf("%s%d", dst, reg), fmt.Sprintf("%s%d", kind, v), rm}
	case formBlend:
		args = []string{fmt.Sprintf("%s%d", kind, reg), fmt.Sprintf("%s%d", kind, v), rm, fmt.Sprintf("%s%d", kind, mask)}
	case formMR, formStore:
		args = []string{rm, fmt.Sprintf("%s%d", kind, reg)}
	case formGather:
		args = []string{fmt.Sprintf("%s%d", dst, reg), rm, fmt.Sprintf("%s%d", dst, mask)}
	case formToGeneral:
		args = []string{[]string{"eax", "ecx", "edx"}[reg%3], rm}
	default:
		args = []string{fmt.Sprintf("%s%d", dst, reg), rm}
	}
	if in.flags&hasImm != 0 && o != vcmppd && o != vcmpps {
		args = append(args, fmt.Sprintf("0x%x", imm))
	}
	return name + " " + strings.Join(args, ",")
}

// narrows2 are the registers of result and source, of which one may be half as wide as the other.
func narrows2(o op) (dst, src string) {
	dst, src = "ymm", "ymm"
	switch {
	case insns2[o].length == len128:
		return "xmm", "xmm"
	case o == vpmovsxdq || o == vpmovzxdq || o == vcvtdq2pd || o == vcvtps2pd:
		src = "xmm"
	case o == vextractf128 || o == vcvtpd2ps || o == vcvttpd2dq || o == vpgatherqd:
		dst = "xmm"
	}
	return dst, src
}

// forms2 emits every instruction of the table in the forms that the allocator uses.
func forms2(table func(op) bool) (code []byte, want []string, ends []int) {
	a := &assembler{isa: &avx2}
	use := func(text string) { want, ends = append(want, text), append(ends, len(a.code)) }
	registers := []uint8{0, 1, 7, 8, 12, 15}
	for o := opInvalid + 1; o < firstMask; o++ {
		in := &insns2[o]
		if in.name == "" || !table(o) {
			continue
		}
		dst, src := narrows2(o)
		immediates := []uint8{0}
		switch {
		case o == vcmppd || o == vcmpps:
			immediates = []uint8{0, 3, 4, 7, 0x11, 0x12, 0x1D, 0x1E}
		case o == vextractf128:
			immediates = []uint8{1}
		case in.flags&hasImm != 0:
			immediates = []uint8{8, 11, 0x55, 0x88, 0xB1}
		}
		for _, imm := range immediates {
			for i, reg := range registers {
				v, rm, m := registers[(i+2)%6], registers[(i+3)%6], registers[(i+5)%6]
				switch in.form {
				case formMR:
					a.vector(o, reg, 0, inReg(rm), 0, false, imm)
					use(spelling2(o, reg, 0, fmt.Sprintf("%s%d", dst, rm), 0, imm))
				case formToGeneral:
					a.vector(o, reg%3, 0, inReg(rm), 0, false, 0)
					use(spelling2(o, reg, 0, fmt.Sprintf("%s%d", src, rm), 0, 0))
				case formRVM, formBlend:
					a.vector(o, reg, v, inReg(rm), m*b2u(in.form == formBlend), false, imm)
					use(spelling2(o, reg, v, fmt.Sprintf("%s%d", src, rm), m, imm))
				case formRM:
					a.vector(o, reg, 0, inReg(rm), 0, false, imm)
					use(spelling2(o, reg, 0, fmt.Sprintf("%s%d", src, rm), 0, imm))
				}
				for _, disp := range []int32{0, 32, 127, 128, -128, -129, 4096} {
					at, text := operand{inMemory: true, at: frameAt(disp)}, "[rdi"+hexDisp(disp)+"]"
					if disp == 0 {
						text = "[rdi]"
					}
					switch {
					case in.form == formGather:
						index := registers[(i+1)%6]
						at.at.index, at.at.scale = int8(index), 2+uint8(i%2)
						name := "rdi"
						if i%3 == 0 {
							at.at.base, name = rax, "rax"
						}
						text = fmt.Sprintf("[%s+ymm%d*%d%s]", name, index, 4<<(i%2), strings.TrimSuffix(text[4:], "]"))
						a.vector(o, reg, 0, at, m, false, 0)
						use(spelling2(o, reg, 0, text, m, 0))
					case in.form == formLoad || in.form == formStore || in.flags&memory != 0:
						if in.form != formRVM && in.form != formBlend {
							v = 0
						}
						a.vector(o, reg, v, at, m*b2u(in.form == formBlend), false, imm)
						use(spelling2(o, reg, v, text, m, imm))
					}
				}
			}
		}
	}
	return a.code, want, ends
}

func b2u(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

func TestAVX2EncodingsAreWhatObjdumpReads(t *testing.T) {
	code, want, _ := forms2(func(op) bool { return true })
	for i, w := range compareText(code, want, disassemble(t, code)) {
		t.Error(w)
		if i > 20 {
			break
		}
	}
	if len(want) < 2000 {
		t.Errorf("only %d forms", len(want))
	}
}

func TestAWrongAVX2EncodingIsNoticed(t *testing.T) {
	defer func(old insn) { insns2[vblendvpd] = old }(insns2[vblendvpd])
	only := func(o op) bool { return o == vblendvpd }
	if code, want, _ := forms2(only); len(compareText(code, want, disassemble(t, code))) != 0 {
		t.Fatal("vblendvpd is taken for wrong as it is")
	}
	insns2[vblendvpd].opcode = insns2[vblendvps].opcode
	if code, want, _ := forms2(only); len(compareText(code, want, disassemble(t, code))) == 0 {
		t.Error("vblendvpd with the opcode of vblendvps is taken for right")
	}
}

// TestEncodingsAreThoseOfTheFiles compares one form in so many with committed bytes, which a machine without
// objdump can do too.
func TestEncodingsAreThoseOfTheFiles(t *testing.T) {
	for _, target := range Targets {
		t.Run(target.String(), func(t *testing.T) {
			var code []byte
			var want []string
			var ends []int
			if target == AVX2 {
				code, want, ends = forms2(func(op) bool { return true })
			} else {
				vectorForms(func(op) bool { return true }, func(a *assembler, s string) {
					code, want, ends = a.code, append(want, s), append(ends, len(a.code))
				})
			}
			var text bytes.Buffer
			every := 1 + len(want)/250
			for i, start := 0, 0; i < len(want); i++ {
				if i%every == 0 {
					fmt.Fprintf(&text, "%-60s % x\n", want[i], code[start:ends[i]])
				}
				start = ends[i]
			}
			file := "testdata/encodings-" + target.String() + ".txt"
			if *update {
				if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			golden, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, committed := strings.Split(text.String(), "\n"), strings.Split(string(golden), "\n")
			for i := range min(len(got), len(committed)) {
				if got[i] != committed[i] {
					t.Fatalf("line %d: got\n%s\nwant\n%s", i+1, got[i], committed[i])
				}
			}
			if len(got) != len(committed) {
				t.Errorf("%d lines, want %d", len(got), len(committed))
			}
		})
	}
}

// TestTargetsHaveTheInstructionsTheySelect makes code of kernels of all kinds and checks that every
// instruction in it has an encoding of its target's.
func TestTargetsHaveTheInstructionsTheySelect(t *testing.T) {
	for _, target := range Targets {
		isa := target.isa()
		used := map[op]bool{}
		for _, k := range everyOperation(t) {
			l, err := lower(k, isa, shape{1, 1, 1})
			if err != nil {
				t.Fatal(err)
			}
			for i := range l.code {
				if o := l.code[i].op; o < firstMask {
					used[o] = true
					if isa.insns[o].name == "" {
						t.Errorf("%v: instruction %d has no encoding", target, o)
					}
				}
			}
		}
		if len(used) < 50 {
			t.Errorf("%v: only %d instructions are selected", target, len(used))
		}
		var idle []string
		for o := opInvalid + 1; o < firstMask; o++ {
			if name := isa.insns[o].name; name != "" && !used[o] {
				idle = append(idle, name)
			}
		}
		t.Logf("%v: %d used; only the allocator's, or memory's: %v", target, len(used), slices.Compact(idle))
	}
}
