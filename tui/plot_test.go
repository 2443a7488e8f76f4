package tui

import (
	"math"
	"strings"
	"testing"
)

func draw(g Glyphs, w, h int, f func(c canvas, g *glyphSet)) string {
	s := newSurface(w, h, g == GlyphsASCII)
	f(s.canvas(), &glyphSets[g])
	return s.String(nil)
}

func TestCurves(t *testing.T) {
	step := func(across int) series { // low, then high
		s := newSeries(4 * across)
		s.line(0, 0, float64(2*across), 0)
		s.line(float64(2*across), 1, float64(4*across), 1)
		return s
	}
	for _, c := range []struct {
		name string
		g    Glyphs
		want string
	}{
		{"braille joins the two levels by a stroke", GlyphsBraille, "  ⡏⠉\n⣀⣀⡇"},
		{"blocks fill below the curve", GlyphsBlock, "  ██\n▁▁██"},
		{"ASCII uses thirds of a cell and a bar", GlyphsASCII, "  |'\n__|"},
	} {
		across, _ := glyphSets[c.g].dots()
		got := draw(c.g, 4, 2, func(cv canvas, g *glyphSet) { curve(cv, g, plain, step(across)) })
		if got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

func TestACurveHasNoGaps(t *testing.T) {
	const w, h = 30, 9
	s := newSeries(2 * w)
	for i := range 2 * w {
		s.add(i, 0.5+0.5*math.Sin(float64(i)*1.7)*math.Cos(float64(i)/9))
	}
	on := newSurface(w, h, false)
	curve(on.canvas(), &glyphSets[GlyphsBraille], plain, s)
	dot := func(x, y int) bool {
		r := on.cells[y/4*w+x/2].r
		return r >= 0x2800 && r&brailleBit[x%2][y%4] != 0
	}
	for x := 0; x+1 < 2*w; x++ {
		touches := false
		for y := range 4 * h {
			for dy := -1; dy <= 1; dy++ {
				if y+dy >= 0 && y+dy < 4*h && dot(x, y) && dot(x+1, y+dy) {
					touches = true
				}
			}
		}
		if !touches {
			t.Fatalf("dot columns %d and %d do not touch", x, x+1)
		}
	}
}

func TestUnknownValuesAreNotDrawn(t *testing.T) {
	got := draw(GlyphsBraille, 6, 2, func(c canvas, g *glyphSet) { curve(c, g, plain, newSeries(12)) })
	if strings.TrimSpace(got) != "" {
		t.Errorf("drew %q", got)
	}
}

func TestAxisTicks(t *testing.T) {
	for _, c := range []struct {
		total float64
		parts int
		want  float64
	}{{6016, 5, 2000}, {1312, 5, 500}, {10, 5, 2}, {10, 20, 1}, {1, 5, 1}, {1e9, 4, 5e8}} {
		if got := niceStep(c.total, c.parts, true); got != c.want {
			t.Errorf("niceStep(%g, %d) = %g, want %g", c.total, c.parts, got, c.want)
		}
	}
	for steps := 1.0; steps < 1e7; steps *= 1.013 {
		end := niceEnd(steps)
		if end < steps || end > 1.5*steps && end > 10 {
			t.Fatalf("niceEnd(%g) = %g", steps, end)
		}
	}
}

func TestAxesCarryTheirUnit(t *testing.T) {
	got := draw(GlyphsASCII, 60, 4, func(c canvas, g *glyphSet) {
		a := newAxes(c, g, stretch{to: 6016})
		a.mark(g, 0, "10k")
		a.mark(g, 2, "0")
	})
	if !strings.Contains(got, "step 0") || !strings.Contains(got, "6,000") || !strings.Contains(got, "10k +") {
		t.Errorf("got\n%s", got)
	}
}
