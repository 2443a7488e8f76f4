// Package bugnan is a teaching bug: its samples never finish, because a comparison with NaN is false.
//
// One sample is an open tank that drains through a hole in its bottom,
//
//	h' = -C sqrt(h)
//
// (Torricelli's law, 1643: the outflow is as fast as a body that fell through the height h), by the explicit
// Euler method. The exact height is (sqrt(h0) - C t/2)^2, and the tank is empty at 2 sqrt(h0)/C: after about
// 60 to 110 steps of the defaults.
//
// # What is wrong
//
// The last step before the end takes the height a little below 0. Nothing is lost yet, but the finish rule
// asks for |h| < Eps, and -h is larger than that. The next step takes the root of a negative number: from
// there on h is NaN. |NaN| < Eps is false, and stays false. The workbench shows it: the margin of the finish
// condition shrinks to within one step of 0 and turns into NaN, and the report counts the samples with NaN in
// their state. A sample now and then is caught within Eps of 0 by luck.
//
// # What is right
//
// Ask the other way round, so that what is no number also ends the sample, and keep the model in its domain:
//
//	drained = !(s.H > Eps)
//	s.H = math.Max(0, s.H-s.Dt*s.C*math.Sqrt(s.H))
package bugnan

import "math"

// Bugnan is one sample.
//
//eaglet:kernel steps=auto guard=active_set
type Bugnan struct {
	C   float64 `plane:"param" unit:"m^0.5/s" init:"0.05"` // area of the hole over that of the tank, times sqrt(2 g)
	Eps float64 `plane:"param" unit:"m" init:"1e-6"`       // a tank with less is meant to be empty
	Dt  float64 `plane:"param" unit:"s" init:"0.5"`        // time step

	H float64 `unit:"m" init:"uniform(0.5, 2)"` // height of the water
	T float64 `unit:"s"`                        // time
}

// Step advances one sample by Dt.
func (s *Bugnan) Step() (drained bool) {
	s.H -= s.Dt * s.C * math.Sqrt(s.H)
	s.T += s.Dt
	drained = math.Abs(s.H) < s.Eps // the bug: false for NaN
	return
}

// Lost says whether the sample can no longer finish.
func (s *Bugnan) Lost() bool { return math.IsNaN(s.H) }
