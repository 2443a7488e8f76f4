package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	for i := 0; /* E031 */ i < int(s.X); i++ {
		s.X++
	}
	return s.X > 1
}
