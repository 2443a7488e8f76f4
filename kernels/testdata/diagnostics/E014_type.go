package fixture

/* E014 */ //eaglet:kernel
type T float64
