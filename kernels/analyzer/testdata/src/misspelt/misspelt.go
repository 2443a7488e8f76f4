package misspelt // want `^E012  the package has no kernel`

// want +2 `^E011  the directive eaglet:kernels is unknown`
//
//eaglet:kernels
type T struct {
	X float64
}

// Step counts.
func (s *T) Step() { s.X++ }
