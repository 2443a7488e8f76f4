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
		label: "run until", hint: "+100, step 500, live < 10%, k = 32, change, sample 17, nan",
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
	text = strings.TrimSpace(strings.ReplaceAll(text, ",", ""))
	if at, ok := strings.CutPrefix(text, "step "); ok {
		n, err := strconv.Atoi(strings.TrimSpace(at))
		if err != nil || n < 0 {
			return nil, errors.New("give the step as a whole number: step 500")
		}
		return session.Seek{Step: n}, nil
	}
	n, err := strconv.Atoi(strings.TrimPrefix(text, "+"))
	switch {
	case err == nil && n >= 1:
		return session.RunSteps{N: n}, nil
	case err == nil || strings.HasPrefix(text, "+") || strings.HasPrefix(text, "-"):
		return nil, errors.New("give a whole number of steps, 1 or more: +100")
	}
	c, err := session.ParseCondition(text)
	if err != nil {
		return nil, err
	}
	return session.RunUntil{Until: c}, nil
}
