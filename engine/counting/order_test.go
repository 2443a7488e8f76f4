package counting_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaglet-workbench/eaglet/engine"
	. "github.com/eaglet-workbench/eaglet/engine/counting"
)

func TestReordersAreThoseOfTheRunner(t *testing.T) {
	fired := 0
	rapid.Check(t, func(t *rapid.T) {
		s := Shaping{
			Shape: Shape(rapid.IntRange(0, int(Shapes)-1).Draw(t, "shape")), N: rapid.SampledFrom([]int{4000, 4096, 5000, 6001}).Draw(t, "n"),
			Shortest: rapid.Uint32Range(1, 20).Draw(t, "shortest"), Longest: rapid.Uint32Range(1, 70).Draw(t, "longest"),
			Share: rapid.Float64Range(0, 1).Draw(t, "share"), Seed: rapid.Uint64().Draw(t, "seed"),
		}
		stops := Arrange(s.Stops(), Arrangement(rapid.IntRange(0, int(Arrangements)-1).Draw(t, "order")), 1)
		theta := rapid.Float64Range(0.25, 0.75).Draw(t, "theta")
		r := Rule{Policy: engine.PolicyBand, R: 0.25, StepsMax: 64, Cap: 60, Active: true}
		o, err := OrderOf(stops, r, theta)
		if err != nil {
			t.Fatal(err)
		}
		got := ran(t, stops, r, theta)
		if o.Reorders != got.Reorders || o.Compactions != got.Compactions {
			t.Fatalf("counted %d reorders and %d compactions, ran %d and %d", o.Reorders, o.Compactions, got.Reorders, got.Compactions)
		}
		if want := touched(stops, got); len(stops) >= 4096 && o.Moved != want { // below, nothing is offered
			t.Fatalf("counted %d slots touched, by the runner's events %d", o.Moved, want)
		}
		fired += o.Reorders
		if o.Moved > o.Touched || o.Paid > o.Moved || (o.Reorders == 0) != (o.Moved == o.Touched) && o.Reorders == 0 {
			t.Fatalf("paid %d <= moved %d <= touched %d after %d reorders", o.Paid, o.Moved, o.Touched, o.Reorders)
		}
	})
	if fired == 0 {
		t.Error("no reorder has fired: the comparison says nothing")
	}
}

// touched is the slots of groups with a live sample over all launches, as the runner tells of them.
func touched(stops []uint32, got told) (sum uint64) {
	busy := uint64(0)
	for g := range slices.Chunk(stops, 32) {
		if slices.Max(g) > 0 {
			busy += 32
		}
	}
	for i, l := range got.launches {
		sum += uint64(l.Word) * busy
		if r, ok := got.reorders[i]; ok {
			busy = 32 * uint64(r.Live32)
		}
	}
	return sum
}

// What orders do, by hand: of 64 samples half stop after 10 steps, half after 100.
func TestWhatAnOrderDoes(t *testing.T) {
	s := Shaping{Shape: Half, N: 64, Shortest: 10, Longest: 100}
	r := Rule{Policy: engine.PolicyTiled, StepsMax: 10, Cap: 1000, Active: true}
	for _, c := range []struct {
		order          Arrangement
		groups, touche uint64
	}{
		{AsIs, 64 * 100, 64 * 100},
		{Sorted, 32*10 + 32*100, 32*10 + 32*100},
		{Interleaved, 64 * 100, 64 * 100},
	} {
		o, err := OrderOf(Arrange(s.Stops(), c.order, 1), r, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		if o.Groups != c.groups || o.Touched != c.touche || o.Moved != o.Touched || o.Gain() != 1 {
			t.Errorf("%s: groups hold %d lane-steps, touch %d, moved %d; want %d, %d", c.order, o.Groups, o.Touched, o.Moved, c.groups, c.touche)
		}
		if want := float64(32*10+32*100) / float64(c.groups); o.Fill() != want {
			t.Errorf("%s: fill %v, want %v", c.order, o.Fill(), want)
		}
	}
}

// A batch of which every 32nd sample is late is what reorder is for.
func TestAReorderGains(t *testing.T) {
	stops := make([]uint32, 8192)
	for i := range stops {
		stops[i] = 10
		if i%32 == 5 {
			stops[i] = 500
		}
	}
	o, err := OrderOf(stops, Rule{Policy: engine.PolicyBand, R: 0.25, StepsMax: 64, Cap: 1000, Active: true}, engine.ThetaDefault)
	if err != nil {
		t.Fatal(err)
	}
	if o.Reorders != 1 || o.Gain() < 10 || o.MovedFill() < 0.7 || o.TouchedFill() > 0.1 {
		t.Errorf("%d reorders, gain %v, fill %v to %v", o.Reorders, o.Gain(), o.TouchedFill(), o.MovedFill())
	}
}

func TestArrangementsHoldTheSameSamples(t *testing.T) {
	s := Shaping{Shape: Spread, N: 1001, Shortest: 3, Longest: 900, Seed: 5}
	stops := s.Stops()
	want := slices.Sorted(slices.Values(stops))
	for a := range Arrangements {
		got := Arrange(stops, a, 9)
		if a != AsIs && slices.Equal(got, stops) {
			t.Errorf("%s leaves the order as it is", a)
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s loses samples", a)
		}
	}
}

// Interleaved is the worst order for groups of neighbours, sorted the best.
func TestInterleavedIsWorstAndSortedBest(t *testing.T) {
	s := Shaping{Shape: Spread, N: 4096, Shortest: 10, Longest: 2000, Seed: 5}
	r := Rule{Policy: engine.PolicyTiled, StepsMax: 64, Cap: 5000}
	var fill [Arrangements]float64
	for a := range Arrangements {
		o, err := OrderOf(Arrange(s.Stops(), a, 1), r, 0)
		if err != nil {
			t.Fatal(err)
		}
		fill[a] = o.Fill()
	}
	if !(fill[Sorted] > 0.95 && fill[Sorted] > fill[Shuffled] && fill[Shuffled] > fill[Interleaved]) {
		t.Errorf("fills %v", fill)
	}
}

func TestShapes(t *testing.T) {
	for shape := range Shapes {
		s := Shaping{Shape: shape, N: 2000, Shortest: 20, Longest: 400, Share: 0.25, Seed: 4}
		stops := s.Stops()
		if !slices.Equal(stops, s.Stops()) {
			t.Errorf("%s: the same seed gives other stops", shape)
		}
		late, never := 0, 0
		for _, stop := range stops {
			switch {
			case stop == Never:
				never++
			case stop < 18 || stop > 400:
				t.Fatalf("%s: a stop at %d", shape, stop)
			case stop == 400:
				late++
			}
		}
		about := func(got, want int) bool { return got >= want-90 && got <= want+90 }
		want := map[Shape]int{Equal: 2000, Half: 1000, TwoGroups: 500, Stragglers: 500}[shape]
		if !about(late, want) || (shape == Unending) != about(never, 500) {
			t.Errorf("%s: %d samples at the longest, %d never", shape, late, never)
		}
		if shape.String() == "" || shape.Says() == "" {
			t.Errorf("shape %d has no words", shape)
		}
	}
}
