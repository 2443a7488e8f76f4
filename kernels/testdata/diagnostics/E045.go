package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	z := /* E045 */ 1i
	var w /* E045 */ complex128 = z
	s.X = /* E042 */ real(w)
	return s.X > 1
}
