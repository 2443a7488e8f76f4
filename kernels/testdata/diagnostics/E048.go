package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	return s.X > 1
}

func (s *T) Energy() float64 {
	/* E048 */ s.X = 0
	return s.X
}

func (s *T) Sum() float64 { return s.twice() + 1 }

func (s *T) twice() float64 {
	/* E048 */ s.X *= 2
	return s.X
}
