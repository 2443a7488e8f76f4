package jit

import (
	"unsafe"

	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// Samples in line: where lanes finish often, the code refills them by itself. Go claims samples ahead, which
// have all taken as many steps and wait at nextPos; the code takes the next ones, and writes down in a log
// whose lanes they took. Not many wait: they could run elsewhere.

// lineUp is how often the lanes' number waits at most, and shareOfRest how much of what is left that may be.
// lineFrom is the steps from which on that is worth while.
const (
	lineFrom    = 64
	lineUp      = 16
	shareOfRest = 8
)

// gone is an entry of the log: a sample that has finished, and the steps it took since it was taken up.
type gone struct{ sample, steps uint32 }

// ahead is how many samples may be claimed before there are lanes for them: all where there is no other worker.
func (m *Machine) ahead(w *interp.Work) int {
	rest := w.Next.Left()
	if w.Lanes < w.N {
		rest /= shareOfRest
		if w.Lanes > 0 {
			rest = min(rest, w.Lanes)
		}
	}
	return rest
}

// goOn makes the positions that were claimed for later the next ones, or adds them to those where they follow.
func (m *Machine) goOn() {
	if m.nextPos == m.endPos {
		m.nextPos = m.later
	}
	m.endPos = m.laterEnd
	m.later, m.laterEnd = 0, 0
}

// line lets the code of the next call refill lanes, if samples wait and all lanes are in use. left is the steps until
// the first lane has taken its last. The end of a call that refills stores no whole rows, which is what matters where
// few steps are left.
func (m *Machine) line(w *interp.Work, left uint64) {
	*m.u32(frameSpare), m.lined = 0, false
	width := m.Width()
	if !m.refilling || w.Map != nil || left < lineFrom || m.live < width {
		return
	}
	if m.endPos-m.nextPos < 2*width && m.later == m.laterEnd {
		m.later, m.laterEnd = w.Next.Claim(min(m.ahead(w)/width, lineUp) * width)
		if m.later == m.endPos || m.nextPos == m.endPos {
			m.goOn()
		}
	}
	if m.nextPos == m.endPos {
		return
	}
	from := w.Taken[m.nextPos]
	if from >= w.Upto || m.trips+uint64(w.Upto-from) < m.due {
		return
	}
	ready := 0
	for at := m.nextPos; at < m.endPos && ready < len(m.log) && w.Mask[at] == 0 && w.Taken[at] == from; at++ {
		ready++
	}
	if ready < width {
		return
	}
	m.lined = true
	*m.u32(frameSpare), *m.u32(frameFrom) = uint32(ready), from
	*m.u64(frameNext) = uint64(m.nextPos)
	*m.u64(frameLog) = uint64(uintptr(unsafe.Pointer(&m.log[0]))) - 8*uint64(m.nextPos)
}

// takeLog takes in what the code refilled in a call, and gives the number of samples.
func (m *Machine) takeLog(w *interp.Work) int {
	if !m.lined {
		return 0
	}
	m.lined = false
	*m.u32(frameSpare) = 0
	taken := int(*m.u64(frameNext)) - m.nextPos
	if taken == 0 {
		return 0
	}
	for _, g := range m.log[:taken] {
		steps := w.Taken[g.sample] + g.steps
		w.Taken[g.sample], w.Mask[g.sample] = steps, 1
		m.result.SampleSteps += uint64(g.steps)
		m.result.Longest = max(m.result.Longest, g.steps)
		m.result.LastStop = max(m.result.LastStop, steps)
	}
	m.result.Newly += uint32(taken)
	m.nextPos += taken
	m.taken += taken
	for g := range m.groups {
		m.row[g], m.fresh[g] = false, m.full
	}
	return taken
}
