package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/session"
)

// The clock: one chain of frames, started by a wake and parked after two frames without news. Between
// runs there is none, the program waits for messages, and nothing is drawn or written.

// slowPulse is how often a run that sends nothing is redrawn, for the seconds shown.
const slowPulse = 100 * time.Millisecond

// wake starts the chain unless it runs.
func (m *model) wake() tea.Cmd {
	m.clean = 0
	if m.ticking {
		return nil
	}
	m.ticking = true
	return m.tick()
}

// tick asks for the next frame. A drawing that takes more than 30 % of a frame halves the rate, and what is
// written to the terminal keeps within its budget, so that a slow line, or a neighbour in a multiplexer, keeps up.
func (m *model) tick() tea.Cmd {
	d := m.frame
	if m.cost > d*3/10 {
		d *= 2
	}
	if m.written != nil {
		d += m.budget.wait(m.now, m.written())
	}
	return tea.Tick(d, func(time.Time) tea.Msg { return frameMsg{} })
}

// The budget of bytes to the terminal: so many a second, and so many more at once.
const (
	bytesPerSecond = 56_000
	bytesAtOnce    = 8_000
)

// budget lets bytes through at a steady rate.
type budget struct {
	at      time.Time // when it was looked at last
	written uint64    // bytes ever written then
	left    float64   // bytes; below 0: so many too many were written
}

// wait is how much later than usual the next frame should come; written is the bytes ever written.
func (b *budget) wait(now time.Time, written uint64) time.Duration {
	b.left = min(b.left+bytesPerSecond*now.Sub(b.at).Seconds(), bytesAtOnce) - float64(written-b.written)
	b.at, b.written = now, written
	if b.left >= 0 {
		return 0
	}
	return min(time.Duration(-b.left/bytesPerSecond*float64(time.Second)), time.Second)
}

// catchUp takes the newest state and a portion of the events, in this order: so the events are never older
// than the state, unless there are more of them.
func (m *model) catchUp() (changed, more bool) {
	before := m.feed.generation
	if s := m.session.State(); s != m.state {
		m.state, changed = s, true
		if m.frozen && newer(s.Generation, m.feed.generation) {
			m.thaw() // another run: there is nothing left to look at
		}
		m.taking().follow(s.Generation)
		m.taking().books.belongs(s.Generation, batchName(s))
		m.keepMarks()
	}
	deadline := m.clock().Add(portionTime)
	pulled, more := m.taking().pull(func() bool { return m.clock().After(deadline) })
	if from, ok := m.session.(player); ok {
		from.Taken(m.taking().cursor)
	}
	m.keepCursor(before)
	return changed || pulled, more
}

// nextFrame pulls events and decides whether there is anything new to draw, and another frame.
func (m *model) nextFrame() tea.Cmd {
	changed, more := m.catchUp()
	m.measure()
	if changed {
		m.clean = 0
		m.version++
	} else {
		m.clean++
	}
	busy := m.state.Phase == session.Running || m.state.Phase == session.Working
	if busy && m.now.Sub(m.drawnAt) >= slowPulse {
		m.version++
	}
	if busy || more || m.clean < 2 {
		return m.tick()
	}
	m.ticking = false
	return nil
}

// measure reads the workbench's own cost.
func (m *model) measure() {
	written := uint64(0)
	if m.written != nil {
		written = m.written()
	}
	m.meter.read(m.now, written)
	m.observer = m.observerInWords()
}
