package contact

import (
	"math"
	"testing"
)

func drop(e, h float64) Contact {
	return Contact{E: e, Z: h, G: 9.80665, VRest: 0.05, Dt: 0.005}
}

// TestRest compares number of bounces and time of the last one with the sums of the package's comment.
func TestRest(t *testing.T) {
	for _, e := range []float64{0, 0.3, 0.5, 0.8, 0.92} {
		for _, h := range []float64{0.5, 1, 5} {
			s := drop(e, h)
			for n := 0; !s.Step(); n++ {
				if n == 10000 {
					t.Fatalf("e %v, h %v: still bouncing after %d steps", e, h, n)
				}
			}
			hit := math.Sqrt(2 * s.G * h)
			bounces := 1
			for math.Pow(e, float64(bounces))*hit >= s.VRest {
				bounces++
			}
			want := math.Sqrt(2*h/s.G) * (1 + 2*e*(1-math.Pow(e, float64(bounces-1)))/(1-e))
			if int(s.Bounces) != bounces || math.Abs(s.T-want) > 1e-9 {
				t.Errorf("e %v, h %v: rests after %d bounces at %v s, want %d at %v", e, h, s.Bounces, s.T, bounces, want)
			}
			if s.Z != 0 || s.V != 0 || s.Energy() != 0 {
				t.Errorf("e %v, h %v: rests at z = %v with v = %v", e, h, s.Z, s.V)
			}
		}
	}
}

// TestEnergy: flight keeps it, a bounce leaves e^2 of it.
func TestEnergy(t *testing.T) {
	s := drop(0.8, 2)
	last, bounces := s.Energy(), s.Bounces
	for !s.Step() {
		want := last
		if s.Bounces != bounces {
			want *= 0.64
		}
		if math.Abs(s.Energy()-want) > 1e-12*(1+want) {
			t.Fatalf("after bounce %d: energy %v, want %v", s.Bounces, s.Energy(), want)
		}
		if s.Z < 0 {
			t.Fatalf("below the floor: z = %v", s.Z)
		}
		last, bounces = s.Energy(), s.Bounces
	}
}
