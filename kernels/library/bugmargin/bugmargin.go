// Package bugmargin is a teaching bug: for some samples the margin of the finish condition never shrinks.
//
// One sample looks for the root of
//
//	p(x) = x^3 - 2 x + 2
//
// which has one real root, -1.7692923542386314, by Newton's method x -> x - p(x)/p'(x). A step is one
// iteration. The finish rule is the usual one: the last correction is at most Tol.
//
// # What is wrong
//
// Nothing says that Newton's method converges. Here p(0) = 2, p'(0) = -2 and p(1) = 1, p'(1) = 1, so that 0
// goes to 1 and 1 goes back to 0. The second derivative vanishes at 0, so this cycle attracts whole intervals
// of starts (Smale, "On the efficiency of algorithms of analysis", Bulletin of the American Mathematical
// Society 13, 1985). In the cycle the correction is 1 for ever. The workbench shows it: for most samples the
// margin, correction minus Tol, falls to 0 faster and faster, for the others it stays at 1 step after step. No
// number is wrong, nothing is NaN, and no max_steps is large enough.
//
// # What is right
//
// An iteration needs a second way to end, a number of iterations after which it has failed, kept apart from
// success by a plane or an observable, or a method that converges from everywhere, such as bisection within a
// bracket:
//
//	ended = math.Abs(s.Last) <= s.Tol || s.Iter >= 50
package bugmargin

import "math"

// Bugmargin is one sample.
//
//eaglet:kernel steps=auto guard=active_set
type Bugmargin struct {
	Tol float64 `plane:"param" init:"1e-12"` // largest correction of a finished sample

	X    float64 `init:"uniform(-3, 3)"` // the iterate
	Last float64 // the last correction
	Iter int32   // iterations
}

// Step makes one iteration.
func (s *Bugmargin) Step() (converged bool) {
	s.Last = s.Residual() / (3*s.X*s.X - 2)
	s.X -= s.Last
	s.Iter++
	converged = math.Abs(s.Last) <= s.Tol // the bug: the only way to end
	return
}

// Residual is p(x).
func (s *Bugmargin) Residual() float64 { return s.X*s.X*s.X - 2*s.X + 2 }
