package tui

import (
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

// forkedScript is a script whose run is over, with a fork of another R.
func forkedScript(r float64) *script {
	a, b := over(), newScript(10_000)
	b.r = r
	b.start(false)
	for b.launch(0) {
	}
	f := &session.Fork{Changes: []string{"R 2 instead of 0.125"}, Equal: session.Equality{Known: true}}
	var buf [1 << 14]engine.Event
	n, _ := b.trace.Read(0, buf[:])
	f.Events = append(f.Events, buf[:n]...)
	f.Report = engine.Report{Launches: int(b.counts.Launches), Steps: int(b.done), Finished: 10_000, Policy: "band", Entry: "fused", R: r}
	a.change(func(x *session.State) { x.Fork = f })
	return a
}

func TestAForkSaysWhereItParts(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}} {
		m := newTestModel(forkedScript(2), size[0], size[1], GlyphsBraille).typed("d")
		text := m.screen().String(nil)
		for _, want := range []string{"Fork: R 2 instead of 0.125", "A: this run", "B: R 2 instead of 0.125", "part at launch ", "R 0.125 against 2", "the same, bit for bit"} {
			if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
				t.Errorf("%v: %q is not on screen:\n%s", size, want, text)
			}
		}
	}
	same := newTestModel(forkedScript(0.125), 120, 40, GlyphsASCII).typed("d")
	if text := same.screen().String(nil); !strings.Contains(text, "the same in every launch") {
		t.Errorf("a fork with the same R:\n%s", text)
	}
}

func TestWhatIfIsAsked(t *testing.T) {
	s := over()
	m := newTestModel(s, 100, 30, GlyphsBraille).typed("w", "R", "=", "2", ",", "p", "o", "l", "i", "c", "y", "=", "t", "i", "l", "e", "d", "enter")
	if len(s.commands) != 1 {
		t.Fatalf("the session was given %v:\n%s", s.commands, m.screen().String(nil))
	}
	c := s.commands[0].(session.ForkRun)
	if c.R == nil || *c.R != 2 || c.Policy == nil || *c.Policy != engine.PolicyTiled || m.shown != groupFork {
		t.Errorf("%+v, group %d", c, m.shown)
	}
	for text, want := range map[string]string{
		"":              "give NAME = VALUE",
		"R":             "give NAME = VALUE",
		"R = x":         "R is a number, not x",
		"policy = fast": "policy is auto",
		"entry = both":  "entry is auto, fused or persistent",
	} {
		if _, err := forkCommand(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q gives %v, want %q", text, err, want)
		}
	}
	if c, err := forkCommand("dt = 0.5, chunk=8,guard = mask"); err != nil || c.Values["dt"] != 0.5 || *c.Chunk != 8 || c.Compile.Guard != "mask" {
		t.Errorf("%+v, %v", c, err)
	}
}
