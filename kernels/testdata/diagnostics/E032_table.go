package fixture

//eaglet:kernel
type T struct {
	X    float64
	Wind []float64
}

func (s *T) Step() (done bool) {
	w := /* E032 */ s.Wind
	s.X += w[0]
	return s.X > 1
}
