package tui

import (
	"errors"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/session"
)

// saveKeys write the session to a file.
func saveKeys() []binding {
	return []binding{{
		name: "save-session", keys: []string{"ctrl+s"}, title: says("save the session: what makes the batch, its options, the step it stands at"), brief: says("save"),
		off: busy, do: (*model).askSave,
	}}
}

// askSave asks for the file.
func (m *model) askSave() tea.Cmd {
	ask := m.ask("session", prompt{
		label: "save the session to", hint: "NAME.toml; eaglet open NAME.toml goes on",
		enter: func(m *model, text string) (tea.Cmd, error) {
			path := strings.TrimSpace(text)
			switch {
			case path == "" || path == ".toml":
				return nil, errors.New("give a file's name that ends with .toml")
			case filepath.Ext(path) == "":
				path += ".toml"
			}
			if rest, ok := strings.CutPrefix(path, "~/"); ok {
				path = filepath.Join(lookup(m.env, "HOME"), rest)
			}
			return m.order(session.Save{Path: path}), nil
		},
	})
	ask.input.set(m.state.Kernel.IR.Name + ".toml")
	return nil
}
