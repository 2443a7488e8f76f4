// Package accepted is a kernel of two files.
package accepted

// Decay halves.
//
//eaglet:kernel
type Decay struct {
	X float64 `init:"uniform(1, 2)"`
}

// Step halves X.
func (s *Decay) Step() (terminated bool) {
	s.X *= factor
	return s.X < 1e-3
}
