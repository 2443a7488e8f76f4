package fixture

//eaglet:kernel
type T struct {
	X    float64
	Wind /* E063 */ []float64 `plane:"table"`
	Loss /* E063 */ []float64
}

func (s *T) Step() (done bool) {
	return s.X > 1
}
