package fixture

//eaglet:kernel
type T struct {
	X float64 /* E019 */ `init:"uniform(1)"`
	A float64 /* E019 */ `init:"gauss(1, 2)"`
	B float64 /* E019 */ `plane:"const"`
	C float64 /* E019 */ `plane: "input"`
	D float64 /* E019 */ `plane:"param" init:"uniform(1, 2)"`
	E float64 /* E019 */ `init:"1e999"`
	F float64 /* E019 */ `init:"loguniform(0, 1)"`
}

func (s *T) Step() (done bool) {
	return s.X > 1
}
