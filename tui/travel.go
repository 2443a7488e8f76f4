package tui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/session"
)

// travelKeys go back and forth in the run, which stays the same run.
func travelKeys() []binding {
	return []binding{
		{name: "launch-back", keys: []string{"b"}, title: says("back by one launch"), off: backOff, do: launchBack},
		{name: "step-back", keys: []string{"ctrl+b"}, title: says("back by one step"), off: backOff, do: stepBack},
		{name: "mark", keys: []string{"m"}, title: marksTitle, off: marksOff, do: toggleMark},
		{name: "travel", keys: []string{"'"}, title: says("take the batch to a mark, or to the launch under the cursor"), off: goOff, do: goTo},
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

func runUntilOff(m *model) string {
	if why := busy(m); why != "" {
		return why
	}
	return complete(m)
}

// launchBack goes to where the launch began that the batch stands in, or behind.
func launchBack(m *model) tea.Cmd {
	to := uint32(0)
	if r := m.recordAt(m.done()); r != nil {
		to = r.launch.Done - min(r.launch.Word, r.launch.Done)
	}
	return m.takeTo(to)
}

func stepBack(m *model) tea.Cmd { return m.takeTo(m.done() - 1) }

func runToChange(m *model) tea.Cmd {
	c, err := session.ParseCondition("change")
	if err != nil {
		m.say(wrong, err.Error())
		return nil
	}
	return m.order(session.RunUntil{Until: c})
}
