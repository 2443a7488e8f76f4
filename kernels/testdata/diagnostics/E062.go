package fixture

/* E062 */ //eaglet:kernel precision=f32
type T struct {
	X float64
}

func (s *T) Step() (done bool) { return s.X > 1 }
