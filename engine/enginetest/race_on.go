//go:build race

package enginetest

// raceEnabled: the race detector makes everything many times slower. The suite then leaves out long
// batches and repetitions, which are about bits, and keeps everything that is about goroutines.
const raceEnabled = true
