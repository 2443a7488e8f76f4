package fixture

import "math"

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	s.X += math. /* E010 */ Gamma(s.X)
	return s.X > 1
}
