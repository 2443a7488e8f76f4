package julia

import (
	"math"
	"math/rand/v2"
	"testing"
)

func run(x, y, cx, cy float32) Julia {
	s := Julia{X0: x, Y0: y, CX: cx, CY: cy, MaxIter: 1000}
	s.Init()
	for !s.Step() {
	}
	return s
}

// TestCircle: for c = 0 the Julia set is the unit circle, and k iterations make |z| into |z|^(2^k).
func TestCircle(t *testing.T) {
	for _, radius := range []float64{1.003, 1.02, 1.17, 1.3, 1.43, 1.6} {
		for angle := 0.0; angle < 6; angle += 0.7 {
			x, y := float32(radius*math.Cos(angle)), float32(radius*math.Sin(angle))
			want := math.Ceil(math.Log2(math.Ln2 / math.Log(math.Hypot(float64(x), float64(y)))))
			if s := run(x, y, 0, 0); s.Stays() || float64(s.K) != want {
				t.Errorf("|z| = %v: stays %v after %d iterations, want escape after %v", radius, s.Stays(), s.K, want)
			}
		}
	}
	for _, radius := range []float64{0, 0.5, 0.97} {
		if s := run(float32(radius), 0, 0, 0); !s.Stays() || s.K != 1000 || s.Modulus() > 1e-10 {
			t.Errorf("|z| = %v: stays %v after %d iterations at %v", radius, s.Stays(), s.K, s.Modulus())
		}
	}
}

// TestSegment: for c = -2 and z = w + 1/w, k iterations make w into w^(2^k).
func TestSegment(t *testing.T) {
	for _, w := range []float64{1.1, 1.25, 1.5} {
		z := float32(w + 1/w)
		s := Julia{X0: z, CX: -2, MaxIter: 1000}
		s.Init()
		for range 5 {
			s.Step()
			w *= w
		}
		if math.Abs(float64(s.X)/(w+1/w)-1) > 32*32*0x1p-24 { // every squaring doubles the relative error
			t.Errorf("z = %v: %v after 5 iterations, want %v", z, s.X, w+1/w)
		}
	}
}

// TestSymmetry: z and -z have one orbit, bit for bit.
func TestSymmetry(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for range 500 {
		x, y := 3.2*r.Float32()-1.6, 2*r.Float32()-1
		a, b := run(x, y, -0.8, 0.156), run(-x, -y, -0.8, 0.156)
		if a.X != b.X || a.Y != b.Y || a.K != b.K {
			t.Fatalf("z = %v + %vi ends at %v %v after %d, -z at %v %v after %d", x, y, a.X, a.Y, a.K, b.X, b.Y, b.K)
		}
	}
}
