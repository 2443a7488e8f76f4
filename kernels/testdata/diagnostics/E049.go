package fixture

//eaglet:kernel
type T struct {
	X  float64
	Dt float64 `plane:"param"`
}

func (s *T) Step() (done bool) {
	s.X += s.Dt
	return s.X > 1
}

func (s *T) Init() { /* E049 */ s.Dt = 1 }
