package tui

import (
	"testing"

	"github.com/eaglet-workbench/eaglet/engine/host"
	"github.com/eaglet-workbench/eaglet/session"
)

// Every sample belongs to one row, whatever the sizes.
func TestRowsHoldEverySampleOnce(t *testing.T) {
	for rows := 1; rows <= 40; rows++ {
		for n := rows; n <= 200; n++ {
			next := 0
			for row := range rows {
				first, last := samplesOf(row, rows, n)
				if first != next || last < first {
					t.Fatalf("%d rows of %d samples: row %d is %d to %d, want it to begin at %d", rows, n, row, first, last, next)
				}
				next = last + 1
			}
			if next != n {
				t.Fatalf("%d rows of %d samples: the last is %d", rows, n, next-1)
			}
		}
	}
}

// From the picture to the samples of a row, to one of them on its way, and back.
func TestFromTheMaskToASample(t *testing.T) {
	r := browsingOn(t, host.New(), 120, 40, GlyphsBraille, session.RunSteps{N: 60})
	r.press("2")
	r.press() // what the first drawing asks for
	r.press("enter")
	r.sees("put a bar on a row of the picture first")
	r.press("j", "j")
	r.sees("samples 55 to 110")
	r.press("enter")
	r.sees("[6 Planes]", "Planes: 56 of 500 samples with sample 55-110")
	r.press("j", "enter", "7")
	r.sees("Sample: x of 1 chosen sample", "a 56")
	r.press("6", "esc")
	r.sees("Planes: 500 samples")
	r.press("2", "esc")
	r.seesNot("samples 55 to 110")
}
