package fixture

//eaglet:kernel
type T struct {
	X    float64
	Wind []float64  /* E019 */ `init:"linspace(0, 1)"`
	Loss []float64  /* E019 */ `len:"16"`
	None []float64  /* E019 */ `init:"0" len:"0"`
	Flat [4]float64 /* E019 */ `init:"0" len:"4"`
}

func (s *T) Step() (done bool) { return s.X > 1 }
