package jit

import (
	"math/bits"
	"runtime"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// rowStepper makes one step of whole rows of live samples, with code of its own. It is a part of a machine.
type rowStepper struct {
	*Machine      // only its frame and code
	bound    bool // to the batch of the run
}

// addRowStepper adds one, if the kernel has such code.
func (m *Machine) addRowStepper(exec executor, entry uintptr) {
	if m.row1 == nil {
		return
	}
	s := m.row1.newMachine(exec)
	s.entry = entry
	m.stepper = &rowStepper{Machine: s}
}

// stepTiles makes one step of the samples of some tiles from the next position on, to which ready has agreed: no more rows than
// the log has entries.
func (m *Machine) stepTiles(w *interp.Work, tiles int) {
	s, lo := m.stepper, m.nextPos
	if !s.bound {
		s.begin(w)
		s.bound = true
	}
	n := tiles * m.Width()
	*s.u64(frameRow), *s.u32(frameTiles) = uint64(lo), uint32(n/m.isa.lanes)
	*s.u64(frameNext), *s.u64(frameLog) = 0, uint64(uintptr(unsafe.Pointer(&m.log[0])))
	s.exec(s.entry, s.frame)
	runtime.KeepAlive(m)
	runtime.KeepAlive(w)
	taken := w.Taken[lo : lo+n]
	for i := range taken {
		taken[i] = w.Upto
	}
	for _, row := range m.log[:*s.u64(frameNext)] { // its lanes where other entries of the log have steps
		m.result.Newly += uint32(bits.OnesCount32(row.steps))
		m.result.LastStop = max(m.result.LastStop, w.Upto)
		for lanes := row.steps; lanes != 0; lanes &= lanes - 1 {
			w.Mask[int(row.sample)+bits.TrailingZeros32(lanes)] = 1
		}
	}
	m.nextPos += n
	m.result.SampleSteps += uint64(n)
	m.result.Longest = max(m.result.Longest, 1)
	m.finished.Store(uint64(m.result.Newly))
	m.steps.Store(m.result.SampleSteps)
}
