package jit

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// Samples out of lanes.

// sweep retires the lanes that finished, faulted or have taken their last step.
func (m *Machine) sweep(w *interp.Work) {
	last := m.trips >= m.due
	if last {
		m.due = math.MaxUint64
	}
	for g := range m.groups {
		if *m.u8(frameLoad + int32(g)) != 0 { // the code has not begun
			continue
		}
		live := m.mask(m.groups[g].live)
		gone := m.held[g] &^ live
		if gone == 0 && !last {
			continue
		}
		complete, even := uint8(0), m.row[g] && m.rowEnds[g] == m.trips
		switch {
		case even:
			complete = live
		case last:
			complete = m.complete(w, g, live)
		}
		leaving := gone | complete
		if leaving == m.full && m.row[g] {
			m.storeBools(g)
			if *m.u8(frameStore + int32(g)) == 0 {
				m.storeLanes(g, leaving)
			}
			if gone == 0 && even {
				m.leaveRow(w, g)
				leaving = 0
			}
		} else {
			m.storeLanes(g, leaving)
		}
		for d := leaving; d != 0; d &= d - 1 {
			lane := bits.TrailingZeros8(d)
			m.leave(w, g, lane, gone>>lane&1 != 0)
		}
		m.swept[g] = true
		m.held[g] = live &^ complete
	}
	m.finished.Store(uint64(m.result.Newly))
}

// complete is the lanes of live that have taken their last step; due becomes the trip at which the next has.
func (m *Machine) complete(w *interp.Work, g int, live uint8) (done uint8) {
	for d := live; d != 0; d &= d - 1 {
		lane := bits.TrailingZeros8(d)
		if left := w.Upto - m.took[g*m.isa.lanes+lane] - m.counted(g, lane); left > 0 {
			m.due = min(m.due, m.trips+uint64(left))
		} else {
			done |= 1 << lane
		}
	}
	return done
}

// counted is the steps that a lane has taken since its sample was taken up.
func (m *Machine) counted(g, lane int) uint32 {
	return uint32(*m.u64(m.groups[g].count + 8*int32(lane)))
}

// retireAll stores every lane at the step boundary that it has reached. A lane that has finished or
// faulted there says so.
func (m *Machine) retireAll(w *interp.Work) {
	m.sweep(w)
	for g := range m.groups {
		if *m.u8(frameLoad + int32(g)) != 0 { // the code has not begun: the samples are as they were
			m.live -= m.isa.lanes
			m.held[g] = 0
			continue
		}
		m.storeLanes(g, m.held[g])
		for d := m.held[g]; d != 0; d &= d - 1 {
			m.leave(w, g, bits.TrailingZeros8(d), false)
		}
		m.held[g] = 0
	}
}

// leave frees a lane and counts its sample's steps. done says that the sample has finished or faulted.
func (m *Machine) leave(w *interp.Work, g, lane int, done bool) {
	l := g*m.isa.lanes + lane
	s, steps := m.sample[l], m.counted(g, lane)
	taken := m.took[l] + steps
	m.live--
	w.Taken[s] = taken
	m.result.SampleSteps += uint64(steps)
	m.result.Longest = max(m.result.Longest, steps)
	if !done {
		return
	}
	w.Mask[s] = 1
	m.result.Newly++
	m.result.LastStop = max(m.result.LastStop, taken)
	if row := m.groups[g].site; row != 0 {
		if number := *m.u32(row + 4*int32(lane)); number != 0 {
			at := m.sites[number-1]
			w.Mask[s] = 2
			m.result.Faulted++
			m.result.Faults.Add(interp.Fault{Sample: s, Step: taken, Kind: at.kind, Pos: at.pos})
		}
	}
}

// storeLanes puts the state of lanes of a group back to their samples, NaNs canonical.
func (m *Machine) storeLanes(g int, which uint8) {
	for ; which != 0; which &= which - 1 {
		m.storeLane(g, bits.TrailingZeros8(which))
	}
}

// storeLane puts the state of one lane back.
func (m *Machine) storeLane(g, lane int) {
	s := m.sample[g*m.isa.lanes+lane]
	for i := range m.carry {
		c := &m.carry[i]
		slot := c.slots[g]
		switch c.typ {
		case ir.F64:
			x := *(*float64)(unsafe.Pointer(m.u64(slot + 8*int32(lane))))
			if x != x {
				x = math.Float64frombits(ir.NaN64)
			}
			*(*float64)(unsafe.Add(c.at, 8*uintptr(s))) = x
		case ir.I64, ir.U64:
			*(*uint64)(unsafe.Add(c.at, 8*uintptr(s))) = *m.u64(slot + 8*int32(lane))
		case ir.F32:
			x := *(*float32)(unsafe.Pointer(m.u32(slot + 4*int32(lane))))
			if x != x {
				x = math.Float32frombits(ir.NaN32)
			}
			*(*float32)(unsafe.Add(c.at, 4*uintptr(s))) = x
		case ir.I32, ir.U32:
			*(*uint32)(unsafe.Add(c.at, 4*uintptr(s))) = *m.u32(slot + 4*int32(lane))
		default:
			*(*uint8)(unsafe.Add(c.at, uintptr(s))) = m.mask(slot) >> lane & 1
		}
	}
}
