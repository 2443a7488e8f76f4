package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	var a /* E046 */ int8 = 1
	b := /* E046 */ uint16(s.X)
	s.X = float64(a) + float64(b)
	return s.X > 1
}
