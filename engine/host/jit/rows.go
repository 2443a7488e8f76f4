package jit

import (
	"math"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// Whole groups: where the lanes of a group are samples side by side, they are taken up and stored as rows and
// not one by one. Launches of a step or a few do little else.

// claimRow gives the first of so many unfinished samples side by side as a group has lanes. False: the next
// ones must be looked at one by one.
func (m *Machine) claimRow(w *interp.Work, width int) (uint32, bool) {
	lanes := m.isa.lanes
	if w.Map != nil || m.live+lanes > width {
		return 0, false
	}
	if m.nextPos == m.endPos {
		if m.stopped(w) || !m.claimMore(w, width) {
			return 0, false
		}
	}
	s := m.nextPos
	if m.endPos-s < lanes {
		return 0, false
	}
	for i, mark := range w.Mask[s : s+lanes] {
		if mark != 0 || w.Taken[s+i] >= w.Upto {
			return 0, false
		}
	}
	m.nextPos += lanes
	return uint32(s), true
}

// takeUpRow puts the samples from s on into all lanes of a group.
func (m *Machine) takeUpRow(w *interp.Work, g int, s uint32) {
	p, lanes := &m.groups[g], m.isa.lanes
	m.live += lanes
	sample, took := m.sample[g*lanes:(g+1)*lanes], m.took[g*lanes:(g+1)*lanes]
	most := uint32(0)
	for i, taken := range w.Taken[s : int(s)+lanes] {
		sample[i], took[i] = s+uint32(i), taken
		most = max(most, taken)
	}
	m.due = min(m.due, m.trips+uint64(w.Upto-most))
	m.zero(p.count, 8*lanes)
	if p.site != 0 {
		m.zero(p.site, 4*lanes)
	}
	if p.sample != 0 {
		for i := range lanes {
			*m.u64(p.sample + 8*int32(i)) = uint64(s) + uint64(i)
		}
	}
	for i := range m.in8 {
		c := &m.in8[i]
		copyRow(unsafe.Add(m.frame, c.slots[g]), unsafe.Add(c.at, 8*uintptr(s)), 8*lanes)
	}
	for i := range m.in4 {
		c := &m.in4[i]
		copyRow(unsafe.Add(m.frame, c.slots[g]), unsafe.Add(c.at, 4*uintptr(s)), 4*lanes)
	}
	for i := range m.in1 {
		c := &m.in1[i]
		on := uint8(0)
		for l, b := range unsafe.Slice((*uint8)(unsafe.Add(c.at, uintptr(s))), lanes) {
			if b != 0 {
				on |= 1 << l
			}
		}
		m.setMask(c.slots[g], on)
	}
}

// leaveRow frees all lanes of a group, whose samples go on in another launch.
func (m *Machine) leaveRow(w *interp.Work, g int) {
	lanes := m.isa.lanes
	s, first := int(m.sample[g*lanes]), g*lanes
	taken, took := w.Taken[s:s+lanes], m.took[first:first+lanes]
	for i := range taken {
		steps := m.counted(g, i)
		taken[i] = took[i] + steps
		m.result.SampleSteps += uint64(steps)
		m.result.Longest = max(m.result.Longest, steps)
	}
	m.live -= lanes
}

// zero clears 16, 32 or 64 bytes of the frame.
func (m *Machine) zero(at int32, size int) {
	for i := range int32(size / 8) {
		*m.u64(at + 8*i) = 0
	}
}

// copyRow copies 16, 32 or 64 bytes, which do not overlap.
func copyRow(to, from unsafe.Pointer, size int) {
	switch size {
	case 64:
		*(*[64]byte)(to) = *(*[64]byte)(from)
	case 32:
		*(*[32]byte)(to) = *(*[32]byte)(from)
	default:
		*(*[16]byte)(to) = *(*[16]byte)(from)
	}
}

// adjacent says whether the lanes of a group are samples side by side.
func (m *Machine) adjacent(g int) bool {
	first := m.sample[g*m.isa.lanes]
	for i, s := range m.sample[g*m.isa.lanes : (g+1)*m.isa.lanes] {
		if s != first+uint32(i) {
			return false
		}
	}
	return true
}

// storeRow puts the state of all lanes of a group back, as storeLane does.
func (m *Machine) storeRow(g int) {
	lanes, s := m.isa.lanes, uintptr(m.sample[g*m.isa.lanes])
	for i := range m.carry {
		c := &m.carry[i]
		from := unsafe.Add(m.frame, c.slots[g])
		switch c.typ {
		case ir.F64:
			canonicalRow64(unsafe.Slice((*float64)(unsafe.Add(c.at, 8*s)), lanes), unsafe.Slice((*float64)(from), lanes))
		case ir.F32:
			canonicalRow32(unsafe.Slice((*float32)(unsafe.Add(c.at, 4*s)), lanes), unsafe.Slice((*float32)(from), lanes))
		case ir.I64, ir.U64:
			copyRow(unsafe.Add(c.at, 8*s), from, 8*lanes)
		case ir.I32, ir.U32:
			copyRow(unsafe.Add(c.at, 4*s), from, 4*lanes)
		default:
			on := m.mask(c.slots[g])
			to := unsafe.Slice((*uint8)(unsafe.Add(c.at, s)), lanes)
			for l := range to {
				to[l] = on >> l & 1
			}
		}
	}
}

// canonicalRow64 copies floats, any NaN as the canonical one.
func canonicalRow64(to, from []float64) {
	for i, x := range from {
		if x != x {
			x = math.Float64frombits(ir.NaN64)
		}
		to[i] = x
	}
}

func canonicalRow32(to, from []float32) {
	for i, x := range from {
		if x != x {
			x = math.Float32frombits(ir.NaN32)
		}
		to[i] = x
	}
}
