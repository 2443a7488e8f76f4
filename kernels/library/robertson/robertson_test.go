package robertson

import (
	"math"
	"math/rand/v2"
	"testing"
)

func vessel(tEnd float64) Robertson {
	s := Robertson{TEnd: tEnd, K1: 0.04, K2: 3e7, K3: 1e4, Tol: 1e-6}
	s.Init()
	return s
}

func run(t *testing.T, s *Robertson) {
	t.Helper()
	for !s.Step() {
		if s.Accepted+s.Rejected == 10000 {
			t.Fatalf("not finished: t = %v of %v, h = %v", s.T, s.TEnd, s.H)
		}
	}
	if s.T != s.TEnd {
		t.Errorf("finished at t = %v, want exactly %v", s.T, s.TEnd)
	}
}

// TestPublished compares with the reference solutions of Hairer, Wanner, "Solving Ordinary Differential
// Equations II", 2nd edition 1996, section IV.10 (t = 40), and of Mazzia, Magherini, "Test Set for Initial
// Value Problem Solvers", release 2.4, 2008, problem ROBER (t = 1e11).
func TestPublished(t *testing.T) {
	for _, c := range []struct {
		tEnd float64
		want [3]float64
	}{
		{40, [3]float64{0.7158270687193941, 0.9185534764557338e-5, 0.2841637457458413}},
		{1e11, [3]float64{0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050}},
	} {
		s := vessel(c.tEnd)
		run(t, &s)
		worst := 0.0
		for i, want := range c.want {
			worst = math.Max(worst, math.Abs(s.Y[i]/want-1))
		}
		t.Logf("t = %g: relative error %.2g after %d accepted and %d rejected steps", c.tEnd, worst, s.Accepted, s.Rejected)
		if worst > 1e-4 {
			t.Errorf("t = %g: y = %v, want %v", c.tEnd, s.Y, c.want)
		}
		if math.Abs(s.Mass()-1) > 1e-12 {
			t.Errorf("t = %g: the sum of the amounts is %v", c.tEnd, s.Mass())
		}
	}
}

// TestLinear: with the first reaction alone, y1 = exp(-k1 t).
func TestLinear(t *testing.T) {
	s := vessel(30)
	s.K2, s.K3 = 0, 0
	run(t, &s)
	if want := math.Exp(-0.04 * 30); math.Abs(s.Y[0]-want) > 1e-5 || math.Abs(s.Y[1]-(1-want)) > 1e-5 || s.Y[2] != 0 {
		t.Errorf("y = %v, want %v %v 0", s.Y, want, 1-want)
	}
}

// TestOrder: on a smooth problem, halving the step makes the error of the result 8 times smaller, and the
// estimate, which is of the second-order result, as much in a single step.
func TestOrder(t *testing.T) {
	miss := func(steps int) (result, estimate float64) {
		s := vessel(0)
		s.K2, s.K3 = 0.3, 0.2
		s.Y = [3]float64{0.5, 0.3, 0.2}
		for i := range steps {
			next, e := s.attempt(8 / float64(steps))
			if i == 0 {
				estimate = math.Abs(e[1])
			}
			s.Y = next
		}
		return s.Y[1], estimate
	}
	best, _ := miss(4096)
	y1, e1 := miss(32)
	y2, e2 := miss(64)
	if ratio := (y1 - best) / (y2 - best); ratio < 7 || ratio > 9 {
		t.Errorf("errors %g and %g: ratio %.2f, want about 8", y1-best, y2-best, ratio)
	}
	if ratio := e1 / e2; ratio < 7 || ratio > 9 {
		t.Errorf("estimates %g and %g: ratio %.2f, want about 8", e1, e2, ratio)
	}
}

// TestSolve: random systems, with every order of the pivots, and the matrix as the derivative of the rate.
func TestSolve(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	seen := map[[3]bool]bool{}
	for range 200 {
		var m [3][3]float64
		var x, b [3]float64
		for i := range m {
			x[i] = r.NormFloat64()
			for j := range m[i] {
				m[i][j] = r.NormFloat64()
			}
		}
		for i := range m {
			for j := range m[i] {
				b[i] += m[i][j] * x[j]
			}
		}
		f := factor(m)
		seen[f.swap] = true
		for i, got := range solve(f, b) {
			if math.Abs(got-x[i]) > 1e-10 {
				t.Fatalf("matrix %v: x = %v, want %v", m, solve(f, b), x)
			}
		}
	}
	if len(seen) != 8 {
		t.Errorf("only %d of 8 orders of exchanges were seen", len(seen))
	}
	s := vessel(1)
	y := [3]float64{0.7, 1e-5, 0.3}
	j := s.jacobian(y)
	for c := range y {
		up, down, d := y, y, 1e-6*y[c]
		up[c], down[c] = y[c]+d, y[c]-d
		fu, fd := s.rate(up), s.rate(down)
		for i := range fu {
			if slope := (fu[i] - fd[i]) / (2 * d); math.Abs(slope-j[i][c]) > 1e-6*(math.Abs(j[i][c])+1e-3) {
				t.Errorf("derivative of rate %d by y%d is %v, differences give %v", i+1, c+1, j[i][c], slope)
			}
		}
	}
}
