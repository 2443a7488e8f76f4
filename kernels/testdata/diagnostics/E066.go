package fixture

var rows = [][]float64{{1}, {1, 2}}

var points = [2]struct{ x, y float64 }{{1, 2}, {3, 4}}

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	s.X = /* E066 */ rows[int(s.X)][0] + /* E066 */ points[int(s.X)].x
	return s.X > 1
}
