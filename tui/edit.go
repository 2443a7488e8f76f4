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
		return k.IR.Name + " comes with eaglet, e makes it yours"
	}
	return ""
}

// ownedMsg says that a bundled kernel has been written to a file of the user's.
type ownedMsg struct {
	path string
	err  error
}

// askOwn asks where a bundled kernel is to be written, so that it can be changed.
func askOwn(m *model) tea.Cmd {
	k := m.state.Kernel
	p := m.ask("own", prompt{
		label: "make " + k.IR.Name + " yours, as", hint: "a new file; enter writes and loads it, then e edits it",
		enter: func(m *model, path string) (tea.Cmd, error) {
			if filepath.Ext(path) != ".go" {
				return nil, errors.New("a kernel's file is named *.go")
			}
			if len(k.Sources) != 1 {
				return nil, errors.New("this kernel has several files: eaglet new makes a folder to begin from")
			}
			text, crash := k.Sources[0].Text, m.crash
			return func() tea.Msg {
				defer crash.guard()
				f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666) // nothing is lost
				if err == nil {
					_, err = f.Write(text)
					err = errors.Join(err, f.Close())
				}
				return ownedMsg{path, err}
			}, nil
		},
	})
	p.input.set(k.IR.Name + ".go")
	return nil
}

// owned loads the file that was written.
func (m *model) owned(msg ownedMsg) tea.Cmd {
	if msg.err != nil {
		m.say(wrong, "not written: "+firstLine(msg.err.Error()))
		return nil
	}
	if !strings.ContainsAny(msg.path, `/\`) {
		msg.path = "." + string(filepath.Separator) + msg.path // a bare name would be the bundled one
	}
	m.say(ends, "wrote "+msg.path+"; e edits it, and what you save is swapped in")
	return m.order(session.LoadKernel{Path: msg.path})
}

// editOff is why nothing can be edited.
func editOff(m *model) string {
	if m.state.Kernel == nil {
		return "no kernel is loaded"
	}
	return ""
}

// edit opens the kernel's file in the user's editor, or makes a bundled kernel a file first. The session sees
// what is saved while it is open; a run goes on meanwhile.
func edit(m *model) tea.Cmd {
	if fileOff(m) != "" {
		return askOwn(m)
	}
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
	editing := exec.Command(words[0], append(words[1:], file)...)
	if m.terminal != nil { // the process's own output does not reach it while the workbench is up
		editing.Stdout, editing.Stderr = m.terminal, m.terminal
	}
	return tea.ExecProcess(editing, func(err error) tea.Msg { return editedMsg{err} })
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
