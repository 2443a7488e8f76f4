// Package pendulum lets pendulums go and finds the instant at which each first hangs straight down.
//
// One sample is a mass on a rigid rod of length L, released at rest at the angle theta0 > 0:
//
//	theta' = omega
//	omega' = -(g/L) sin theta
//
// A step is the classical fourth-order Runge-Kutta method (Kutta 1901) with a fixed step Dt. The event is
// theta = 0. A step that ends at or beyond it is completed by one more step with theta as the independent
// variable, from where it ended exactly onto theta = 0,
//
//	dt/dtheta = 1/omega      domega/dtheta = -(g/L) sin(theta)/omega
//
// (Hénon, "On the numerical computation of Poincaré maps", Physica D 5, 1982). So the event is as accurate
// as the integration, without a search.
//
// A sample finishes at the event, after a quarter of its period. The exact time is
// (pi/2) sqrt(L/g)/agm(1, cos(theta0/2)) with the arithmetic-geometric mean; it grows without bound towards
// theta0 = pi, where the mass balances on top.
package pendulum

import "math"

// Pendulum is one sample.
//
//eaglet:kernel steps=auto guard=active_set
type Pendulum struct {
	L      float64 `unit:"m" init:"loguniform(0.1, 10)"`  // length of the rod
	Theta0 float64 `unit:"rad" init:"uniform(0.05, 3.1)"` // angle of release, between 0 and pi

	G  float64 `plane:"param" unit:"m/s^2" init:"9.80665"` // acceleration of gravity
	Dt float64 `plane:"param" unit:"s" init:"0.005"`       // time step

	Theta float64 `unit:"rad"`   // angle from straight down
	Omega float64 `unit:"rad/s"` // angular velocity
	T     float64 `unit:"s"`     // time
}

// Init hangs the pendulum at its angle of release.
func (s *Pendulum) Init() { s.Theta = s.Theta0 }

// Step advances one sample by Dt, or onto the event.
func (s *Pendulum) Step() (down bool) {
	c, dt, h := -(s.G / s.L), s.Dt, s.Dt/2
	w1 := s.Omega
	a1 := c * math.Sin(s.Theta)
	w2 := s.Omega + h*a1
	a2 := c * math.Sin(s.Theta+h*w1)
	w3 := s.Omega + h*a2
	a3 := c * math.Sin(s.Theta+h*w2)
	w4 := s.Omega + dt*a3
	a4 := c * math.Sin(s.Theta+dt*w3)
	s.Theta += dt / 6 * ((w1 + 2*w2) + (2*w3 + w4))
	s.Omega += dt / 6 * ((a1 + 2*a2) + (2*a3 + a4))
	s.T += dt

	down = s.Theta <= 0
	if down && s.Omega < 0 {
		s.land(c)
	}
	return
}

// land goes back from theta <= 0 onto theta = 0, with theta as the independent variable.
func (s *Pendulum) land(c float64) {
	d := -s.Theta
	mid := c * math.Sin(s.Theta+d/2)
	t1 := 1 / s.Omega
	a1 := c * math.Sin(s.Theta) * t1
	t2 := 1 / (s.Omega + d/2*a1)
	a2 := mid * t2
	t3 := 1 / (s.Omega + d/2*a2)
	a3 := mid * t3
	t4 := 1 / (s.Omega + d*a3) // sin(0) = 0: the fourth rate of omega is 0
	s.T += d / 6 * ((t1 + 2*t2) + (2*t3 + t4))
	s.Omega += d / 6 * (a1 + 2*(a2+a3))
	s.Theta = 0
}

// Energy is the energy for each kilogram of mass, in J/kg, 0 at rest straight down.
func (s *Pendulum) Energy() float64 {
	half := math.Sin(s.Theta / 2)
	return 0.5*s.L*s.L*s.Omega*s.Omega + 2*s.G*s.L*half*half
}

// Slowness is four times the time so far over the period of small swings, 2 pi sqrt(L/g). Of a finished
// sample it is the factor by which the period grows with the amplitude.
func (s *Pendulum) Slowness() float64 { return 2 * s.T / (math.Pi * math.Sqrt(s.L/s.G)) }
