package keplereq

import (
	"math"
	"testing"
)

func solve(t *testing.T, m, ecc float64) Keplereq {
	t.Helper()
	s := Keplereq{M: m, Ecc: ecc, Tol: 1e-12}
	s.Init()
	for !s.Step() {
		if s.Iter == 100 {
			t.Fatalf("M %v, e %v: not converged after %d iterations, last correction %g", m, ecc, s.Iter, s.Last)
		}
	}
	return s
}

// TestPublished is example 30.a of Meeus, "Astronomical Algorithms", 1991.
func TestPublished(t *testing.T) {
	const degree = math.Pi / 180
	s := solve(t, 5*degree, 0.1)
	if got := s.E / degree; math.Abs(got-5.554589) > 5e-7 {
		t.Errorf("E = %.7f degrees for M = 5, e = 0.1, want 5.554589", got)
	}
}

// TestSeries compares with the Fourier series E = M + sum 2/n J_n(n e) sin(n M) (Bessel 1824).
func TestSeries(t *testing.T) {
	for _, ecc := range []float64{0, 0.05, 0.3, 0.6} {
		for m := -3.1; m <= 3.1; m += 0.1 {
			want := m
			for n := 1; n <= 400; n++ {
				want += 2 / float64(n) * math.Jn(n, float64(n)*ecc) * math.Sin(float64(n)*m)
			}
			if s := solve(t, m, ecc); math.Abs(s.E-want) > 1e-12 {
				t.Errorf("M %v, e %v: E = %v, the series gives %v", m, ecc, s.E, want)
			}
		}
	}
}

// TestEverywhere: it converges for every mean anomaly and eccentricity below 1, and to a root.
func TestEverywhere(t *testing.T) {
	worst := int32(0)
	for _, ecc := range []float64{0, 0.5, 0.9, 0.99, 0.999, 0.999999} {
		for i := range 2001 {
			s := solve(t, 2*math.Pi*float64(i)/2000, ecc)
			worst = max(worst, s.Iter)
			if r := math.Abs(s.Residual()); r > 2e-15 {
				t.Fatalf("M %v, e %v: E = %v leaves %g", s.M, ecc, s.E, r)
			}
		}
	}
	t.Logf("at most %d iterations", worst)
}

// TestTrueAnomaly uses the polar equation of the orbit: a(1 - e cos E) = a(1 - e^2)/(1 + e cos f).
func TestTrueAnomaly(t *testing.T) {
	s := solve(t, 2, 0.7)
	if r, polar := 1-0.7*math.Cos(s.E), (1-0.49)/(1+0.7*math.Cos(s.TrueAnomaly())); math.Abs(r-polar) > 1e-14 {
		t.Errorf("distance %v by E, %v by the true anomaly", r, polar)
	}
}
