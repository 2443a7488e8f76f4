// Package unevaluated takes the length of an array at an index out of range, which Go does not evaluate.
package unevaluated

//eaglet:kernel
type Unevaluated struct {
	F     [2][2]float64
	X     float64
	Count int32
}

func (s *Unevaluated) Step() bool {
	s.X += float64(len(s.F[int(s.X)]))
	s.Count++
	return s.Count > 4
}
