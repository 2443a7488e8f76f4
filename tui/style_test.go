package tui

import (
	"math"
	"testing"
)

// luminance of a colour of the 256-colour cube or grey ramp, by WCAG 2.2.
func luminance(index uint8) float64 {
	var r, g, b float64
	if index >= 232 {
		r = 8 + 10*float64(index-232)
		g, b = r, r
	} else {
		step := []float64{0, 95, 135, 175, 215, 255}
		n := int(index) - 16
		r, g, b = step[n/36], step[n/6%6], step[n%6]
	}
	linear := func(c float64) float64 {
		if c /= 255; c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

func contrast(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }

func TestPaletteIsReadable(t *testing.T) {
	const black, white = 0.0, 1.0
	for background, h := range hues256 {
		for name, index := range map[string]uint8{"grey": h.grey, "blue": h.blue, "orange": h.orange, "green": h.green, "purple": h.purple, "red": h.red} {
			onBlack, onWhite := contrast(luminance(index), black), contrast(luminance(index), white)
			switch Background(background) {
			case BackgroundUnknown:
				if min(onBlack, onWhite) < 3.5 {
					t.Errorf("unknown background: %s (%d) has a contrast of %.1f on black, %.1f on white, want 3.5 on both", name, index, onBlack, onWhite)
				}
			case BackgroundDark:
				if onBlack < 4.5 {
					t.Errorf("dark background: %s (%d) has a contrast of %.1f, want 4.5", name, index, onBlack)
				}
			case BackgroundLight:
				if onWhite < 4.5 {
					t.Errorf("light background: %s (%d) has a contrast of %.1f, want 4.5", name, index, onWhite)
				}
			}
		}
	}
}

func TestContrastKnowsItsEnds(t *testing.T) {
	if c := contrast(luminance(16), luminance(231)); math.Abs(c-21) > 1e-9 {
		t.Errorf("black on white is %.3f, want 21", c)
	}
	if c := contrast(luminance(226), 1); c > 1.2 {
		t.Errorf("yellow on white is %.2f: the test would pass an unreadable colour", c)
	}
}

func TestGlyphsAreChosenByTerminalAndLocale(t *testing.T) {
	for _, c := range []struct {
		name string
		want Glyphs
		env  []string
		got  Glyphs
	}{
		{"a UTF-8 terminal shows braille", GlyphsAuto, []string{"TERM=xterm-256color", "LANG=de_DE.UTF-8"}, GlyphsBraille},
		{"the spelling utf8 counts", GlyphsAuto, []string{"TERM=tmux", "LANG=C.utf8"}, GlyphsBraille},
		{"LC_ALL overrides LANG", GlyphsAuto, []string{"TERM=xterm", "LANG=C.UTF-8", "LC_ALL=C"}, GlyphsASCII},
		{"an empty LC_ALL counts as unset", GlyphsAuto, []string{"TERM=xterm", "LANG=C.UTF-8", "LC_ALL="}, GlyphsBraille},
		{"no locale is C", GlyphsAuto, []string{"TERM=xterm"}, GlyphsASCII},
		{"the console of Linux has no braille", GlyphsAuto, []string{"TERM=linux", "LANG=C.UTF-8"}, GlyphsASCII},
		{"a dumb terminal neither", GlyphsAuto, []string{"TERM=dumb", "LANG=C.UTF-8"}, GlyphsASCII},
		{"the user's choice is final", GlyphsBlock, []string{"TERM=dumb"}, GlyphsBlock},
	} {
		if got := chooseGlyphs(c.want, c.env).kind; got != c.got {
			t.Errorf("%s: got %d, want %d", c.name, got, c.got)
		}
	}
	if _, ok := GlyphsNamed("emoji"); ok {
		t.Error("there is no glyph set emoji")
	}
	if g, ok := GlyphsNamed("block"); !ok || g != GlyphsBlock {
		t.Error("block is a glyph set")
	}
}

// The sixteen colours as xterm shows them; other terminals differ, but not by much.
var xterm16 = [16][3]float64{
	{0, 0, 0},
	{205, 0, 0},
	{0, 205, 0},
	{205, 205, 0},
	{0, 0, 238},
	{205, 0, 205},
	{0, 205, 205},
	{229, 229, 229},
	{127, 127, 127},
	{255, 0, 0},
	{0, 255, 0},
	{255, 255, 0},
	{92, 92, 255},
	{255, 0, 255},
	{0, 255, 255},
	{255, 255, 255},
}

// Among the sixteen, hues that stand for different things are different colours, and on a known background none
// of them is lost.
func TestTheSixteenColoursAreApartAndNotLost(t *testing.T) {
	for b, h := range sixteen {
		seen := map[uint8]hue{}
		for _, x := range []hue{grey, blue, orange, green, purple, red} {
			n := h.of(x)
			if other, ok := seen[n]; ok {
				t.Errorf("%s background: hues %d and %d are both colour %d", Background(b), x, other, n)
			}
			seen[n] = x
			if n > 15 {
				t.Errorf("%s background: colour %d is none of the sixteen", Background(b), n)
			}
			c := xterm16[n]
			l := 0.2126*math.Pow(c[0]/255, 2.2) + 0.7152*math.Pow(c[1]/255, 2.2) + 0.0722*math.Pow(c[2]/255, 2.2)
			if got := contrast(l, 0); Background(b) == BackgroundDark && got < 4 {
				t.Errorf("dark background: hue %d has a contrast of %.1f", x, got)
			}
		}
	}
}

func TestTrueColourIsTheSameColour(t *testing.T) {
	for n, want := range map[uint8][3]uint8{16: {0, 0, 0}, 231: {255, 255, 255}, 75: {95, 175, 255}, 214: {255, 175, 0}, 232: {8, 8, 8}, 246: {148, 148, 148}} {
		if got := rgbOf(n); got.R != want[0] || got.G != want[1] || got.B != want[2] {
			t.Errorf("colour %d is %v, want %v", n, got, want)
		}
	}
}

func TestTheUserChoosesTheTheme(t *testing.T) {
	m := newTestModel(newScript(10), 80, 24, GlyphsBraille)
	m.colours.chosen = BackgroundUnknown
	m.retheme()
	for _, want := range []*theme{themes[BackgroundDark], themes[BackgroundLight], themes[BackgroundUnknown]} {
		if m.typed("T"); m.theme != want {
			t.Errorf("T does not go on to the next theme: %s", m.note.text)
		}
	}
	kinds := []Glyphs{GlyphsBlock, GlyphsASCII, GlyphsBraille}
	for _, want := range kinds {
		if m.typed("ctrl+g"); m.glyphs.kind != want {
			t.Errorf("ctrl+g gives %s, want %s", m.glyphs.kind, want)
		}
	}
}
