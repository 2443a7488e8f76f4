package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	var a [65]float64
	/* E060 */ for i := 0; i < 200000; i++ {
		a[i%65] += s.X
	}
	s.X = a[0]
	return s.X > 1
}
