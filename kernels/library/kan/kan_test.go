package kan

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestChebyshev: T_k(cos a) = cos(k a).
func TestChebyshev(t *testing.T) {
	for a := 0.0; a < math.Pi; a += 0.01 {
		for k, got := range powers(math.Cos(a)) {
			if want := math.Cos(float64(k+1) * a); math.Abs(got-want) > 1e-14 {
				t.Fatalf("T_%d(cos %v) = %v, want %v", k+1, a, got, want)
			}
		}
	}
}

// TestCoefficients: for every node the sum of |coefficient| order^2 over its edges is at most 1, and not so
// much less that the network would do nothing.
func TestCoefficients(t *testing.T) {
	check := func(layer string, node int, sum float64) {
		if sum > 1 || sum < 0.98 {
			t.Errorf("%s node %d: the coefficients times order^2 sum to %v, want 1", layer, node, sum)
		}
	}
	for j := range hidden {
		sum := 0.0
		for i := range width {
			for k, c := range inner[i][j] {
				sum += math.Abs(c) * float64((k+1)*(k+1))
			}
		}
		check("hidden", j, sum)
	}
	for l := range width {
		sum := 0.0
		for j := range hidden {
			for k, c := range outer[j][l] {
				sum += math.Abs(c) * float64((k+1)*(k+1))
			}
		}
		check("output", l, sum)
	}
}

// TestNetwork compares with the definition, written with cosines.
func TestNetwork(t *testing.T) {
	x := [width]float64{0.3, -0.7, 0.99, -0.1}
	var h [hidden]float64
	for j := range h {
		for i := range x {
			for k := range orders {
				h[j] += inner[i][j][k] * math.Cos(float64(k+1)*math.Acos(x[i]))
			}
		}
	}
	for l, got := range network(x) {
		want := 0.0
		for j := range h {
			for k := range orders {
				want += outer[j][l][k] * math.Cos(float64(k+1)*math.Acos(h[j]))
			}
		}
		if math.Abs(got-want) > 1e-14 {
			t.Errorf("output %d is %v, want %v", l, got, want)
		}
	}
}

// TestFixedPoint: it converges at the rate promised or faster, to within the bound of the solution.
func TestFixedPoint(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for range 300 {
		s := Kan{Gain: 0.1 + 0.85*r.Float64(), Tol: 1e-6}
		for i := range s.U {
			s.U[i] = 2*r.Float64() - 1
		}
		s.Init()
		last := math.Inf(1)
		for {
			done := s.Step()
			if s.Change > s.Gain*last {
				t.Fatalf("gain %v: a change of %g after one of %g", s.Gain, s.Change, last)
			}
			last = s.Change
			if done {
				break
			}
		}
		best := s
		for range 1000 {
			best.Step()
		}
		for l := range s.X {
			if miss := math.Abs(s.X[l] - best.X[l]); miss > s.Bound()+1e-15 {
				t.Fatalf("gain %v: wrong by %g, bound %g", s.Gain, miss, s.Bound())
			}
			if math.Abs(s.X[l]) > 1 {
				t.Fatalf("gain %v: x = %v leaves [-1, 1]", s.Gain, s.X)
			}
		}
	}
}
