package fixture

// T is a kernel.
//
/* E011 E011 E011 E011 E011 E011 */ //eaglet:kernel steps=0 guard=none fma=sometimes precision=f16 steps=4 colour=red
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	/* E011 */ //eaglet:unroll
	s.X++
	/* E011 */ //eaglet:cap many
	for s.X < 1 {
		s.X *= 2
	}
	return s.X > 1
}
