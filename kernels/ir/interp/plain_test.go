package interp

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// plain is the oracle of the strip machinery: the walker, with a mask, steps taken and faults. What an
// operation gives is asked of Eval, which ops_test.go tests against statements of its own.
type plain struct {
	Walker
	mask   []byte
	taken  []uint32
	faults []Fault
}

// run takes sample i to upto steps of the run, or to its end.
func (p *plain) run(i int, upto uint32) {
	for p.mask[i] == 0 && p.taken[i] < upto {
		p.step(i)
	}
}

func (p *plain) step(i int) {
	finished, site := p.Step(i)
	if site != nil {
		p.mask[i] = 2
		p.faults = append(p.faults, Fault{uint32(i), p.taken[i], ir.FaultKind(site.Imm), site.Pos})
		return
	}
	p.taken[i]++
	if finished {
		p.mask[i] = 1
	}
}

// init runs the kernel's Init on sample i; a fault stores nothing.
func (p *plain) init(i int) {
	if site := p.Init(i); site != nil {
		p.faults = append(p.faults, Fault{uint32(i), 0, ir.FaultKind(site.Imm), site.Pos})
	}
}

// readKernel reads and verifies a kernel of testdata.
func readKernel(t testing.TB, name string) *ir.Kernel {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".ir")
	if err != nil {
		t.Fatal(err)
	}
	return parseKernel(t, string(text))
}

// parseKernel reads and verifies a kernel in the text form.
func parseKernel(t testing.TB, text string) *ir.Kernel {
	t.Helper()
	k, err := ir.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(k); err != nil {
		t.Fatal(err)
	}
	return k
}

// batch is the memory of n samples.
type batch struct {
	k      *ir.Kernel
	n      int
	planes [][]byte
	mask   []byte
	taken  []uint32
}

func newBatch(k *ir.Kernel, n int) *batch {
	b := &batch{k: k, n: n, mask: make([]byte, n), taken: make([]uint32, n)}
	for i := range k.Planes {
		rows := n
		switch k.Planes[i].Role {
		case ir.RoleParam:
			rows = 1
		case ir.RoleTable:
			rows = k.Planes[i].Len
		}
		b.planes = append(b.planes, alignedBytes(rows*k.Planes[i].Width()*k.Planes[i].Type.Bytes()))
	}
	return b
}

// alignedBytes is memory that any element type may lie in.
func alignedBytes(size int) []byte {
	words := make([]uint64, size/8+1)
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), size)
}

func (b *batch) clone() *batch {
	c := newBatch(b.k, b.n)
	for i := range b.planes {
		c.planes[i] = alignedBytes(len(b.planes[i]))
		copy(c.planes[i], b.planes[i])
	}
	copy(c.mask, b.mask)
	copy(c.taken, b.taken)
	return c
}

// fill gives every element of a plane by a rule of component and sample.
func (b *batch) fill(name string, rule func(comp, i int) uint64) {
	p := b.k.Plane(name)
	spec := &b.k.Planes[p]
	rows := b.n
	switch spec.Role {
	case ir.RoleParam:
		rows = 1
	case ir.RoleTable:
		rows = spec.Len
	}
	for comp := range spec.Width() {
		for i := range rows {
			// Not storeBits: inputs may hold any NaN.
			bits := rule(comp, i)
			switch spec.Type.Bytes() {
			case 1:
				b.planes[p][comp*rows+i] = byte(bits)
			case 4:
				elements[uint32](b.planes[p], rows*spec.Width())[comp*rows+i] = uint32(bits)
			default:
				elements[uint64](b.planes[p], rows*spec.Width())[comp*rows+i] = bits
			}
		}
	}
}

func (b *batch) plain() *plain {
	return &plain{Walker: Walker{Kernel: b.k, Planes: b.planes, N: b.n}, mask: b.mask, taken: b.taken}
}

func (b *batch) work(upto uint32) *Work {
	return &Work{Planes: b.planes, N: b.n, Mask: b.mask, Taken: b.taken, Next: NewCursor(0, b.n), Upto: upto}
}

// same compares two batches bit for bit.
func same(t testing.TB, got, want *batch) {
	t.Helper()
	for i := range got.planes {
		spec := &got.k.Planes[i]
		if bytes.Equal(got.planes[i], want.planes[i]) {
			continue
		}
		size := spec.Type.Bytes()
		for e := 0; e < len(got.planes[i]); e += size {
			if g, w := got.planes[i][e:e+size], want.planes[i][e:e+size]; !bytes.Equal(g, w) {
				t.Errorf("plane %s component %d sample %d: got bits % x, want % x (low byte first)",
					spec.Name, e/size/got.n, e/size%got.n, g, w)
				return
			}
		}
	}
	for i := range got.mask {
		if got.mask[i] != want.mask[i] || got.taken[i] != want.taken[i] {
			t.Errorf("sample %d: got mask %d after %d steps, want %d after %d", i, got.mask[i], got.taken[i], want.mask[i], want.taken[i])
			return
		}
	}
}
