//go:build !race

package jit

// raceDetector says that tests run under the race detector.
const raceDetector = false
