package fixture

//eaglet:kernel
type T struct {
	X      float64
	/* W003 */ Unused float64
}

func (s *T) Step() (done bool) {
	return s.X > 1
}
