package tui

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

// decided is a scene with one launch and the band's decision after it.
func decided(n, newly, word uint32, r float64, done uint32) (*scene, *record) {
	s := newScript(10)
	f := &feed{trace: s.trace}
	f.begin(1)
	emit(s.trace, 1, 0, 0, engine.RunStart{N: n, MaxSteps: 10_000, StepsMax: 64, Policy: engine.PolicyBand, R: r, Active: true}.Event())
	emit(s.trace, 1, 1, 0, engine.Launch{Number: 1, Word: word, Live: n, Newly: newly, Done: done}.Event())
	h := engine.FinishShare(newly, n, word)
	k := engine.Band(newly, n, word, r, 64)
	p := engine.PolicyDecision{N: n, Newly: newly, Word: word, R: r, H: h, KStar: engine.KStar(r, h), K: k, StepsMax: 64}
	if newly < n {
		p.Next = min(k, 10_000-done)
	}
	emit(s.trace, 1, 1, 0, p.Event())
	f.pull(never)
	sc := &scene{state: s.state, feed: f, glyphs: &glyphSets[GlyphsASCII], cursor: -1, now: scriptStart}
	return sc, f.records.last()
}

func card(s *scene) string {
	var b strings.Builder
	for _, r := range reasons(s) {
		fmt.Fprintf(&b, "%s: %s\n", r.name, r.text)
	}
	return b.String()
}

func TestCardFillsInTheFormula(t *testing.T) {
	s, _ := decided(10_000, 57, 32, 0.125, 1312)
	want := `h: newly/(n*word) = 57/(10,000*32) = 1.78e-4 of the batch per step
k*: sqrt(2R/h) = sqrt(2*0.125/1.78e-4) = 37.5; R: cost of a compaction
k: 32, nearest power of two (22.6 to 45.3) in 8..64; not cut, 8,688 left
up: 64 if h <= 1.22e-4 (at most 39 finish) or R >= 0.182
down: 16 if h > 4.88e-4 (157 or more finish) or R < 0.0456
`
	if got := card(s); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := (whyPane{}).title(s); got != "Why launch 2 takes 32 steps" {
		t.Errorf("title %q", got)
	}
}

func TestCardAtTheEnds(t *testing.T) {
	for _, c := range []struct {
		name        string
		newly, word uint32
		r           float64
		done        uint32
		title, says string
	}{
		{"nobody finished", 0, 32, 0.125, 64, "Why launch 2 takes 64 steps", "has no bound: nobody finished"},
		{"held at the least", 5000, 8, 0.125, 64, "Why launch 2 takes 8 steps", "8, raised to the least of 8..64"},
		{"held at the most", 1, 64, 100, 64, "Why launch 2 takes 64 steps", "64, held at the most of 8..64"},
		{"cut by the cap", 1, 64, 100, 9_990, "Why launch 2 takes 10 steps", "cut to the 10 left"},
		{"no steps left", 1, 64, 100, 10_000, "Why launch 1 was the last: no steps are left", "64"},
		{"all finished", 10_000, 64, 100, 64, "Why launch 1 was the last: every sample is finished", "8"},
	} {
		s, _ := decided(10_000, c.newly, c.word, c.r, c.done)
		if got := (whyPane{}).title(s); got != c.title {
			t.Errorf("%s: title %q, want %q", c.name, got, c.title)
		}
		if got := card(s); !strings.Contains(got, c.says) {
			t.Errorf("%s: the card does not say %q:\n%s", c.name, c.says, got)
		}
	}
}

// The numbers of finishing samples at which the card says that the decision flips are exact: the band
// decides so on both sides of them.
func TestCardFlipsWhereTheBandDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint32Range(1, 1_000_000).Draw(t, "n")
		word := rapid.SampledFrom([]uint32{1, 8, 16, 32, 64, 10}).Draw(t, "word")
		newly := rapid.Uint32Range(0, n).Draw(t, "newly")
		r := math.Exp2(float64(rapid.IntRange(-10, 6).Draw(t, "log2 R")))
		s, _ := decided(n, newly, word, r, 100)
		k := engine.Band(newly, n, word, r, 64)
		var target, count uint32
		for _, line := range reasons(s) {
			text := strings.ReplaceAll(line.text, ",", "")
			switch line.name {
			case "up":
				if _, err := fmt.Sscanf(text[strings.Index(text, "(at"):], "(at most %d finish)", &count); err != nil {
					t.Fatal(err)
				}
				fmt.Sscanf(text, "%d", &target)
				if target <= k || engine.Band(count, n, word, r, 64) < target || engine.Band(count+1, n, word, r, 64) >= target {
					t.Fatalf("%q: the band gives %d at %d and %d at one more", line.text,
						engine.Band(count, n, word, r, 64), count, engine.Band(count+1, n, word, r, 64))
				}
			case "down":
				if _, err := fmt.Sscanf(text[strings.LastIndex(text[:strings.Index(text, " or more")], "("):], "(%d or more finish)", &count); err != nil {
					t.Fatal(err)
				}
				fmt.Sscanf(text, "%d", &target)
				if target >= k || engine.Band(count, n, word, r, 64) > target || engine.Band(count-1, n, word, r, 64) <= target {
					t.Fatalf("%q: the band gives %d at %d and %d at one less", line.text,
						engine.Band(count, n, word, r, 64), count, engine.Band(count-1, n, word, r, 64))
				}
			}
		}
	})
}

func TestCardWithoutDecisions(t *testing.T) {
	s := newScript(10)
	f := &feed{trace: s.trace}
	f.begin(1)
	sc := &scene{state: s.state, feed: f, glyphs: &glyphSets[GlyphsASCII], cursor: -1, now: scriptStart}
	if got := card(sc); !strings.Contains(got, "the first launch takes 16 steps") || !strings.Contains(got, "s.T >= s.TEnd") {
		t.Errorf("before the first launch:\n%s", got)
	}
	emit(s.trace, 1, 0, 0, engine.RunStart{N: 10, MaxSteps: 100, StepsMax: 64, Policy: engine.PolicyTiled}.Event())
	emit(s.trace, 1, 1, engine.FlagDerived, engine.Launch{Number: 1, Word: 64, Live: 10, Newly: 3, Done: 64}.Event())
	emit(s.trace, 1, 2, engine.FlagDerived|engine.FlagCut, engine.Launch{Number: 2, Word: 36, Live: 7, Done: 100}.Event())
	f.pull(never)
	if got := card(sc); !strings.Contains(got, "run in one pass") || !strings.Contains(got, "cut to 36 steps by max_steps") {
		t.Errorf("after a pass:\n%s", got)
	}
	sc.state = &session.State{Phase: session.Empty}
	if got := card(sc); !strings.Contains(got, "nothing is loaded") {
		t.Errorf("without a kernel:\n%s", got)
	}
}
