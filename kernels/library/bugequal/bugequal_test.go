package bugequal

import (
	"math"
	"testing"
)

// TestTheBug: which times are met by adding 0.1, and which are stepped over.
func TestTheBug(t *testing.T) {
	for steps, c := range []struct {
		tEnd float64
		met  bool
	}{{0.1, true}, {0.2, true}, {0.3, false}, {0.4, true}, {0.5, true}, {0.6, true}, {0.7, true}, {0.8, false}, {0.9, false}, {1, false}} {
		s := Bugequal{TEnd: c.tEnd, Lambda: 0.7, Dt: 0.1, N: 1}
		taken := 1
		for !s.Step() && taken < 10000 {
			taken++
		}
		switch {
		case c.met && (taken != steps+1 || s.T != c.tEnd || s.Late() != 0):
			t.Errorf("t_end %v: %d steps, t = %v; want %d", c.tEnd, taken, s.T, steps+1)
		case !c.met && (taken != 10000 || s.Late() < 900):
			t.Errorf("t_end %v: finishes after %d steps at t = %v; want never", c.tEnd, taken, s.T)
		}
	}
}

// TestDecay: the midpoint rule follows exp(-lambda t) with the error (lambda dt)^2 lambda t/12.
func TestDecay(t *testing.T) {
	s := Bugequal{TEnd: 0.7, Lambda: 0.7, Dt: 0.1, N: 1}
	for !s.Step() {
	}
	want := math.Exp(-0.49)
	if law := 0.07 * 0.07 * 0.49 / 12 * want; math.Abs(math.Abs(s.N-want)/law-1) > 0.01 {
		t.Errorf("%v is left, want %v within %g", s.N, want, law)
	}
}
