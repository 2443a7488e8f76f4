package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	x := /* E032 */ []float64{1, 2}
	var y [4]float64
	z := /* E032 */ y[1:]
	s.X += x[0] + z[0] + sum(1, 2)
	return s.X > 1
}

func sum(x /* E032 */ ...float64) float64 { return x[0] }
