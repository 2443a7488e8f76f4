// Package julia counts how long points of the complex plane take to escape, in single precision.
//
// One sample is a starting point z. A step is one iteration of
//
//	z -> z^2 + c
//
// with one c for the batch (Julia, "Mémoire sur l'itération des fonctions rationnelles", Journal de
// Mathématiques Pures et Appliquées 8, 1918). Once |z| > max(2, |c|) it grows without bound. All planes are
// float32: half the memory of float64, and enough for a picture. Near the Julia set itself, where motion is
// chaotic, the counts of the two precisions differ.
//
// A sample finishes when |z| > 2, or after MaxIter steps. The default c = -0.8 + 0.156i lies outside
// the Mandelbrot set (0 escapes after 252 iterations), so its Julia set is dust: almost every point escapes
// in the end, those near the set late.
package julia

import "math"

// Julia is one sample.
//
//eaglet:kernel steps=auto guard=active_set
type Julia struct {
	X0 float32 `init:"uniform(-1.6, 1.6)"` // real part of the start
	Y0 float32 `init:"uniform(-1, 1)"`     // imaginary part of the start

	CX      float32 `plane:"param" init:"-0.8"`  // real part of c
	CY      float32 `plane:"param" init:"0.156"` // imaginary part of c; |c| at most 2
	MaxIter int32   `plane:"param" init:"1000"`  // iterations after which a point is taken to stay

	X float32 // real part of z
	Y float32 // imaginary part of z
	K int32   // iterations
}

// Init puts z at its start.
func (s *Julia) Init() { s.X, s.Y = s.X0, s.Y0 }

// Step makes one iteration.
func (s *Julia) Step() (escaped bool) {
	s.X, s.Y = s.X*s.X-s.Y*s.Y+s.CX, 2*s.X*s.Y+s.CY
	s.K++
	escaped = s.X*s.X+s.Y*s.Y > 4 || s.K >= s.MaxIter
	return
}

// Stays says whether z is still bounded by 2.
func (s *Julia) Stays() bool { return s.X*s.X+s.Y*s.Y <= 4 }

// Modulus is |z|.
func (s *Julia) Modulus() float64 {
	x, y := float64(s.X), float64(s.Y)
	return math.Sqrt(x*x + y*y)
}
