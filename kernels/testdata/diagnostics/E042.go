package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	if s.X < 0 {
		/* E042 */ panic(1)
	}
	/* E042 */ println(s.X)
	var a [3]float64
	s.X += float64( /* E042 */ cap(a))
	return s.X > 1
}
