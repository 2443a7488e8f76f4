package kepler

import "math"

// Init turns elements into the state at the start.
//
// Where q is given, or e >= 1, a sample starts at the perihelion: distance q, speed sqrt(mu (1+e)/q), which
// has no singularity at e = 1. Otherwise it starts at the mean anomaly m0 of the ellipse of a and e.
// A hyperbola given by a instead of q may have a of either sign.
//
// A t_end of 0 becomes revs periods of a closed orbit; for an open one the time from the perihelion of the
// parabola of the same q out to 10 q: Barker's equation with tan(f/2) = 3 gives 12 sqrt(2 q^3/mu). (The
// sample itself is a little further out by then, the more the larger e.)
//
// Elements that are no orbit (e < 0, q <= 0, e = 1 without q, NaN) give a state of NaN and t_end 0, so that
// the sample finishes at its first step and is reported as not finite.
func (s *Kepler) Init() {
	q := s.Q
	if !(q > 0) {
		q = math.Abs(s.A * (1 - s.E))
	}
	if !(q > 0 && q <= math.MaxFloat64 && s.E >= 0) {
		q = math.NaN()
	}
	closed := s.E < 1
	a := s.A // from here on for closed orbits only
	if s.Q > 0 || math.IsNaN(q) {
		a = q / (1 - s.E)
	}

	// In the plane of the orbit, x towards the perihelion.
	x, y := q, 0.0
	vx, vy := 0.0, math.Sqrt(s.Mu*(1+s.E)/q)
	if closed && !(s.Q > 0) {
		sin, cos := math.Sincos(eccentricAnomaly(s.M0, s.E))
		axes := math.Sqrt((1 - s.E) * (1 + s.E)) // semi-minor over semi-major axis
		r := a * (1 - s.E*cos)
		x, y = a*(cos-s.E), a*axes*sin
		speed := math.Sqrt(s.Mu*a) / r
		vx, vy = -speed*sin, speed*axes*cos
	}

	sinI, cosI := math.Sincos(s.I)
	sinN, cosN := math.Sincos(s.Node)
	sinP, cosP := math.Sincos(s.Peri)
	// toPeri points from the centre to the perihelion, ahead along the motion there.
	toPeri := [3]float64{cosP*cosN - sinP*sinN*cosI, cosP*sinN + sinP*cosN*cosI, sinP * sinI}
	ahead := [3]float64{-sinP*cosN - cosP*sinN*cosI, -sinP*sinN + cosP*cosN*cosI, cosP * sinI}
	for c := 0; c < 3; c++ {
		s.Pos[c] = x*toPeri[c] + y*ahead[c]
		s.Vel[c] = vx*toPeri[c] + vy*ahead[c]
		s.Pos0[c], s.Vel0[c] = s.Pos[c], s.Vel[c]
	}

	if s.TEnd == 0 {
		if closed {
			s.TEnd = s.Revs * (2 * math.Pi) * math.Sqrt(a*a*a/s.Mu)
		} else {
			s.TEnd = 12 * math.Sqrt(2*q*q*q/s.Mu)
		}
	}
	if math.IsNaN(q) {
		s.TEnd = 0
	}
	r := length(x, y, 0)
	s.T, s.H = 0, 0.1*math.Sqrt(r*r*r/s.Mu)
	s.Scale = q
	s.Accepted, s.Rejected = 0, 0
}

// eccentricAnomaly solves Kepler's equation E - e sin E = m for 0 <= e < 1; the result lies in [-pi, pi].
//
// Newton's method from the right: for m in [0, pi] the function is convex on [0, pi] and not negative at
// min(m+e, pi), so the iterates fall towards the root and cannot leave the interval. They need at most 7
// turns at e = 0.9, 13 at 0.999 and 21 at 0.999999 (the worst m); the cap is far above.
func eccentricAnomaly(m, e float64) float64 {
	m -= (2 * math.Pi) * math.RoundToEven(m/(2*math.Pi))
	target := math.Abs(m)
	ecc := math.Min(target+e, math.Pi)
	for turn := 0; turn < 60; turn++ {
		sin, cos := math.Sincos(ecc)
		step := (ecc - e*sin - target) / (1 - e*cos)
		ecc -= step
		if !(step > 0x1p-30*ecc) { // what is left is below the square of this; also ends on NaN
			break
		}
	}
	return math.Copysign(ecc, m)
}
