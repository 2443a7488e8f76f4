package tui

import tea "charm.land/bubbletea/v2"

// all runs a command, and those that it is a batch of, and returns the messages.
func all(cmd tea.Cmd) []tea.Msg {
	if cmd == nil {
		return nil
	}
	switch msg := cmd().(type) {
	case nil:
		return nil
	case tea.BatchMsg:
		var out []tea.Msg
		for _, c := range msg {
			out = append(out, all(c)...)
		}
		return out
	default:
		return []tea.Msg{msg}
	}
}
