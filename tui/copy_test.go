package tui

import (
	"bytes"
	"encoding/csv"
	"errors"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

// gives runs what a key asks for to its end, batches too, and returns the messages.
func (m *model) gives(cmd tea.Cmd) []tea.Msg {
	if cmd == nil {
		return nil
	}
	msg := cmd()
	if list := reflect.ValueOf(msg); list.IsValid() && list.Kind() == reflect.Slice { // a batch or a sequence
		var out []tea.Msg
		for i := range list.Len() {
			if c, ok := list.Index(i).Interface().(tea.Cmd); ok {
				out = append(out, m.gives(c)...)
			}
		}
		return out
	}
	m.Update(msg)
	return []tea.Msg{msg}
}

// pressed presses a key and carries out what it asks for.
func (m *model) pressed(name string) []tea.Msg {
	_, cmd := m.Update(keyMsg(name))
	return m.gives(cmd)
}

func TestCopyIsThePaneAsText(t *testing.T) {
	cache := t.TempDir()
	m := newTestModel(after(41), 120, 40, GlyphsBraille)
	m.env = []string{"XDG_CACHE_HOME=" + cache, "HOME=" + cache}
	m.typed("5")
	clipboard := ""
	for _, msg := range m.pressed("y") {
		if v := reflect.ValueOf(msg); v.Kind() == reflect.String { // the clipboard's message is one of Bubble Tea's own
			clipboard = v.String()
		}
	}
	file, err := os.ReadFile(filepath.Join(cache, "eaglet", "copied.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if clipboard != string(file) || !strings.Contains(clipboard, "Source: finish at oscillator.go:21") || !strings.Contains(clipboard, "terminated = s.T >= s.TEnd") {
		t.Errorf("the clipboard has\n%s\nthe file\n%s", clipboard, file)
	}
	if strings.Contains(clipboard, "Report") || strings.Contains(clipboard, "\x1b") {
		t.Error("more is copied than the pane's text")
	}
	if text := m.screen().String(nil); !strings.Contains(text, "copied source, ") || !strings.Contains(text, "~/eaglet/copied.txt") {
		t.Errorf("it is not said where the copy is:\n%s", text)
	}
}

func TestACopyThatIsTooLongForTheClipboardIsInTheFile(t *testing.T) {
	cache := t.TempDir()
	m := newTestModel(newScript(10), 160, 40, GlyphsBraille)
	m.env = []string{"HOME=" + cache}
	messages := m.gives(m.copyText(strings.Repeat("x", clipboardLimit+1), "much"))
	if len(messages) != 1 {
		t.Errorf("%d messages: the clipboard was written", len(messages))
	}
	if !strings.Contains(m.screen().String(nil), "too long for the terminal's clipboard") {
		t.Error("it is not said that the clipboard has not got it")
	}
	m.copied(copiedMsg{what: "it", clipboard: true, err: errors.New("disk full")})
	if !strings.Contains(m.screen().String(nil), "no file holds it: disk full") {
		t.Error("a failure is not said")
	}
	if copyFile([]string{"XDG_CACHE_HOME=relative"}) != "" || copyFile(nil) != "" {
		t.Error("a copy would be written into the current folder")
	}
}

func TestTheCommandMakesTheRunAgain(t *testing.T) {
	s := newScript(10).state
	s.R = 0.125
	s.Launching = session.Launching{Entry: engine.EntryPersistent, Chunk: 16}
	want := "eaglet run oscillator.go -n 10 --seed 1 --max-steps 10000 --policy band --band-r 0.125 --entry persistent --chunk 16 --set dt=0.001"
	if got := commandLine(s); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, c := range [][2]string{
		{"a.go", "a.go"}, {"my kernel.go", "'my kernel.go'"}, {"it's.go", `'it'\''s.go'`}, {"", "''"}, {"$(x)", "'$(x)'"},
	} {
		if got := quoted(c[0]); got != c[1] {
			t.Errorf("%q is written %s, want %s", c[0], got, c[1])
		}
	}
}

func TestExports(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	m := newTestModel(over(), 120, 40, GlyphsBraille)
	write := func(name string) []byte {
		t.Helper()
		m.typed("o")
		p, ok := m.top().(*prompt)
		if !ok {
			t.Fatal("no name is asked for")
		}
		p.input.set(at(name))
		m.pressed("enter")
		data, err := os.ReadFile(at(name))
		if err != nil {
			t.Fatalf("%v\n%s", err, m.screen().String(nil))
		}
		if !strings.Contains(m.note.text, "wrote "+at(name)) {
			t.Errorf("the status line says %q", m.note.text)
		}
		return data
	}
	if text := string(write("run.txt")); !strings.Contains(text, "Live: ") || !strings.Contains(text, "Band: ") || strings.Contains(text, "Report") {
		t.Errorf("run.txt:\n%s", text)
	}
	if _, err := png.Decode(bytes.NewReader(write("run.png"))); err != nil {
		t.Error(err)
	}
	if text := string(write("run.svg")); !strings.HasPrefix(text, "<svg ") {
		t.Error("run.svg is no SVG")
	}
	rows, err := csv.NewReader(bytes.NewReader(write("run.csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(rows), m.feed.records.total+1; got != want {
		t.Errorf("run.csv has %d rows, want %d", got, want)
	}
	last := m.feed.records.last()
	if got := rows[len(rows)-1]; got[0] != whole(last.launch.Number) || got[1] != whole(last.launch.Word) || got[10] != "0.125" {
		t.Errorf("the last launch is %v", got)
	}

	// What is there is not replaced by accident.
	m.typed("o")
	p := m.top().(*prompt)
	p.input.set(at("run.txt"))
	if m.typed("enter"); !strings.Contains(p.why, "is there already") {
		t.Errorf("an existing file gives %q", p.why)
	}
	p.input.set(at("run.txt!"))
	if m.pressed("enter"); m.top() != nil {
		t.Errorf("with ! it is not replaced: %q", p.why)
	}
	for _, c := range [][2]string{{"", "give a file's name"}, {"run", "says no form"}, {"run.jpg", "says no form"}} {
		m.typed("o")
		p := m.top().(*prompt)
		p.input.set(c[0])
		if m.typed("enter"); !strings.Contains(p.why, c[1]) {
			t.Errorf("%q gives %q, want %q", c[0], p.why, c[1])
		}
		m.typed("esc")
	}
	m.typed("o")
	m.top().(*prompt).input.set(filepath.Join(dir, "no", "run.txt"))
	if m.pressed("enter"); !strings.Contains(m.note.text, "not written: ") {
		t.Errorf("a folder that is not there gives %q", m.note.text)
	}
}

// Every pane that has rows gives them; all rows of a table have as many cells as its first.
func TestTablesAreWhole(t *testing.T) {
	for _, make := range []func() *script{over, stuck, broken, faulted, func() *script { return newScript(10) }} {
		m := newTestModel(make(), 120, 40, GlyphsBraille)
		for p := range paneCount {
			tab, ok := m.panes[p].(tabular)
			if !ok {
				continue
			}
			columns := -1
			err := tab.table(&m.scene)(func(cells ...string) {
				if columns < 0 {
					columns = len(cells)
				}
				if len(cells) != columns {
					t.Errorf("%s: a row of %d cells, the first has %d", paneNames[p], len(cells), columns)
				}
			})
			if (err == nil) != (columns > 0) { // one that has nothing to tell yet says so
				t.Errorf("%s: %v, %d columns", paneNames[p], err, columns)
			}
		}
	}
}
