// Package oscillators is workload O of the benchmark: damped oscillators, each for its own number of steps.
//
// The arithmetic is that of o_step in bench/peers/workloads.h, operation by operation: one step of the classical
// Runge-Kutta method of 0.01 s for x” = -omega² x - 2 zeta omega x', the constants compiled in.
package oscillators

// Oscillator is one sample.
//
//eaglet:kernel steps=auto guard=mask
type Oscillator struct {
	Omega float64 `unit:"rad/s" init:"uniform(1, 10)"`
	Zeta  float64 `init:"uniform(0.01, 0.2)"`
	Nstop int32   `init:"loguniform(10, 1000)"`

	X float64 `unit:"m" init:"uniform(-1, 1)"`
	V float64 `unit:"m/s" init:"uniform(-1, 1)"`
	K int32
}

const (
	dt = 0.01
	h  = dt / 2
	s6 = dt / 6
)

// Step advances one sample.
func (s *Oscillator) Step() (terminated bool) {
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
