package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	/* E037 */ go helper()
	return s.X > 1
}

func helper() {}
