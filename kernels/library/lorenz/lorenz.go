// Package lorenz integrates the Lorenz system until a sample leaves a ball or its own time is over.
//
// The model is Rayleigh-Bénard convection cut down to three modes (Lorenz, "Deterministic Nonperiodic
// Flow", Journal of the Atmospheric Sciences 20, 1963, equations 25 to 27):
//
//	x' = sigma (y - x)
//	y' = x (rho - z) - y
//	z' = x y - beta z
//
// All quantities are dimensionless. Below rho = 1 everything falls to the origin; up to about 24.74 (with
// the default sigma and beta) to one of two fixed points; above it the motion is chaotic. A step is the
// classical fourth-order Runge-Kutta method (Kutta 1901) with a fixed step Dt.
//
// A sample finishes when its distance from the origin passes Ball, or at TEnd. The size of the attractor
// grows with rho: under the defaults samples of small rho run to their time, those of large rho leave.
// Which of the two ended a sample is the observable Escaped.
package lorenz

import "math"

// Lorenz is one sample.
//
//eaglet:kernel steps=auto guard=active_set
type Lorenz struct {
	Rho  float64 `init:"uniform(10, 60)"`     // Rayleigh number over its critical value
	TEnd float64 `init:"loguniform(0.5, 25)"` // this sample's own time

	Sigma float64 `plane:"param" init:"10"`                 // Prandtl number
	Beta  float64 `plane:"param" init:"2.6666666666666665"` // 8/3: aspect of the convection cells
	Ball  float64 `plane:"param" init:"60"`                 // radius of the ball that ends a sample
	Dt    float64 `plane:"param" init:"0.005"`              // time step

	X float64 `init:"uniform(-10, 10)"` // convection
	Y float64 `init:"uniform(-10, 10)"` // horizontal temperature difference
	Z float64 `init:"uniform(0, 20)"`   // deviation of the vertical temperature profile
	T float64 // time
}

// rate is the right-hand side at (x, y, z).
func (s *Lorenz) rate(x, y, z float64) (dx, dy, dz float64) {
	dx = s.Sigma * (y - x)
	dy = x*(s.Rho-z) - y
	dz = x*y - s.Beta*z
	return
}

// Step advances one sample by Dt. It finishes outside the ball or when its time is over.
func (s *Lorenz) Step() (terminated bool) {
	dt, h, s6 := s.Dt, s.Dt/2, s.Dt/6
	x, y, z := s.X, s.Y, s.Z

	ax, ay, az := s.rate(x, y, z)
	bx, by, bz := s.rate(x+h*ax, y+h*ay, z+h*az)
	cx, cy, cz := s.rate(x+h*bx, y+h*by, z+h*bz)
	dx, dy, dz := s.rate(x+dt*cx, y+dt*cy, z+dt*cz)

	s.X = x + s6*((ax+2*bx)+(2*cx+dx))
	s.Y = y + s6*((ay+2*by)+(2*cy+dy))
	s.Z = z + s6*((az+2*bz)+(2*cz+dz))
	s.T += dt
	terminated = s.X*s.X+s.Y*s.Y+s.Z*s.Z > s.Ball*s.Ball || s.T >= s.TEnd
	return
}

// Distance is the distance from the origin.
func (s *Lorenz) Distance() float64 { return math.Sqrt(s.X*s.X + s.Y*s.Y + s.Z*s.Z) }

// Speed is the length of the rate of change.
func (s *Lorenz) Speed() float64 {
	dx, dy, dz := s.rate(s.X, s.Y, s.Z)
	return math.Sqrt(dx*dx + dy*dy + dz*dz)
}

// Escaped says whether the sample is outside the ball.
func (s *Lorenz) Escaped() bool { return s.X*s.X+s.Y*s.Y+s.Z*s.Z > s.Ball*s.Ball }
