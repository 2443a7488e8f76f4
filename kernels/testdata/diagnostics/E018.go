package fixture

//eaglet:kernel
type T struct {
	X float64
	A /* E018 */ int8
	B /* E018 */ [2]struct{ Y float64 }
	C /* E018 */ [0]float64
}

func (s *T) Step() (done bool) { return s.X > 1 }
