package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	f := /* E036 */ func(x float64) float64 { return 2 * x }
	g := /* E036 */ double
	h := /* E036 */ s.Step
	_ = h
	s.X = f(g(s.X))
	return s.X > 1
}

func double(x float64) float64 { return 2 * x }
