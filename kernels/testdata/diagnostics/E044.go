package fixture

type /* E044 */ pair[V any] struct{ a, b V }

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	var p pair[float64]
	s.X = p.a
	return s.X > 1
}
