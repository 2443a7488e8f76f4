package fixture

//eaglet:kernel
type T struct {
	X float64
}

type point struct {
	x float64
	n int
}

func (s *T) Step() (done bool) {
	var a [100]point
	s.X = /* E061 */ a[int(s.X)].x
	return s.X > 1
}
