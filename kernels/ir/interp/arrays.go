package interp

import (
	"unsafe"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Reads at an index that is known when the step runs: planes that no step writes, and local arrays. An
// array is one row per cell; lanes of a block often ask for the same cell, since loop counters run alike.

// tableBits is cell i of a table or param plane; out of range gives cell 0, and 0 when there is none.
func tableBits(plane []byte, i int64, t ir.Type) uint64 {
	cells := len(plane) / t.Bytes()
	if cells == 0 {
		return 0
	}
	if uint64(i) >= uint64(cells) {
		i = 0
	}
	return cellBits(plane, int(i), t)
}

// lookup reads a plane for the live lanes of [lo, hi).
func (m *Machine) lookup(in *node) {
	plane, own := m.planes[in.plane], m.kernel.Planes[in.plane].Role == ir.RoleInput
	switch in.typ.Bytes() {
	case 1:
		lookupLanes[uint8](m, in, plane, own)
		r := lanesOf[uint8](m.whole(in.r), 0, m.live)
		for l := m.lo * lanes; l < m.live; l++ {
			r[l] = truth(r[l] != 0)
		}
	case 4:
		lookupLanes[uint32](m, in, plane, own)
	default:
		lookupLanes[uint64](m, in, plane, own)
	}
}

// lookupLanes is r = cell x, or with own component x of the lane's sample.
func lookupLanes[T uint8 | uint32 | uint64](m *Machine, in *node, plane []byte, own bool) {
	var zero T
	all := elements[T](plane, len(plane)/int(unsafe.Sizeof(zero)))
	r, x := m.whole(in.r), m.whole(in.x)
	cells, stride := uint64(len(all)), 1
	if own {
		cells, stride = uint64(len(all)/m.n), m.n
	}
	for l := m.lo * lanes; l < min(m.live, m.hi*lanes); l++ {
		i := uint64(at[int64](x, l/lanes)[l%lanes])
		if i >= cells {
			i = 0
		}
		value := zero
		if cells > 0 {
			cell := int(i) * stride
			if own {
				cell += int(m.sample[l])
			}
			value = all[cell]
		}
		at[T](r, l/lanes)[l%lanes] = value
	}
}

// cell is the row of a cell of an array, from block lo on.
func (m *Machine) cell(in *node, i int) row {
	return m.row(place{in.slot + int32(i), int32(lanes * in.typ.Bytes())})
}

// fillArray makes every cell of an array x, for the lanes of the mask.
func (m *Machine) fillArray(in *node) {
	x, mask := m.row(in.x), m.row(in.z)
	run := mustStrip(ir.OpSelect, in.typ, 0)
	for i := range in.cells {
		c := m.cell(in, i)
		run(m.hi-m.lo, c, mask, x, c)
	}
}

func (m *Machine) getCells(in *node) {
	switch in.typ.Bytes() {
	case 1:
		getLanes[uint8](m, in)
	case 4:
		getLanes[uint32](m, in)
	default:
		getLanes[uint64](m, in)
	}
}

func (m *Machine) putCells(in *node) {
	switch in.typ.Bytes() {
	case 1:
		putLanes[uint8](m, in)
	case 4:
		putLanes[uint32](m, in)
	default:
		putLanes[uint64](m, in)
	}
}

// alike says whether all lanes of a block of indexes are equal.
func alike(x *[lanes]int64) bool {
	same := true
	for _, v := range x[1:] {
		same = same && v == x[0]
	}
	return same
}

// getLanes is r = cell x; out of range gives cell 0.
func getLanes[T uint8 | uint32 | uint64](m *Machine, in *node) {
	r, x := m.row(in.r), m.row(in.x)
	bound := func(i int64) int {
		if uint64(i) >= uint64(in.cells) {
			return 0
		}
		return int(i)
	}
	for i := range m.hi - m.lo {
		out, index := at[T](r, i), at[int64](x, i)
		if alike(index) {
			*out = *at[T](m.cell(in, bound(index[0])), i)
			continue
		}
		for l := range out { // r may be the row of x
			out[l] = at[T](m.cell(in, bound(index[l])), i)[l]
		}
	}
}

// putLanes is cell x = y for the lanes of the mask; out of range writes nothing.
func putLanes[T uint8 | uint32 | uint64](m *Machine, in *node) {
	x, y, mask := m.row(in.x), m.row(in.y), m.row(in.z)
	for i := range m.hi - m.lo {
		index, value, on := at[int64](x, i), at[T](y, i), at[uint8](mask, i)
		if *word(mask, i) == allTrue && alike(index) {
			if uint64(index[0]) < uint64(in.cells) {
				*at[T](m.cell(in, int(index[0])), i) = *value
			}
			continue
		}
		for l := range value {
			if on[l] != 0 && uint64(index[l]) < uint64(in.cells) {
				at[T](m.cell(in, int(index[l])), i)[l] = value[l]
			}
		}
	}
}
