package threebody

import (
	"math"
	"testing"
)

func run(t *testing.T, s *Threebody) (steps int) {
	t.Helper()
	for {
		done := s.Step()
		if steps++; done {
			return steps
		}
		if steps == 1_000_000 {
			t.Fatalf("not over after %d steps, at t = %v", steps, s.T)
		}
	}
}

// TestLagrange: three equal masses at the corners of an equilateral triangle of side 1 turn rigidly with
// omega^2 = 3 m (Lagrange 1772), at the distance 1/sqrt(3) from their centre.
func TestLagrange(t *testing.T) {
	turn := func(eta float64) float64 {
		s := Threebody{M1: 1, M2: 1, M3: 1, REsc: 8, TEnd: math.Pi / 2 / math.Sqrt(3), Eta: eta}
		r, v := 1/math.Sqrt(3), 1.0 // v = omega r
		for i := range s.Pos {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / 3)
			s.Pos[i] = [2]float64{r * cos, r * sin}
			s.Vel[i] = [2]float64{-v * sin, v * cos}
		}
		run(t, &s)
		miss := 0.0
		for i := range s.Pos {
			sin, cos := math.Sincos(2*math.Pi*float64(i)/3 + math.Pi/2) // a quarter of a turn later
			miss = math.Max(miss, math.Hypot(s.Pos[i][0]-r*cos, s.Pos[i][1]-r*sin))
		}
		return miss
	}
	coarse, fine := turn(0.05), turn(0.025)
	t.Logf("errors %.3g and %.3g", coarse, fine)
	if coarse > 1e-6 {
		t.Errorf("error %g after a quarter of a turn", coarse)
	}
	if ratio := coarse / fine; ratio < 13 || ratio > 19 {
		t.Errorf("errors %g and %g: ratio %.2f, want about 16", coarse, fine, ratio)
	}
}

// TestFigureEight: the orbit of Chenciner, Montgomery, "A remarkable periodic solution of the three-body
// problem in the case of equal masses", Annals of Mathematics 152, 2000, with the start and the period
// 6.32591398 that they give (computed by Simó), returns.
func TestFigureEight(t *testing.T) {
	s := Threebody{M1: 1, M2: 1, M3: 1, REsc: 8, TEnd: 6.32591398, Eta: 0.01}
	s.Pos = [3][2]float64{{0.97000436, -0.24308753}, {-0.97000436, 0.24308753}, {0, 0}}
	v := [2]float64{-0.93240737, -0.86473146}
	s.Vel = [3][2]float64{{-v[0] / 2, -v[1] / 2}, {-v[0] / 2, -v[1] / 2}, v}
	start, e := s.Pos, s.Energy()
	run(t, &s)
	for i := range s.Pos {
		if miss := math.Hypot(s.Pos[i][0]-start[i][0], s.Pos[i][1]-start[i][1]); miss > 1e-6 {
			t.Errorf("body %d returns to within %g", i+1, miss)
		}
	}
	if math.Abs(s.Energy()-e) > 1e-8 {
		t.Errorf("energy went from %v to %v", e, s.Energy())
	}
}

// TestPythagorean follows the classical problem to its end with small steps: the lightest body leaves after
// t = 59 (Szebehely, Peters 1967).
func TestPythagorean(t *testing.T) {
	s := Threebody{M1: 3, M2: 4, M3: 5, REsc: 8, TEnd: 100, Eta: 0.004}
	s.Init()
	e := s.Energy()
	if want := -12.0/5 - 15.0/4 - 20.0/3; math.Abs(e-want) > 1e-14 {
		t.Fatalf("energy %v at the start, want %v", e, want)
	}
	steps := run(t, &s)
	t.Logf("body %d escapes, t = %.2f after %d steps, energy drifted by %.2g", s.Escaper(), s.T, steps, s.Energy()/e-1)
	if s.Escaper() != 1 || s.T < 59 || s.T > 66 {
		t.Errorf("body %d escapes, seen at t = %v, want body 1 soon after 59", s.Escaper(), s.T)
	}
	if math.Abs(s.Energy()/e-1) > 1e-6 {
		t.Errorf("energy went from %v to %v", e, s.Energy())
	}
}
