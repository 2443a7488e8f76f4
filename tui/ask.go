package tui

import (
	"context"
	"errors"
	"runtime"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/session"
)

// asker is a pane that shows more than states and events hold: when stops came, planes, trajectories, or
// something that takes long to count. It says what it wants; the model sees to it beside the screen, one
// question of a pane at a time, and hands the answer back.
type asker interface {
	pane
	// wants is called when the pane is on screen and something has changed. key names what is wanted now, "" for
	// nothing; while it stays the same it is not asked again. ask runs on another goroutine: it may wait, must
	// end when ctx does, and must use nothing of the pane or the scene but what it has copied.
	wants(s *scene) (key string, ask func(ctx context.Context, from Session) (any, error))
	// answered takes the answer to key, in Update.
	answered(key string, answer any, err error)
}

// inquiry is what a pane has been told or waits for.
type inquiry struct {
	key    string // of the newest question
	cancel context.CancelFunc
	going  bool
	due    time.Time // while a run is on nothing is asked before
}

// A run that is on shall not notice that it is looked at: an answer is asked for again when what it cost has become
// half a per cent of the time since, and at most four times a second. Stops and the panes of a screen that count from
// them are then below 3 % together.
const (
	leastRest = 250 * time.Millisecond
	mostRest  = 20 * time.Second
	restShare = 200
)

// rest is how long nothing is asked after an answer that took cost from the run.
func rest(cost time.Duration) time.Duration {
	return min(max(cost*restShare, leastRest), mostRest)
}

// costing is an answer that knows what it took from the run; for others that is the time that they were made in.
type costing interface{ cost() time.Duration }

// answerMsg is the answer to a pane's question.
type answerMsg struct {
	pane   paneID
	key    string
	answer any
	err    error
	cost   time.Duration // on one core
}

// inquire asks what the panes on screen want to know and have not asked yet. A pane that wants something
// else meanwhile waits for the end of what is going on, which is told to hurry; while a run is on it is not, for
// what is wanted changes with every launch then.
func (m *model) inquire() tea.Cmd {
	cmds := []tea.Cmd{m.askStops()}
	running := m.state.Phase == session.Running
	for _, p := range m.onScreen() {
		a, ok := m.panes[p].(asker)
		if !ok {
			continue
		}
		slot := &m.asks[p]
		if running && (slot.going || m.now.Before(slot.due)) {
			continue
		}
		if _, counts := a.(stopCounter); counts && m.stops.ask.going {
			continue // what it counts from is on its way
		}
		key, ask := a.wants(&m.scene)
		if key == "" || key == slot.key {
			continue
		}
		if slot.going {
			slot.cancel()
			continue
		}
		ctx, cancel := context.WithCancel(m.ctx)
		*slot = inquiry{key: key, cancel: cancel, going: true}
		from := m.session
		cmds = append(cmds, func() (msg tea.Msg) {
			defer m.crash.guard()
			defer cancel()
			began := time.Now()
			answer, err := ask(ctx, from)
			cost := time.Since(began)
			if c, ok := answer.(costing); ok {
				cost = c.cost()
			}
			return answerMsg{p, key, answer, err, cost}
		})
	}
	return tea.Batch(cmds...)
}

// told hands an answer to its pane. An answer that was given up is forgotten, so that the question may be
// asked again.
func (m *model) told(msg answerMsg) {
	slot := &m.asks[msg.pane]
	slot.going, slot.due = false, m.now.Add(rest(msg.cost/time.Duration(runtime.GOMAXPROCS(0))))
	if errors.Is(msg.err, context.Canceled) && m.ctx.Err() == nil {
		slot.key = ""
		return
	}
	m.panes[msg.pane].(asker).answered(msg.key, msg.answer, msg.err)
}

// hurry lets panes be asked at once: the user has pressed a key.
func (m *model) hurry() {
	for p := range m.asks {
		m.asks[p].due = time.Time{}
	}
}

// onScreen lists the panes that are drawn at the present size.
func (m *model) onScreen() []paneID {
	var out []paneID
	for _, p := range m.layout().panes {
		if m.panes[p.pane] != nil {
			out = append(out, p.pane)
		}
	}
	if l := m.layout(); l.strip.h > 0 && m.panes[paneMask] != nil && !m.maskOnScreen() {
		out = append(out, paneMask)
	}
	return out
}
