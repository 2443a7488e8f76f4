package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	c := /* E042 */ make(/* E038 */ chan float64)
	/* E038 */ c <- 1
	s.X = /* E038 */ <-c
	return s.X > 1
}
