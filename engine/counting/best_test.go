package counting_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaglet-workbench/eaglet/engine"
	. "github.com/eaglet-workbench/eaglet/engine/counting"
)

// cheapest tries every sequence of words: launches of 1 to longest steps, a compaction behind each in which
// the number of finished samples has moved.
func cheapest(stops []uint32, r float64, longest, cap uint32) float64 {
	finished := func(done uint32) (n int) {
		for _, s := range stops {
			if s <= done {
				n++
			}
		}
		return n
	}
	type state struct {
		done     uint32
		snapshot int
	}
	known := map[state]float64{}
	var from func(s state) float64
	from = func(s state) float64 {
		now := finished(s.done)
		if now == len(stops) || s.done == cap {
			return 0
		}
		if c, ok := known[s]; ok {
			return c
		}
		best := math.Inf(1)
		for word := uint32(1); word <= min(longest, cap-s.done); word++ {
			to := state{s.done + word, s.snapshot}
			c := float64(word) * float64(len(stops)-now) / float64(len(stops))
			if after := finished(to.done); after != s.snapshot {
				to.snapshot, c = after, c+r
			}
			best = min(best, c+from(to))
		}
		known[s] = best
		return best
	}
	return from(state{})
}

// Cases that chance seldom finds.
func TestTheOracleOfCases(t *testing.T) {
	for _, c := range []struct {
		name         string
		stops        []uint32
		r            float64
		longest, cap uint32
	}{
		{"a first compaction that costs R wherever it lies, one launch reaches the first stop only", []uint32{0, 8, 10, 10}, 2, 9, 30},
		{"the same, and the cap comes first", []uint32{0, 8, 10, 10}, 2, 9, 7},
		{"two stops a launch apart", []uint32{1, 10, 10}, 5, 9, 30},
		{"two stops a launch and a step apart", []uint32{1, 11, 11}, 5, 9, 30},
		{"the first stop is the first step", []uint32{1, 1, 20}, 0.5, 4, 30},
		{"compactions for nothing", []uint32{3, 5, 9, 14}, 0, 3, 30},
		{"compactions that never pay", []uint32{3, 5, 9, 14}, 1000, 3, 30},
		{"one step per launch", []uint32{0, 2, 4, Never}, 0.1, 1, 9},
	} {
		run, err := Oracle(NewProfile(c.stops), Rule{Policy: engine.PolicyTiled, StepsMax: c.longest, Active: true, R: c.r, Cap: c.cap}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := cheapest(c.stops, c.r, c.longest, c.cap); !near(run.Cost, want) {
			t.Errorf("%s: the oracle costs %v, the cheapest sequence %v", c.name, run.Cost, want)
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b), 1) }

func TestTheOracleIsTheCheapestSequence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stops := rapid.SliceOfN(rapid.OneOf(rapid.Uint32Range(0, 24), rapid.Just[uint32](Never)), 1, 12).Draw(t, "stops")
		r := Rule{
			Policy: engine.PolicyTiled, StepsMax: rapid.Uint32Range(1, 9).Draw(t, "steps_max"), Active: true,
			R: rapid.Float64Range(0, 8).Draw(t, "R"), Cap: rapid.Uint32Range(1, 30).Draw(t, "cap"),
		}
		run, err := Oracle(NewProfile(stops), r, func(l Launch) {
			if l.Word > r.StepsMax {
				t.Fatalf("a launch of %d steps, at most %d may be taken", l.Word, r.StepsMax)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if want := cheapest(stops, r.R, r.StepsMax, r.Cap); !near(run.Cost, want) {
			t.Fatalf("the oracle costs %v, the cheapest sequence %v", run.Cost, want)
		}
	})
}

// The words of the oracle, replayed launch by launch, cost what it says.
func TestTheOracleCanBeReplayed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stops, r := drawStops(t), drawRule(t)
		r.Active, r.Resident = true, false
		p := NewProfile(stops)
		done, snapshot, cost := uint32(0), uint32(0), 0.0
		run, err := Oracle(p, r, func(l Launch) {
			for _, l := range one(l) {
				live := uint32(p.N()) - p.Finished(done)
				cost += float64(l.Word) * float64(live) / float64(p.N())
				done += l.Word
				now := p.Finished(done)
				if l.Live != live || l.Done != done || l.Compacted != (now != snapshot) {
					t.Fatalf("after %d steps: %+v; %d were live and %d of %d had been told", done, l, live, snapshot, now)
				}
				if l.Compacted {
					cost, snapshot = cost+r.R, now
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if !near(run.Cost, cost) || run.Steps != done || run.Finished != p.Finished(r.Cap) {
			t.Fatalf("replayed: cost %v in %d steps, the oracle says %+v", cost, done, run)
		}
	})
}

func TestNothingIsCheaperThanTheOracle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stops, r := drawStops(t), drawRule(t)
		w, err := Weigh(NewProfile(stops), r)
		if err != nil {
			t.Fatal(err)
		}
		limit := w.Oracle.Cost * (1 - 1e-12)
		if r.Policy == engine.PolicyFixed {
			limit -= 1e-9 // overshoots the cap, never the other way
		}
		if w.Run.Cost < limit {
			t.Fatalf("%s costs %v, the oracle %v", r.Policy, w.Run.Cost, w.Oracle.Cost)
		}
		for _, c := range w.Constants {
			if c.Cost < limit || c.Cost < w.Constants[w.Best].Cost {
				t.Fatalf("%d steps per launch cost %v, the oracle %v, the best constant %v", c.K, c.Cost, w.Oracle.Cost, w.Constants[w.Best].Cost)
			}
		}
		if !r.Active && !near(w.Oracle.Cost, w.Constants[0].Cost) {
			t.Fatalf("without an active set words make no difference: %v, %v", w.Oracle.Cost, w.Constants[0].Cost)
		}
	})
}

