package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	s.X += /* E054 */ s.bump()
	y := s.twice(s.X, /* E054 */ s.bump())
	y += s.twice(y, 1) + s.X
	if s.X > 3 && s.bump() > 2 {
		y++
	}
	for i := 0; i < 3 && s.bump() < 4; i++ {
		if y = s.X; s.bump() > 0 {
			y += s.X
		}
	}
	switch y = s.X; s.bump() {
	case 2, s.bump():
		y++
	}
	s.X += y
	return s.X > 1
}

func (s *T) bump() float64 {
	s.X++
	return 1
}

func (s *T) twice(x, y float64) float64 {
	s.X *= 2
	return x + y
}
