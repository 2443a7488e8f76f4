// Package reentry lets low satellites of an oblate Earth sink through its atmosphere until they re-enter.
//
// One sample is a satellite as a point with drag, in a frame that does not rotate, z along the axis:
//
//	r' = v
//	v' = -mu r/r^3 + a_J2 - (1/2) B rho(r - Re) |u| u,     u = v - spin x r
//
// B = Cd A/m is its ballistic coefficient, u its velocity through the air, which turns with the Earth; a_J2 is
// the oblateness term of the Earth's gravity (Vallado, "Fundamentals of Astrodynamics and Applications", 4th
// edition 2013, section 8.6). The density rho is Vallado's table 8-4, piecewise
// exponential in height (atmosphere.go); the height is that above a sphere of the equatorial radius. Real
// density varies by a factor of two from day to day, so real dates of re-entry are uncertain by a tenth of
// the time that is left.
//
// A step is the classical fourth-order Runge-Kutta method (Kutta 1901) with a fixed step Dt, about 180 to a
// revolution. A sample starts on a circular orbit, as far as J2 lets an orbit be one.
//
// A sample finishes when its height is HEnd or less after a step. Lifetimes of the defaults range from half
// an hour to two and a half days.
package reentry

import "math"

// Reentry is one sample.
//
//eaglet:kernel steps=auto guard=active_set
type Reentry struct {
	H0  float64 `unit:"km" init:"uniform(130, 180)"`              // height at the start
	Inc float64 `unit:"rad" init:"uniform(0, 1.7)"`               // inclination
	Arg float64 `unit:"rad" init:"uniform(0, 6.283185307179586)"` // angle from the ascending node at the start
	B   float64 `unit:"m^2/kg" init:"loguniform(0.005, 0.05)"`    // ballistic coefficient Cd A/m

	HEnd float64 `plane:"param" unit:"km" init:"100"`               // height of re-entry
	Mu   float64 `plane:"param" unit:"km^3/s^2" init:"398600.4415"` // gravitational parameter of the Earth
	Re   float64 `plane:"param" unit:"km" init:"6378.1363"`         // equatorial radius
	J2   float64 `plane:"param" init:"1.0826267e-3"`                // oblateness
	Spin float64 `plane:"param" unit:"rad/s" init:"7.292115e-5"`    // rotation of the Earth and its air
	Dt   float64 `plane:"param" unit:"s" init:"30"`                 // time step

	Pos [3]float64 `unit:"km"`   // position
	Vel [3]float64 `unit:"km/s"` // velocity
	T   float64    `unit:"s"`    // time
}

// Init puts the satellite on its orbit; the ascending node lies on the x axis.
func (s *Reentry) Init() {
	r := s.Re + s.H0
	v := math.Sqrt(s.Mu / r)
	sinI, cosI := math.Sincos(s.Inc)
	sin, cos := math.Sincos(s.Arg)
	s.Pos = [3]float64{r * cos, r * (sin * cosI), r * (sin * sinI)}
	s.Vel = [3]float64{-(v * sin), v * (cos * cosI), v * (cos * sinI)}
}

// pull is the acceleration, in km/s^2.
func (s *Reentry) pull(r, v [3]float64) [3]float64 {
	r2 := dot(r, r)
	d := math.Sqrt(r2)
	g := -(s.Mu / (r2 * d))
	j := 1.5 * s.J2 * (s.Re * s.Re / r2)
	z := 5 * (r[2] * r[2] / r2)
	u := [3]float64{v[0] + s.Spin*r[1], v[1] - s.Spin*r[0], v[2]}
	// B is in m^2/kg and rho in kg/m^3, so their product is in 1/m: times 1000 it is in 1/km.
	k := 500 * s.B * density(d-s.Re) * math.Sqrt(dot(u, u))
	return [3]float64{
		g*r[0]*(1+j*(1-z)) - k*u[0],
		g*r[1]*(1+j*(1-z)) - k*u[1],
		g*r[2]*(1+j*(3-z)) - k*u[2],
	}
}

func dot(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func plus(a [3]float64, h float64, b [3]float64) [3]float64 {
	return [3]float64{a[0] + h*b[0], a[1] + h*b[1], a[2] + h*b[2]}
}

// Step advances one sample by Dt.
func (s *Reentry) Step() (entered bool) {
	dt, h, s6 := s.Dt, s.Dt/2, s.Dt/6
	r, v1 := s.Pos, s.Vel
	a1 := s.pull(r, v1)
	v2 := plus(v1, h, a1)
	a2 := s.pull(plus(r, h, v1), v2)
	v3 := plus(v1, h, a2)
	a3 := s.pull(plus(r, h, v2), v3)
	v4 := plus(v1, dt, a3)
	a4 := s.pull(plus(r, dt, v3), v4)
	for c := 0; c < 3; c++ {
		s.Pos[c] = r[c] + s6*((v1[c]+2*v2[c])+(2*v3[c]+v4[c]))
		s.Vel[c] = v1[c] + s6*((a1[c]+2*a2[c])+(2*a3[c]+a4[c]))
	}
	s.T += dt
	entered = s.Height() <= s.HEnd
	return
}

// Height is the height above a sphere of the equatorial radius, in km.
func (s *Reentry) Height() float64 { return math.Sqrt(dot(s.Pos, s.Pos)) - s.Re }

// SemiMajor is the semi-major axis of the osculating orbit, in km.
func (s *Reentry) SemiMajor() float64 {
	return 1 / (2/math.Sqrt(dot(s.Pos, s.Pos)) - dot(s.Vel, s.Vel)/s.Mu)
}

// Node is the longitude of the osculating ascending node, in rad. J2 turns it backwards under orbits of less
// than 90 degrees of inclination.
func (s *Reentry) Node() float64 {
	x := s.Pos[1]*s.Vel[2] - s.Pos[2]*s.Vel[1]
	y := s.Pos[2]*s.Vel[0] - s.Pos[0]*s.Vel[2]
	return math.Atan2(x, -y)
}
