package mandelbrot

import (
	"math"
	"math/rand/v2"
	"testing"
)

func run(cx, cy float64, most int32) Mandelbrot {
	s := Mandelbrot{CX: cx, CY: cy, MaxIter: most}
	for !s.Step() {
	}
	return s
}

// TestPi: above the neck at -3/4 the number of iterations times the height tends to pi, and right of the cusp
// at 1/4 the number times the root of the distance does (Boll 1991; Klebanoff, "Pi in the Mandelbrot set",
// Fractals 9, 2001, has these counts).
func TestPi(t *testing.T) {
	for _, c := range []struct {
		cx, cy float64
		want   int32
	}{
		{-0.75, 0.1, 33},
		{-0.75, 0.01, 315},
		{-0.75, 0.001, 3143},
		{-0.75, 0.0001, 31417},
		{0.26, 0, 30},
		{0.2501, 0, 312},
		{0.250001, 0, 3140},
	} {
		if s := run(c.cx, c.cy, 1<<20); s.Inside() || s.K != c.want {
			t.Errorf("c = %v + %vi: inside %v after %d iterations, want escape after %d", c.cx, c.cy, s.Inside(), s.K, c.want)
		}
	}
}

// TestKnownPoints are orbits that can be followed by hand.
func TestKnownPoints(t *testing.T) {
	for _, c := range []struct {
		name    string
		cx, cy  float64
		inside  bool
		k       int32
		modulus float64
	}{
		{"the origin stays", 0, 0, true, 1000, 0},
		{"-2 goes to 2 and stays there", -2, 0, true, 1000, 2},
		{"-1 alternates between -1 and 0", -1, 0, true, 1000, 0},
		{"i falls into the cycle i-1, -i", 0, 1, true, 1000, math.Sqrt2},
		{"1 goes 1, 2, 5", 1, 0, false, 3, 5},
		{"3 is outside at once", 3, 0, false, 1, 3},
	} {
		if s := run(c.cx, c.cy, 1000); s.Inside() != c.inside || s.K != c.k || math.Abs(s.Modulus()-c.modulus) > 1e-15 {
			t.Errorf("%s: inside %v after %d iterations at |z| = %v", c.name, s.Inside(), s.K, s.Modulus())
		}
	}
}

// TestArea estimates the area over the rectangle of the init tags. It is 1.50659 (Andreadis, Karakasidis, "On a
// numerical approximation of the boundary structure and of the area of the Mandelbrot set", Nonlinear
// Dynamics 80, 2015); a limit of 1000 iterations lets in a little more, well below the error here.
func TestArea(t *testing.T) {
	const n, rectangle = 20000, 3 * 2.4
	r := rand.New(rand.NewPCG(5, 6))
	inside := 0.0
	for range n {
		if s := run(-2.2+3*r.Float64(), -1.2+2.4*r.Float64(), 1000); s.Inside() {
			inside++
		}
	}
	p := inside / n
	se := rectangle * math.Sqrt(p*(1-p)/n)
	t.Logf("area %.4f +- %.4f", rectangle*p, se)
	if math.Abs(rectangle*p-1.50659) > 4*se {
		t.Errorf("area %v with standard error %v, want 1.50659", rectangle*p, se)
	}
}
