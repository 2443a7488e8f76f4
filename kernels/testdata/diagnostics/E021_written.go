package fixture

//eaglet:kernel
type T struct {
	X    float64
	Loss []float64
}

func (s *T) Step() (done bool) {
	/* E021 */ s.Loss[0] = s.X
	return s.X > 1
}
