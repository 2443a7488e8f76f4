package ptxtest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/engine/cuda/ptx"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
	"github.com/eaglet-workbench/eaglet/kernels/ir/irtest"
)

// Batch is everything that entries read and write.
type Batch struct {
	Kernel *ir.Kernel
	N      int
	Planes [][]byte
	Mask   []byte
	Taken  []uint32 // nil: not kept
	From   uint32   // without Taken
	Faults []uint64
	Map    []uint32
	Out    []float64
}

// NewBatch makes a random batch: some samples finished already, some that have taken steps.
func NewBatch(k *ir.Kernel, n int, seed uint64) *Batch {
	r := rand.New(rand.NewPCG(seed, 0x707478))
	b := &Batch{
		Kernel: k, N: n, Planes: irtest.Planes(k, n, seed), Mask: make([]byte, n), Taken: make([]uint32, n),
		Faults: make([]uint64, n), Out: make([]float64, n),
	}
	for i := range n {
		b.Mask[i] = []byte{0, 0, 0, 0, 0, 1, 2, 7}[r.IntN(8)]
		b.Taken[i] = uint32(r.IntN(6))
		if r.IntN(3) > 0 {
			b.Map = append(b.Map, uint32(i))
		}
	}
	return b
}

// Clone is a copy.
func (b *Batch) Clone() *Batch {
	c := *b
	c.Planes = nil
	for _, p := range b.Planes {
		c.Planes = append(c.Planes, bytes.Clone(p))
	}
	c.Mask = bytes.Clone(b.Mask)
	c.Taken = append([]uint32(nil), b.Taken...)
	c.Faults = append([]uint64(nil), b.Faults...)
	c.Map = append([]uint32(nil), b.Map...)
	c.Out = append([]float64(nil), b.Out...)
	return &c
}

// bytesOf is the memory of a slice.
func bytesOf[T any](a []T) []byte {
	if len(a) == 0 {
		return nil
	}
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(&a[0])), len(a)*int(unsafe.Sizeof(zero)))
}

// mapped is the address of a buffer, 0 for one without bytes.
func mapped(m Machine, b []byte) uint64 {
	if len(b) == 0 {
		return 0
	}
	return m.Map(b)
}

// cancelling is when cancel is set.
type cancelling uint8

const (
	never      cancelling = iota
	before                // the launch
	inTheMidst            // of it: when a sample has finished
)

// args are the arguments of an entry of the batch's kernel.
func (b *Batch) args(m Machine, start, end int, control *ptx.Control, when cancelling) []uint64 {
	block, cancel := m.Map(control.Bytes()), uint64(0)
	switch when {
	case before:
		cancel = m.Map([]byte{1, 0, 0, 0})
	case inTheMidst:
		cancel = block + uint64(unsafe.Offsetof(control.Finished))
	}
	list := []uint64{
		uint64(b.N), uint64(start), uint64(end), block, cancel, mapped(m, b.Mask),
		mapped(m, bytesOf(b.Taken)), mapped(m, bytesOf(b.Faults)), mapped(m, bytesOf(b.Map)), mapped(m, bytesOf(b.Out)),
	}
	for _, p := range b.Planes {
		if len(p) == 0 {
			p = make([]byte, 8)
		}
		list = append(list, m.Map(p))
	}
	for i := range b.Kernel.Planes {
		if p := &b.Kernel.Planes[i]; p.Role == ir.RoleTable {
			list = append(list, uint64(len(b.Planes[i])/p.Type.Bytes()))
		}
	}
	return list
}

// live are the samples of slots that a launch to upto runs.
func (b *Batch) live(slots []uint32, upto uint32) []uint32 {
	var list []uint32
	for _, s := range slots {
		taken := b.From
		if b.Taken != nil {
			taken = b.Taken[s]
		}
		if b.Mask[s] == 0 && taken < upto {
			list = append(list, s)
		}
	}
	return list
}

// slots are those of [start, end).
func slots(start, end int) []uint32 {
	var list []uint32
	for i := start; i < end; i++ {
		list = append(list, uint32(i))
	}
	return list
}

// interpret runs slots with the interpreter to upto, or with one true one step of each.
func (b *Batch) interpret(code *interp.Code, slots []uint32, upto uint32, one bool) interp.Result {
	var sum interp.Result
	m := code.NewMachine()
	for _, s := range slots {
		to := upto
		switch {
		case one && b.Taken != nil:
			to = min(upto, b.Taken[s]+1)
		case one:
			to = min(upto, b.From+1)
		}
		sum.Merge(m.Run(&interp.Work{
			Planes: b.Planes, N: b.N, Mask: b.Mask, Taken: b.Taken, From: b.From,
			Next: interp.NewCursor(int(s), int(s)+1), Upto: to,
		}))
	}
	return sum
}

// Difference says where b is not want, nil when it is nowhere.
func (b *Batch) Difference(want *Batch) error {
	for i := range b.Planes {
		size := b.Kernel.Planes[i].Type.Bytes()
		for at := 0; at < len(b.Planes[i]); at += size {
			if g, w := b.Planes[i][at:at+size], want.Planes[i][at:at+size]; !bytes.Equal(g, w) {
				return fmt.Errorf("plane %s (%v), element %d of n %d: got %x, want %x", b.Kernel.Planes[i].Name, b.Kernel.Planes[i].Type, at/size, b.N, g, w)
			}
		}
	}
	for i := range b.Mask {
		if b.Mask[i] != want.Mask[i] {
			return fmt.Errorf("sample %d: mask byte %d, want %d", i, b.Mask[i], want.Mask[i])
		}
		if b.Taken != nil && b.Taken[i] != want.Taken[i] {
			return fmt.Errorf("sample %d: %d steps taken, want %d", i, b.Taken[i], want.Taken[i])
		}
	}
	return nil
}
