// Package oscillator integrates damped harmonic oscillators, each for its own number of steps.
//
// One sample is a mass on a spring with a damper:
//
//	x' = v
//	v' = -omega^2 x - 2 zeta omega v
//
// with angular frequency omega (rad/s) and damping ratio zeta (1: critical). A step is the classical
// fourth-order Runge-Kutta method with a fixed step of Dt seconds (Kutta, "Beitrag zur näherungsweisen
// Integration totaler Differentialgleichungen", 1901). The error of x after a time t is about
// (omega Dt)^4 omega t / 120 of the amplitude: 1e-6 per radian at the defaults' worst.
//
// A sample finishes after Nstop steps. The default spreads Nstop over two decades, evenly in the
// logarithm, so that samples keep finishing all through a run.
package oscillator

// Oscillator is one sample.
//
//eaglet:kernel steps=auto guard=active_set
type Oscillator struct {
	Omega float64 `unit:"rad/s" init:"uniform(1, 10)"` // angular frequency
	Zeta  float64 `init:"uniform(0.01, 0.2)"`          // damping ratio
	Nstop int32   `init:"loguniform(10, 1000)"`        // this sample's own number of steps; an integer plane keeps the floor of the value drawn

	Dt float64 `plane:"param" unit:"s" init:"0.01"` // time step

	X float64 `unit:"m" init:"uniform(-1, 1)"`   // displacement
	V float64 `unit:"m/s" init:"uniform(-1, 1)"` // velocity
	K int32   // steps taken
}

// Step advances one sample by Dt.
func (s *Oscillator) Step() (terminated bool) {
	dt, h, s6 := s.Dt, s.Dt/2, s.Dt/6
	c1 := -(s.Omega * s.Omega)
	c2 := 2 * s.Zeta * s.Omega

	x0, v0 := s.X, s.V
	a1 := c1*x0 - c2*v0
	x1, v1 := x0+h*v0, v0+h*a1
	a2 := c1*x1 - c2*v1
	x2, v2 := x0+h*v1, v0+h*a2
	a3 := c1*x2 - c2*v2
	x3, v3 := x0+dt*v2, v0+dt*a3
	a4 := c1*x3 - c2*v3

	s.X = x0 + s6*((v0+2*v1)+(2*v2+v3))
	s.V = v0 + s6*((a1+2*a2)+(2*a3+a4))
	s.K++
	terminated = s.K >= s.Nstop
	return
}

// Energy is the mechanical energy for each kilogram of mass, in J/kg. Damping only ever lowers it.
func (s *Oscillator) Energy() float64 { return 0.5*s.V*s.V + 0.5*s.Omega*s.Omega*s.X*s.X }
