//go:build !race

package tui

// raceDetector says whether the race detector is on, under which everything takes ten times as long.
const raceDetector = false
