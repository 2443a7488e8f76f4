package fixture

//eaglet:kernel
type T struct {
	X float64
}

func (s T) /* E015 */ Step() (done bool) { return s.X > 1 }
