package jit

import (
	"encoding/hex"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// TestEveryKernelHasAListing reads back the code of every kernel that ships, for every target, and compares it with
// what objdump reads, where there is one.
func TestEveryKernelHasAListing(t *testing.T) {
	folders, err := os.ReadDir("../../../kernels/library")
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range Targets {
		for _, d := range folders {
			if !d.IsDir() {
				continue
			}
			t.Run(target.String()+"/"+d.Name(), func(t *testing.T) {
				k := load(t, "../../../kernels/library/"+d.Name())
				x, err := List(k, target)
				if err != nil {
					t.Fatal(err)
				}
				size, positions, values := 0, 0, map[ir.Value]bool{}
				for _, l := range x.Lines {
					if l.Offset != size {
						t.Fatalf("a line at %#x, want %#x", l.Offset, size)
					}
					size += len(l.Bytes)
					if l.Pos.Line > 0 {
						positions++
					}
					values[l.Result] = true
				}
				if size != x.TextBytes || positions < len(x.Lines)/50 || len(values) < 4 {
					t.Errorf("%d of %d bytes, %d of %d lines with a position, %d values", size, x.TextBytes, positions, len(x.Lines), len(values))
				}
				compareWithObjdump(t, x)
			})
		}
	}
}

var (
	objdumpLine = regexp.MustCompile(`^\s*([0-9a-f]+):\t((?:[0-9a-f]{2} )+)\s*\t?(.*)$`)
	sizeOfMem   = regexp.MustCompile(`(?:[XYZ]MMWORD|QWORD|DWORD|BYTE) (?:PTR|BCST) `)
	broadcast   = regexp.MustCompile(`\{1to\d+\}`)
)

// compareWithObjdump reads the same bytes with binutils: offsets, mnemonics and operands must be the same, but for
// how sizes of memory and predicates of comparisons are written.
func compareWithObjdump(t *testing.T, x *Listing) {
	t.Helper()
	if _, err := exec.LookPath("objdump"); err != nil {
		t.Log("no objdump here: only read back")
		return
	}
	var code []byte
	for _, l := range x.Lines {
		code = append(code, l.Bytes...)
	}
	file := t.TempDir() + "/code"
	if err := os.WriteFile(file, code, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", "--insn-width=16", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	i := 0
	for line := range strings.Lines(string(out)) {
		m := objdumpLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		if i == len(x.Lines) {
			t.Fatalf("objdump reads more: %s", line)
		}
		l := &x.Lines[i]
		i++
		if want := strings.ReplaceAll(m[2], " ", ""); hex.EncodeToString(l.Bytes) != want {
			t.Fatalf("at %#x: %q takes % x, objdump says %s: %s", l.Offset, l.Text, l.Bytes, want, m[3])
		}
		if got, want := plainText(l.Text), plainText(m[3]); got != want {
			t.Fatalf("at %#x, % x: %q, objdump says %q", l.Offset, l.Bytes, got, want)
		}
	}
	if i != len(x.Lines) {
		t.Errorf("%d instructions, objdump reads %d", len(x.Lines), i)
	}
}

// comparisons are the names that objdump gives to predicates.
var comparisons = strings.NewReplacer(
	"vcmpeqp", "vcmp0x0:p", "vcmpltp", "vcmp0x1:p", "vcmplep", "vcmp0x2:p", "vcmpunordp", "vcmp0x3:p", "vcmpordp", "vcmp0x7:p", "vcmpneqp", "vcmp0x4:p",
	"vcmpge_oqp", "vcmp0x1d:p", "vcmpgt_oqp", "vcmp0x1e:p", "vcmplt_oqp", "vcmp0x11:p", "vcmple_oqp", "vcmp0x12:p",
	"vpcmpequ", "vpcmp0x0:u", "vpcmpltu", "vpcmp0x1:u", "vpcmpleu", "vpcmp0x2:u", "vpcmpnequ", "vpcmp0x4:u", "vpcmpnltu", "vpcmp0x5:u", "vpcmpnleu", "vpcmp0x6:u",
	"vpcmplt", "vpcmp0x1:", "vpcmple", "vpcmp0x2:", "vpcmpneq", "vpcmp0x4:", "vpcmpnlt", "vpcmp0x5:", "vpcmpnle", "vpcmp0x6:",
)

// plainText is an instruction without what the two write in different ways.
func plainText(s string) string {
	s = sizeOfMem.ReplaceAllString(strings.TrimPrefix(strings.TrimSpace(s), "{evex} "), "")
	s = broadcast.ReplaceAllString(s, "")
	for _, size := range []string{"qword ", "dword ", "byte "} {
		s = strings.Replace(s, size, "", 1)
	}
	name, rest, _ := strings.Cut(s, " ")
	rest = strings.ReplaceAll(rest, " ", "")
	if strings.HasPrefix(name, "vcmp") || strings.HasPrefix(name, "vpcmp") {
		if named := comparisons.Replace(name); named != name && strings.Contains(named, ":") {
			head, tail, _ := strings.Cut(named, ":")
			at := strings.Index(head, "0x")
			name, rest = head[:at]+tail, rest+","+head[at:]
		}
	}
	return name + " " + rest
}

// TestADecoderThatReadsPastTheEndSaysSo is the red case.
func TestADecoderThatReadsPastTheEndSaysSo(t *testing.T) {
	for _, code := range [][]byte{{0x62}, {0xC5, 0xFD}, {0x48}, {0x0F, 0xFF}, {0xC7, 0x47, 0x08, 0, 0}, {0x62, 0xF1, 0xFD, 0x48, 0xFF, 0xC0}} {
		d := newDecoder(code, AVX512.isa())
		if text, err := d.next(); err == nil {
			t.Errorf("% x is read as %q", code, text)
		}
	}
}
