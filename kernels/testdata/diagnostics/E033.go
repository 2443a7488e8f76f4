package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	m := /* E033 */ map[int]float64{}
	s.X += m[0]
	return s.X > 1
}
