package fixture

var two = half(4)

var /* E047 */ a, /* E047 */ b = both()

func half(x float64) float64 { return x / 2 }

func both() (float64, float64) { return 1, 2 }

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	s.X += two
	return s.X > 1
}
