package engine

import (
	"unsafe"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Planes is the memory of a batch: for each plane of the kernel, in the kernel's order, Width rows of N
// elements (component-major: element c*N+i is component c of sample i); one element per component for a
// param, Spec[i].Len cells for a table. Whoever made it owns it; an engine bound to it may read and write it only inside a call.
type Planes struct {
	N    int
	Spec []ir.Plane
	data [][]byte
}

// NewPlanes allocates zeroed planes for n samples. Each plane starts on a 64-byte boundary.
func NewPlanes(spec []ir.Plane, n int) *Planes {
	p := &Planes{N: n, Spec: spec, data: make([][]byte, len(spec))}
	for i := range spec {
		p.data[i] = alignedBytes(p.Elements(i) * spec[i].Type.Bytes())
	}
	return p
}

// PlanesBytes is the memory that NewPlanes(spec, n) takes, in bytes.
func PlanesBytes(spec []ir.Plane, n int) int64 {
	var sum int64
	for i := range spec {
		rows := int64(n)
		switch spec[i].Role {
		case ir.RoleParam:
			rows = 1
		case ir.RoleTable:
			rows = int64(spec[i].Len)
		}
		sum += rows * int64(spec[i].Width()) * int64(spec[i].Type.Bytes())
	}
	return sum
}

// Elements is the number of elements of plane i: Width*N, Width for a param, the cells of a table.
func (p *Planes) Elements(i int) int {
	switch p.Spec[i].Role {
	case ir.RoleParam:
		return p.Spec[i].Width()
	case ir.RoleTable:
		return p.Spec[i].Len
	}
	return p.Spec[i].Width() * p.N
}

// Index returns the number of the plane with the given name, -1 when there is none.
func (p *Planes) Index(name string) int {
	for i := range p.Spec {
		if p.Spec[i].Name == name {
			return i
		}
	}
	return -1
}

// Bytes is the memory of plane i, shared, not copied.
func (p *Planes) Bytes(i int) []byte { return p.data[i] }

// All is the memory of every plane in order, shared, not copied.
func (p *Planes) All() [][]byte { return p.data }

// Clone copies the planes.
func (p *Planes) Clone() *Planes {
	c := NewPlanes(p.Spec, p.N)
	for i := range p.data {
		copy(c.data[i], p.data[i])
	}
	return c
}

// CopyFrom overwrites the contents with those of q, which has the same Spec and N.
func (p *Planes) CopyFrom(q *Planes) {
	for i := range p.data {
		copy(p.data[i], q.data[i])
	}
}

// Element is a Go type that planes hold; bool planes are uint8, 0 or 1.
type Element interface {
	uint8 | int32 | int64 | uint32 | uint64 | float32 | float64
}

// View is plane i as a slice, shared, not copied. T must be the plane's type.
func View[T Element](p *Planes, i int) []T {
	var zero T
	if int(unsafe.Sizeof(zero)) != p.Spec[i].Type.Bytes() {
		panic("engine: View of plane " + p.Spec[i].Name + " with an element of another size")
	}
	b := p.data[i]
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/int(unsafe.Sizeof(zero)))
}

// Float is element e of plane i as a float64, for display and files; integers beyond 2^53 are rounded.
func (p *Planes) Float(i, e int) float64 {
	switch p.Spec[i].Type {
	case ir.Bool:
		return float64(p.data[i][e])
	case ir.I32:
		return float64(View[int32](p, i)[e])
	case ir.I64:
		return float64(View[int64](p, i)[e])
	case ir.U32:
		return float64(View[uint32](p, i)[e])
	case ir.U64:
		return float64(View[uint64](p, i)[e])
	case ir.F32:
		return float64(View[float32](p, i)[e])
	default:
		return View[float64](p, i)[e]
	}
}

func alignedBytes(n int) []byte {
	if n == 0 {
		return []byte{}
	}
	const line = 64
	raw := make([]byte, n+line)
	off := 0
	if rest := int(uintptr(unsafe.Pointer(&raw[0])) % line); rest != 0 {
		off = line - rest
	}
	return raw[off : off+n : off+n]
}

// Share makes planes of another spec over the same samples and the same memory: each plane of spec is the
// one of its name here, whatever its place. All names that are missing or have another type or width are
// listed in the error.
func (p *Planes) Share(spec []ir.Plane) (*Planes, error) {
	var bad refusal
	s := &Planes{N: p.N, Spec: spec, data: make([][]byte, len(spec))}
	for i := range spec {
		want := &spec[i]
		at := p.Index(want.Name)
		if at < 0 {
			bad.add("plane "+want.Name, "in the batch", "none of that name", "the batch has "+planeNames(p.Spec))
			continue
		}
		had := &p.Spec[at]
		if had.Type != want.Type || had.Width() != want.Width() || perBatch(had.Role) != perBatch(want.Role) {
			bad.add("plane "+want.Name, shapeWords(had)+" as in the batch", shapeWords(want), "rename it, or give both the same type")
			continue
		}
		s.data[i] = p.data[at]
	}
	if err := bad.err(); err != nil {
		return nil, err
	}
	return s, nil
}
