package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	for x := range /* E050 E036 */ seq {
		s.X += x
	}
	return s.X > 1
}

func seq(yield /* E036 */ func(float64) bool) {}
