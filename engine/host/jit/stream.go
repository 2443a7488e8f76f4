package jit

import (
	"math"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// Launches of few steps: where nobody has finished, the samples of the batch go through the lanes side by
// side, all with as many steps to take. The code then goes from one tile, a row of samples for every group, to
// the next by itself, and Go looks at masks and steps taken of many tiles at a time.

// streamTiles is how many tiles a call must be able to run at least for a stream to be worth its while.
const streamTiles = 2

// streamed is the number of tiles of a call when samples take so many steps; 0: the work is no stream.
func (m *Machine) streamed(w *interp.Work, steps uint64) int {
	if w.Map != nil || w.Chunk > 0 || w.Lanes > 0 && w.Lanes < m.Width() || len(m.in1) > 0 || m.groups[0].sample != 0 {
		return 0
	}
	if tiles := uint64(m.work) / (steps * uint64(m.weight)); tiles >= streamTiles {
		return int(tiles)
	}
	return 0
}

// stream runs tiles as long as the next positions are unfinished samples with as many steps to take. It is
// called when no lane holds a sample. False: the stop was seen.
func (m *Machine) stream(w *interp.Work) bool {
	if m.streamed(w, 1) == 0 { // positions may be those of a map: the samples that they number are not ours to look at
		return true
	}
	width := m.Width()
	for {
		if m.nextPos == m.endPos && !m.claimTiles(w) {
			return true
		}
		if w.Mask[m.nextPos] != 0 || w.Taken[m.nextPos] >= w.Upto {
			return true
		}
		from := w.Taken[m.nextPos]
		most := m.streamed(w, uint64(w.Upto-from))
		byRow := m.stepper != nil && w.Upto-from == 1
		if byRow {
			most = min(most, len(m.log)/len(m.groups)) // a row may need an entry
		}
		tiles := m.ready(w, min(most, (m.endPos-m.nextPos)/width), from)
		if tiles == 0 {
			return true
		}
		if m.stopped(w) {
			return false
		}
		if byRow {
			m.stepTiles(w, tiles)
		} else if !m.runTiles(w, tiles, from) {
			return false
		}
	}
}

// claimTiles takes a share of positions off the shared counter, as many as the work says. False: none is left,
// or the work is no stream.
func (m *Machine) claimTiles(w *interp.Work) bool {
	if m.later != m.laterEnd {
		m.goOn()
		return true
	}
	width := m.Width()
	tiles := m.streamed(w, 1)
	if tiles == 0 {
		return false
	}
	if w.Lanes > 0 {
		tiles = w.Lanes / width
	}
	if m.nextPos, m.endPos = w.Next.Claim(tiles * width); m.nextPos == m.endPos {
		m.nextPos, m.endPos = 0, 0
		return false
	}
	return true
}

// ready counts the tiles from the next position on whose samples are unfinished and have taken from steps.
func (m *Machine) ready(w *interp.Work, most int, from uint32) int {
	width := m.Width()
	pair := uint64(from)<<32 | uint64(from)
	for tile := range most {
		lo := m.nextPos + tile*width
		mask, taken := w.Mask[lo:lo+width], w.Taken[lo:lo+width]
		other := uint64(0)
		for i := 0; i < width; i += 4 {
			other |= uint64(*(*uint32)(unsafe.Pointer(&mask[i])))
			t := (*[2]uint64)(unsafe.Pointer(&taken[i]))
			other |= (t[0] ^ pair) | (t[1] ^ pair)
		}
		if other != 0 {
			return tile
		}
	}
	return most
}

// runTiles makes one call of the code on tiles from the next position on, to which ready has agreed, and goes
// past those that it ran. The code stops behind a tile in which a lane has finished or faulted: that one is
// retired here. False: the stop was seen inside a loop of the kernel.
func (m *Machine) runTiles(w *interp.Work, tiles int, from uint32) bool {
	width, lo, steps := m.Width(), m.nextPos, w.Upto-from
	m.due = math.MaxUint64
	for g := range m.groups {
		m.takeUpRow(w, g, uint32(lo+g*m.isa.lanes))
		p := &m.groups[g]
		m.held[g], m.fresh[g] = m.full, m.full
		m.setMask(p.live, m.full)
		m.setMask(p.held, m.full)
		m.setMask(p.fresh, m.full)
		*m.u8(frameStore + int32(g)) = 1
	}
	*m.u32(frameChunk), *m.u32(frameChunks), *m.u32(frameDone) = steps, 1, 0
	*m.u32(frameBudget), *m.u32(frameTiles) = uint32(m.work), uint32(tiles-1)
	whole := true
	for m.call(); *m.u64(frameResume) != 0; m.call() {
		if m.stopped(w) {
			m.abandon()
			whole = false
			break
		}
		*m.u32(frameBudget) = uint32(m.work)
	}
	passed := (tiles - 1 - int(*m.u32(frameTiles))) * width
	*m.u32(frameTiles) = 0
	m.nextPos += passed + width
	taken := w.Taken[lo : lo+passed]
	for i := range taken {
		taken[i] = w.Upto
	}
	m.result.SampleSteps += uint64(passed) * uint64(steps)
	if passed > 0 {
		m.result.Longest = max(m.result.Longest, steps)
	}
	for l := range m.sample {
		m.sample[l] += uint32(passed)
	}
	if whole {
		m.trips += uint64(steps)
		m.sweep(w)
	}
	m.noRows()
	m.steps.Store(m.result.SampleSteps)
	return whole
}
