// Package left has a file that build constraints leave out on the machine of the test.
package left

//eaglet:kernel
type T struct {
	X float64
}

// Step counts.
func (s *T) Step() { s.X++ }
