package tui

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/eaglet-workbench/eaglet/session"
)

// watched is a model on a script that runs, with a clock of the test's and the number of questions about stops.
func watched(t *testing.T, held time.Duration) (m *model, asked *int, later func(time.Duration)) {
	t.Helper()
	s, now, count := after(41), scriptStart, 0
	answer := func() any {
		s.looks = nil
		s.mu.Unlock()
		stops, _ := s.Look(context.Background(), session.StopsQuery{})
		s.mu.Lock()
		return stops
	}
	var looks func(q session.Query) (any, error)
	looks = func(q session.Query) (any, error) {
		count++
		out := answer()
		out.(*session.Stops).Held = held
		s.looks = looks
		return out, nil
	}
	s.looks = looks
	m = newTestModel(s, 200, 60, GlyphsBraille)
	m.clock = func() time.Time { return now }
	later = func(d time.Duration) {
		now = now.Add(d)
		_, cmd := m.Update(frameMsg{})
		m.takes(cmd, 8)
		m.View()
	}
	later(time.Minute)
	return m, &count, later
}

// While a run is on, one question about stops serves every pane, four times a second at most, and less often when
// the run has waited for the answer: for half a per cent of the time.
func TestStopsAreAskedForAtARateThatARunDoesNotNotice(t *testing.T) {
	for _, c := range []struct{ held, every time.Duration }{
		{0, leastRest}, {time.Millisecond, leastRest}, {10 * time.Millisecond, 2 * time.Second}, {time.Second, mostRest},
	} {
		m, asked, later := watched(t, c.held)
		if m.panes[paneMask].(*maskPane).picture == nil || m.panes[paneLanes].(*lanesPane).picture == nil {
			t.Fatal("mask and lanes have not been told")
		}
		before := *asked
		for range 9 {
			later(c.every / 10)
		}
		if *asked != before {
			t.Errorf("held for %v: asked %d times more within %v", c.held, *asked-before, c.every)
		}
		later(c.every / 5)
		if *asked != before+1 {
			t.Errorf("held for %v: asked %d times more after %v, want once", c.held, *asked-before, c.every)
		}
		s := m.session.(*script)
		s.launch(0)
		later(c.every + 1)
		if got, want := m.panes[paneMask].(*maskPane).picture.step, s.done; got != want {
			t.Errorf("held for %v: the mask is of step %d, the run at %d", c.held, got, want)
		}
		m.frozen, m.going = true, m.feed
		before = *asked
		later(time.Hour)
		if *asked != before {
			t.Error("asked while the view is frozen")
		}
	}
}

// What a key asks for is not kept waiting by what the run is owed.
func TestAKeyIsAnsweredAtOnceDuringARun(t *testing.T) {
	m, _, _ := watched(t, 0)
	m.asks[paneMask].due = m.now.Add(time.Hour)
	before := m.panes[paneMask].(*maskPane).picture.step
	m.typed("h", "h", "h")
	if got := m.panes[paneMask].(*maskPane).picture.step; got >= before {
		t.Errorf("the mask is of step %d, before three launches back it was of %d", got, before)
	}
}

// An answer that was given up is asked for again; one that could not be had says why.
func TestStopsThatCannotBeHad(t *testing.T) {
	m, _, later := watched(t, 0)
	m.toldStops(stopsMsg{key: m.stops.ask.key, err: context.Canceled})
	if m.stops.ask.key != "" || m.stops.known == nil {
		t.Errorf("given up: %+v", m.stops)
	}
	later(time.Second)
	m.toldStops(stopsMsg{key: m.stops.ask.key, err: session.ErrOnePass})
	if !m.stops.onePass || m.stops.why != "" {
		t.Errorf("one pass: %+v", m.stops)
	}
	m.toldStops(stopsMsg{key: m.stops.ask.key, err: errors.New("gone\nfor good")})
	if m.stops.why != "gone" || m.stops.onePass {
		t.Errorf("gone: %+v", m.stops)
	}
}
