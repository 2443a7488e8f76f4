// Package refill has values that a sample computes once, of two sizes. When new samples were taken up, the
// interpreter computed theirs in a row that held a wider value of a sample still running.
package refill

//eaglet:kernel
type Refill struct {
	A, B, Limit float64
	I           int32

	X     float64
	Count int32
}

func (s *Refill) Step() bool {
	near := s.A < s.B
	odd := s.I&1 == 1
	scale := s.A - s.B
	if near != odd {
		scale = s.B * 1.5
	}
	u, v, w := scale*s.A+0.25, scale*s.B-0.5, scale-s.Limit
	s.X = s.X*0.5 + u
	s.X = s.X*v - w
	s.X = s.X*u + scale
	s.Count++
	return s.Count > 3+s.I&7
}
