package tui

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/aymanbagabas/go-udiff"

	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/session"
)

// editedMsg says that the editor has been left.
type editedMsg struct{ err error }

// fileOff is why the kernel's file cannot be edited or loaded again.
func fileOff(m *model) string {
	switch k := m.state.Kernel; {
	case k == nil:
		return "no kernel is loaded"
	case !strings.ContainsAny(k.Path, `/\.`):
		return k.IR.Name + " comes with eaglet: `eaglet kernels " + k.IR.Name + " > my.go` makes it yours"
	}
	return ""
}

// edit opens the kernel's file in the user's editor. The session sees what is saved while it is open; a run
// goes on meanwhile.
func edit(m *model) tea.Cmd {
	editor := lookup(m.env, "VISUAL")
	if editor == "" {
		editor = lookup(m.env, "EDITOR")
	}
	words := strings.Fields(editor)
	if len(words) == 0 {
		m.say(waits, "e: name your editor in $EDITOR, or open "+m.state.Kernel.Path+" beside this: what you save is loaded")
		return nil
	}
	k := m.state.Kernel
	file := k.Path
	if len(k.Sources) > 0 {
		file = k.Sources[finishFile(k)].Name
	}
	if info, err := os.Stat(k.Path); err == nil && info.IsDir() && !filepath.IsAbs(file) {
		file = filepath.Join(k.Path, filepath.Base(file))
	}
	return tea.ExecProcess(exec.Command(words[0], append(words[1:], file)...), func(err error) tea.Msg { return editedMsg{err} })
}

// edited takes in how the editor ended.
func (m *model) edited(msg editedMsg) {
	_, ended := errors.AsType[*exec.ExitError](msg.err)
	if msg.err != nil && !ended {
		m.say(wrong, "the editor did not start: "+firstLine(msg.err.Error()))
	}
}

// tellReload says once what a reload did.
func (m *model) tellReload() {
	r := m.state.Reloaded
	if r == m.reloaded {
		return
	}
	m.reloaded = r
	if r != nil {
		m.say(ends, r.Sentence())
	}
}

// changedLines are the numbers of the lines of text that differ from those of the kernel that a reload
// replaced.
func changedLines(r *session.Reloaded, k *kernels.Kernel) map[int]bool {
	if r == nil || r.Before == nil || len(r.Before.Sources) == 0 || len(k.Sources) == 0 {
		return nil
	}
	text := string(k.Sources[finishFile(k)].Text)
	before := string(r.Before.Sources[finishFile(r.Before)].Text)
	changed := map[int]bool{}
	shift := 0 // of offsets, from before to text
	for _, e := range udiff.Lines(before, text) {
		line := 1 + strings.Count(text[:min(e.Start+shift, len(text))], "\n")
		for range strings.Count(e.New, "\n") {
			changed[line] = true
			line++
		}
		if e.New != "" && !strings.HasSuffix(e.New, "\n") {
			changed[line] = true
		}
		shift += len(e.New) - (e.End - e.Start)
	}
	return changed
}
