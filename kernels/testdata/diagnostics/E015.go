package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) /* E015 */ Step(dt float64) (done bool) { return s.X > dt }
