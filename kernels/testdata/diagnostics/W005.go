package fixture

//eaglet:kernel precision=f32
type T struct {
	X float64
}

const far = 1e300

func (s *T) Step() (done bool) {
	s.X += 3e38
	return s.X > /* W005 */ far
}
