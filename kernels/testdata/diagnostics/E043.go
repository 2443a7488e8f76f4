package fixture

var table = [2]float64{1, 2}

var count int

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	/* E043 */ table[0] = s.X
	/* E043 */ count++
	s.X += table[1]
	return s.X > 1
}
