// Package kepler integrates two-body orbits with a step size of their own, each to its own final time.
//
// One sample is a body of no mass round the Sun (or round whatever Mu says):
//
//	r' = v
//	v' = -mu r / |r|^3
//
// in astronomical units and days. It starts from orbital elements (see [Kepler.Init]): ellipses, parabolas
// and hyperbolas. A step is one attempt of the Runge-Kutta-Fehlberg method 7(8) (tableau.go); the result of
// order eight is carried on. An attempt whose error estimate is too large changes nothing but the step size.
//
// # Error norm
//
// Positions are of the order of 1 au and velocities of 0.01 au/d, so one absolute tolerance for both would
// let velocities run wild. The norm measures each orbit in its own units: the perihelion distance q for
// lengths, sqrt(mu/q) for speeds. In them the estimated error of a component c is held below
//
//	tol (1 + max(|y_c|, |y'_c|))        y before, y' after the step
//
// and an attempt is accepted when the largest ratio of the six is at most 1. The next step size is the last
// one times 0.9 ratio^(-1/8), cut to 0.2 at least and 5 at most. The first is a tenth of the local time
// scale sqrt(r^3/mu). The last step is cut to end at the final time, which is then set exactly.
//
// What that does to an orbit after whole revolutions is derived at [Kepler.MissBound].
package kepler

import "math"

// Kepler is one sample.
//
//eaglet:kernel steps=auto guard=active_set
type Kepler struct {
	A    float64 `unit:"au" init:"uniform(2.1, 3.3)"`              // semi-major axis; not used when q is given
	Q    float64 `unit:"au"`                                       // perihelion distance; 0: from a and e
	E    float64 `init:"uniform(0, 0.3)"`                          // eccentricity; 1 and more: an open orbit
	I    float64 `unit:"rad" init:"uniform(0, 0.35)"`              // inclination
	Node float64 `unit:"rad" init:"uniform(0, 6.283185307179586)"` // longitude of the ascending node
	Peri float64 `unit:"rad" init:"uniform(0, 6.283185307179586)"` // argument of the perihelion
	M0   float64 `unit:"rad" init:"uniform(0, 6.283185307179586)"` // mean anomaly at the start; not used when q is given or e >= 1
	Revs float64 `init:"1"`                                        // own periods to run, for a closed orbit without t_end
	TEnd float64 `unit:"d"`                                        // final time; 0: Init derives it

	Mu  float64 `plane:"param" unit:"au^3/d^2" init:"2.9591220828559115e-4"` // gravitational parameter: the Gaussian constant 0.01720209895 squared
	Tol float64 `plane:"param" init:"1e-10"`                                 // tolerance of one step

	Scale float64    `unit:"au"`   // length unit of the error norm: the perihelion distance, from Init
	Pos0  [3]float64 `unit:"au"`   // position at the start, from Init
	Vel0  [3]float64 `unit:"au/d"` // velocity at the start, from Init

	Pos      [3]float64 `unit:"au"`   // position, ecliptic
	Vel      [3]float64 `unit:"au/d"` // velocity
	T        float64    `unit:"d"`    // time since the start
	H        float64    `unit:"d"`    // size of the next step
	Accepted int32      // attempts that moved the body
	Rejected int32      // attempts that only made the step smaller
}

// pull is the factor of the position in the acceleration: -mu/r^3.
func pull(mu, x, y, z float64) float64 {
	r2 := (x*x + y*y) + z*z
	return -mu / (r2 * math.Sqrt(r2))
}

// Step makes one attempt. Sums run in the order of the stages and skip the zeros of the tableau.
func (s *Kepler) Step() (terminated bool) {
	left := s.TEnd - s.T
	last := s.H >= left
	h := s.H
	if last {
		h = left
	}

	// y, z and next: position, then velocity, before the step, at a stage, after the step. k: their rates.
	var y, z, next [6]float64
	var k [13][6]float64
	g := pull(s.Mu, s.Pos[0], s.Pos[1], s.Pos[2])
	for c := 0; c < 3; c++ {
		y[c], y[c+3] = s.Pos[c], s.Vel[c]
		k[0][c], k[0][c+3] = s.Vel[c], g*s.Pos[c]
	}
	for i := 1; i < 13; i++ {
		for c := 0; c < 6; c++ {
			sum := weights[i][0] * k[0][c]
			for j := 1; j < i; j++ {
				if weights[i][j] != 0 {
					sum += weights[i][j] * k[j][c]
				}
			}
			z[c] = y[c] + h*sum
		}
		g = pull(s.Mu, z[0], z[1], z[2])
		for c := 0; c < 3; c++ {
			k[i][c], k[i][c+3] = z[c+3], g*z[c]
		}
	}

	worst := 0.0
	for c := 0; c < 6; c++ {
		sum := result[5] * k[5][c]
		for j := 6; j < 13; j++ {
			if result[j] != 0 {
				sum += result[j] * k[j][c]
			}
		}
		next[c] = y[c] + h*sum
		unit := s.Scale
		if c >= 3 {
			unit = math.Sqrt(s.Mu / s.Scale)
		}
		e := math.Abs(h * estimate * ((k[0][c] + k[10][c]) - (k[11][c] + k[12][c])))
		worst = math.Max(worst, e/(s.Tol*unit+s.Tol*math.Max(math.Abs(y[c]), math.Abs(next[c]))))
	}

	if worst <= 1 { // never true of NaN: a stage that ran through the centre is an attempt with too large a step
		for c := 0; c < 3; c++ {
			s.Pos[c], s.Vel[c] = next[c], next[c+3]
		}
		s.T += h
		if last {
			s.T = s.TEnd
		}
		s.Accepted++
	} else {
		s.Rejected++
	}
	factor := math.Min(5, 0.9/math.Sqrt(math.Sqrt(math.Sqrt(worst)))) // worst = 0 gives infinity, cut to 5
	if !(factor >= 0.2) {
		factor = 0.2 // also for NaN
	}
	s.H = h * factor
	terminated = s.T >= s.TEnd
	return
}

// Energy is the energy for each unit of mass, in au^2/d^2; negative for a closed orbit. It is a constant of
// the motion, so its drift measures the integration.
func (s *Kepler) Energy() float64 {
	v2 := (s.Vel[0]*s.Vel[0] + s.Vel[1]*s.Vel[1]) + s.Vel[2]*s.Vel[2]
	return 0.5*v2 - s.Mu/s.Radius()
}

// Radius is the distance from the centre, in au.
func (s *Kepler) Radius() float64 { return length(s.Pos[0], s.Pos[1], s.Pos[2]) }

func length(x, y, z float64) float64 { return math.Sqrt((x*x + y*y) + z*z) }
