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
R: 0.125 steps, measured once in this process for this kernel, device and n, and kept
cost: R/k + h*k/2 = 0.00676 at 32; 0.00924 at 16, 0.00765 at 64; least 0.00667 at k* = 37.5
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

// The older rule's card says exactly how many would have flipped it.
func TestCardOfDoublingFlipsWhereTheRuleDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint32Range(1, 100_000).Draw(t, "live before")
		newly := rapid.Uint32Range(0, n).Draw(t, "newly")
		x := tell(int(n))
		start := banded
		start.N, start.Policy, start.R = n, engine.PolicyDoubling, 0
		x.start(start)
		x.launch(16, n, newly)
		k := engine.Doubling(newly, n-newly, 16, 64)
		x.event(engine.PolicyDecision{N: n, Newly: newly, Word: 16, K: k, Next: k, StepsMax: 64, Live: n - newly, Rule: engine.PolicyDoubling}.Event(), 0)
		seen := 0
		for _, line := range reasons(x.scene) {
			var count uint32
			text := strings.ReplaceAll(line.text, ",", "")
			switch line.name {
			case "up":
				fmt.Sscanf(text, "doubled if fewer than %d", &count)
				if count > 0 && engine.Doubling(count-1, n-count+1, 16, 64) != 32 || count <= n && engine.Doubling(count, n-count, 16, 64) == 32 {
					t.Fatalf("%q is not where the rule doubles", line.text)
				}
				seen++
			case "down":
				fmt.Sscanf(text, "halved if %d", &count)
				if count <= n && engine.Doubling(count, n-count, 16, 64) != 8 || engine.Doubling(count-1, n-count+1, 16, 64) == 8 {
					t.Fatalf("%q is not where the rule halves", line.text)
				}
				seen++
			case "k":
				if !strings.HasPrefix(text, fmt.Sprint(k)) {
					t.Fatalf("%q, the rule gives %d", line.text, k)
				}
				seen++
			}
		}
		if seen != 3 {
			t.Fatalf("the card says\n%s", card(x.scene))
		}
	})
}

func TestCardOfOtherPolicies(t *testing.T) {
	measured := banded
	measured.Policy, measured.R = engine.PolicyMeasured, 0
	fixed := banded
	fixed.Policy, fixed.Fixed, fixed.StepsMax = engine.PolicyFixed, 4, 0
	persistent := banded
	persistent.Entry, persistent.Chunk = engine.EntryPersistent, 16
	for _, c := range []struct {
		name string
		make func() *told
		says []string
	}{
		{"measured before a try", func() *told { x := tell(1000); x.start(measured); x.launch(1, 1000, 3); return x }, []string{"one step per launch, until half"}},
		{"measured after a try", func() *told {
			x := tell(1000)
			x.start(measured)
			x.launch(1, 1000, 600)
			x.launch(8, 400, 3)
			x.event(engine.Probe{What: engine.ProbeFused, CurrentWall: 10, CurrentWork: 1, OtherWall: 160, OtherWork: 8}.Event(), 0)
			x.launch(1, 397, 3)
			return x
		}, []string{"a launch of 8 steps takes", "stays with one step per launch", "tried again once the live samples have halved"}},
		{"fixed, compacting", func() *told {
			x := tell(1000)
			k := *x.state.Kernel.IR
			k.Steps = 4
			kernel := *x.state.Kernel
			kernel.IR = &k
			x.state.Kernel = &kernel
			x.start(fixed)
			x.launch(4, 1000, 3)
			return x
		}, []string{"4: the kernel's directive fixes it", "16 steps: compacted, and looked whether all are finished, behind 4 launches"}},
		{"persistent", func() *told { x := tell(1000); x.start(persistent); x.launch(300, 1000, 1000); return x }, []string{"300 = the longest sample", "every 16 steps"}},
		{"band without an active set", func() *told {
			x := tell(1000)
			start := banded
			start.Active = false
			x.start(start)
			x.launch(16, 1000, 10)
			x.event(engine.PolicyDecision{N: 1000, Newly: 10, Word: 16, R: 0.5, H: 10.0 / 16000, KStar: 40, K: 32, Next: 32, StepsMax: 64}.Event(), 0)
			return x
		}, []string{"a boundary frees no lane", "longer launches cost nothing here"}},
		{"R that was just measured", func() *told {
			x := tell(1000)
			x.event(engine.CalibrateEvent(12_000, 48_000, 0.25), 0)
			start := banded
			start.R = 0.25
			x.start(start)
			x.launch(16, 1000, 10)
			x.event(engine.PolicyDecision{N: 1000, Newly: 10, Word: 16, R: 0.25, H: 10.0 / 16000, KStar: 28, K: 32, Next: 32, StepsMax: 64}.Event(), 0)
			return x
		}, []string{"a compaction took 12 us, a step of the whole batch 48 us, rounded to a power of two"}},
		{"tiled beside a band that is known", func() *told {
			x := tell(1000)
			start := banded
			start.Policy, start.R = engine.PolicyTiled, 0
			x.state.R = 0.5
			x.start(start)
			x.launch(64, 1000, 64)
			return x
		}, []string{"would take 32 next: k* = sqrt(2R/h) = 31.6 with R = 0.5"}},
	} {
		x := c.make()
		if text := card(x.scene); !containsAll(text, c.says) {
			t.Errorf("%s: the card does not say %q:\n%s", c.name, c.says, text)
		}
	}
}

func containsAll(text string, parts []string) bool {
	for _, p := range parts {
		if !strings.Contains(text, p) {
			return false
		}
	}
	return true
}

// The curve is drawn where there is room, with its bottom where k* is.
func TestCardDrawsTheCostCurve(t *testing.T) {
	s, r := decided(10_000, 57, 32, 0.125, 1312)
	low := view(whyPane{}, s, 60, 9)
	high := view(whyPane{}, s, 60, 24)
	if strings.Contains(low, "cost per step") || !containsAll(high, []string{"cost per step", "k* 37.5", "k 32", "8", "16", "64"}) {
		t.Errorf("without room:\n%s\nwith room:\n%s", low, high)
	}
	if at := costOf(&r.policy, r.policy.KStar); math.Abs(at-math.Sqrt(2*r.policy.R*r.policy.H)) > 1e-15 ||
		costOf(&r.policy, 0.9*r.policy.KStar) <= at || costOf(&r.policy, 1.1*r.policy.KStar) <= at {
		t.Errorf("the least of the curve is not at k*: %v", at)
	}
}
