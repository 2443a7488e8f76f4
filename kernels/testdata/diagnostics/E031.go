package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	for /* E031 */ s.X > 1 {
		s.X /= 2
	}
	return s.X > 1
}
