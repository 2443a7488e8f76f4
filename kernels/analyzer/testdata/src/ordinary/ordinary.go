// Package ordinary has no kernel: nothing is said about it.
package ordinary

//eaglet:cap 3 above a loop would be for a kernel only

// Print prints a map.
func Print(m map[string]int) {
	defer println()
	for k := range m {
		println(&k)
	}
}
