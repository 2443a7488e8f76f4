package pendulum

import (
	"math"
	"testing"
)

func release(l, theta0 float64) Pendulum {
	s := Pendulum{L: l, Theta0: theta0, G: 9.80665, Dt: 0.005}
	s.Init()
	return s
}

func quarter(t *testing.T, s *Pendulum) {
	t.Helper()
	for n := 0; !s.Step(); n++ {
		if n == 10000 {
			t.Fatalf("theta0 %v: not down after %d steps", s.Theta0, n)
		}
	}
}

// growth is the period over that of small swings: 1/agm(1, cos(theta0/2)) (Gauss).
func growth(theta0 float64) float64 {
	a, b := 1.0, math.Cos(theta0/2)
	for range 40 {
		a, b = (a+b)/2, math.Sqrt(a*b)
	}
	return 1 / a
}

// TestQuarterPeriod compares time and speed at the event with their exact values.
func TestQuarterPeriod(t *testing.T) {
	for _, l := range []float64{0.1, 1, 10} {
		for _, theta0 := range []float64{0.05, 0.5, 1.5, 2.5, 3, 3.1} {
			s := release(l, theta0)
			quarter(t, &s)
			if s.Theta != 0 {
				t.Errorf("L %v, theta0 %v: finished at theta = %v, want 0", l, theta0, s.Theta)
			}
			// A step is 0.05 of the time scale sqrt(L/g) at the shortest: 0.05^4/100 and some safety.
			if want := growth(theta0); math.Abs(s.Slowness()/want-1) > 5e-7 {
				t.Errorf("L %v, theta0 %v: the period is %v times that of small swings, want %v", l, theta0, s.Slowness(), want)
			}
			if want := -2 * math.Sqrt(s.G/l) * math.Sin(theta0/2); math.Abs(s.Omega/want-1) > 5e-7 {
				t.Errorf("L %v, theta0 %v: omega = %v at the event, want %v", l, theta0, s.Omega, want)
			}
		}
	}
}

// TestPublished: a pendulum released at a right angle swings 1.18034 times slower than in small swings
// (Gauss's constant times the square root of 2: 0.8346268 x 1.4142136).
func TestPublished(t *testing.T) {
	s := release(1, math.Pi/2)
	quarter(t, &s)
	if math.Abs(s.Slowness()-1.18034) > 5e-6 {
		t.Errorf("period ratio %v at 90 degrees, want 1.18034", s.Slowness())
	}
}

// TestEventIsFourthOrder: the time of the event converges with the order of the method; a straight line
// over the last step would give 2.
func TestEventIsFourthOrder(t *testing.T) {
	miss := func(dt float64) float64 {
		s := release(1, 2)
		s.Dt = dt
		quarter(t, &s)
		return math.Abs(s.Slowness() - growth(2))
	}
	// The place of the event within its step differs, so single ratios scatter round 16.
	if coarse, fine := miss(0.04), miss(0.01); coarse/fine < 150 || coarse/fine > 450 {
		t.Errorf("errors %g and %g with steps of 0.04 and 0.01 s: ratio %.0f, want about 256", coarse, fine, coarse/fine)
	}
}

func TestEnergyIsKept(t *testing.T) {
	s := release(2, 3)
	start := s.Energy()
	if want := s.G * s.L * (1 - math.Cos(3)); math.Abs(start/want-1) > 1e-14 {
		t.Fatalf("energy %v at the release, want %v", start, want)
	}
	quarter(t, &s)
	if math.Abs(s.Energy()/start-1) > 1e-8 {
		t.Errorf("energy went from %v to %v", start, s.Energy())
	}
}
