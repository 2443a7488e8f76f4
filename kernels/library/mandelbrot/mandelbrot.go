// Package mandelbrot counts how long points of the complex plane take to escape.
//
// One sample is a point c = CX + i CY. A step is one iteration of
//
//	z -> z^2 + c        from z = 0
//
// (Mandelbrot, "Fractal aspects of the iteration of z -> lambda z (1 - z) for complex lambda and z", Annals
// of the New York Academy of Sciences 357, 1980). Once |z| > 2 it grows without bound.
//
// A sample finishes when |z| > 2, or after MaxIter steps; those are taken to belong to the set. Most points
// outside escape within a few steps and few near its edge take hundreds, so the batch thins out quickly.
package mandelbrot

import "math"

// Mandelbrot is one sample.
//
//eaglet:kernel steps=auto guard=active_set
type Mandelbrot struct {
	CX float64 `init:"uniform(-2.2, 0.8)"` // real part of c
	CY float64 `init:"uniform(-1.2, 1.2)"` // imaginary part of c

	MaxIter int32 `plane:"param" init:"1000"` // iterations after which a point is taken to be inside

	X float64 // real part of z
	Y float64 // imaginary part of z
	K int32   // iterations
}

// Step makes one iteration.
func (s *Mandelbrot) Step() (escaped bool) {
	s.X, s.Y = s.X*s.X-s.Y*s.Y+s.CX, 2*s.X*s.Y+s.CY
	s.K++
	escaped = s.X*s.X+s.Y*s.Y > 4 || s.K >= s.MaxIter
	return
}

// Inside says whether z is still bounded by 2. Its mean over the batch times the area of the rectangle of
// the defaults, 7.2, estimates the area of the set, about 1.506.
func (s *Mandelbrot) Inside() bool { return s.X*s.X+s.Y*s.Y <= 4 }

// Modulus is |z|.
func (s *Mandelbrot) Modulus() float64 { return math.Sqrt(s.X*s.X + s.Y*s.Y) }
