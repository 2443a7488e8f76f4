package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	/* W004 */ //eaglet:cap 10
	if s.X < 1 {
		s.X++
	}
	return s.X > 1
}
