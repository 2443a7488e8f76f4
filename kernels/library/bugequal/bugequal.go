// Package bugequal is a teaching bug: its finish rule compares floating-point numbers with ==.
//
// One sample is a radioactive substance,
//
//	n' = -Lambda n
//
// (Rutherford, Soddy, "The cause and nature of radioactivity", Philosophical Magazine 4, 1902), by the
// implicit midpoint rule, for a time of its own between 0.1 and 1.
//
// # What is wrong
//
// Time is a sum of steps of 0.1, which has no exact binary form, and the sum of ten of them is
// 0.9999999999999999. A sample finishes when T == TEnd: that happens to hold for 0.1, 0.2, 0.4, 0.5, 0.6 and
// 0.7, and fails for 0.3 (the sum is 0.30000000000000004), 0.8, 0.9 and 1. Those samples step over their time
// by 1e-16 and go on for ever. The workbench shows it: the margin T - TEnd falls in steps of 0.1 to almost 0
// and then grows on the other side.
//
// # What is right
//
// Compare with >=, and count in integers what is a number of steps:
//
//	s.K++
//	over = s.K >= s.Steps        // T is K*Dt
package bugequal

// Bugequal is one sample.
//
//eaglet:kernel steps=auto guard=active_set
type Bugequal struct {
	TEnd float64 `unit:"s" init:"choice(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)"` // this sample's own time

	Lambda float64 `plane:"param" unit:"1/s" init:"0.7"` // decay constant
	Dt     float64 `plane:"param" unit:"s" init:"0.1"`   // time step

	N float64 `init:"1"` // share that is left
	T float64 `unit:"s"` // time
}

// Step advances one sample by Dt.
func (s *Bugequal) Step() (over bool) {
	half := 0.5 * s.Lambda * s.Dt
	s.N *= (1 - half) / (1 + half)
	s.T += s.Dt
	over = s.T == s.TEnd // the bug
	return
}

// Late is the time by which the sample has stepped over its end.
func (s *Bugequal) Late() float64 { return max(0, s.T-s.TEnd) }
