// Package fixed has mistakes that a tool can correct.
package fixed

//eaglet:kernel
type T struct {
	X float64
}

// Step halves, and then adds what bump gives.
func (s *T) Step() (done bool) {
	for s.X > 1 { // want `^E031 `
		s.X /= 2
	}
	s.X += s.bump() // want `^E054 `
	return s.X > 9
}

func (s *T) bump() float64 {
	s.X++
	return 1
}
