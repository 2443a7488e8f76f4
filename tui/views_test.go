package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
)

// recordedRun is a run of the bundled oscillator, 5,000 samples under the band.
const recordedRun = "testdata/recordings/oscillator.eagrec"

// Every view of a recorded run, at every size and in every glyph set, one file a view. Their pictures in colour say the
// same, in 16 colours, in 256 and in all, on dark, light and unknown; those of one size are kept.
//
//	go test ./tui -run TestViews -update
func TestViews(t *testing.T) {
	sizes := [][2]int{{80, 24}, {120, 40}, {200, 60}}
	m := newTestModel(over(), 80, 24, GlyphsBraille)
	for i, name := range ViewNames() {
		if i > 0 && m.panes[i-1] == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var all strings.Builder
			for _, size := range sizes {
				for _, glyphs := range []Glyphs{GlyphsBraille, GlyphsBlock, GlyphsASCII} {
					o := ViewOptions{Width: size[0], Height: size[1], Glyphs: glyphs, At: 12}
					text := drawn(t, recordedRun, name, o)
					fmt.Fprintf(&all, "-- %dx%d %s --\n%s", size[0], size[1], glyphs, text)
					for _, colours := range []int{16, 256, 1 << 24} {
						for _, o.Background = range []Background{BackgroundUnknown, BackgroundDark, BackgroundLight} {
							o.Colours = colours
							coloured := drawn(t, recordedRun, name, o)
							if ansi.Strip(coloured) != text {
								t.Fatalf("%dx%d %s in %d colours on %s says something else:\n%s", size[0], size[1], glyphs, colours, o.Background, coloured)
							}
							if size[0] == 80 && glyphs == GlyphsBraille && colours < 1<<24 {
								fmt.Fprintf(&all, "-- %dx%d in %d colours on %s --\n%s", size[0], size[1], colours, o.Background, coloured)
							}
						}
					}
				}
			}
			golden.RequireEqual(t, all.String())
		})
	}
}
