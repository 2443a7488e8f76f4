package /* E012 */ fixture

type T struct {
	X float64
}

func (s *T) Step() (done bool) { return s.X > 1 }
