package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

func TestALineIsEdited(t *testing.T) {
	for _, c := range []struct {
		name string
		keys []string
		want string
		at   int
	}{
		{"what is typed stands there", []string{"a", "b", "c"}, "abc", 3},
		{"left puts between", []string{"a", "c", "left", "b"}, "abc", 2},
		{"backspace takes the one before", []string{"a", "b", "left", "backspace"}, "b", 0},
		{"delete takes the one under", []string{"a", "b", "home", "delete"}, "b", 0},
		{"at the ends nothing is taken", []string{"a", "delete", "home", "backspace"}, "a", 0},
		{"ctrl+w takes a word", []string{"a", "b", "space", "c", "d", "ctrl+w"}, "ab ", 3},
		{"ctrl+w takes the blanks behind a word too", []string{"a", "b", "space", "space", "ctrl+w"}, "", 0},
		{"ctrl+u takes all before", []string{"a", "b", "left", "ctrl+u"}, "b", 0},
		{"ctrl+k takes all behind", []string{"a", "b", "left", "ctrl+k"}, "a", 1},
		{"wide characters count as one", []string{"a", "界", "left", "x"}, "ax界", 2},
		{"a key with ctrl that means nothing types nothing", []string{"a", "ctrl+q"}, "a", 1},
	} {
		var e input
		for _, k := range c.keys {
			e.press(keyMsg(k))
		}
		if e.text() != c.want || e.at != c.at {
			t.Errorf("%s: %q with the cursor at %d, want %q, %d", c.name, e.text(), e.at, c.want, c.at)
		}
	}
}

func TestPastedTextIsOneLine(t *testing.T) {
	var e input
	e.insert("a\tb\nc\x1b[31md\u200b")
	if e.text() != "a b c[31md" {
		t.Errorf("got %q", e.text())
	}
	e.insert(strings.Repeat("x", 2*longestInput))
	if len(e.runes) != longestInput {
		t.Errorf("%d runes, at most %d", len(e.runes), longestInput)
	}
}

func TestHistoryGoesUpAndBackDown(t *testing.T) {
	h := &history{}
	for _, line := range []string{"one", "two", "one", ""} {
		h.add(line)
	}
	if got := strings.Join(h.lines, " "); got != "two one" {
		t.Errorf("kept %q", got)
	}
	e := input{history: h}
	e.insert("thr")
	for _, c := range []struct{ key, want string }{
		{"up", "one"}, {"up", "two"}, {"up", "two"}, {"down", "one"}, {"down", "thr"}, {"down", "thr"},
	} {
		e.press(keyMsg(c.key))
		if e.text() != c.want {
			t.Errorf("%s gives %q, want %q", c.key, e.text(), c.want)
		}
	}
	for i := range 2 * longestHistory {
		h.add(strings.Repeat("x", i+1))
	}
	if len(h.lines) != longestHistory {
		t.Errorf("%d lines are kept", len(h.lines))
	}
}

// A text of any width shows the part around the cursor, and nothing leaves the line.
func TestALongLineShowsItsCursor(t *testing.T) {
	var e input
	e.insert(strings.Repeat("界", 30) + "end")
	for _, w := range []int{1, 2, 3, 7, 20, 80} {
		for at := range len(e.runes) + 1 {
			e.at = at
			s := newSurface(w, 1, false)
			e.draw(s.canvas(), 0)
			marked := 0
			for _, c := range s.cells {
				if c.s == selected {
					marked++
				}
			}
			if w >= 7 && marked == 0 {
				t.Fatalf("width %d, cursor at %d: it is not to be seen", w, at)
			}
		}
	}
}

func TestAPromptKeepsWhatWasRefused(t *testing.T) {
	s := newScript(10)
	m := newTestModel(s, 80, 24, GlyphsBraille).typed("u", "0", "enter")
	text := m.screen().String(nil)
	if !strings.Contains(text, "run until 0") || !strings.Contains(text, "1 or more") {
		t.Errorf("the prompt is gone, or says nothing:\n%s", text)
	}
	if m.typed("backspace", "7", "enter"); m.top() != nil || len(s.commands) != 1 {
		t.Errorf("the session was given %v", s.commands)
	}
	m.typed("u", "up")
	if p, ok := m.top().(*prompt); !ok || p.input.text() != "7" {
		t.Error("what was entered before does not come back")
	}
	m.Update(tea.PasteMsg{Content: "3\n"})
	if p := m.top().(*prompt); p.input.text() != "73 " {
		t.Errorf("after pasting %q", p.input.text())
	}
	if m.typed("esc"); m.top() != nil {
		t.Error("esc does not leave the prompt")
	}
	m.Update(tea.PasteMsg{Content: "x"})
	if !strings.Contains(m.screen().String(nil), "nothing to paste into") {
		t.Error("a paste into nothing is not answered")
	}
}
