package tui

import (
	"context"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaglet-workbench/eaglet/engine/counting"
)

func TestLabAnswersToEveryParameter(t *testing.T) {
	s := newScript(10_000)
	m := newTestModel(s, 120, 40, GlyphsBraille)
	p := &labPane{}
	asked(t, p, &m.scene, s)
	if p.want.shape.N != 10_000 || p.want.cap != 10_000 || p.want.stepsMax != 64 || !p.want.active {
		t.Errorf("the figures of the batch are not taken: %+v", p.want)
	}
	for i, k := range labKnobs {
		if k.name == "stops" {
			continue
		}
		p.row = i
		before, key := p.want, ""
		key, _ = p.wants(&m.scene)
		p.slide(&m.scene, +1)
		if p.want == before {
			p.slide(&m.scene, -1)
		}
		if next, _ := p.wants(&m.scene); p.want == before || next == key {
			t.Errorf("%s does not change: %s", k.name, k.value(&p.want))
		}
	}
	if p.scroll(99); p.row != len(labKnobs)-1 {
		t.Errorf("row %d", p.row)
	}
}

// Whatever the parameters are turned to, they can be counted and drawn.
func TestLabParametersStayInBounds(t *testing.T) {
	s := newScript(100)
	m := newTestModel(s, 120, 40, GlyphsBraille)
	rapid.Check(t, func(t *rapid.T) {
		p := &labPane{}
		p.begin(&m.scene)
		p.want.shape.N = 100
		for range rapid.IntRange(0, 40).Draw(t, "turns") {
			p.row = rapid.IntRange(1, len(labKnobs)-1).Draw(t, "row")
			if labKnobs[p.row].name == "samples" {
				continue // many are slow to count
			}
			p.slide(&m.scene, rapid.SampledFrom([]int{-1, 1, 1}).Draw(t, "by"))
		}
		b := p.want
		if b.shape.Shortest < 1 || b.shape.Shortest > b.shape.Longest || b.shape.Longest > labMostSteps || !(b.shape.Share > 0 && b.shape.Share <= 1) ||
			b.theta != 0 && !(b.theta > 0.249 && b.theta < 0.751) || !(b.r > 0) || b.cap < 1 || b.stepsMax < 1 {
			t.Fatalf("%+v", b)
		}
		key, ask := p.wants(&m.scene)
		answer, err := ask(context.Background(), s)
		if err != nil {
			t.Fatalf("%+v: %v", b, err)
		}
		p.answered(key, answer, nil)
		w, h := rapid.IntRange(1, 130).Draw(t, "w"), rapid.IntRange(1, 40).Draw(t, "h")
		view(p, &m.scene, w, h)
		if p.title(&m.scene) == "" || len(p.explain(&m.scene)) == 0 {
			t.Fatal("no words")
		}
	})
}

func TestLabSaysWhatAnOrderDoes(t *testing.T) {
	s := newScript(10_000)
	m := newTestModel(s, 200, 60, GlyphsASCII)
	p := &labPane{}
	p.begin(&m.scene)
	p.want.shape.Shape = counting.Half
	asked(t, p, &m.scene, s)
	a := p.answer
	asIs, sorted := &a.orders[counting.AsIs], &a.orders[counting.Sorted]
	if !(asIs.Fill() < 0.6 && sorted.Fill() > 0.99 && asIs.Gain() > 1.5 && sorted.Gain() < 1.01) {
		t.Errorf("half and half: fill %v as is, %v sorted; gain %v and %v", asIs.Fill(), sorted.Fill(), asIs.Gain(), sorted.Gain())
	}
	text := view(p, &m.scene, 120, 30)
	for _, want := range []string{"order", "warp fill", "as is", "sorted", "shuffled", "interleaved", percent(asIs.Fill()), factor(asIs.Gain()), "every second sample stops"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not said:\n%s", want, text)
		}
	}
}

func TestLabTakesTheStopsOfTheRun(t *testing.T) {
	s := over()
	m := newTestModel(s, 120, 40, GlyphsBraille)
	p := &labPane{}
	p.slide(&m.scene, +1) // row 0: stops
	asked(t, p, &m.scene, s)
	if p.answer == nil || p.answer.n != len(s.finish) || p.answer.weighed.Run.Launches != m.feed.launches() {
		t.Fatalf("of this run: %+v", p.answer)
	}
	if got := p.title(&m.scene); !strings.Contains(got, "stops of this run") {
		t.Errorf("title %q", got)
	}
}

func TestNiceNumbers(t *testing.T) {
	for _, c := range []struct {
		v    float64
		by   int
		want float64
	}{{1, 1, 2}, {2, 1, 5}, {5, 1, 10}, {10, 1, 20}, {10, -1, 5}, {5, -1, 2}, {2, -1, 1}, {1, -1, 1}, {6000, 1, 10_000}, {6000, -1, 5000}, {1e6, 1, 1e6}} {
		if got := nice(c.v, c.by, 1, 1e6); math.Abs(got-c.want) > 1e-9*c.want {
			t.Errorf("from %v by %d: %v, want %v", c.v, c.by, got, c.want)
		}
	}
}

// A story: B opens the lab, down and right turn a parameter, the arrows leave the cursor of the run alone.
func TestALabStory(t *testing.T) {
	m := newTestModel(over(), 120, 40, GlyphsBraille).typed("B", "down", "right", "right")
	if m.cursor != -1 {
		t.Errorf("the cursor has moved to %d", m.cursor)
	}
	text := m.screen().String(nil)
	for _, want := range []string{"two groups", "h less", "the oracle"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not on screen:\n%s", want, text)
		}
	}
	if text := m.typed("i").screen().String(nil); !strings.Contains(text, "spread") || strings.Contains(text, "two groups") {
		t.Errorf("i does not take the figures of the batch:\n%s", text)
	}
	if m.typed("1", "left"); m.cursor < 0 {
		t.Error("outside of the lab left does not move the cursor")
	}
}
