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

// tick asks for the next frame; a drawing that takes more than 30 % of a frame halves the rate.
func (m *model) tick() tea.Cmd {
	d := m.frame
	if m.cost > d*3/10 {
		d *= 2
	}
	return tea.Tick(d, func(time.Time) tea.Msg { return frameMsg{} })
}

// catchUp takes the newest state and a portion of the events, in this order: so the events are never older
// than the state, unless there are more of them.
func (m *model) catchUp() (changed, more bool) {
	before := m.feed.generation
	if s := m.session.State(); s != m.state {
		m.state, changed = s, true
		m.feed.follow(s.Generation)
		m.feed.books.belongs(s.Generation, batchName(s))
	}
	deadline := m.clock().Add(portionTime)
	pulled, more := m.feed.pull(func() bool { return m.clock().After(deadline) })
	if from, ok := m.session.(player); ok {
		from.Taken(m.feed.cursor)
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
