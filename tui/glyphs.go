package tui

import "strings"

// Glyphs names a set of characters that plots and chrome are drawn with.
type Glyphs uint8

// The glyph sets. Auto takes braille, or ascii where the terminal or its locale cannot show more.
const (
	GlyphsAuto    Glyphs = iota
	GlyphsBraille        // plots of 2x4 dots per cell
	GlyphsBlock          // plots of eighths of a cell, for fonts without braille
	GlyphsASCII
)

// GlyphsNamed returns the set with the given name: auto, braille, block, ascii.
func GlyphsNamed(name string) (Glyphs, bool) {
	for i, s := range glyphNames {
		if s == name {
			return Glyphs(i), true
		}
	}
	return 0, false
}

var glyphNames = [...]string{GlyphsAuto: "auto", GlyphsBraille: "braille", GlyphsBlock: "block", GlyphsASCII: "ascii"}

// String is the name in flags and on screen.
func (g Glyphs) String() string { return glyphNames[g] }

// glyphSet is what the chrome is made of. Every character is one cell wide in every locale, except the
// lines and blocks of box drawing, which terminals agree on in practice.
type glyphSet struct {
	kind                    Glyphs
	rule, heavy, bar        rune // lines: across, across under focus, down
	axis, tick, foot        rune // left axis, its tick, the corner below
	full, empty             rune // progress bar and histogram
	mark, cursor            rune // finish line; selected launch
	ready, run, pause, done string
	fail, wait              string
}

var glyphSets = [...]glyphSet{
	GlyphsBraille: {
		kind: GlyphsBraille, rule: '─', heavy: '━', bar: '│', axis: '│', tick: '┤', foot: '└', full: '█', empty: '░',
		mark: '▸', cursor: '▴', ready: "◦", run: "▸", pause: "▮▮", done: "✓", fail: "✗", wait: "◌",
	},
	GlyphsBlock: {
		kind: GlyphsBlock, rule: '─', heavy: '━', bar: '│', axis: '│', tick: '┤', foot: '└', full: '█', empty: '░',
		mark: '>', cursor: '^', ready: "o", run: ">", pause: "||", done: "*", fail: "!", wait: "~",
	},
	GlyphsASCII: {
		kind: GlyphsASCII, rule: '-', heavy: '=', bar: '|', axis: '|', tick: '+', foot: '+', full: '#', empty: '.',
		mark: '>', cursor: '^', ready: "o", run: ">", pause: "||", done: "*", fail: "!", wait: "~",
	},
}

// chooseGlyphs settles GlyphsAuto from the environment ("NAME=value"): ascii when TERM is linux, dumb or
// unknown, or when the first of LC_ALL, LC_CTYPE and LANG that is set does not name UTF-8.
func chooseGlyphs(want Glyphs, env []string) *glyphSet {
	if want != GlyphsAuto {
		return &glyphSets[want]
	}
	switch lookup(env, "TERM") {
	case "", "linux", "dumb":
		return &glyphSets[GlyphsASCII]
	}
	locale := ""
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale = lookup(env, name); locale != "" {
			break
		}
	}
	if l := strings.ToLower(locale); !strings.Contains(l, "utf-8") && !strings.Contains(l, "utf8") {
		return &glyphSets[GlyphsASCII]
	}
	return &glyphSets[GlyphsBraille]
}

// lookup returns the last value of name in env.
func lookup(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(env[i], name+"="); ok {
			return v
		}
	}
	return ""
}
