package fixture

//eaglet:kernel
type T struct {
	X float64
	A float64 `plane:"param"`
	B float64 /* E021 */ `plane:"state"`
	C float64 /* E021 */ `plane:"output"`
	D float64 /* E021 */ `plane:"output"`
	E float64 `plane:"input"`
	F float64 /* E021 */ `plane:"output"`
}

func (s *T) Step() (done bool) {
	/* E021 */ s.A = 1
	s.C += 1
	if s.X > 0 {
		s.D = 1
	}
	/* E021 */ s.E++
	return s.X > 1
}
