package typed

// T has type errors that the Go compiler reports, and others that it does not.
//
//eaglet:kernel
type T struct {
	X float64
}

// Step is wrong in three ways, one of which is Go's own.
func (s *T) Step() (terminated bool) {
	s.X = true
	go s.half() // want `^E037  goroutines are refused`
	return s.X > 3
}

func (s *T) half() { s.X /= 2 }
