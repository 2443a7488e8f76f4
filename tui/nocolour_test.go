package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

// stateOf is a state that a user must be able to tell from its siblings on every screen.
type stateOf struct {
	name string
	make func() *script
	keys []string
}

// siblings are states of the same thing; without colour, and in plain ASCII, no two may look the same.
var siblings = map[string][]stateOf{
	"phase": {
		{"ready", func() *script { return newScript(10_000) }, nil},
		{"running", func() *script { return after(41) }, nil},
		{"paused", func() *script {
			s := after(41)
			s.change(func(x *session.State) { x.Phase, x.Activity = session.Paused, "" })
			return s
		}, nil},
		{"working", func() *script {
			s := after(41)
			s.change(func(x *session.State) { x.Phase, x.Activity = session.Working, "loading kepler.go" })
			return s
		}, nil},
		{"ended", over, nil},
	},
	"cursor": {
		{"follows", over, nil}, {"at a launch", over, []string{"h", "h", "h"}}, {"at another", over, []string{"h", "h", "h", "h", "h", "h", "h"}},
	},
	"samples": {
		{"fine", over, []string{"9"}}, {"faulted", faulted, []string{"9"}},
	},
	"load": {
		{"loaded", func() *script { return after(12) }, nil}, {"failed", broken, nil},
	},
	"policy": {
		{"band", func() *script { return newScript(10) }, nil},
		{"auto", func() *script {
			s := newScript(10)
			s.state.Policy = engine.PolicyAuto
			return s
		}, nil},
	},
	"tab":  {{"run", over, nil}, {"source", over, []string{"5"}}, {"log", over, []string{"8"}}},
	"zoom": {{"off", over, nil}, {"on", over, []string{"z"}}},
	"note": {{"none", func() *script { return after(3) }, nil}, {"a key that is off", func() *script { return after(3) }, []string{"s"}}},
}

// Whatever the terminal shows of colour: what tells two states apart is a word or a shape.
func TestStatesAreToldApartWithoutColour(t *testing.T) {
	for size, sets := range map[[2]int][]Glyphs{
		{80, 24}: {GlyphsBraille, GlyphsBlock, GlyphsASCII}, {120, 40}: {GlyphsASCII}, {200, 60}: {GlyphsASCII},
	} {
		for _, g := range sets {
			for thing, states := range siblings {
				seen := map[string]string{}
				for _, s := range states {
					text := newTestModel(s.make(), size[0], size[1], g).typed(s.keys...).screen().String(nil)
					if other, ok := seen[text]; ok {
						t.Errorf("%v, %s: %s %s and %s look the same", size, g, thing, s.name, other)
					}
					seen[text] = s.name
				}
			}
		}
	}
}

// Every pane reads without colour: what colour says is said by text or shape in the same pane. The styles that
// carry a meaning beyond "label" or "text" are taken away one by one, and the characters must tell where they
// were: a cell that is selected, wrong, live or finished differs from the cells of other styles by more than
// its style, or its row has a word or a mark for it.
func TestEveryPaneReadsWithoutColour(t *testing.T) {
	for _, make := range []func() *script{over, faulted, stuck, broken, func() *script { return after(41) }} {
		m := newTestModel(make(), 120, 40, GlyphsASCII).typed("h", "h")
		for p := range paneCount {
			if m.panes[p] == nil {
				continue
			}
			s := newSurface(100, 30, true)
			m.drawPane(s.canvas(), placed{p, rect{0, 0, 100, 30}})
			for y := range s.h {
				line := s.cells[y*s.w : (y+1)*s.w]
				for x, c := range line {
					if c.s == wrong || c.s == waits || c.s == ends || c.s == runs {
						if c.r == ' ' || c.r == 0 {
							continue
						}
						if !saysSomething(line, x) {
							t.Errorf("%s: at %d,%d the style %d marks %q, which is no word, figure or sign", paneNames[p], x, y, c.s, c.r)
						}
					}
				}
			}
		}
	}
}

