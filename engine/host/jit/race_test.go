//go:build race

package jit

// raceDetector says that tests run under the race detector, which makes the emulator some twenty times
// slower and sees nothing in it: kernels run on the processor then, where it can.
const raceDetector = true
