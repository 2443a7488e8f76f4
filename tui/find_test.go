package tui

import (
	"errors"
	"strings"
	"testing"
)

// The log keeps the sentences that hold the text, and n and N go from one to the next.
func TestTextIsFoundInTheLog(t *testing.T) {
	m := newTestModel(over(), 80, 24, GlyphsBraille).typed("8", "/").spelled("next 64 steps")
	for range 3 { // the answer to the pane's question
		m.gives(m.inquire())
		m.View()
	}
	m.typed("enter")
	text := m.screen().String(nil)
	if !strings.Contains(text, "next 64 steps") || strings.Contains(text, "next 32 steps") {
		t.Errorf("kept is\n%s", text)
	}
	newest := m.logs.upper[0]
	if m.typed("N"); m.logs.upper[0] >= newest {
		t.Errorf("N goes from sentence %d to %d", newest, m.logs.upper[0])
	}
	if m.typed("n"); m.logs.upper[0] != newest {
		t.Errorf("n comes back to sentence %d, want %d", m.logs.upper[0], newest)
	}
	m.typed("/", "esc")
	m.gives(m.inquire())
	if m.View(); !strings.Contains(m.screen().String(nil), "compaction") {
		t.Error("esc does not show all again")
	}
}

func TestTextIsFoundInTheSource(t *testing.T) {
	m := newTestModel(newScript(10), 80, 24, GlyphsBraille).typed("5", "/").spelled("OSCILLATOR").typed("enter")
	var seen []int
	for range 4 {
		seen = append(seen, m.source.mark)
		m.typed("n")
	}
	if seen[0] != 1 || seen[1] <= seen[0] || seen[2] <= seen[1] {
		t.Errorf("lines %v", seen)
	}
	at := m.source.mark
	if m.typed("N"); m.source.mark >= at {
		t.Error("N does not go up")
	}
	m.typed("/").spelled("nowhere").typed("enter")
	if !strings.Contains(m.note.text, "no match") {
		t.Errorf("what is not there gives %q", m.note.text)
	}
}

var errBadFilter = errors.New("say what to keep: x > 3")

// filtered is a pane that takes a filter.
type filtered struct {
	livePane
	text string
	err  error
}

func (f *filtered) filter(_ *scene, text string) error {
	f.text = text
	return f.err
}

func TestAFilterHoldsWhileItIsTyped(t *testing.T) {
	m := newTestModel(newScript(10), 80, 24, GlyphsBraille)
	f := &filtered{}
	m.panes[paneLive] = f
	if m.typed("/").spelled("x > 3"); f.text != "x > 3" {
		t.Errorf("the filter is %q", f.text)
	}
	f.err = errBadFilter
	if m.typed("enter"); m.top() == nil || !strings.Contains(m.top().(*prompt).why, "say what") {
		t.Error("a filter that is none is taken")
	}
	if m.typed("esc"); f.text != "" {
		t.Errorf("esc leaves the filter %q", f.text)
	}
	m.shown = groupReport
	if m.typed("/"); m.top() != nil {
		t.Error("a pane without rows to filter asks for a filter")
	}
}

func TestHelpIsNarrowed(t *testing.T) {
	m := newTestModel(newScript(10), 100, 30, GlyphsBraille).typed("?", "/").spelled("zoom").typed("enter")
	text := m.screen().String(nil)
	if !strings.Contains(text, "zoom the time axis in") || strings.Contains(text, "rewind to the start") {
		t.Errorf("help about zoom:\n%s", text)
	}
	if m.typed("esc"); !strings.Contains(m.screen().String(nil), "rewind to the start") {
		t.Error("esc does not show all again")
	}
	if m.typed("esc"); m.top() != nil {
		t.Error("a second esc does not close help")
	}
}

// The keys of what has the focus come first.
func TestHelpBeginsWithThePane(t *testing.T) {
	m := newTestModel(newScript(10), 100, 30, GlyphsBraille)
	for g := range groupCount {
		m.shown = g
		lines := (&helpPane{}).lines(m)
		local := false
		for i := range m.keys {
			local = local || m.keys[i].local && m.keys[i].where == g
		}
		want := "everywhere"
		if local {
			want = "in " + groupNames[g]
		}
		if lines[0].text != want {
			t.Errorf("%s: help begins with %q, want %q", groupNames[g], lines[0].text, want)
		}
	}
}
