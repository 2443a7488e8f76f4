// Package unsigned has an index that is the least of unsigned values, which once sent the compiler round in
// circles, and one that is bounded from both sides.
package unsigned

var table = [6]float64{1, 2, 4, 8, 16, 32}

//eaglet:kernel
type Unsigned struct {
	U, W  uint64
	N     int64
	X     float64
	Count int32
}

func (s *Unsigned) Step() bool {
	s.X += table[min(s.U, 5)] - table[max(min(s.W, 4), s.U&3)&3] + table[max(0, min(s.N, 5))]
	s.U = s.U*5 + 1
	s.Count++
	return s.Count > 8
}
