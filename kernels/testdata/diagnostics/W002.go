package fixture

const always = true

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	s.X++
	done = /* W002 */ always || s.X > 1
	return
}
