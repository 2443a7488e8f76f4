package fixture

//eaglet:kernel
type T struct {
	X          float64
	DtMax      float64
	/* E020 */ Dt_max float64
	/* E020 */ StepsTaken uint32
	/* E020 */ Done bool
}

func (s *T) Step() (done bool) {
	return s.X > 1
}

func (s *T) /* E020 */ ActiveMap() float64 { return s.X }
