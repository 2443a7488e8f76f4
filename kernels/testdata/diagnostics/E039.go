package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	/* E039 */ defer helper()
	return s.X > 1
}

func helper() {}
