package euler

import (
	"math"
	"testing"
)

func pair(omega, x, v float64) Euler {
	s := Euler{Omega: omega, X: x, V: v, Gain: 10, Dt: 0.02}
	s.Init()
	return s
}

// TestEnergyLaws: the explicit method gains the factor 1 + h^2 a step, which fixes when a sample finishes;
// the symplectic one keeps its invariant, and its energy within the bounds of the package's comment.
func TestEnergyLaws(t *testing.T) {
	for _, c := range []struct{ omega, x, v float64 }{{2, 1, 0}, {3.3, 0.2, -0.9}, {7, 0.5, 1}, {10, 0.1, 0.3}} {
		s := pair(c.omega, c.x, c.v)
		h := c.omega * s.Dt
		start, steps := s.Invariant(), 0
		low, high := s.SymplecticGain(), s.SymplecticGain()
		for {
			done := s.Step()
			steps++
			low, high = math.Min(low, s.SymplecticGain()), math.Max(high, s.SymplecticGain())
			if want := math.Pow(1+h*h, float64(steps)); math.Abs(s.ExplicitGain()/want-1) > 1e-12 {
				t.Fatalf("omega %v after %d steps: the explicit energy is %v times the first, want %v", c.omega, steps, s.ExplicitGain(), want)
			}
			if math.Abs(s.Invariant()/start-1) > 1e-12 {
				t.Fatalf("omega %v after %d steps: the invariant went from %v to %v", c.omega, steps, start, s.Invariant())
			}
			if done {
				break
			}
		}
		if want := int(math.Ceil(math.Log(s.Gain) / math.Log(1+h*h))); steps != want {
			t.Errorf("omega %v: finished after %d steps, want %d", c.omega, steps, want)
		}
		// Both ends of the band are relative to the invariant, so the start may lie at either end of it.
		if band := (1 + h/2) / (1 - h/2); high/low > band*(1+1e-12) || high/low < 1+h/2 {
			t.Errorf("omega %v: the symplectic energy ranges over %v to %v, want a ratio near %v and not above", c.omega, low, high, band)
		}
	}
}

// TestBothFirstOrder: after a fixed time, halving the step halves the error of either method.
func TestBothFirstOrder(t *testing.T) {
	miss := func(steps int) (explicit, symplectic float64) {
		s := pair(3, 0.8, 0.4)
		s.Dt = 1 / float64(steps)
		for range steps {
			s.Step()
		}
		want := 0.8*math.Cos(3) + 0.4/3*math.Sin(3)
		return math.Abs(s.XE - want), math.Abs(s.XS - want)
	}
	e1, s1 := miss(2000)
	e2, s2 := miss(4000)
	if e1/e2 < 1.95 || e1/e2 > 2.05 || s1/s2 < 1.95 || s1/s2 > 2.05 {
		t.Errorf("halving the step divides the errors by %.3f (explicit) and %.3f (symplectic), want 2", e1/e2, s1/s2)
	}
}
