package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	p := /* E030 */ &s.X
	var q /* E030 */ *float64
	_, _ = p, q
	t := /* E030 */ s
	_ = t
	_ = helper(/* E030 */ s)
	return s.X > 1
}

func helper(t /* E030 */ *T) float64 { return t.X }
