package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
again:
	s.X++
	if s.X < 1 {
		/* E041 */ goto again
	}
	return s.X > 1
}
