package tui

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/snapshots"
)

// tabular is a pane whose content is rows. table copies what it needs from the scene and returns what writes
// the rows, the names of the columns first; that runs on another goroutine.
type tabular interface {
	pane
	table(s *scene) func(row func(cells ...string)) error
}

// exportedMsg says what became of an export.
type exportedMsg struct {
	path  string
	bytes int64
	err   error
}

func askExport(m *model) tea.Cmd {
	_, name := m.picture()
	p := m.ask("export", prompt{
		label: "write " + name + " to", hint: ".txt .csv .svg .png by its name",
		enter: func(m *model, text string) (tea.Cmd, error) { return m.export(text) },
	})
	p.input.set(name + ".svg")
	return nil
}

// export writes what has the focus to a file, on another goroutine. A file that is there is replaced only
// when the name ends with an exclamation mark.
func (m *model) export(text string) (tea.Cmd, error) {
	path, replace := strings.CutSuffix(strings.TrimSpace(text), "!")
	if path == "" {
		return nil, errors.New("give a file's name that ends with .txt, .csv, .svg or .png")
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		path = filepath.Join(lookup(m.env, "HOME"), rest)
	}
	s, name := m.picture()
	var panes []paneID
	for _, p := range m.focused() {
		panes = append(panes, p.pane)
	}
	write, err := m.exporter(path, s, name, panes)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err == nil && !replace {
		return nil, fmt.Errorf("%s is there already; %s! replaces it", path, path)
	}
	return func() tea.Msg {
		defer m.crash.guard()
		err := writeFile(path, write)
		msg := exportedMsg{path: path, err: err}
		if info, stat := os.Stat(path); stat == nil {
			msg.bytes = info.Size()
		}
		return msg
	}, nil
}

// writeFile writes a file whole or not at all.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := snapshots.Create(path)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Discard()
		return err
	}
	_, err = f.Commit()
	return err
}

// exporter is what writes s, or the rows of the first of panes that has any, in the form that a file's name
// asks for.
func (m *model) exporter(path string, s *surface, name string, panes []paneID) (func(io.Writer) error, error) {
	b := m.colours.chosen
	if b == BackgroundUnknown {
		b = m.colours.answered
	}
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".txt":
		text := s.String(nil) + "\n"
		return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }, nil
	case ".svg":
		return func(w io.Writer) error { return paintSVG(w, s, b) }, nil
	case ".png":
		return func(w io.Writer) error { return paintPNG(w, s, b) }, nil
	case ".csv":
		for _, p := range panes {
			if t, ok := m.panes[p].(tabular); ok {
				table := t.table(&m.scene)
				return func(w io.Writer) error { return writeCSV(w, table) }, nil
			}
		}
		return nil, fmt.Errorf("%s has no rows for a .csv; .txt, .svg and .png work", name)
	default:
		return nil, fmt.Errorf("%q says no form; end the name with .txt, .csv, .svg or .png", filepath.Base(path))
	}
}

func writeCSV(w io.Writer, table func(row func(...string)) error) error {
	c := csv.NewWriter(w)
	var failed error
	err := table(func(cells ...string) {
		if failed == nil {
			failed = c.Write(cells)
		}
	})
	c.Flush()
	return errors.Join(err, failed, c.Error())
}

func (m *model) exported(msg exportedMsg) {
	if msg.err != nil {
		m.say(wrong, "not written: "+firstLine(msg.err.Error()))
		return
	}
	m.say(ends, "wrote "+msg.path+", "+engine.Grouped(msg.bytes)+" bytes")
}
