package fixture

//eaglet:kernel
type T struct {
	X               float64
	/* E017 */ y    float64
	/* E017 */ Größe float64
}

func (s *T) Step() (done bool) {
	return s.X > 1
}
