package tui

import (
	"image/color"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// BackgroundNamed returns the background with the given name: auto (the terminal is asked, and until it has
// answered neither is assumed), dark, light.
func BackgroundNamed(name string) (Background, bool) {
	for i, s := range backgroundNames {
		if s == name {
			return Background(i), true
		}
	}
	return 0, false
}

var backgroundNames = [...]string{BackgroundUnknown: "auto", BackgroundDark: "dark", BackgroundLight: "light"}

// String is the name in flags and on screen.
func (b Background) String() string { return backgroundNames[b] }

// hue names a colour of the palette; none is the terminal's own text colour.
type hue uint8

const (
	none hue = iota
	grey
	blue
	orange
	green
	purple
	red
)

// attributes are what a style looks like in every theme.
type attributes struct {
	hue           hue
	bold, reverse bool
}

// looks is what each style looks like. No two styles that stand for different states of the same thing differ
// by their hue alone: a word or a shape tells them apart (nocolour_test.go).
var looks = [styleCount]attributes{
	quiet:    {hue: grey},
	strong:   {bold: true},
	focus:    {hue: blue, bold: true},
	liveTone: {hue: orange},
	doneTone: {hue: blue},
	bandTone: {hue: green},
	want:     {hue: purple},
	runs:     {hue: green, bold: true},
	waits:    {hue: orange, bold: true},
	ends:     {hue: blue, bold: true},
	wrong:    {hue: red, bold: true},
	key:      {hue: blue, bold: true},
	selected: {bold: true, reverse: true},
	comment:  {hue: grey},
	keyword:  {hue: blue},
	literal:  {hue: purple},
}

// of is the index of a hue.
func (h hues) of(x hue) uint8 {
	return [...]uint8{0, h.grey, h.blue, h.orange, h.green, h.purple, h.red}[x]
}

// sixteen are the hues for terminals that have 16 colours and no more, by background: what their nearest
// colour would be is not left to chance. 0 leaves the terminal's own text colour, for there is no grey among
// the sixteen that can be read on both black and white.
var sixteen = [...]hues{
	BackgroundUnknown: {grey: 0, blue: 6, orange: 3, green: 2, purple: 5, red: 1},
	BackgroundDark:    {grey: 7, blue: 12, orange: 11, green: 10, purple: 13, red: 9},
	BackgroundLight:   {grey: 8, blue: 4, orange: 3, green: 2, purple: 5, red: 1},
}

// theme is the opening control sequence of every style, built once; "" for plain.
type theme [styleCount]string

// themes are by background, for 256 colours; themes16 for 16, themesTrue for terminals that take any: those
// get the same colours by their value, so that a palette of the user's cannot change them.
var (
	themes     = newThemes(hues256, func(n uint8) color.Color { return ansi.IndexedColor(n) })
	themes16   = newThemes(sixteen, func(n uint8) color.Color { return ansi.BasicColor(n) })
	themesTrue = newThemes(hues256, func(n uint8) color.Color { return rgbOf(n) })
)

func newThemes(by [3]hues, paint func(uint8) color.Color) (out [3]*theme) {
	for b, h := range by {
		var t theme
		for s, a := range looks {
			var style ansi.Style
			if n := h.of(a.hue); n != 0 {
				style = style.ForegroundColor(paint(n))
			}
			if a.bold {
				style = style.Bold()
			}
			if a.reverse {
				style = style.Reverse(true)
			}
			if len(style) > 0 {
				t[s] = style.String()
			}
		}
		out[b] = &t
	}
	return out
}

// rgbOf is colour n of the cube or of the grey ramp of the 256.
func rgbOf(n uint8) color.RGBA {
	if n >= 232 {
		v := 8 + 10*(n-232)
		return color.RGBA{v, v, v, 0xff}
	}
	steps, i := [...]uint8{0, 95, 135, 175, 215, 255}, n-16
	return color.RGBA{steps[i/36], steps[i/6%6], steps[i%6], 0xff}
}

// themeOf is the theme for what is known of a terminal.
func themeOf(p colorprofile.Profile, b Background) *theme {
	switch p {
	case colorprofile.ANSI:
		return themes16[b]
	case colorprofile.TrueColor:
		return themesTrue[b]
	}
	return themes[b]
}

// colours is what the model knows of the terminal's.
type colours struct {
	profile  colorprofile.Profile
	chosen   Background // the user's choice; unknown: what the terminal says
	answered Background // what the terminal said
}

// retheme takes the theme that fits what is known now.
func (m *model) retheme() {
	b := m.colours.chosen
	if b == BackgroundUnknown {
		b = m.colours.answered
	}
	m.theme = themeOf(m.colours.profile, b)
}

// background takes the terminal's answer.
func (m *model) background(msg tea.BackgroundColorMsg) {
	if msg.Color == nil {
		return
	}
	m.colours.answered = BackgroundLight
	if msg.IsDark() {
		m.colours.answered = BackgroundDark
	}
	m.retheme()
}

// setBackground takes the user's choice.
func (m *model) setBackground(b Background) tea.Cmd {
	m.colours.chosen = b
	m.retheme()
	switch {
	case b != BackgroundUnknown:
		m.say(ends, "theme: for a "+b.String()+" background")
	case m.colours.answered == BackgroundUnknown:
		m.say(ends, "theme: auto; the terminal has not said what its background is, so the colours are readable on both")
	default:
		m.say(ends, "theme: auto; the terminal says that its background is "+m.colours.answered.String())
	}
	return nil
}

func nextTheme(m *model) tea.Cmd {
	return m.setBackground((m.colours.chosen + 1) % Background(len(backgroundNames)))
}

// setGlyphs takes the user's choice of characters.
func (m *model) setGlyphs(g Glyphs) tea.Cmd {
	m.glyphs = chooseGlyphs(g, m.env)
	m.say(ends, "glyphs: "+m.glyphs.kind.String())
	return nil
}

// nextGlyphs goes through the three sets.
func nextGlyphs(m *model) tea.Cmd {
	return m.setGlyphs(m.glyphs.kind%GlyphsASCII + 1)
}
