package /* E012 */ fixture

/* E014 */ //eaglet:kernel

func one() float64 { return 1 }
