package tui

import (
	"errors"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/session"
)

// askUntil asks where to run to.
func (m *model) askUntil() tea.Cmd {
	m.ask("until", prompt{
		label: "run until", hint: "a number of steps: +100; enter runs, esc leaves",
		enter: func(m *model, text string) (tea.Cmd, error) {
			c, err := untilCommand(text)
			if err != nil {
				return nil, err
			}
			return m.order(c), nil
		},
	})
	return nil
}

// untilCommand is the command that a text asks for.
func untilCommand(text string) (session.Command, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(strings.ReplaceAll(text, ",", ""), "+"))
	if err != nil || n < 1 {
		return nil, errors.New("give a whole number of steps, 1 or more: +100")
	}
	return session.RunSteps{N: n}, nil
}
