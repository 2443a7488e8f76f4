package tui

import (
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/session"
)

func TestNoKeyIsDouble(t *testing.T) {
	seen := map[string]string{} // those that hold everywhere
	type place struct {
		in  group
		key string
	}
	local := map[place]string{}
	m := newTestModel(newScript(10), 80, 24, GlyphsBraille)
	for _, b := range m.keys {
		if len(b.keys) == 0 || b.do == nil || b.title == nil || b.title(m) == "" {
			t.Errorf("%v: a binding has keys, a title and a handler", b.keys)
		}
		for _, k := range b.keys {
			other, ok := seen[k]
			if b.local && !ok {
				other, ok = local[place{b.where, k}]
			}
			if ok {
				t.Errorf("%q is %q and %q", k, b.title(m), other)
			}
			if b.local {
				local[place{b.where, k}] = b.title(m)
			} else {
				seen[k] = b.title(m)
			}
			if got := keyMsg(k).String(); got != k {
				t.Errorf("the key %q arrives as %q", k, got)
			}
		}
	}
	for _, old := range []string{"ctrl+i", "ctrl+m", "ctrl+h", "ctrl+["} {
		if _, ok := seen[old]; ok {
			t.Errorf("%s is another key on old terminals", old)
		}
	}
}

func TestHelpListsEveryKey(t *testing.T) {
	for _, size := range [][2]int{{60, 16}, {120, 60}} {
		m := newTestModel(newScript(10), size[0], size[1], GlyphsBraille).typed("?")
		seen := ""
		for range 40 {
			seen += m.screen().String(nil)
			m.typed("pgdown")
		}
		for _, b := range m.keys {
			if !strings.Contains(seen, "  "+b.shownKeys()+" ") || !strings.Contains(seen, firstWords(b.title(m))) {
				t.Errorf("%v: help does not list %s", size, b.shownKeys())
			}
		}
		if m.typed("esc"); strings.Contains(m.screen().String(nil), "Help:") {
			t.Errorf("%v: esc does not close help", size)
		}
	}
}

// firstWords is the beginning of a sentence that no line break reaches.
func firstWords(text string) string { return prefix(text, 20) }

func TestAKeyThatIsOffSaysWhy(t *testing.T) {
	noFinish := func() *script {
		s := newScript(10)
		k := *s.state.Kernel
		i := *k.IR
		i.Finish = nil
		k.IR = &i
		s.state.Kernel = &k
		return s
	}
	empty := func() *script {
		s := newScript(10)
		s.state = &session.State{Generation: 1, Phase: session.Empty}
		return s
	}
	for _, c := range []struct {
		name string
		make func() *script
		key  string
		says string
	}{
		{"a step during a run", func() *script { return after(3) }, "s", "s: a run is on, space pauses it"},
		{"a rewind during a run", func() *script { return after(3) }, "R", "R: a run is on, space pauses it"},
		{"a rewind at the start", func() *script { return newScript(10) }, "R", "R: the batch is at its start"},
		{"a run when all is finished", over, "space", "space: every sample is finished, R rewinds"},
		{"a step when all is finished", over, "S", "S: every sample is finished, R rewinds"},
		{"a run without a kernel", empty, "space", "space: no kernel is loaded"},
		{"a run without a finish declaration", noFinish, "space", "space: oscillator declares no finish, u runs a number of steps"},
		{"a cursor without launches", func() *script { return newScript(10) }, "h", "h: there is no launch yet"},
		{"scrolling where nothing scrolls", func() *script { return newScript(10) }, "j", "j: nothing to scroll here"},
		{"another policy during a run", func() *script { return after(3) }, "p", "p: a run is on"},
	} {
		s := c.make()
		m := newTestModel(s, 100, 30, GlyphsBraille).typed(c.key)
		if text := m.screen().String(nil); !strings.Contains(text, c.says) {
			t.Errorf("%s: %q is not on screen:\n%s", c.name, c.says, text)
		}
		if len(s.commands) != 0 {
			t.Errorf("%s: the session was given %v", c.name, s.commands)
		}
		if m.typed("4"); strings.Contains(m.screen().String(nil), c.says) {
			t.Errorf("%s: the sentence stays after the next key", c.name)
		}
	}
}

func TestTheFooterHoldsWhatIsOn(t *testing.T) {
	m := newTestModel(after(41), 80, 24, GlyphsBraille)
	lines := strings.Split(m.screen().String(nil), "\n")
	footer := lines[len(lines)-1]
	for _, want := range []string{"space pause", "? help", "q quit"} {
		if !strings.Contains(footer, want) {
			t.Errorf("%q is not in %q", want, footer)
		}
	}
	if strings.Contains(footer, "s launch") {
		t.Errorf("a key that is off is in %q", footer)
	}
}

func TestTheCursorStaysOnWhatIsKept(t *testing.T) {
	s := after(41)
	m := newTestModel(s, 80, 24, GlyphsBraille)
	for _, c := range []struct {
		key  string
		want int
	}{
		{"l", -1},
		{"h", 39},
		{"h", 38},
		{"l", 39},
		{"l", 40},
		{"l", -1},
		{"g", 0},
		{"h", 0},
		{"G", -1},
		{"left", 39},
		{"esc", -1},
	} {
		if m.typed(c.key); m.cursor != c.want {
			t.Fatalf("after %s the cursor is %d, want %d", c.key, m.cursor, c.want)
		}
	}
	m.typed("[")
	at := m.cursor
	if a, b := m.feed.records.at(at).launch.Word, m.feed.records.at(at+1).launch.Word; a == b {
		t.Errorf("no change of the word at launch %d: %d, %d", at+1, a, b)
	}
	s.launch(0)
	m.Update(frameMsg{})
	if m.cursor != at {
		t.Error("a new launch moves the cursor")
	}
}
