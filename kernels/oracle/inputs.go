package oracle

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/eaglet-workbench/eaglet/kernels/generate"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// batch is n samples of a kernel as planes.
type batch struct {
	k      *ir.Kernel
	n      int
	planes [][]byte
}

// anyLength is the cells of a table that does not say how many it has.
const anyLength = 6

// rows is the number of elements in a row of a plane.
func (b *batch) rows(i int) int {
	switch p := &b.k.Planes[i]; {
	case p.Role == ir.RoleParam:
		return 1
	case p.Role == ir.RoleTable && p.Len > 0:
		return p.Len
	case p.Role == ir.RoleTable:
		return anyLength
	}
	return b.n
}

func newBatch(k *ir.Kernel, n int) *batch {
	b := &batch{k: k, n: n}
	for i := range k.Planes {
		p := &k.Planes[i]
		b.planes = append(b.planes, make([]byte, b.rows(i)*p.Width()*p.Type.Bytes()))
	}
	return b
}

// clone copies the planes.
func (b *batch) clone() *batch {
	c := &batch{k: b.k, n: b.n}
	for _, p := range b.planes {
		c.planes = append(c.planes, append([]byte(nil), p...))
	}
	return c
}

// wild is a batch of values that a user would hardly give: small ones most of the time, so that something
// happens, and special ones. Equal seeds give equal bits on every machine: the values are exact.
func wild(k *ir.Kernel, seed uint64, n int) *batch {
	b := newBatch(k, n)
	r := rand.New(rand.NewPCG(seed, 0x696e707574))
	for i := range k.Planes {
		t := k.Planes[i].Type
		for at := 0; at < len(b.planes[i]); at += t.Bytes() {
			put(b.planes[i][at:at+t.Bytes()], wildBits(r, t))
		}
	}
	return b
}

var specials = []float64{
	0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1e300, -1e-310, 0.5, 1, -1, 2147483648, -9.3e18, 1.9e19, 0.1, 1e-40, 3e38,
}

func wildBits(r *rand.Rand, t ir.Type) uint64 {
	switch {
	case t == ir.Bool:
		return uint64(r.IntN(2))
	case !t.Float():
		x := uint64(r.Int64N(13) - 3)
		if r.IntN(10) == 0 {
			x = r.Uint64()
		}
		if !t.Signed() && r.IntN(4) > 0 {
			x &= 7
		}
		return x & t.Mask()
	}
	x := float64(r.Int64N(1<<54)-1<<53) * 0x1p-50 // all bits of the mantissa, within 8
	switch r.IntN(10) {
	case 2, 3:
		x = float64(r.IntN(1<<12)-1<<11) / 256 // few of them
	case 0:
		x = specials[r.IntN(len(specials))]
	case 1:
		x *= math.Ldexp(1, r.IntN(80)-40)
	}
	switch {
	case t == ir.F32 && math.IsNaN(x):
		return uint64(ir.NaN32)
	case t == ir.F32:
		return uint64(math.Float32bits(float32(x)))
	case math.IsNaN(x):
		return ir.NaN64
	}
	return math.Float64bits(x)
}

func put(cell []byte, bits uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], bits)
	copy(cell, b[:])
}

func get(cell []byte) uint64 {
	var b [8]byte
	copy(b[:], cell)
	return binary.LittleEndian.Uint64(b[:])
}

// defaults is a batch as the init tags fill it; Init is left to the run.
func defaults(k *ir.Kernel, seed uint64, n int) (*batch, error) {
	b := newBatch(k, n)
	for i := range k.Planes {
		rows := uint64(b.rows(i))
		if err := generate.Fill(&k.Planes[i], b.planes[i], seed, 0, rows, rows); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// outcome is a batch after a run.
type outcome struct {
	planes      [][]byte
	mask        []byte
	taken       []uint32
	initFaulted []bool
	observables [][]uint64
	panicked    [][]bool // native runs: the observable has no value
}

// manner is a way to make the interpreter run a batch. All must give the same bits.
type manner struct {
	lanes int    // samples taken up at a time, 0: as many as a strip has
	chunk uint32 // steps before everything is stored and taken up again, 0: all at once
}

var manners = []manner{{0, 0}, {1, 0}, {3, 5}, {8, 1}, {13, 0}}

// interpret runs Init, if asked to, and then up to steps steps of every sample.
func interpret(code *interp.Code, in *batch, withInit bool, steps uint32, m manner) *outcome {
	b := in.clone()
	out := &outcome{planes: b.planes, mask: make([]byte, b.n), taken: make([]uint32, b.n), initFaulted: make([]bool, b.n)}
	if init := code.Init(); withInit && init != nil {
		machine := init.NewMachine()
		for i := range b.n { // one by one: a list of faults keeps the first few only
			faults, _ := machine.Store(b.planes, b.n, interp.NewCursor(i, i+1), nil)
			out.initFaulted[i] = len(faults) > 0
		}
	}
	machine := code.NewMachine()
	chunk := m.chunk
	if chunk == 0 {
		chunk = steps
	}
	for upto := min(chunk, steps); ; upto = min(upto+chunk, steps) {
		machine.Run(&interp.Work{Planes: b.planes, N: b.n, Mask: out.mask, Taken: out.taken, Next: interp.NewCursor(0, b.n), Upto: upto, Lanes: m.lanes})
		if upto == steps {
			break
		}
	}
	for i := range b.k.Observables {
		bits := make([]uint64, b.n)
		code.Observable(i).NewMachine().Bits(0, b.planes, b.n, 0, bits, nil)
		out.observables = append(out.observables, bits)
	}
	return out
}

// differ says where two outcomes of one batch differ first; nil when nowhere. Observables without a value on
// the native side are left out.
func differ(b *batch, got, want *outcome) error {
	for i := range b.n {
		switch {
		case got.initFaulted[i] != want.initFaulted[i]:
			return fmt.Errorf("sample %d: Init faults: %v, want %v", i, got.initFaulted[i], want.initFaulted[i])
		case got.mask[i] != want.mask[i] || got.taken[i] != want.taken[i]:
			return fmt.Errorf("sample %d: mask %d after %d steps, want %d after %d", i, got.mask[i], got.taken[i], want.mask[i], want.taken[i])
		}
		for j := range b.k.Planes {
			p := &b.k.Planes[j]
			if p.Role == ir.RoleTable {
				continue
			}
			size, rows := p.Type.Bytes(), b.rows(j)
			for c := range p.Width() {
				at := (c*rows + i%rows) * size
				if g, w := get(got.planes[j][at:at+size]), get(want.planes[j][at:at+size]); g != w {
					return fmt.Errorf("sample %d plane %s[%d] after %d steps: got 0x%x, want 0x%x", i, p.Name, c, got.taken[i], g, w)
				}
			}
		}
		for j, o := range b.k.Observables {
			if want.panicked != nil && want.panicked[j][i] {
				continue
			}
			if g, w := got.observables[j][i], want.observables[j][i]; g != w {
				return fmt.Errorf("sample %d observable %s after %d steps: got 0x%x, want 0x%x", i, o.Name, got.taken[i], g, w)
			}
		}
	}
	return nil
}
