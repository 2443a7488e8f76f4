package fixture

import (
	/* E009 */ "fmt"
	_ /* E009 */ "unsafe"
)

//eaglet:kernel
type T struct {
	X float64
}

func (s *T) Step() (done bool) {
	s.X += fmt.Sqrt(2)
	return s.X > 1
}
