package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	var x /* E035 */ any = s.X
	s.X += /* E035 */ x.(float64)
	/* E035 */ switch x.(type) {
	}
	return s.X > 1
}
