package fixture

//eaglet:kernel
type /* E015 */ T struct {
	X float64
}
