package tui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"
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
}

// answerMsg is the answer to a pane's question.
type answerMsg struct {
	pane   paneID
	key    string
	answer any
	err    error
}

// inquire asks what the panes on screen want to know and have not asked yet. A pane that wants something
// else meanwhile waits for the end of what is going on, which is told to hurry.
func (m *model) inquire() tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range m.onScreen() {
		a, ok := m.panes[p].(asker)
		if !ok {
			continue
		}
		slot := &m.asks[p]
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
			answer, err := ask(ctx, from)
			return answerMsg{p, key, answer, err}
		})
	}
	return tea.Batch(cmds...)
}

// told hands an answer to its pane. An answer that was given up is forgotten, so that the question may be
// asked again.
func (m *model) told(msg answerMsg) {
	slot := &m.asks[msg.pane]
	slot.going = false
	if errors.Is(msg.err, context.Canceled) && m.ctx.Err() == nil {
		slot.key = ""
		return
	}
	m.panes[msg.pane].(asker).answered(msg.key, msg.answer, msg.err)
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
