package jit

import (
	"math/bits"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// Samples into lanes.

// fill takes up unfinished samples until the lanes are full or none is left.
func (m *Machine) fill(w *interp.Work) {
	width := m.Width()
	if w.Lanes > 0 {
		width = min(width, w.Lanes)
	}
	for g := range m.groups {
		p := &m.groups[g]
		fresh, begins := uint8(0), false // the code begins the lanes of a row, where masks are vectors
		if m.held[g] == 0 {
			if s, ok := m.claimRow(w, width); ok {
				m.takeUpRow(w, g, s)
				fresh, begins = m.full, m.isa.maskClass == vector
			}
		}
		for free := ^(m.held[g] | fresh) & m.full; free != 0 && m.live < width; free &= free - 1 {
			s, ok := m.claim(w, width)
			if !ok {
				width = 0
				break
			}
			m.takeUp(w, g, bits.TrailingZeros8(free), s)
			fresh |= free & -free
		}
		if fresh|m.fresh[g] != 0 {
			m.fresh[g] = fresh
			if !begins {
				m.setMask(p.fresh, fresh)
			}
		}
		if fresh != 0 || m.swept[g] {
			m.swept[g] = false
			m.held[g] |= fresh
			if begins {
				continue
			}
			m.setMask(p.live, m.held[g])
			m.setMask(p.held, m.held[g])
		}
	}
}

// claim gives the next unfinished sample. False: there is none, or the stop was seen.
func (m *Machine) claim(w *interp.Work, width int) (uint32, bool) {
	for {
		if m.nextPos == m.endPos {
			if m.stopped(w) {
				m.result.Stopped = m.live == 0
				return 0, false
			}
			if !m.claimMore(w, width) {
				return 0, false
			}
		}
		s := uint32(m.nextPos)
		if w.Map != nil {
			s = w.Map[m.nextPos]
		}
		m.nextPos++
		if w.Mask[s] == 0 && w.Taken[s] < w.Upto {
			return s, true
		}
	}
}

// claimMore takes positions off the shared counter. False: none is left.
func (m *Machine) claimMore(w *interp.Work, width int) bool {
	if m.later != m.laterEnd {
		m.goOn()
		return true
	}
	most := width
	if w.Chunk > 0 { // no sample waits for a lane here while one is free elsewhere
		most -= m.live
	}
	if m.nextPos, m.endPos = w.Next.Claim(most); m.nextPos == m.endPos {
		m.nextPos, m.endPos = 0, 0
		return false
	}
	return true
}

// takeUp puts a sample into a lane.
func (m *Machine) takeUp(w *interp.Work, g, lane int, s uint32) {
	p := &m.groups[g]
	m.live++
	m.row[g] = false
	l := g*m.isa.lanes + lane
	m.sample[l], m.took[l] = s, w.Taken[s]
	m.due = min(m.due, m.trips+uint64(w.Upto-w.Taken[s]))
	*m.u64(p.count + 8*int32(lane)) = 0
	if p.site != 0 {
		*m.u32(p.site + 4*int32(lane)) = 0
	}
	if p.sample != 0 {
		*m.u64(p.sample + 8*int32(lane)) = uint64(s)
	}
	for i := range m.in8 {
		c := &m.in8[i]
		*m.u64(c.slots[g] + 8*int32(lane)) = *(*uint64)(unsafe.Add(c.at, 8*uintptr(s)))
	}
	for i := range m.in4 {
		c := &m.in4[i]
		*m.u32(c.slots[g] + 4*int32(lane)) = *(*uint32)(unsafe.Add(c.at, 4*uintptr(s)))
	}
	for i := range m.in1 {
		c := &m.in1[i]
		m.setLane(c.slots[g], lane, *(*uint8)(unsafe.Add(c.at, uintptr(s))) != 0)
	}
}

// setLane changes one lane of the mask at a place.
func (m *Machine) setLane(at int32, lane int, on bool) {
	lanes := m.mask(at) &^ (1 << lane)
	if on {
		lanes |= 1 << lane
	}
	m.setMask(at, lanes)
}
