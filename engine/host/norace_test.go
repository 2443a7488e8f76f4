//go:build !race

package host_test

// teams are the sizes that the suite runs with.
var teams = []int{1, 3}
