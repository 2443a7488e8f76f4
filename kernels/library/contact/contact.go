// Package contact drops bodies on a floor and lets each bounce until it rests.
//
// One sample is a point mass above a horizontal floor at z = 0: free fall between contacts, and at a contact
// Newton's law of impact, v -> -e v, with a coefficient of restitution e < 1 (Newton, "Principia", 1687,
// scholium to the laws of motion; Brach, "Mechanical Impact Dynamics", 1991).
//
// A step of Dt is one of three branches. In flight the parabola is followed exactly. A parabola that meets
// the floor within the step is followed to there, at the root of its quadratic, turned round, and followed
// for the rest of the step. A body that leaves the floor slower than VRest is put to rest: infinitely many
// bounces in a finite time are cut off there. With VRest > g Dt/2 no body comes down twice within a step.
//
// A sample finishes when it rests. Dropped from the height h, it hits the floor for the n-th time at
// sqrt(2h/g) (1 + 2 e (1 - e^(n-1))/(1 - e)), leaves it with e^n sqrt(2 g h), and rests at the first n for
// which that is below VRest.
package contact

import "math"

// Contact is one sample.
//
//eaglet:kernel steps=auto guard=active_set
type Contact struct {
	E float64 `init:"uniform(0.3, 0.92)"`       // coefficient of restitution, below 1
	Z float64 `unit:"m" init:"uniform(0.5, 5)"` // height above the floor
	V float64 `unit:"m/s"`                      // velocity upwards

	G     float64 `plane:"param" unit:"m/s^2" init:"9.80665"` // acceleration of gravity
	VRest float64 `plane:"param" unit:"m/s" init:"0.05"`      // a body that leaves the floor slower rests
	Dt    float64 `plane:"param" unit:"s" init:"0.005"`       // time step

	T       float64 `unit:"s"` // time; of a resting body the time of its last contact
	Bounces int32   // contacts so far
}

// Step advances one sample by Dt, or to its rest.
func (s *Contact) Step() (rests bool) {
	next := s.Z + s.Dt*(s.V-0.5*s.G*s.Dt)
	if next > 0 {
		s.Z = next
		s.V -= s.G * s.Dt
		s.T += s.Dt
		return
	}

	// The floor is met after tc: the later root of z + v t - g t^2/2, where the speed is hit.
	hit := math.Sqrt(s.V*s.V + 2*s.G*s.Z)
	tc := (s.V + hit) / s.G
	left := s.Dt - tc
	s.Bounces++
	up := s.E * hit
	if up < s.VRest {
		s.Z, s.V = 0, 0
		s.T += tc
		rests = true
	} else {
		s.Z = math.Max(0, left*(up-0.5*s.G*left))
		s.V = up - s.G*left
		s.T += s.Dt
	}
	return
}

// Energy is the energy for each kilogram, in J/kg. A bounce keeps e^2 of it, flight all.
func (s *Contact) Energy() float64 { return 0.5*s.V*s.V + s.G*s.Z }
