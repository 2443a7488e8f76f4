package finishonly

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestDarts: a share of pi/4 of the square lies in the unit disk, all of it within 1.5.
func TestDarts(t *testing.T) {
	const n = 100000
	r := rand.New(rand.NewPCG(2, 3))
	disk := 0.0
	for range n {
		s := Finishonly{X: 2*r.Float64() - 1, Y: 2*r.Float64() - 1, Radius: 1.5}
		before := s
		if !s.Step() {
			t.Fatalf("(%v, %v) does not finish within 1.5", s.X, s.Y)
		}
		if s != before {
			t.Fatalf("a step changed %+v to %+v", before, s)
		}
		s.Radius = 1
		if within := s.Step(); within != s.InUnitDisk() {
			t.Fatalf("(%v, %v): within %v, in the unit disk %v", s.X, s.Y, within, s.InUnitDisk())
		} else if within {
			disk++
		}
	}
	p := math.Pi / 4
	if miss := (disk/n - p) / math.Sqrt(p*(1-p)/n); math.Abs(miss) > 4 {
		t.Errorf("a share of %v, want pi/4: %.1f standard errors away", disk/n, miss)
	}
}
