package fixture

//eaglet:kernel
type T struct {
	X float64
	N int
}

func (s *T) Step() (done bool) {
	s.X = /* E004 */ true
	/* E004 */ unused := 1.0
	s.X += /* E004 */ missing
	s.X = /* E004 */ s.N * s.X
	s.X = /* E004 */ s.N
	return s.X > 1
}
