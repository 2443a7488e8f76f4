package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	/* E005 */ //line other.go:7
	s.X++
	return s.X > 1
}
