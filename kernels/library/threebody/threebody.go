// Package threebody runs three bodies under their own gravity until two meet or one leaves.
//
// One sample is a planar system in units with G = 1: the Pythagorean problem, masses 3, 4 and 5 at rest at the
// corners of the right triangle whose opposite sides are 3, 4 and 5 long (Burrau, "Numerische Berechnung eines
// Spezialfalles des Dreikörperproblems", Astronomische Nachrichten 195, 1913), each corner displaced at random
// by some hundredths. After many close encounters one body leaves, and two stay behind as a binary; without a
// displacement it is the lightest, at a time of about 60 (Szebehely, Peters, "Complete solution of a general
// problem of three bodies", Astronomical Journal 72, 1967). The motion is chaotic, so the samples part.
//
// A step is the Hermite method of order 4, one prediction and one correction (Makino, Aarseth, "On a Hermite
// integrator with Ahmad-Cohen scheme for gravitational many-body problems", Publications of the Astronomical
// Society of Japan 44, 1992), with the step size Eta min sqrt(r^3/(m_i + m_j)) over the pairs.
//
// A sample finishes when
//   - two bodies are nearer than RClose to each other: a close encounter, or
//   - a body is further than REsc from the centre of the other two, moves away from it, and faster than a
//     two-body orbit round their mass at that distance could return from: an escape, or
//   - at TEnd.
//
// The observable Escaper tells the body; 0 with Closest above RClose means that time was over.
package threebody

import "math"

// Threebody is one sample.
//
//eaglet:kernel steps=auto guard=active_set
type Threebody struct {
	Shift [3][2]float64 `init:"normal(0, 0.03)"` // displacement of each body from its corner

	M1     float64 `plane:"param" init:"3"`     // mass of the first body, which starts at (1, 3)
	M2     float64 `plane:"param" init:"4"`     // mass of the second, at (-2, -1)
	M3     float64 `plane:"param" init:"5"`     // mass of the third, at (1, -1)
	RClose float64 `plane:"param" init:"0.005"` // distance of a close encounter
	REsc   float64 `plane:"param" init:"8"`     // least distance of an escape
	TEnd   float64 `plane:"param" init:"30"`    // time that ends a sample
	Eta    float64 `plane:"param" init:"0.05"`  // accuracy: the step size over the time scale of the closest pair

	Pos [3][2]float64 // positions
	Vel [3][2]float64 // velocities
	T   float64       // time
}

// corners are the starts of the Pythagorean problem.
var corners = [3][2]float64{{1, 3}, {-2, -1}, {1, -1}}

// Init puts the bodies near their corners, at rest.
func (s *Threebody) Init() {
	for i := range corners {
		for c := range corners[i] {
			s.Pos[i][c] = corners[i][c] + s.Shift[i][c]
		}
	}
}

func (s *Threebody) masses() [3]float64 { return [3]float64{s.M1, s.M2, s.M3} }

// field is the acceleration of each body, its rate of change (the jerk), and the smallest r^3/(m_i + m_j).
func field(m [3]float64, pos, vel [3][2]float64) (acc, jerk [3][2]float64, scale float64) {
	scale = math.MaxFloat64
	for i := 0; i < 2; i++ {
		for j := i + 1; j < 3; j++ {
			x, y := pos[j][0]-pos[i][0], pos[j][1]-pos[i][1]
			vx, vy := vel[j][0]-vel[i][0], vel[j][1]-vel[i][1]
			r2 := x*x + y*y
			r3 := r2 * math.Sqrt(r2)
			closing := 3 * (x*vx + y*vy) / r2
			ax, ay := x/r3, y/r3
			jx, jy := vx/r3-closing*ax, vy/r3-closing*ay
			acc[i][0] += m[j] * ax
			acc[i][1] += m[j] * ay
			acc[j][0] -= m[i] * ax
			acc[j][1] -= m[i] * ay
			jerk[i][0] += m[j] * jx
			jerk[i][1] += m[j] * jy
			jerk[j][0] -= m[i] * jx
			jerk[j][1] -= m[i] * jy
			scale = math.Min(scale, r3/(m[i]+m[j]))
		}
	}
	return
}

// Step advances one sample by the time that suits its closest pair.
func (s *Threebody) Step() (over bool) {
	m := s.masses()
	acc, jerk, scale := field(m, s.Pos, s.Vel)
	h := math.Min(s.Eta*math.Sqrt(scale), s.TEnd-s.T)
	pos, vel := s.Pos, s.Vel
	for i := 0; i < 3; i++ {
		for c := 0; c < 2; c++ {
			pos[i][c] += h * (vel[i][c] + h/2*(acc[i][c]+h/3*jerk[i][c]))
			vel[i][c] += h * (acc[i][c] + h/2*jerk[i][c])
		}
	}
	acc1, jerk1, _ := field(m, pos, vel)
	for i := 0; i < 3; i++ {
		for c := 0; c < 2; c++ {
			v := s.Vel[i][c]
			s.Vel[i][c] = v + h/2*((acc[i][c]+acc1[i][c])+h/6*(jerk[i][c]-jerk1[i][c]))
			s.Pos[i][c] += h / 2 * ((v + s.Vel[i][c]) + h/6*(acc[i][c]-acc1[i][c]))
		}
	}
	s.T += h
	over = s.Closest() < s.RClose || s.Escaper() > 0 || s.T >= s.TEnd
	return
}

// Closest is the distance of the closest pair.
func (s *Threebody) Closest() float64 {
	least := math.Inf(1)
	for i := 0; i < 2; i++ {
		for j := i + 1; j < 3; j++ {
			x, y := s.Pos[j][0]-s.Pos[i][0], s.Pos[j][1]-s.Pos[i][1]
			least = math.Min(least, x*x+y*y)
		}
	}
	return math.Sqrt(least)
}

// Escaper is the number of the body that escapes, 1 to 3, or 0.
func (s *Threebody) Escaper() int32 {
	m := s.masses()
	total := m[0] + m[1] + m[2]
	found := int32(0)
	for i := 0; i < 3; i++ {
		j, k := (i+1)%3, (i+2)%3
		pair := m[j] + m[k]
		x := s.Pos[i][0] - (m[j]*s.Pos[j][0]+m[k]*s.Pos[k][0])/pair
		y := s.Pos[i][1] - (m[j]*s.Pos[j][1]+m[k]*s.Pos[k][1])/pair
		vx := s.Vel[i][0] - (m[j]*s.Vel[j][0]+m[k]*s.Vel[k][0])/pair
		vy := s.Vel[i][1] - (m[j]*s.Vel[j][1]+m[k]*s.Vel[k][1])/pair
		r := math.Sqrt(x*x + y*y)
		if r > s.REsc && x*vx+y*vy > 0 && 0.5*(vx*vx+vy*vy) > total/r {
			found = int32(i) + 1
		}
	}
	return found
}

// Energy is the total energy, a constant of the motion: its drift measures the integration.
func (s *Threebody) Energy() float64 {
	m := s.masses()
	e := 0.0
	for i := 0; i < 3; i++ {
		e += 0.5 * m[i] * (s.Vel[i][0]*s.Vel[i][0] + s.Vel[i][1]*s.Vel[i][1])
		for j := i + 1; j < 3; j++ {
			x, y := s.Pos[j][0]-s.Pos[i][0], s.Pos[j][1]-s.Pos[i][1]
			e -= m[i] * m[j] / math.Sqrt(x*x+y*y)
		}
	}
	return e
}
