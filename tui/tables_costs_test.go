package tui

import (
	"strings"
	"testing"
	"time"

	"github.com/eaglet-workbench/eaglet/engine/counting"
)

// csvOf is what a pane would write.
func csvOf(t *testing.T, p tabular, s *scene) string {
	t.Helper()
	var b strings.Builder
	if err := writeCSV(&b, p.table(s)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTablesOfCosts(t *testing.T) {
	s := over()
	m := newTestModel(s, 120, 40, GlyphsBraille)
	regret, lab := &regretPane{}, &labPane{}
	for _, p := range []tabular{regret, lab} {
		if text := csvOf(t, p, &m.scene); strings.Count(text, "\n") != 1 {
			t.Errorf("%T has rows before anything is counted:\n%s", p, text)
		}
	}
	asked(t, regret, &m.scene, s)
	asked(t, lab, &m.scene, s)
	x := threePicks(39 * time.Millisecond)
	for _, c := range []struct {
		name  string
		text  string
		lines int
		says  []string
	}{
		{"compactions", csvOf(t, compactPane{}, &m.scene), 1 + m.feed.compactions, []string{"launch,done_steps", "\n3,144,10000,908,0.125,12000,"}},
		{"runs", csvOf(t, &pickPane{}, x.scene), 4, []string{"2,fused,\"a probe, timed\",true,finished,39000000,1000000,39,,0", "persistent,\"the first run, timed\""}},
		{"regret", csvOf(t, regret, &m.scene), 1 + 3 + 64, []string{"oracle,the best sequence of words,", "band,this run,135,6016,133,", "\n64,,"}},
		{"orders", csvOf(t, lab, &m.scene), 1 + int(counting.Arrangements), []string{"interleaved,10000,", "\"spread 100..6,000 steps\",band"}},
	} {
		if got := strings.Count(c.text, "\n"); got != c.lines {
			t.Errorf("%s: %d lines, want %d:\n%s", c.name, got, c.lines, c.text)
		}
		for _, want := range c.says {
			if !strings.Contains(c.text, want) {
				t.Errorf("%s: %q is not in\n%s", c.name, want, c.text)
			}
		}
	}
}

func TestLabIsClicked(t *testing.T) {
	m := newTestModel(newScript(1000), 120, 40, GlyphsBraille)
	p := &labPane{}
	view(p, &m.scene, 80, 20)
	p.click(&m.scene, 14, 1)
	if p.row != 1 || p.want.shape.Shape != counting.Spread {
		t.Errorf("a click chooses row %d and changes the shape to %s", p.row, p.want.shape.Shape)
	}
	p.click(&m.scene, 26, 1)
	if p.want.shape.Shape != counting.Uniform {
		t.Errorf("a click on the right half changes the shape to %s", p.want.shape.Shape)
	}
	p.click(&m.scene, 14, 1)
	p.click(&m.scene, 60, 1)
	p.click(&m.scene, 14, 19)
	if p.want.shape.Shape != counting.Spread || p.row != 1 {
		t.Errorf("back on the left half: %s, row %d", p.want.shape.Shape, p.row)
	}
}
