package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"pgregory.net/rapid"
)

// The screens of the views of decisions, with what they have asked for.
func TestDecisionScreens(t *testing.T) {
	for _, c := range []story{
		{name: "costs", make: over, w: 80, h: 24, keys: []string{"3"}},
		{name: "costs", make: over, w: 120, h: 40, keys: []string{"3"}},
		{name: "costs", make: over, w: 200, h: 60, keys: []string{"3"}},
		{name: "costs at a compaction", make: over, w: 120, h: 40, keys: []string{"3", "[", "["}},
		{name: "costs so far", make: func() *script { return after(41) }, w: 80, h: 24, keys: []string{"3"}},
		{name: "costs in colour", make: over, w: 120, h: 40, keys: []string{"3"}, color: true},
		{name: "costs in ASCII", make: over, w: 80, h: 24, g: GlyphsASCII, keys: []string{"3"}},
		{name: "costs in blocks", make: over, w: 80, h: 24, g: GlyphsBlock, keys: []string{"3"}},
		{name: "costs before a run", make: func() *script { return newScript(10_000) }, w: 80, h: 24, keys: []string{"3"}},
		{name: "lab", make: func() *script { return newScript(10_000) }, w: 80, h: 24, keys: []string{"B"}},
		{name: "lab", make: func() *script { return newScript(10_000) }, w: 120, h: 40, keys: []string{"B"}},
		{name: "lab", make: func() *script { return newScript(10_000) }, w: 200, h: 60, keys: []string{"B"}},
		{name: "lab of two groups", make: func() *script { return newScript(10_000) }, w: 120, h: 40, keys: []string{"B", "j", "l", "l"}},
		{name: "lab in ASCII", make: func() *script { return newScript(10_000) }, w: 80, h: 24, g: GlyphsASCII, keys: []string{"B"}},
		{name: "explain a launch", make: over, w: 80, h: 24, keys: []string{"[", "a"}},
		{name: "explain costs", make: over, w: 120, h: 40, keys: []string{"3", "a"}},
		{name: "why with its curve", make: over, w: 200, h: 60, keys: []string{"["}},
		{name: "why alone", make: over, w: 100, h: 40, keys: []string{"z", "["}},
		{name: "log of compactions", make: over, w: 80, h: 24, keys: []string{"8", "t", "t", "{"}},
	} {
		t.Run(fmt.Sprintf("%s %dx%d", c.name, c.w, c.h), c.picture)
	}
}

// The pick after three runs, in every glyph set.
func TestPickPictures(t *testing.T) {
	for _, c := range []struct {
		w, h int
		g    Glyphs
	}{{78, 12, GlyphsBraille}, {118, 22, GlyphsBraille}, {118, 22, GlyphsBlock}, {118, 22, GlyphsASCII}} {
		t.Run(fmt.Sprintf("%s %dx%d", c.g, c.w, c.h), func(t *testing.T) {
			x := threePicks(39500 * time.Microsecond)
			x.glyphs = &glyphSets[c.g]
			golden.RequireEqual(t, view(&pickPane{}, x.scene, c.w, c.h))
		})
	}
}

// Panes that have been answered draw at any size, within it.
func TestAnsweredPanesStayInside(t *testing.T) {
	s := over()
	m := newTestModel(s, 120, 40, GlyphsBraille)
	regret, lab := &regretPane{}, &labPane{}
	asked(t, regret, &m.scene, s)
	asked(t, lab, &m.scene, s)
	x := threePicks(39 * time.Millisecond)
	reordered := tell(8192)
	start := banded
	start.N = 8192
	reordered.start(start)
	for i := range uint32(40) {
		reordered.launch(8, 8192-100*i, 100)
	}
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 300).Draw(t, "w"), rapid.IntRange(1, 100).Draw(t, "h")
		g := &glyphSets[rapid.IntRange(1, 3).Draw(t, "glyphs")]
		for _, c := range []struct {
			p pane
			s *scene
		}{{regret, &m.scene}, {lab, &m.scene}, {&pickPane{}, x.scene}, {compactPane{}, &m.scene}, {compactPane{}, reordered.scene}, {whyPane{}, &m.scene}} {
			c.s.glyphs = g
			c.s.axis.unit = axisUnit(rapid.IntRange(0, int(axisUnits)-1).Draw(t, "axis"))
			c.s.axis.zoom = rapid.IntRange(0, 5).Draw(t, "zoom")
			if total := c.s.feed.records.total; total > 0 {
				c.s.cursor = rapid.IntRange(-1, total-1).Draw(t, "cursor")
			}
			for _, line := range strings.Split(view(c.p, c.s, w, h), "\n") {
				if n := ansi.StringWidth(line); n > w {
					t.Fatalf("%T at %dx%d: a line of %d cells: %q", c.p, w, h, n, line)
				}
			}
		}
	})
}
