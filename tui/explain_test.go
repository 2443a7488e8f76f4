package tui

import (
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
)

// flat is text without line breaks.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

func TestExplainSaysWhatTheLogSays(t *testing.T) {
	m := newTestModel(over(), 200, 60, GlyphsBraille).typed("[", "[")
	r := m.selected()
	said := strings.Join(whyPane{}.explain(&m.scene), "\n")
	found := 0
	for i := range m.feed.log.total {
		if e := m.feed.log.at(i); e.Turn == r.turn {
			found++
			if sentence := engine.Sentence(*e); !strings.Contains(said, sentence) {
				t.Errorf("the log says %q, the card\n%s", sentence, said)
			}
		}
	}
	if found == 0 {
		t.Fatal("the log says nothing about the launch")
	}
	for _, want := range []string{"it would be ", "a step costs R/k + h*k/2 = ", "R is 0.125 steps"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not said:\n%s", want, said)
		}
	}
}

func TestExplainFollowsTheCursorAndCloses(t *testing.T) {
	m := newTestModel(over(), 120, 40, GlyphsBraille).typed("[", "a")
	number := m.selected().launch.Number
	if text := m.screen().String(nil); !strings.Contains(text, "Explain: why launch") || !strings.Contains(text, "Launch "+engine.Grouped(number)+": ") {
		t.Fatalf("no card about launch %d:\n%s", number, text)
	}
	m.typed("h")
	if text := m.screen().String(nil); !strings.Contains(text, "Launch "+engine.Grouped(number-1)+": ") {
		t.Errorf("the card does not follow the cursor to launch %d:\n%s", number-1, text)
	}
	if m.typed("a"); m.top() != nil {
		t.Error("a does not close the card")
	}
	m.typed("3", "a")
	if text := m.screen().String(nil); !strings.Contains(text, "Explain: regret") {
		t.Errorf("in Costs it is not about costs:\n%s", text)
	}
	if m.typed("esc"); m.top() != nil {
		t.Error("esc does not close the card")
	}
	m.typed("B", "a")
	if text := m.screen().String(nil); !strings.Contains(text, "Explain: lab") {
		t.Errorf("in the lab it is not about the lab:\n%s", text)
	}
}

// Every pane that explains has words in every state, and whole sentences on screen.
func TestExplainHasWordsForEveryState(t *testing.T) {
	for _, story := range []func() *script{func() *script { return newScript(10) }, func() *script { return after(1) }, func() *script { return after(41) }, over, passing} {
		m := newTestModel(story(), 120, 40, GlyphsBraille)
		for id, p := range m.panes {
			e, ok := p.(explainer)
			if !ok {
				continue
			}
			text := flat(strings.Join(e.explain(&m.scene), " "))
			if text == "" || strings.Contains(text, "%!") {
				t.Errorf("pane %d explains %q", id, text)
			}
		}
	}
}
