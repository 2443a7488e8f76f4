package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	var /* E065 */ a [1000000]float64
	s.X = a[0]
	return s.X > 1
}
