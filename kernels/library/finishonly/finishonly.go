// Package finishonly finishes and does nothing else: a sample without state.
//
// One sample is a point (X, Y) that no step moves, and the finish rule is the whole model: the point lies
// within Radius of the origin. Nothing changes from one step to the next, so a sample finishes at its first
// step or never. It is the smallest kernel that a batch can be run with, a filter over inputs.
//
// With the default radius every point of the square of the init tags finishes. With --set radius=1 those of
// the unit disk do, a share of pi/4, and the others run to max_steps.
package finishonly

// Finishonly is one sample.
//
//eaglet:kernel steps=auto guard=active_set
type Finishonly struct {
	X float64 `init:"uniform(-1, 1)"` // first coordinate
	Y float64 `init:"uniform(-1, 1)"` // second coordinate

	Radius float64 `plane:"param" init:"1.5"` // points this near to the origin finish
}

// Step moves nothing.
func (s *Finishonly) Step() (within bool) {
	within = s.X*s.X+s.Y*s.Y <= s.Radius*s.Radius
	return
}

// InUnitDisk says whether the point lies in the unit disk. Its mean over the default square is pi/4.
func (s *Finishonly) InUnitDisk() bool { return s.X*s.X+s.Y*s.Y <= 1 }
