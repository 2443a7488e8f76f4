package walk

import (
	"math"
	"testing"
)

// TestAgainstClosedForms: mean number of steps and share at the right end lie within 4 standard errors.
func TestAgainstClosedForms(t *testing.T) {
	const samples = 20000
	for _, c := range []struct {
		start, l    int32
		p           float64
		chance, all float64 // known in closed form, by hand
	}{
		{1, 2, 0.5, 0.5, 1},
		{5, 20, 0.5, 0.25, 75},
		{10, 20, 0.5, 0.5, 100},
		{1, 3, 2.0 / 3, 4.0 / 7, 15.0 / 7},
		{10, 20, 0.45, math.NaN(), math.NaN()},
		{15, 20, 0.6, math.NaN(), math.NaN()},
	} {
		var right, sum, sum2 float64
		var s Walk
		for i := range uint64(samples) {
			s = Walk{Sample: i, Start: c.start, L: c.l, P: c.p, Seed: 3}
			s.Init()
			for !s.Step() {
			}
			if s.X != 0 && s.X != c.l {
				t.Fatalf("absorbed at %d", s.X)
			}
			if (int64(s.K)-int64(s.X-s.Start))%2 != 0 {
				t.Fatalf("%d steps from %d to %d: the parity is wrong", s.K, s.Start, s.X)
			}
			if s.AtRight() {
				right++
			}
			k := float64(s.K)
			sum, sum2 = sum+k, sum2+k*k
		}
		chance, all := s.RightChance(), s.MeanSteps()
		if math.Abs(chance-c.chance) > 1e-14 || math.Abs(all-c.all) > 1e-12 {
			t.Errorf("start %d of %d, p %v: the observables say %v and %v steps, want %v and %v", c.start, c.l, c.p, chance, all, c.chance, c.all)
		}
		if miss := (right/samples - chance) / math.Sqrt(chance*(1-chance)/samples); math.Abs(miss) > 4 {
			t.Errorf("start %d of %d, p %v: %v at the right, want %v: %.1f standard errors", c.start, c.l, c.p, right/samples, chance, miss)
		}
		mean := sum / samples
		if miss := (mean - all) / math.Sqrt((sum2/samples-mean*mean)/samples+1e-300); mean != all && math.Abs(miss) > 4 {
			t.Errorf("start %d of %d, p %v: %v steps on average, want %v: %.1f standard errors", c.start, c.l, c.p, mean, all, miss)
		}
	}
}
