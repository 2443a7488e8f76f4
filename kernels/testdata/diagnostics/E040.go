package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	s.X = half(s.X) + ping(s.X)
	return s.X > 1
}

func half(x float64) float64 {
	if x < 1 {
		return x
	}
	return /* E040 */ half(x / 2)
}

func ping(x float64) float64 { return pong(x) }

func pong(x float64) float64 { return /* E040 */ ping(x) }
