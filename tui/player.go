package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/session"
)

// player is a session that tells a recording: it has a speed, and waits for who reads it.
type player interface {
	Speed() float64 // in launches a second
	SetSpeed(launches float64)
	// Taken tells how many events of the trace were read.
	Taken(events uint64)
	Path() string
	// Position is the run that is told, from 1, of how many.
	Position() (run, runs int, end bool)
}

func playerKeys() []binding {
	return []binding{
		{name: "slower", keys: []string{"<"}, title: says("replay at half the speed"), off: speedOff, do: changeSpeed(0.5)},
		{name: "faster", keys: []string{">"}, title: says("replay at twice the speed"), off: speedOff, do: changeSpeed(2)},
	}
}

func speedOff(m *model) string {
	if _, ok := m.session.(player); !ok {
		return "only a replay has a speed"
	}
	return ""
}

func changeSpeed(by float64) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		p := m.session.(player)
		p.SetSpeed(p.Speed() * by)
		m.say(ends, fmt.Sprintf("replay at %g launches/s", p.Speed()))
		return nil
	}
}

// replayInWords is what the status line says of a replay that stands still, "" when there is none.
func (m *model) replayInWords() string {
	p, ok := m.session.(player)
	if !ok {
		return ""
	}
	run, runs, end := p.Position()
	where := ""
	if runs > 1 {
		where = fmt.Sprintf(", run %d of %d", max(run, 1), runs)
	}
	switch {
	case end:
		return "replay" + where + ": at the end of the recording, R goes back to its start"
	case m.state.Phase == session.Paused:
		return fmt.Sprintf("replay%s: paused; space plays on at %g launches/s, s tells one launch", where, p.Speed())
	case m.state.Phase == session.Running:
		return ""
	}
	return fmt.Sprintf("replay%s: space plays it at %g launches/s, < and > change that", where, p.Speed())
}

// engineActions are those that a recording cannot do. What of panes needs an engine is refused by the session.
var engineActions = map[string]bool{"one-step": true, "policy": true, "edit": true, "reload": true}

// forPlayer is the table for a session that tells a recording: what needs an engine is off, and says why.
func forPlayer(s Session, table []binding) []binding {
	if _, ok := s.(player); !ok {
		return table
	}
	for i := range table {
		if engineActions[table[i].name] {
			table[i].off = says("this is a recording, no engine is behind it")
		}
	}
	return table
}
