package fixture

type base struct{ Y float64 }

//eaglet:kernel
type T struct {
	X float64
	/* E051 */ base
}

func (s *T) Step() (done bool) {
	return s.X > 1
}

type derived struct {
	/* E051 */ base
	/* E051 */ _ int
}
