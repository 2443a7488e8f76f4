package reentry

import (
	"math"
	"testing"
)

func satellite(h0, inc, b float64) Reentry {
	s := Reentry{H0: h0, Inc: inc, B: b, HEnd: 100, Mu: 398600.4415, Re: 6378.1363, J2: 1.0826267e-3, Spin: 7.292115e-5, Dt: 30}
	s.Init()
	return s
}

// TestKepler: without oblateness and drag a circle is closed after 2 pi sqrt(a^3/mu).
func TestKepler(t *testing.T) {
	s := satellite(180, 0.9, 0)
	s.J2 = 0
	a := s.Re + 180
	period := 2 * math.Pi * math.Sqrt(a*a*a/s.Mu)
	start := s.Pos
	s.Dt = period / 180
	for range 180 {
		s.Step()
	}
	miss := math.Hypot(math.Hypot(s.Pos[0]-start[0], s.Pos[1]-start[1]), s.Pos[2]-start[2])
	// Kutta's method errs by w^4 h^4/120 in phase and w^5 h^5/144 in size a radian or step.
	if bound := 2 * math.Pi * a * math.Pow(2*math.Pi/180, 4) * (1.0/120 + 1.0/20); miss > bound {
		t.Errorf("%v km from the start after one revolution, bound %v", miss, bound)
	}
}

// TestNode: J2 turns the node at -(3/2) J2 (Re/a)^2 n cos(i), to first order in J2 (Kozai, "The motion of a
// close Earth satellite", Astronomical Journal 64, 1959). The second order is of the size of J2.
func TestNode(t *testing.T) {
	for _, inc := range []float64{0.5, 0.9, 1.4} {
		s := satellite(500, inc, 0)
		a := s.Re + 500
		n := math.Sqrt(s.Mu / (a * a * a))
		s.Dt = 20
		for range 4320 { // one day
			s.Step()
		}
		want := -1.5 * s.J2 * (s.Re / a) * (s.Re / a) * n * math.Cos(inc) * s.T
		t.Logf("inclination %v: the node turns by %.5f rad a day, first-order theory %.5f", inc, s.Node(), want)
		if math.Abs(s.Node()/want-1) > 0.01 {
			t.Errorf("inclination %v: the node turns by %v rad a day, want %v", inc, s.Node(), want)
		}
	}
}

// TestSinking: in still air above a round Earth a circular orbit shrinks by 2 pi B rho a^2 a revolution
// (King-Hele, "Theory of Satellite Orbits in an Atmosphere", 1964).
func TestSinking(t *testing.T) {
	for _, h0 := range []float64{160, 200, 320} {
		s := satellite(h0, 1, 0.01)
		s.J2, s.Spin = 0, 0
		a := s.Re + h0
		steps := 200
		s.Dt = 2 * math.Pi * math.Sqrt(a*a*a/s.Mu) / float64(steps)
		s.B = 0.2 / (2 * math.Pi * density(h0) * a * a * 1000) // to sink by 0.2 km
		before := s.SemiMajor()
		for range steps {
			s.Step()
		}
		if sunk := before - s.SemiMajor(); math.Abs(sunk/0.2-1) > 0.01 {
			t.Errorf("from %v km: %v km in one revolution, want 0.2", h0, sunk)
		}
	}
}

// TestLifetime: with density rho0 exp(-z/H) a circular orbit sinks by z in the time
// H (1 - exp(-z/H))/(B rho0 sqrt(mu a)), to first order in z/a (King-Hele); here within one layer of the table.
func TestLifetime(t *testing.T) {
	s := satellite(178, 0, 0.01)
	s.J2, s.Spin, s.HEnd = 0, 0, 155
	steps := 0
	for !s.Step() {
		if steps++; steps == 10000 {
			t.Fatalf("still at %v km", s.Height())
		}
	}
	scale, a := 22.523, s.Re+170
	rate := s.B * 1000 * density(178) * math.Sqrt(s.Mu*a) // km/s at 178 km
	want := scale * (1 - math.Exp(-(178-s.Height())/scale)) / rate
	if math.Abs(s.T/want-1) > 0.02 {
		t.Errorf("%v s from 178 to %.1f km, theory %v", s.T, s.Height(), want)
	}
}

// TestDensity: the rows of the table are met at their bases, and each layer ends near where the next begins.
func TestDensity(t *testing.T) {
	for i, base := range bases {
		if got := density(base); got != densities[i] {
			t.Errorf("density at %v km is %v, want %v", base, got, densities[i])
		}
		if i > 0 {
			if below := density(math.Nextafter(base, 0)); math.Abs(below/densities[i]-1) > 0.02 {
				t.Errorf("the density jumps from %v to %v at %v km", below, densities[i], base)
			}
		}
	}
}
