package bugnan

import (
	"math"
	"testing"
)

// TestTheBug: the height follows Torricelli's law down to the last step, is then negative, and then NaN, and
// the sample does not finish however long it runs.
func TestTheBug(t *testing.T) {
	for _, h0 := range []float64{0.5, 0.8, 1.3, 2} {
		s := Bugnan{C: 0.05, Eps: 1e-6, Dt: 0.5, H: h0}
		negative, lost := 0, 0
		for n := 1; n <= 10000; n++ {
			if s.Step() {
				t.Fatalf("h0 %v: finishes after %d steps at h = %v", h0, n, s.H)
			}
			root := math.Sqrt(h0) - s.C*s.T/2
			// The method is of order 1, and the second derivative of h is C^2/2: C^2 Dt/4 a second at most.
			if exact := root * root; root > 0 && !s.Lost() && math.Abs(s.H-exact) > 1.0001*s.C*s.C*s.Dt/4*s.T {
				t.Fatalf("h0 %v: h = %v at %v s, want %v", h0, s.H, s.T, exact)
			}
			if s.H < 0 {
				negative = n
			}
			if s.Lost() && lost == 0 {
				lost = n
			}
		}
		if negative == 0 || lost != negative+1 {
			t.Errorf("h0 %v: below 0 after %d steps, NaN after %d, want the next", h0, negative, lost)
		}
		if empty := 2 * math.Sqrt(h0) / s.C; math.Abs(float64(negative)*s.Dt-empty) > 0.05*empty {
			t.Errorf("h0 %v: below 0 at %v s, the tank is empty at %v s", h0, float64(negative)*s.Dt, empty)
		}
	}
}

// TestTheCure: the rule that the package's comment gives ends every sample.
func TestTheCure(t *testing.T) {
	for h0 := 0.5; h0 < 2; h0 += 0.01 {
		s := Bugnan{C: 0.05, Eps: 1e-6, Dt: 0.5, H: h0}
		for n := 1; ; n++ {
			s.H = math.Max(0, s.H-s.Dt*s.C*math.Sqrt(s.H))
			if !(s.H > s.Eps) {
				break
			}
			if n == 200 {
				t.Fatalf("h0 %v: h = %v after %d steps", h0, s.H, n)
			}
		}
	}
}
