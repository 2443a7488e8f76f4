// Package keplereq solves Kepler's equation by Newton's method, each sample until it has converged.
//
// One sample is one solution E (eccentric anomaly, rad) of
//
//	E - e sin E = M
//
// for a mean anomaly M and an eccentricity 0 <= e < 1. A step is one Newton iteration. The start is
// min(|M'| + e, pi) with the sign of M', where M' is M taken round the circle into [-pi, pi]. For M' >= 0 the
// left side minus M' is convex on [0, pi] and not negative at that start, so the iterates fall towards the
// root and never leave the interval; for M' < 0 the same is true mirrored. (Starts that do converge, and
// that do not: Charles, Tatum, "The convergence of Newton-Raphson iteration with Kepler's equation",
// Celestial Mechanics and Dynamical Astronomy 69, 1998.)
//
// A sample finishes when its last correction is at most Tol. Convergence is quadratic, so the error by then
// is of the order of Tol^2, and of the rounding error 2^-53/(1 - e cos E). Nearly parabolic orbits near their
// perihelion take the longest.
package keplereq

import "math"

// Keplereq is one sample.
//
//eaglet:kernel steps=auto guard=active_set
type Keplereq struct {
	M    float64 `unit:"rad" init:"uniform(0, 6.283185307179586)"` // mean anomaly
	Ecc  float64 `init:"uniform(0, 0.999)"`                        // eccentricity, below 1
	Tol  float64 `plane:"param" unit:"rad" init:"1e-12"`           // largest correction of a finished sample
	E    float64 `unit:"rad"`                                      // eccentric anomaly, in [-pi, pi]
	Last float64 `unit:"rad"`                                      // the last correction
	Iter int32   // Newton iterations
}

// mean is M taken round the circle into [-pi, pi].
func (s *Keplereq) mean() float64 { return s.M - (2*math.Pi)*math.RoundToEven(s.M/(2*math.Pi)) }

// Init sets the start of the iteration.
func (s *Keplereq) Init() {
	m := s.mean()
	s.E = math.Copysign(math.Min(math.Abs(m)+s.Ecc, math.Pi), m)
}

// Step makes one Newton iteration.
func (s *Keplereq) Step() (converged bool) {
	sin, cos := math.Sincos(s.E)
	s.Last = (s.E - s.Ecc*sin - s.mean()) / (1 - s.Ecc*cos)
	s.E -= s.Last
	s.Iter++
	converged = math.Abs(s.Last) <= s.Tol
	return
}

// Residual is the left side of the equation minus the right one, in rad.
func (s *Keplereq) Residual() float64 { return s.E - s.Ecc*math.Sin(s.E) - s.mean() }

// TrueAnomaly is the angle at the focus between perihelion and body, in rad, in [-pi, pi].
func (s *Keplereq) TrueAnomaly() float64 {
	return 2 * math.Atan(math.Sqrt((1+s.Ecc)/(1-s.Ecc))*math.Tan(s.E/2))
}
