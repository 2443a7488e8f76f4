package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) { return s.X > 1 }

//eaglet:kernel
type /* E013 */ U struct {
	X float64
}
