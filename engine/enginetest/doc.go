// Package enginetest gives what tests of engines, and of everything above them, stand on: the suite of
// oracles every engine must pass ([Run]), small kernels in IR, and a scripted engine without any compiler
// or interpreter ([NewScripted]). It knows the seams of package engine and no concrete engine.
//
// Read in this order: kernels.go (what the suite runs besides the library's oscillator), scripted.go (the
// reference Bound in plain Go, also used by tests of session and tui), workload.go and oscillator.go (how
// batches are filled, and the same steps without an engine), ways.go (kernel variants and options
// that must not differ), oracles.go and its neighbours (each oracle as a function that returns an error),
// mutants.go (engines that they must reject), suite.go (the table that runs them), pieces.go with
// interrupted.go (random batches, options and places to stop at), stops.go (stops by the clock).
package enginetest
