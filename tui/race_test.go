//go:build race

package tui

const raceDetector = true
