package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	s.X = /* E004 */ true
	/* E004 */ unused := 1.0
	s.X += /* E004 */ missing
	return s.X > 1
}
