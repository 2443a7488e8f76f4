package interp

import (
	"bytes"
	"math"
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// plain is the oracle of the strip machinery: one sample at a time, one step at a time, walking the
// regions as a tree. It has no rows, masks, lanes or lifetimes. Values are bits as in an OpConst; what an
// operation gives is asked of Eval, which ops_test.go tests against statements of its own.
type plain struct {
	k      *ir.Kernel
	planes [][]byte
	n      int
	mask   []byte
	taken  []uint32
	faults []Fault

	values []uint64
	arrays [][]uint64 // by local array
	site   *ir.Instr  // where the sample at hand has faulted
}

func (p *plain) cell(plane int, comp int32, sample int) int {
	if p.k.Planes[plane].Role == ir.RoleParam {
		return int(comp)
	}
	return int(comp)*p.n + sample
}

func (p *plain) load(plane int, comp int32, sample int) uint64 {
	return cellBits(p.planes[plane], p.cell(plane, comp, sample), p.k.Planes[plane].Type)
}

func (p *plain) store(c ir.Cell, sample int, bits uint64) {
	storeBits(p.planes[c.Plane], p.cell(c.Plane, c.Comp, sample), p.k.Planes[c.Plane].Type, bits)
}

// storeBits writes an element of a plane; any NaN becomes the canonical one.
func storeBits(plane []byte, i int, t ir.Type, bits uint64) {
	switch t {
	case ir.Bool:
		plane[i] = byte(bits)
	case ir.F64:
		if f := math.Float64frombits(bits); f != f {
			bits = ir.NaN64
		}
		elements[uint64](plane, i+1)[i] = bits
	case ir.F32:
		if f := math.Float32frombits(uint32(bits)); f != f {
			bits = uint64(ir.NaN32)
		}
		elements[uint32](plane, i+1)[i] = uint32(bits)
	case ir.I32, ir.U32:
		elements[uint32](plane, i+1)[i] = uint32(bits)
	default:
		elements[uint64](plane, i+1)[i] = bits
	}
}

// run takes sample i to upto steps of the run, or to its end.
func (p *plain) run(i int, upto uint32) {
	for p.mask[i] == 0 && p.taken[i] < upto {
		p.step(i)
	}
}

func (p *plain) step(i int) {
	s := &p.k.Step
	p.begin(&s.Values)
	p.region(&s.Head, i)
	for j, v := range s.Trip.Params {
		p.values[v] = p.load(s.Carry[j].Plane, s.Carry[j].Comp, i)
	}
	entry := p.yields(s.Trip.Params)
	p.region(&s.Trip, i)
	out := p.yields(s.Trip.Yield)
	if p.site != nil {
		for j, c := range s.Carry {
			p.store(c, i, entry[j])
		}
		p.mask[i] = 2
		p.faults = append(p.faults, Fault{uint32(i), p.taken[i], ir.FaultKind(p.site.Imm), p.site.Pos})
		return
	}
	for j, c := range s.Carry {
		p.store(c, i, out[1+j])
	}
	p.taken[i]++
	if out[0] != 0 {
		p.mask[i] = 1
	}
}

// init runs the kernel's Init on sample i; a fault stores nothing.
func (p *plain) init(i int) {
	out := p.function(p.k.Init, i)
	if p.site != nil {
		p.faults = append(p.faults, Fault{uint32(i), 0, ir.FaultKind(p.site.Imm), p.site.Pos})
		return
	}
	for j, c := range p.k.Init.Stores {
		p.store(c, i, out[j])
	}
}

// function evaluates f on sample i.
func (p *plain) function(f *ir.Func, i int) []uint64 {
	p.begin(&f.Values)
	p.region(&f.Body, i)
	return p.yields(f.Body.Yield)
}

func (p *plain) begin(v *ir.Values) {
	p.values, p.site, p.arrays = make([]uint64, len(v.Types)), nil, nil
	for _, a := range v.Arrays {
		cells := make([]uint64, a.Len)
		for i := range cells {
			cells[i] = 0xBAD & a.Type.Mask() // nothing may read what is not filled
		}
		p.arrays = append(p.arrays, cells)
	}
}

// lookup is cell x of a table plane, or component x of sample i.
func (p *plain) lookup(plane int, x int64, i int) uint64 {
	spec := &p.k.Planes[plane]
	cells := spec.Width()
	if spec.Role == ir.RoleTable {
		cells = len(p.planes[plane]) / spec.Type.Bytes()
	}
	if x < 0 || x >= int64(cells) {
		x = 0
	}
	switch {
	case cells == 0:
		return 0
	case spec.Role == ir.RoleTable:
		return cellBits(p.planes[plane], int(x), spec.Type)
	}
	return p.load(plane, int32(x), i)
}

func (p *plain) yields(vs []ir.Value) []uint64 {
	out := make([]uint64, len(vs))
	for i, v := range vs {
		out[i] = p.values[v]
	}
	return out
}

func (p *plain) set(vs []ir.Value, bits []uint64) {
	for i, v := range vs {
		p.values[v] = bits[i]
	}
}

func (p *plain) region(r *ir.Region, i int) {
	for _, in := range r.Instrs {
		args := p.yields(in.Args)
		switch in.Op {
		case ir.OpConst:
			p.values[in.Results[0]] = in.Imm
		case ir.OpLoad:
			p.values[in.Results[0]] = p.load(int(in.Imm), in.Comp, i)
		case ir.OpTable:
			t, x := p.k.Tables[in.Imm].Bits, int64(args[0])
			if x < 0 || x >= int64(len(t)) {
				x = 0
			}
			p.values[in.Results[0]] = t[x]
		case ir.OpLookup:
			p.values[in.Results[0]] = p.lookup(int(in.Imm), int64(args[0]), i)
		case ir.OpLen:
			p.values[in.Results[0]] = uint64(len(p.planes[in.Imm]) / p.k.Planes[in.Imm].Type.Bytes())
		case ir.OpArray:
			for c := range p.arrays[in.Imm] {
				p.arrays[in.Imm][c] = args[0]
			}
		case ir.OpGet:
			cells, x := p.arrays[in.Imm], int64(args[0])
			if x < 0 || x >= int64(len(cells)) {
				x = 0
			}
			p.values[in.Results[0]] = cells[x]
		case ir.OpPut:
			if cells, x := p.arrays[in.Imm], int64(args[0]); x >= 0 && x < int64(len(cells)) {
				cells[x] = args[1]
			}
		case ir.OpIf:
			side := in.Else
			if args[0] != 0 {
				side = in.Then
			}
			p.region(side, i)
			p.set(in.Results, p.yields(side.Yield))
		case ir.OpLoop:
			for range in.Imm {
				p.set(in.Body.Params, args)
				p.region(in.Body, i)
				out := p.yields(in.Body.Yield)
				args = out[1:]
				if out[0] == 0 {
					break
				}
			}
			p.set(in.Results, args)
		case ir.OpFault:
			if args[0] != 0 && p.site == nil {
				p.site = in
			}
		default:
			p.values[in.Results[0]] = Eval(in.Op, in.Type, in.From, args...)
		}
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
	return &plain{k: b.k, planes: b.planes, n: b.n, mask: b.mask, taken: b.taken}
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
