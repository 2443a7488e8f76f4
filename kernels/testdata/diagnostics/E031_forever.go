package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	/* E031 */ for {
		s.X /= 2
		if s.X < 1 {
			break
		}
	}
	return s.X > 1
}
