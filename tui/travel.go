package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/session"
)

// travelKeys go back and forth in the run: the session starts again and makes the same launches.
func travelKeys() []binding {
	return []binding{
		{name: "launch-back", keys: []string{"b"}, title: says("back by one launch"), off: backOff, do: launchBack},
		{name: "step-back", keys: []string{"ctrl+b"}, title: says("back by one step"), off: backOff, do: stepBack},
		{name: "travel", keys: []string{"'"}, title: says("take the batch to the launch under the cursor"), off: travelOff, do: travel},
		{name: "next-change", keys: []string{"c"}, title: says("run to the next change of the steps per launch"), off: runUntilOff, do: runToChange},
	}
}

func backOff(m *model) string {
	switch why := busy(m); {
	case why != "":
		return why
	case m.done() == 0:
		return "the batch is at its start"
	}
	return ""
}

func travelOff(m *model) string {
	switch why := busy(m); {
	case why != "":
		return why
	case m.cursor < 0:
		return "the cursor follows the newest launch, h moves it"
	}
	return ""
}

func runUntilOff(m *model) string {
	if why := busy(m); why != "" {
		return why
	}
	return complete(m)
}

// launchBack goes to where the newest launch began.
func launchBack(m *model) tea.Cmd {
	to := uint32(0)
	if r := m.feed.records.last(); r != nil {
		to = m.done() - min(r.launch.Word, m.done())
		if start := r.launch.Done - min(r.launch.Word, r.launch.Done); start < m.done() {
			to = start
		}
	}
	return m.order(session.Seek{Step: int(to)})
}

func stepBack(m *model) tea.Cmd { return m.order(session.Seek{Step: int(m.done()) - 1}) }

func travel(m *model) tea.Cmd {
	r := m.selected()
	if r == nil {
		return nil
	}
	return m.order(session.Seek{Step: int(r.launch.Done)})
}

func runToChange(m *model) tea.Cmd {
	c, err := session.ParseCondition("change")
	if err != nil {
		m.say(wrong, err.Error())
		return nil
	}
	return m.order(session.RunUntil{Until: c})
}
