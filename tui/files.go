package tui

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/session"
)

// What the palette does with files: kernels in, recordings and planes out.

// files are the deeds that ask for a file.
func (m *model) files() []deed {
	if _, ok := m.session.(player); ok {
		return nil
	}
	off := ""
	if m.state.Kernel == nil {
		off = "no kernel is loaded"
	}
	record := deed{name: "record decisions to a file, for eaglet replay...", off: off, do: askRecord}
	if m.state.Recording != "" {
		record = deed{name: "stop recording to " + m.state.Recording, do: command(session.StopRecording{})}
	}
	return []deed{record, {name: "write the planes to a .npz or .csv file...", off: busy(m), do: askPlanes}}
}

func askKernel(m *model) tea.Cmd {
	m.ask("kernel", prompt{
		label: "load kernel", hint: "a .go file, a folder, or a bundled name",
		enter: func(m *model, text string) (tea.Cmd, error) {
			if text == "" {
				return nil, errors.New("give a .go file, a folder, or the name of a bundled kernel")
			}
			return m.order(session.LoadKernel{Path: text}), nil
		},
	})
	return nil
}

// askFile asks for a file's name and gives the command that it makes.
func (m *model) askFile(kind, label, hint, usual string, make func(path string) session.Command) tea.Cmd {
	p := m.ask(kind, prompt{
		label: label, hint: hint,
		enter: func(m *model, text string) (tea.Cmd, error) {
			if text == "" {
				return nil, errors.New("give a file's name")
			}
			return m.order(make(text)), nil
		},
	})
	p.input.set(usual)
	return nil
}

func askRecord(m *model) tea.Cmd {
	return m.askFile("record", "record to", "a file *"+session.RecordingSuffix+"; also while a run is on", m.state.Kernel.IR.Name+session.RecordingSuffix,
		func(path string) session.Command { return session.Record{Path: path} })
}

func askPlanes(m *model) tea.Cmd {
	return m.askFile("planes", "write planes to", "a file *.npz or *.csv", m.state.Kernel.IR.Name+".npz",
		func(path string) session.Command { return session.Export{Path: path} })
}
