package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	s.X = 1 /* E003 */ 2
	return s.X > 1
}
