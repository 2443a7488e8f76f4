package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	s.X = twice(s.X)
	return s.X > 1
}

func /* E052 */ twice(x float64) float64
