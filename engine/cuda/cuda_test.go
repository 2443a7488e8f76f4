package cuda

import (
	"debug/elf"
	"encoding/binary"
	"maps"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

func TestEverythingSaysWhatIsMissing(t *testing.T) {
	if _, err := library(); err == nil {
		t.Skip("there is a device here")
	}
	e := New()
	_, listed := e.Devices()
	_, compiled := e.Compile(enginetest.CountKernel())
	for _, err := range []error{listed, compiled} {
		if err == nil || !strings.HasPrefix(err.Error(), "cuda: ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v", err)
		}
	}
}

func TestListNeedsNoDevice(t *testing.T) {
	text, err := List(enginetest.CountKernel())
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range []string{"single(", "fused(", "persistent("} {
		if !strings.Contains(text, ".visible .entry "+entry) {
			t.Errorf("there is no entry %s", entry)
		}
	}
}

func TestBatchesThatDoNotFitAreRefusedWithFigures(t *testing.T) {
	err := &MemoryError{NeedBytes: 3 << 30, FreeBytes: 1 << 29, Device: "a device"}
	if got, want := err.Error(), "the batch needs 3072.0 MiB of device memory, 512.0 MiB are free on a device: take fewer samples, or the host engine"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestWrongPlanesAreRefused(t *testing.T) {
	k := enginetest.CountKernel()
	p := &program{kernel: k}
	good := engine.NewPlanes(k.Planes, 5)
	if err := p.check(good, make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	other := append([]ir.Plane(nil), k.Planes...)
	other[0].Type = ir.F32
	for _, c := range []struct {
		what   string
		planes *engine.Planes
		mask   int
	}{
		{"no planes", nil, 5},
		{"a short mask", good, 4},
		{"a plane too few", engine.NewPlanes(k.Planes[1:], 5), 5},
		{"a plane of another type", engine.NewPlanes(other, 5), 5},
	} {
		if p.check(c.planes, make([]byte, c.mask)) == nil {
			t.Errorf("%s: not refused", c.what)
		}
	}
}

// cubin is an ELF file with sections of the given names and sizes, in a version.
func cubin(version uint32, sections map[string]int) []byte {
	names, offsets := "\x00.shstrtab\x00", map[string]int{}
	for name := range sections {
		offsets[name] = len(names)
		names += name + "\x00"
	}
	le := binary.LittleEndian
	head := elf.Header64{
		Ident: [16]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), 1, 0x41, 8},
		Type:  2, Machine: 190, Version: version, Shoff: 64, Ehsize: 64, Shentsize: 64, Shnum: uint16(len(sections) + 2), Shstrndx: 1,
	}
	at := uint64(64 + 64*int(head.Shnum))
	out, _ := binary.Append(nil, le, head)
	out, _ = binary.Append(out, le, elf.Section64{})
	out, _ = binary.Append(out, le, elf.Section64{Name: 1, Type: uint32(elf.SHT_STRTAB), Off: at, Size: uint64(len(names))})
	for name, size := range sections {
		out, _ = binary.Append(out, le, elf.Section64{Name: uint32(offsets[name]), Type: uint32(elf.SHT_NOBITS), Size: uint64(size)})
	}
	return append(out, names...)
}

func TestCodeSizesAreReadOffACubin(t *testing.T) {
	want := map[string]int{"fused": 8448, "persistent": 5376}
	sections := map[string]int{".text.fused": 8448, ".text.persistent": 5376, ".nv.info": 12}
	for _, version := range []uint32{1, 130} {
		if got := textSizes(cubin(version, sections)); !maps.Equal(got, want) {
			t.Errorf("version %d: %v, want %v", version, got, want)
		}
	}
	if got := textSizes([]byte("not a cubin, but long enough")); got != nil {
		t.Errorf("of no cubin: %v", got)
	}
}
