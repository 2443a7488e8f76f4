// Package robertson integrates Robertson's chemical reaction, a stiff system, with an implicit method.
//
// One sample is a vessel with three substances,
//
//	y1' = -k1 y1 + k3 y2 y3
//	y2' =  k1 y1 - k3 y2 y3 - k2 y2^2
//	y3' =                     k2 y2^2
//
// from y = (1, 0, 0), with k1 = 0.04, k2 = 3e7, k3 = 1e4 (Robertson, "The solution of a set of reaction rate
// equations", in Walsh (ed.), "Numerical Analysis: An Introduction", 1966). The fastest reaction is some 1e9
// times quicker than the slowest: an explicit method would need 1e14 steps to the largest t_end here.
//
// A step is one attempt of the Rosenbrock method RODAS3, of order 3 with an estimate of order 2, L-stable and
// stiffly accurate: Sandu, Verwer, Blom, Spee, Carmichael, Potra, "Benchmarking stiff ODE solvers for
// atmospheric chemistry problems II: Rosenbrock solvers", Atmospheric Environment 31, 1997 (method.go). It
// solves four linear systems with one 3x3 matrix, 2/h - J. An attempt whose error estimate is too large
// changes nothing but the step size. The norm is the largest of |e_c|/(Tol (|y_c| + floor_c)) with floors of
// 1e-6 for y1 and y3 and 1e-11 for y2.
//
// A sample finishes at TEnd, exactly.
package robertson

import "math"

// Robertson is one sample.
//
//eaglet:kernel steps=auto guard=active_set
type Robertson struct {
	TEnd float64 `unit:"s" init:"loguniform(0.1, 1e11)"` // this sample's own time

	K1  float64 `plane:"param" unit:"1/s" init:"0.04"` // y1 turns into y2
	K2  float64 `plane:"param" unit:"1/s" init:"3e7"`  // two y2 make y3
	K3  float64 `plane:"param" unit:"1/s" init:"1e4"`  // y2 and y3 make y1
	Tol float64 `plane:"param" init:"1e-6"`            // tolerance of one step

	Y        [3]float64 // amounts, as shares of the whole
	T        float64    `unit:"s"` // time
	H        float64    `unit:"s"` // size of the next step
	Accepted int32      // attempts that moved the sample
	Rejected int32      // attempts that only made the step smaller
}

// Init fills the vessel.
func (s *Robertson) Init() {
	s.Y = [3]float64{1, 0, 0}
	s.H = 1e-6
}

// rate is the right-hand side.
func (s *Robertson) rate(y [3]float64) [3]float64 {
	slow, fast, back := s.K1*y[0], s.K2*y[1]*y[1], s.K3*y[1]*y[2]
	return [3]float64{back - slow, (slow - back) - fast, fast}
}

// jacobian is the matrix of the derivatives of rate.
func (s *Robertson) jacobian(y [3]float64) [3][3]float64 {
	return [3][3]float64{
		{-s.K1, s.K3 * y[2], s.K3 * y[1]},
		{s.K1, -(s.K3*y[2] + 2*s.K2*y[1]), -(s.K3 * y[1])},
		{0, 2 * s.K2 * y[1], 0},
	}
}

// Step makes one attempt.
func (s *Robertson) Step() (terminated bool) {
	left := s.TEnd - s.T
	last := s.H >= left
	h := s.H
	if last {
		h = left
	}
	next, e := s.attempt(h)

	floor := [3]float64{1e-6, 1e-11, 1e-6}
	worst := 0.0
	for c := 0; c < 3; c++ {
		worst = math.Max(worst, math.Abs(e[c])/(s.Tol*(math.Max(math.Abs(s.Y[c]), math.Abs(next[c]))+floor[c])))
	}
	if worst <= 1 { // never true of NaN
		s.Y = next
		s.T += h
		if last {
			s.T = s.TEnd
		}
		s.Accepted++
	} else {
		s.Rejected++
	}
	factor := math.Min(5, 0.9/math.Cbrt(worst)) // worst = 0 gives infinity, cut to 5
	if !(factor >= 0.2) {
		factor = 0.2 // also for NaN
	}
	s.H = h * factor
	terminated = s.T >= s.TEnd
	return
}

// Mass is the sum of the three amounts. It is a constant of the motion, and of the method: 1 but for rounding.
func (s *Robertson) Mass() float64 { return s.Y[0] + s.Y[1] + s.Y[2] }
