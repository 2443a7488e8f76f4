package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	/* E060 */ for i := 0; i < 1<<40; i++ {
		s.X += float64(i)
	}
	return s.X > 1
}
