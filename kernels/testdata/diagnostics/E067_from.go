package fixture

import "math"

//eaglet:kernel precision=f32
type T struct {
	X float64
	N uint64
}

func (s *T) Step() (done bool) {
	s.X = /* E067 */ math.Float64frombits(s.N)
	return s.X > 1
}
