// Package euler runs the explicit and the symplectic Euler method side by side on one oscillator, until the
// explicit one has gone astray.
//
// One sample is a pair: the same undamped mass on a spring,
//
//	x' = v
//	v' = -omega^2 x
//
// from the same start (x, v), once with the explicit Euler method (XE, VE: both rates from the old state)
// and once with the symplectic one (XS, VS: first the velocity, then the position by the new velocity). The
// two cost the same and differ in one place of one line; Hairer, Lubich, Wanner, "Geometric Numerical
// Integration", 2nd edition 2006, section I.1.2. With h = omega Dt, every step
//
//   - of the explicit method multiplies the energy by exactly 1 + h^2,
//   - of the symplectic one keeps v^2 + omega^2 x^2 - omega h x v, so that its energy stays between
//     1/(1 + h/2) and 1/(1 - h/2) of that, for ever.
//
// A sample finishes when the explicit method's energy is Gain times what it was: after the first whole
// number of steps that is at least ln(Gain)/ln(1 + h^2), which is 59 for the fastest oscillator of the defaults and
// 1441 for the slowest.
package euler

// Euler is one sample.
//
//eaglet:kernel steps=auto guard=active_set
type Euler struct {
	Omega float64 `unit:"rad/s" init:"loguniform(2, 10)"` // angular frequency
	X     float64 `unit:"m" init:"uniform(0.1, 1)"`       // displacement at the start
	V     float64 `unit:"m/s" init:"uniform(-1, 1)"`      // velocity at the start

	Gain float64 `plane:"param" init:"10"`            // energy that ends a sample, over that at the start
	Dt   float64 `plane:"param" unit:"s" init:"0.02"` // time step

	XE float64 `unit:"m"`   // displacement, explicit
	VE float64 `unit:"m/s"` // velocity, explicit
	XS float64 `unit:"m"`   // displacement, symplectic
	VS float64 `unit:"m/s"` // velocity, symplectic
	T  float64 `unit:"s"`   // time
}

// Init puts both methods at the start.
func (s *Euler) Init() {
	s.XE, s.VE = s.X, s.V
	s.XS, s.VS = s.X, s.V
}

// energy for each kilogram of mass, J/kg.
func (s *Euler) energy(x, v float64) float64 { return 0.5*v*v + 0.5*s.Omega*s.Omega*x*x }

// Step advances both methods by Dt.
func (s *Euler) Step() (diverged bool) {
	w2 := s.Omega * s.Omega
	s.XE, s.VE = s.XE+s.Dt*s.VE, s.VE-s.Dt*w2*s.XE

	s.VS -= s.Dt * w2 * s.XS
	s.XS += s.Dt * s.VS

	s.T += s.Dt
	diverged = s.energy(s.XE, s.VE) >= s.Gain*s.energy(s.X, s.V)
	return
}

// ExplicitGain is the explicit method's energy over that at the start. The true motion keeps it at 1.
func (s *Euler) ExplicitGain() float64 { return s.energy(s.XE, s.VE) / s.energy(s.X, s.V) }

// SymplecticGain is the same of the symplectic method.
func (s *Euler) SymplecticGain() float64 { return s.energy(s.XS, s.VS) / s.energy(s.X, s.V) }

// Invariant is what the symplectic method keeps, (v^2 + omega^2 x^2 - omega^2 Dt x v)/2, in J/kg.
func (s *Euler) Invariant() float64 {
	return s.energy(s.XS, s.VS) - 0.5*s.Omega*s.Omega*s.Dt*s.XS*s.VS
}