// A constant word is what the tiled policy does with it as the most steps, on the real runner too.
func TestConstantsAreRuns(t *testing.T) {
	s := Shaping{Shape: Spread, N: 500, Shortest: 10, Longest: 600, Seed: 1}
	stops := s.Stops()
	r := Rule{Policy: engine.PolicyBand, R: 0.25, StepsMax: 64, Cap: 1000, Active: true}
	all, err := Constants(NewProfile(stops), r)
	if err != nil || len(all) != 64 {
		t.Fatalf("%d constants, %v", len(all), err)
	}
	for _, k := range []uint32{1, 7, 64} {
		c := all[k-1]
		got := ran(t, stops, Rule{Policy: engine.PolicyTiled, StepsMax: k, Cap: r.Cap, Active: true}, 0)
		if c.K != k || c.Launches != got.Launches || c.Compactions != got.Compactions || int(c.Steps) != got.Steps {
			t.Errorf("%d steps per launch: counted %+v, ran %+v", k, c, got.Report)
		}
	}
	far, err := Constants(NewProfile(stops), Rule{Policy: engine.PolicyFixed, K: 200, Cap: 1000, Active: true})
	if err != nil || len(far) != 66 || far[64].K != 128 || far[65].K != 200 {
		t.Errorf("beyond 64 the powers and the most: %d, %v", len(far), err)
	}
}

// The band is derived to be near the best; on a batch that it is made for it is.
func TestTheBandIsNearTheOracleOnASpread(t *testing.T) {
	s := Shaping{Shape: Spread, N: 20_000, Shortest: 100, Longest: 6000, Seed: 1}
	w, err := Weigh(NewProfile(s.Stops()), Rule{Policy: engine.PolicyBand, R: 0.125, StepsMax: 64, Cap: 10_000, Active: true})
	if err != nil {
		t.Fatal(err)
	}
	if x := w.Run.Against(&w.Oracle); x < 1 || x > 1.05 {
		t.Errorf("the band costs %v times the oracle", x)
	}
	if c := &w.Constants[w.Best]; w.Run.Against(&c.Run) > 1.02 {
		t.Errorf("the band costs %v times the best constant, %d", w.Run.Against(&c.Run), c.K)
	}
}
