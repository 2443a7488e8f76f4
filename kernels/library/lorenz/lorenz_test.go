package lorenz

import (
	"math"
	"math/rand/v2"
	"testing"
)

func sample(rho, tEnd float64) Lorenz {
	return Lorenz{Rho: rho, TEnd: tEnd, Sigma: 10, Beta: 8.0 / 3, Ball: 60, Dt: 0.005, X: 1, Y: 2, Z: 3}
}

// TestFixedPoints uses what is known in closed form: where the motion ends, below the onset of chaos.
func TestFixedPoints(t *testing.T) {
	for _, c := range []struct {
		name string
		rho  float64
		want float64 // |x| and |y| at the fixed point; z is rho-1 there, 0 at the origin
	}{
		{"below rho 1 the origin attracts", 0.5, 0},
		{"between 1 and 24.74 one of the two steady rolls attracts", 14, math.Sqrt(8.0 / 3 * 13)},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := sample(c.rho, 60)
			for !s.Step() {
			}
			wantZ := math.Max(c.rho-1, 0)
			if math.Abs(math.Abs(s.X)-c.want) > 1e-6 || math.Abs(math.Abs(s.Y)-c.want) > 1e-6 || math.Abs(s.Z-wantZ) > 1e-6 {
				t.Errorf("ends at %v %v %v, want |x| = |y| = %v, z = %v", s.X, s.Y, s.Z, c.want, wantZ)
			}
			if s.Speed() > 1e-5 {
				t.Errorf("speed %v at a fixed point", s.Speed())
			}
		})
	}
}

// TestZAxis uses the invariant line x = y = 0, where z = z0 exp(-beta t).
func TestZAxis(t *testing.T) {
	s := sample(28, 2)
	s.X, s.Y, s.Z = 0, 0, 30
	for !s.Step() {
	}
	want := 30 * math.Exp(-s.Beta*s.T)
	if s.X != 0 || s.Y != 0 || math.Abs(s.Z/want-1) > 1e-7 {
		t.Errorf("at t = %v: %v %v %v, want 0 0 %v", s.T, s.X, s.Y, s.Z, want)
	}
}

// TestFourthOrder: over a time too short for chaos, halving the step makes the error 16 times smaller.
func TestFourthOrder(t *testing.T) {
	end := func(steps int) float64 {
		s := sample(28, math.Inf(1))
		s.Dt = 1.0 / float64(steps)
		for range steps {
			s.Step()
		}
		return s.X
	}
	best := end(25600)
	if ratio := (end(1600) - best) / (end(3200) - best); ratio < 14 || ratio > 18 {
		t.Errorf("the error falls by %.2f when the step is halved, want about 16", ratio)
	}
}

// TestBothEnds draws from the ranges of the init tags: neither way to finish may be rare.
func TestBothEnds(t *testing.T) {
	const n = 400
	r := rand.New(rand.NewPCG(1, 2))
	escaped := 0
	for range n {
		s := sample(10+50*r.Float64(), 0.5*math.Pow(50, r.Float64()))
		s.X, s.Y, s.Z = 20*r.Float64()-10, 20*r.Float64()-10, 20*r.Float64()
		for !s.Step() {
		}
		if s.Escaped() != (s.Distance() > s.Ball) {
			t.Fatalf("escaped = %v at distance %v", s.Escaped(), s.Distance())
		}
		if !s.Escaped() && s.T < s.TEnd {
			t.Fatalf("finished inside the ball at t = %v before %v", s.T, s.TEnd)
		}
		if s.Escaped() {
			escaped++
		}
	}
	t.Logf("%d of %d samples leave the ball", escaped, n)
	if escaped < n/5 || escaped > 4*n/5 {
		t.Errorf("%d of %d samples leave the ball; want both ends to be common", escaped, n)
	}
}