// saysSomething says whether the cell at x belongs to a run of its style with a letter, a digit or a sign of
// the glyph sets that has a meaning.
func saysSomething(line []cell, x int) bool {
	from, to := x, x
	for from > 0 && line[from-1].s == line[x].s {
		from--
	}
	for to+1 < len(line) && line[to+1].s == line[x].s {
		to++
	}
	for _, c := range line[from : to+1] {
		if c.r >= '0' && c.r <= '9' || c.r >= 'A' && c.r <= 'Z' || c.r >= 'a' && c.r <= 'z' || strings.ContainsRune("!+>*~o", c.r) {
			return true
		}
	}
	return false
}

// A terminal that shows no colours gets bold and reverse video, and nothing else.
func TestNoColourMeansNone(t *testing.T) {
	for _, c := range screens {
		g := max(c.g, GlyphsBraille)
		m := newTestModel(c.make(), c.w, c.h, g).typed(c.keys...)
		for _, b := range []Background{BackgroundUnknown, BackgroundDark, BackgroundLight} {
			m.colours.chosen = b
			for profile, allowed := range map[colorprofile.Profile]string{
				colorprofile.ASCII: "", colorprofile.ANSI: "basic", colorprofile.ANSI256: "256", colorprofile.TrueColor: "true",
			} {
				m.colours.profile = profile
				m.retheme()
				text := m.screen().String(m.theme)
				if profile == colorprofile.ASCII {
					text = asSeen(text, profile) // Bubble Tea takes the colours out
				}
				if ansi.Strip(text) != m.screen().String(nil) {
					t.Fatalf("%s, %v: the text depends on the colours", c.name, profile)
				}
				for _, seq := range strings.Split(text, "\x1b[")[1:] {
					code, _, _ := strings.Cut(seq, "m")
					if kind := kindOfColour(code); kind != "" && kind != allowed {
						t.Fatalf("%s, %v: %q is a colour of %s", c.name, profile, code, kind)
					}
				}
			}
		}
	}
}

// asSeen is text as a terminal of a profile gets it.
func asSeen(text string, p colorprofile.Profile) string {
	var b strings.Builder
	w := &colorprofile.Writer{Forward: &b, Profile: p}
	fmt.Fprint(w, text)
	return b.String()
}

// kindOfColour is what a sequence needs of a terminal: basic, 256, true, or "" for no colour. Backgrounds are
// never set.
func kindOfColour(code string) string {
	kind := ""
	for _, part := range strings.Split(code, ";") {
		switch {
		case strings.HasPrefix(code, "38;5;") || strings.Contains(code, ";38;5;"):
			kind = "256"
		case strings.HasPrefix(code, "38;2;") || strings.Contains(code, ";38;2;"):
			kind = "true"
		case len(part) == 2 && part[0] == '3' || len(part) == 2 && part[0] == '9':
			kind = "basic"
		case len(part) == 2 && part[0] == '4' && part != "4" || strings.HasPrefix(part, "48"):
			return "background"
		}
	}
	return kind
}

// The red case: a screen that says a phase by colour alone is found out.
func TestColourAloneIsFoundOut(t *testing.T) {
	s := newSurface(20, 1, true)
	s.canvas().text(0, 0, wrong, "...")
	if saysSomething(s.cells, 1) {
		t.Error("three red dots are taken for a word")
	}
	s.canvas().text(0, 0, wrong, "! 3")
	if !saysSomething(s.cells, 1) {
		t.Error("a sign and a figure are not seen")
	}
	if kindOfColour("1;38;5;75") != "256" || kindOfColour("38;2;1;2;3") != "true" || kindOfColour("93") != "basic" || kindOfColour("1;7") != "" || kindOfColour("44") != "background" {
		t.Error("a colour is taken for another")
	}
}
