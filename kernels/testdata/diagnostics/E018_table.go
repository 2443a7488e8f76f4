package fixture

//eaglet:kernel
type T struct {
	X    float64
	Rows /* E018 */ [][3]float64
	Many /* E018 */ [2][]float64
}

func (s *T) Step() (done bool) { return s.X > 1 }
