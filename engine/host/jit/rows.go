package jit

import (
	"math"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// Whole groups: where the lanes of a group are samples side by side, they are taken up and stored as rows and
// not one by one: by the code, but for bools. Launches of a step or a few do little else.

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
	most, even := w.Taken[s], true
	for i, taken := range w.Taken[s : int(s)+lanes] {
		sample[i], took[i] = s+uint32(i), taken
		even = even && taken == most
		most = max(most, taken)
	}
	m.row[g], m.rowEnds[g] = true, math.MaxUint64
	end := m.trips + uint64(w.Upto-most)
	m.due = min(m.due, end)
	if even {
		m.rowEnds[g] = end
	}
	if p.site != 0 {
		m.zero(p.site, 4*lanes)
	}
	if p.sample != 0 {
		for i := range lanes {
			*m.u64(p.sample + 8*int32(i)) = uint64(s) + uint64(i)
		}
	}
	*m.u8(frameLoad + int32(g)), *m.u64(frameRow + 8*int32(g)) = 1, uint64(s)
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

// leaveRow frees all lanes of a group that have run as many steps and go on in another launch.
func (m *Machine) leaveRow(w *interp.Work, g int) {
	lanes := m.isa.lanes
	s, first := int(m.sample[g*lanes]), g*lanes
	steps := w.Upto - m.took[first]
	for i := range w.Taken[s : s+lanes] {
		w.Taken[s+i] = w.Upto
	}
	m.live -= lanes
	m.result.SampleSteps += uint64(lanes) * uint64(steps)
	m.result.Longest = max(m.result.Longest, steps)
}

// zero clears 16, 32 or 64 bytes of the frame.
func (m *Machine) zero(at int32, size int) {
	for i := range int32(size / 8) {
		*m.u64(at + 8*i) = 0
	}
}

// storeBools puts the bools of all lanes of a group, which are a row, back.
func (m *Machine) storeBools(g int) {
	for i := range m.carry {
		c := &m.carry[i]
		if c.typ != ir.Bool {
			continue
		}
		on := m.mask(c.slots[g])
		to := unsafe.Slice((*uint8)(unsafe.Add(c.at, uintptr(m.sample[g*m.isa.lanes]))), m.isa.lanes)
		for l := range to {
			to[l] = on >> l & 1
		}
	}
}

// rowCell is the cell of a row of the frame.
func (m *Machine) rowCell(i int) ir.Cell {
	carry := m.kernel.Step.Carry
	if i < len(carry) {
		return carry[i]
	}
	return m.loads[i-len(carry)]
}

// noRows says that a call neither loads nor stores rows.
func (m *Machine) noRows() { *m.u32(frameLoad), *m.u32(frameStore) = 0, 0 }

// storeRowsAtEnd says that the call stores the rows that will have taken their last step at its end.
func (m *Machine) storeRowsAtEnd() {
	for g := range m.groups {
		if m.row[g] && m.held[g] == m.full {
			*m.u8(frameStore + int32(g)) = 1
		}
	}
}
