package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	var a [100]float64
	s.X = /* E061 */ a[int(s.X)]
	return s.X > 1
}
