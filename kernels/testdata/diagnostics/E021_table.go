package fixture

//eaglet:kernel
type T struct {
	X    float64
	Wind []float64 /* E021 */ `plane:"input"`
	Flat float64 /* E021 */ `plane:"table"`
}

func (s *T) Step() (done bool) {
	return s.X > s.Flat
}
