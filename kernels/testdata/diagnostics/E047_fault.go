package fixture

var table = [2]float64{1, /* E047 */ fault(0)}

func fault(n int) float64 { return float64(1 / n) }

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	s.X += table[0]
	return s.X > 1
}
