// Package projectile flies a sphere through still or moving air until it hits the ground.
//
// One sample is a shot in the vertical plane, x along the wind and z up from the ground:
//
//	r' = v
//	v' = -k |v - w(z)| (v - w(z)) - g
//
// with k = rho Cd A/(2 m) (1/m), the drag of a blunt body at high Reynolds number, and the horizontal wind
// w(z) of windTable (wind.go), read by linear interpolation and multiplied by Wind. Long & Weiss, "The
// velocity dependence of aerodynamic drag: a primer for mathematicians", American Mathematical Monthly 106,
// 1999. Air density does not fall with height here. A step is the classical fourth-order Runge-Kutta method
// (Kutta 1901) with a fixed step Dt; in still air it is exact without drag.
//
// A sample finishes when it is at or below the ground after a step. Its state is then taken back to z = 0 on
// the chord of that step, which is wrong in time by at most g Dt^2/(8 |v_z|).
package projectile

import "math"

// Projectile is one sample.
//
//eaglet:kernel steps=auto guard=active_set
type Projectile struct {
	Speed     float64 `unit:"m/s" init:"uniform(20, 200)"`       // muzzle speed
	Elevation float64 `unit:"rad" init:"uniform(0.2, 1.4)"`      // angle above the horizontal
	Drag      float64 `unit:"1/m" init:"loguniform(1e-4, 1e-2)"` // k: about 8e-4 for an iron ball of 1 kg, 6e-3 for a baseball

	G    float64 `plane:"param" unit:"m/s^2" init:"9.80665"` // acceleration of gravity
	Wind float64 `plane:"param" init:"1"`                    // factor of the wind table; negative: head wind
	Dt   float64 `plane:"param" unit:"s" init:"0.02"`        // time step

	X  float64 `unit:"m"`   // distance along the ground
	Z  float64 `unit:"m"`   // height above the ground
	VX float64 `unit:"m/s"` // velocity along the ground
	VZ float64 `unit:"m/s"` // velocity upwards
	T  float64 `unit:"s"`   // time
}

// Init turns speed and elevation into the velocity at the muzzle.
func (s *Projectile) Init() {
	sin, cos := math.Sincos(s.Elevation)
	s.VX, s.VZ = s.Speed*cos, s.Speed*sin
}

// pull is the acceleration at height z and velocity (vx, vz).
func (s *Projectile) pull(z, vx, vz float64) (ax, az float64) {
	ux := vx - s.Wind*wind(z)
	k := s.Drag * math.Sqrt(ux*ux+vz*vz)
	return -(k * ux), -(k * vz) - s.G
}

// Step advances one sample by Dt, or to the ground.
func (s *Projectile) Step() (landed bool) {
	dt, h, s6 := s.Dt, s.Dt/2, s.Dt/6
	z0, vx0, vz0 := s.Z, s.VX, s.VZ
	ax0, az0 := s.pull(z0, vx0, vz0)
	vx1, vz1 := vx0+h*ax0, vz0+h*az0
	ax1, az1 := s.pull(z0+h*vz0, vx1, vz1)
	vx2, vz2 := vx0+h*ax1, vz0+h*az1
	ax2, az2 := s.pull(z0+h*vz1, vx2, vz2)
	vx3, vz3 := vx0+dt*ax2, vz0+dt*az2
	ax3, az3 := s.pull(z0+dt*vz2, vx3, vz3)

	dx := s6 * ((vx0 + 2*vx1) + (2*vx2 + vx3))
	dz := s6 * ((vz0 + 2*vz1) + (2*vz2 + vz3))
	dvx := s6 * ((ax0 + 2*ax1) + (2*ax2 + ax3))
	dvz := s6 * ((az0 + 2*az1) + (2*az2 + az3))

	landed = z0+dz <= 0
	part := 1.0
	if landed && dz < 0 {
		part = math.Max(0, -z0/dz)
	}
	s.X += part * dx
	s.Z += part * dz
	s.VX += part * dvx
	s.VZ += part * dvz
	s.T += part * dt
	if landed {
		s.Z = 0
	}
	return
}

// RangeRatio is the distance over what it would be without air, v^2 sin(2 elevation)/g.
func (s *Projectile) RangeRatio() float64 {
	return s.X * s.G / (s.Speed * s.Speed * math.Sin(2*s.Elevation))
}

// Energy is kinetic and potential energy for each kilogram, in J/kg.
func (s *Projectile) Energy() float64 { return 0.5*(s.VX*s.VX+s.VZ*s.VZ) + s.G*s.Z }
