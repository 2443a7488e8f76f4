//go:build race

package host_test

// teams are the sizes that the suite runs with; the race detector has nothing to see in a team of one, and
// makes the suite twenty times slower.
var teams = []int{3}
