package tui

import (
	"context"
	"errors"
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/engine/counting"
	"github.com/eaglet-workbench/eaglet/session"
)

// stopsBook is when samples stopped, asked for once for all panes that count from it: when the session stands
// still, and now and then while a run is on.
type stopsBook struct {
	known   *runStops // the newest answer; nil: none yet
	why     string    // the last question had none, for an unexpected reason
	onePass bool      // the run that is on has no boundary to look at
	pulse   int       // questions asked while runs were on
	ask     inquiry
}

// runStops is when the samples of a run stopped, as counted at one moment of it.
type runStops struct {
	at         []uint32 // see stopSteps
	done       uint32   // steps of the run then
	generation uint32
	base       string // the moment, for keys of questions
}

// stopCounter is a pane that counts from when samples stopped.
type stopCounter interface {
	pane
	// countsStops says whether it has a use for them now.
	countsStops(s *scene) bool
}

// stopsMsg is the answer about stops.
type stopsMsg struct {
	key   string
	stops *runStops
	cost  time.Duration // a run waited for the answer, or what that compares with
	err   error
}

// stopsMoment names what the stops would be of, "" when there is nothing to ask.
func (s *scene) stopsMoment() string {
	switch {
	case s.state.Kernel == nil || s.n() == 0 || s.state.Phase == session.Working:
		return ""
	case s.state.Phase == session.Running:
		return fmt.Sprintf("%d/on/%d", s.state.Generation, s.stops.pulse)
	}
	return fmt.Sprintf("%d/%d/%s/%d", s.state.Generation, s.done(), s.state.Phase, len(s.state.History))
}

// currentStops is the newest answer that fits what is shown, nil when there is none; one of another run would tell
// of samples that are no longer so.
func (s *scene) currentStops() *runStops {
	known := s.stops.known
	if known == nil || known.generation != s.state.Generation {
		return nil
	}
	if s.state.Phase != session.Running && known.base != s.stopsMoment() {
		return nil
	}
	return known
}

// askStops asks for the stops if a pane on screen counts from them and they are not known. While a run is on they
// are asked for again when the last answer has been paid for, see rest.
func (m *model) askStops() tea.Cmd {
	b := &m.stops
	if !m.wantsStops() {
		return nil
	}
	running := m.state.Phase == session.Running
	if running {
		if b.ask.going || m.frozen || m.now.Before(b.ask.due) {
			return nil
		}
		b.pulse++
	}
	key := m.stopsMoment()
	if key == "" || key == b.ask.key {
		return nil
	}
	if b.ask.going {
		b.ask.cancel()
		return nil
	}
	ctx, cancel := context.WithCancel(m.ctx)
	b.ask = inquiry{key: key, cancel: cancel, going: true}
	from := m.session
	return func() (msg tea.Msg) {
		defer m.crash.guard()
		defer cancel()
		return lookAtStops(ctx, from, key)
	}
}

func (m *model) wantsStops() bool {
	for _, p := range m.onScreen() {
		if c, ok := m.panes[p].(stopCounter); ok && c.countsStops(&m.scene) {
			return true
		}
	}
	return false
}

// toldStops takes the answer.
func (m *model) toldStops(msg stopsMsg) {
	b := &m.stops
	b.ask.going, b.ask.due = false, m.now.Add(rest(msg.cost))
	if errors.Is(msg.err, context.Canceled) && m.ctx.Err() == nil {
		b.ask.key = ""
		return
	}
	b.take(msg)
}

func (b *stopsBook) take(msg stopsMsg) {
	b.why, b.onePass = "", errors.Is(msg.err, session.ErrOnePass)
	switch {
	case msg.err == nil && b.known != nil && b.known.generation == msg.stops.generation && b.known.done > msg.stops.done:
		// The batch has gone back: what is known of the run beyond stays so.
		b.known = &runStops{at: b.known.at, done: b.known.done, generation: b.known.generation, base: msg.stops.base}
	case msg.err == nil:
		b.known = msg.stops
	case !b.onePass:
		b.why = firstLine(msg.err.Error())
	}
}

// lookAtStops asks the session when samples stopped.
func lookAtStops(ctx context.Context, from Session, key string) stopsMsg {
	answer, err := from.Look(ctx, session.StopsQuery{})
	if err != nil {
		return stopsMsg{key: key, err: err}
	}
	stops, ok := answer.(*session.Stops)
	if !ok {
		return stopsMsg{key: key, err: fmt.Errorf("the session answered %T to a question about stops", answer)}
	}
	known := &runStops{at: stopSteps(stops), done: stops.Done, generation: stops.Generation, base: key}
	return stopsMsg{key: key, stops: known, cost: stops.Held}
}

// stopSteps are stops as they are counted, by sample: 0 when it was finished before the run, Never while it is
// live, and for a fault the step that it happened in.
func stopSteps(s *session.Stops) []uint32 {
	out := make([]uint32, len(s.Taken))
	for i, taken := range s.Taken {
		switch {
		case s.Mask[i] == 0:
			out[i] = counting.Never
		case s.Mask[i] == 2:
			out[i] = taken + 1
		default:
			out[i] = taken
		}
	}
	return out
}
