package tui

import (
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"
)

// freezeKeys stop the view.
func freezeKeys() []binding {
	return []binding{
		{name: "freeze", keys: []string{"f"}, title: freezeTitle, off: freezeOff, do: toggleFreeze},
	}
}

func freezeTitle(m *model) string {
	if m.frozen {
		return "let the view go on, from where the run is now"
	}
	return "freeze the view; the run goes on, and nothing of what is shown is dropped"
}

func freezeOff(m *model) string {
	if !m.frozen && m.feed.records.total == 0 {
		return "there is no launch yet"
	}
	return ""
}

// toggleFreeze shows a copy of what is known, and goes on to take events into the original; or jumps to now.
func toggleFreeze(m *model) tea.Cmd {
	if m.frozen {
		m.thaw()
		return m.followNewest()
	}
	m.going, m.frozen = m.feed, true
	m.feed = m.feed.clone()
	if m.cursor < 0 {
		m.cursor = m.feed.records.total - 1
	}
	m.say(waits, "the view is frozen, the run goes on; f again jumps to now")
	return nil
}

// thaw shows what is known again.
func (m *model) thaw() {
	if m.frozen {
		m.feed, m.going, m.frozen = m.going, nil, false
	}
}

// taking is the feed that events go to.
func (m *model) taking() *feed {
	if m.frozen {
		return m.going
	}
	return m.feed
}

// clone is a copy that events taken later do not change.
func (f *feed) clone() *feed {
	c := *f
	c.records, c.log = f.records.clone(), f.log.clone()
	c.plot.levels = slices.Clone(f.plot.levels)
	for i := range c.plot.levels {
		c.plot.levels[i].ring = slices.Clone(f.plot.levels[i].ring)
	}
	c.held = slices.Clone(f.held)
	c.byWord = maps.Clone(f.byWord)
	b := &c.books
	b.settled, b.reorders, b.probes = b.settled.clone(), b.reorders.clone(), b.probes.clone()
	b.runs, b.batches = slices.Clone(b.runs), slices.Clone(b.batches)
	return &c
}

func (r ring[T]) clone() ring[T] {
	r.items = slices.Clone(r.items)
	return r
}
