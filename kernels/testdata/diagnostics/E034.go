package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	name := /* E034 */ "a"
	var other /* E034 */ string
	_, _ = name, other
	return s.X > 1
}
