package tui

import (
	"fmt"
	"math"
	"slices"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

// tones of the samples, and the letters that stand for them where there is no colour.
var (
	sampleTones   = [mostChosen]style{liveTone, doneTone, bandTone, runs, wrong, waits, strong, quiet}
	sampleLetters = "abcdefgh"
)

// shownPath is the trajectory, if it is of what is wanted now.
func (p *samplePane) shownPath(s *scene, names ...string) *session.Trajectory {
	samples, _ := p.samples(s)
	if p.path == nil || !slices.Equal(p.path.Samples, samples) || !slices.Equal(p.path.Names, names) {
		return nil
	}
	return p.path
}

// bounds are the least and the greatest finite values, a little apart where they are the same.
func bounds(rows ...[]float64) (least, most float64, ok bool) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, row := range rows {
		for _, v := range row {
			if v-v == 0 {
				least, most = min(least, v), max(most, v)
			}
		}
	}
	if least > most {
		return 0, 1, false
	}
	if least == most {
		by := max(math.Abs(least)/2, 0.5)
		return least - by, most + by, true
	}
	return least, most, true
}

// share is where v lies between least and most, NaN for what has no place.
func share01(v, least, most float64) float64 {
	if v-v != 0 {
		return math.NaN()
	}
	return (v/2 - least/2) / (most/2 - least/2)
}

// axisMarks labels the left axis: both ends, and the middle where there is room.
func axisMarks(a axes, g *glyphSet, least, most float64) {
	a.mark(g, 0, figure(most))
	if a.area.h >= 7 {
		a.mark(g, a.area.h/2, figure(least/2+most/2))
	}
	if a.area.h > 1 {
		a.mark(g, a.area.h-1, figure(least))
	}
}

// timeAxis is the axis of steps: the shared one when that counts steps, else all steps of the way.
func timeAxis(s *scene, last int) stretch {
	if s.axis.unit == axisStep {
		return s.shows()
	}
	return stretch{unit: axisStep, to: max(float64(last), 1)}
}

// drawTime draws each sample over the steps.
func (p *samplePane) drawTime(c canvas, s *scene) {
	t := p.shownPath(s, p.columns[p.y].Name)
	if t == nil {
		p.wait(c, s)
		return
	}
	a := newAxes(c, s.glyphs, timeAxis(s, t.Steps[len(t.Steps)-1]))
	if a.area.w == 0 {
		return
	}
	least, most, ok := bounds(t.Values[0]...)
	if !ok {
		c.text(gutterWidth+1, 0, waits, "no value is finite")
	}
	across, _ := s.glyphs.dots()
	dots := float64(a.area.w * across)
	for k := len(t.Samples) - 1; k >= 0; k-- {
		line := newSeries(a.area.w * across)
		v := t.Values[0][k]
		for j := range t.Steps {
			y := share01(v[j], least, most)
			x := a.shown.at(float64(t.Steps[j])) * dots
			if j > 0 && y == y {
				if before := share01(v[j-1], least, most); before == before {
					line.line(a.shown.at(float64(t.Steps[j-1]))*dots, before, x, y)
				}
			} else {
				line.add(int(x), y)
			}
		}
		pathCurve(a.area, s.glyphs, sampleTones[k], line)
	}
	for k := range t.Samples {
		p.markWay(a, s, t, k, func(j int) float64 { return share01(t.Values[0][k][j], least, most) })
	}
	axisMarks(a, s.glyphs, least, most)
	if r := s.selected(); r != nil && s.cursor >= 0 {
		a.cursor(s.glyphs, a.column(float64(r.launch.Done)))
	}
}

// pathCurve draws a line through an area that may hold others: with blocks, which fill, as single characters.
func pathCurve(c canvas, g *glyphSet, look style, s series) {
	if g.kind != GlyphsBlock {
		curve(c, g, look, s)
		return
	}
	for i := range min(c.w, len(s.least)) {
		if s.least[i] == s.least[i] {
			for y := dotRow(s.most[i], c.h); y <= dotRow(s.least[i], c.h); y++ {
				c.set(i, y, look, '*')
			}
		}
	}
}

// markWay writes the letter of a sample along its way, and how it ended.
func (p *samplePane) markWay(a axes, s *scene, t *session.Trajectory, k int, at func(j int) float64) {
	put := func(j int, r rune, look style) {
		if y := at(j); y == y {
			x := a.shown.at(float64(t.Steps[j]))
			if x >= 0 && x < 1 {
				a.area.set(int(x*float64(a.area.w)), dotRow(y, a.area.h), look, r)
			}
		}
	}
	letter := rune(sampleLetters[k])
	for i := 1; i <= 3; i++ {
		put((len(t.Steps)-1)*(4*i+k)/(16+len(t.Samples)), letter, sampleTones[k])
	}
	if stop := t.Stop[k]; stop >= 0 {
		for j := range t.Steps {
			if t.Steps[j] >= stop {
				r := 'o'
				if t.Fault[k] != "" {
					r = 'x'
				}
				put(j, r, strong)
				break
			}
		}
	}
	for j := range t.Steps {
		if v := t.Values[0][k][j]; v-v != 0 {
			if j > 0 {
				put(j-1, '!', wrong)
			}
			break
		}
	}
}

// drawPhase draws each sample through the plane of two values.
func (p *samplePane) drawPhase(c canvas, s *scene) {
	t := p.shownPath(s, p.columns[p.y].Name, p.columns[p.x].Name)
	if t == nil {
		p.wait(c, s)
		return
	}
	area, ok := planeFrame(c, s.glyphs)
	if !ok {
		return
	}
	minY, maxY, okY := bounds(t.Values[0]...)
	minX, maxX, okX := bounds(t.Values[1]...)
	if !okX || !okY {
		c.text(gutterWidth+1, 0, waits, "no value is finite")
		return
	}
	for k := len(t.Samples) - 1; k >= 0; k-- {
		var before [2]float64
		drawn := false
		for j := range t.Steps {
			x, y := share01(t.Values[1][k][j], minX, maxX), share01(t.Values[0][k][j], minY, maxY)
			if x != x || y != y {
				drawn = false
				continue
			}
			if drawn {
				strokeLine(area, s.glyphs, sampleTones[k], before[0], before[1], x, y)
			}
			before, drawn = [2]float64{x, y}, true
		}
	}
	spotAt := func(k, j int, r rune, look style) {
		x, y := share01(t.Values[1][k][j], minX, maxX), share01(t.Values[0][k][j], minY, maxY)
		if x == x && y == y {
			area.set(cellAt01(x, area.w), area.h-1-cellAt01(y, area.h), look, r)
		}
	}
	for k := range t.Samples {
		spotAt(k, 0, rune(sampleLetters[k]), sampleTones[k])
		end := 'o'
		if t.Stop[k] < 0 {
			end = s.glyphs.mark
		}
		spotAt(k, len(t.Steps)-1, end, strong)
		if r := s.selected(); r != nil && s.cursor >= 0 {
			j, _ := slices.BinarySearch(t.Steps, int(r.launch.Done))
			spotAt(k, min(j, len(t.Steps)-1), '+', selected)
		}
	}
	planeMarks(c, area, s.glyphs, &p.columns[p.x], minX, maxX, minY, maxY)
}

// planeFrame draws the left axis of a plot over two values and gives its inside.
func planeFrame(c canvas, g *glyphSet) (canvas, bool) {
	area := c.sub(rect{gutterWidth, 0, c.w - gutterWidth - 1, c.h - 1})
	if area.w < 8 || area.h < 2 {
		return area, false
	}
	c.down(gutterWidth-1, 0, area.h, quiet, g.axis)
	return area, true
}

// planeMarks labels both axes of a plot over two values.
func planeMarks(c, area canvas, g *glyphSet, x *session.Column, minX, maxX, minY, maxY float64) {
	a := axes{area: area, gutter: gutterWidth, outside: c}
	axisMarks(a, g, minY, maxY)
	at := c.text(gutterWidth, c.h-1, quiet, figure(minX))
	name := x.Name
	if x.Unit != "" {
		name += " (" + x.Unit + ")"
	}
	c.text(max(gutterWidth+area.w/2-width(name)/2, at+1), c.h-1, quiet, name)
	c.right(c.w-1, c.h-1, quiet, figure(maxX))
}

func cellAt01(v float64, n int) int { return min(max(int(v*float64(n)), 0), n-1) }

// strokeLine draws a straight line between two places, as shares of the area.
func strokeLine(c canvas, g *glyphSet, look style, x0, y0, x1, y1 float64) {
	across, down := g.dots()
	if g.kind == GlyphsBlock {
		down = 1
	}
	w, h := float64(c.w*across-1), float64(c.h*down-1)
	steps := int(max(math.Abs(x1-x0)*w, math.Abs(y1-y0)*h)) + 1
	for i := range steps + 1 {
		part := float64(i) / float64(steps)
		x, y := int(math.Round((x0+(x1-x0)*part)*w)), int(math.Round((1-(y0+(y1-y0)*part))*h))
		switch g.kind {
		case GlyphsBraille:
			c.dot(x, y, look)
		case GlyphsBlock:
			c.set(x/across, y/down, look, '*')
		default:
			c.set(x/across, y/down, look, '.')
		}
	}
}

// drawFan draws the quantiles of the batch: all of it between the outer dots, half of it in the middle.
func (p *samplePane) drawFan(c canvas, s *scene) {
	f := p.fan
	if f == nil || f.Name != p.columns[p.y].Name {
		p.wait(c, s)
		return
	}
	a := newAxes(c, s.glyphs, timeAxis(s, f.Steps[len(f.Steps)-1]))
	if a.area.w == 0 {
		return
	}
	least, most, ok := bounds(f.Levels[:]...)
	if !ok {
		c.text(gutterWidth+1, 0, waits, "no value is finite")
		return
	}
	level := func(l int, x float64) float64 { // between the steps that are known
		step := a.shown.from + x*(a.shown.to-a.shown.from)
		j, _ := slices.BinarySearch(f.Steps, int(math.Ceil(step)))
		if j >= len(f.Steps) || step < 0 {
			return math.NaN()
		}
		v := f.Levels[l][j]
		if j > 0 && f.Steps[j] > f.Steps[j-1] {
			part := (step - float64(f.Steps[j-1])) / float64(f.Steps[j]-f.Steps[j-1])
			v = f.Levels[l][j-1]*(1-part) + v*part
		}
		return share01(v, least, most)
	}
	shades := [3][2]int{{0, 6}, {1, 5}, {2, 4}} // from the outside in
	for x := range a.area.w {
		at := (float64(x) + 0.5) / float64(a.area.w)
		for depth, pair := range shades {
			low, high := level(pair[0], at), level(pair[1], at)
			if low != low || high != high {
				continue
			}
			for y := dotRow(high, a.area.h); y <= dotRow(low, a.area.h); y++ {
				a.area.set(x, y, [...]style{quiet, bandTone, doneTone}[depth], s.glyphs.fanShade(depth))
			}
		}
		if middle := level(3, at); middle == middle {
			a.area.set(x, dotRow(middle, a.area.h), strong, s.glyphs.rule)
		}
	}
	axisMarks(a, s.glyphs, least, most)
	if r := s.selected(); r != nil && s.cursor >= 0 {
		a.cursor(s.glyphs, a.column(float64(r.launch.Done)))
	}
}

// fanShade is the character of a part of a fan, from the outside in.
func (g *glyphSet) fanShade(depth int) rune {
	if g.kind == GlyphsASCII {
		return [...]rune{'.', ':', '#'}[depth]
	}
	return [...]rune{'░', '▒', '▓'}[depth]
}

// drawDensity draws how many samples lie where, on a log scale of shades, with the chosen ones on top.
func (p *samplePane) drawDensity(c canvas, s *scene) {
	d := p.density
	if d == nil || d.X.Name != p.columns[p.x].Name || d.Y.Name != p.columns[p.y].Name {
		p.wait(c, s)
		return
	}
	area, ok := planeFrame(c, s.glyphs)
	if !ok {
		return
	}
	if d.NonFinite == d.Of {
		c.text(gutterWidth+1, 0, waits, "no value is finite")
		return
	}
	rows, columns := len(d.Cells), len(d.Cells[0])
	cells := make([][]int, area.h)
	most := 0
	for y := range cells {
		cells[y] = make([]int, area.w)
	}
	for r := range rows {
		for k, n := range d.Cells[r] {
			y, x := area.h-1-r*area.h/rows, k*area.w/columns
			cells[y][x] += n
			most = max(most, cells[y][x])
		}
	}
	for y := range cells {
		for x, n := range cells[y] {
			if n > 0 {
				area.set(x, y, bandTone, s.glyphs.shade(math.Log1p(float64(n))/math.Log1p(float64(most))))
			}
		}
	}
	for k := range d.Marked {
		if k >= mostChosen {
			break
		}
		x, y := share01(d.AtX[k], d.MinX, d.MaxX), share01(d.AtY[k], d.MinY, d.MaxY)
		if x == x && y == y {
			area.set(cellAt01(x, area.w), area.h-1-cellAt01(y, area.h), sampleTones[k], rune(sampleLetters[k]))
		}
	}
	planeMarks(c, area, s.glyphs, &p.columns[p.x], d.MinX, d.MaxX, d.MinY, d.MaxY)
}

// drawLegend says what stands for what.
func (p *samplePane) drawLegend(c canvas, s *scene) {
	unit := ""
	if u := p.columns[p.y].Unit; u != "" {
		unit = " in " + u
	}
	x := c.text(1, 0, quiet, cut(p.columns[p.y].Name+unit+":", max(c.w-2, 0)))
	switch p.mode {
	case sampleFan:
		if p.fan == nil {
			return
		}
		x = c.text(x+1, 0, quiet, cut(fmt.Sprintf("%c middle, %c half, %c nine in ten, %c all", s.glyphs.rule, s.glyphs.fanShade(2), s.glyphs.fanShade(1), s.glyphs.fanShade(0)), max(c.w-x-2, 0)))
		if bad := p.fan.NonFinite[len(p.fan.NonFinite)-1]; bad > 0 {
			c.text(x+2, 0, wrong, cut("! "+counted(bad, "value is not finite", "values are not finite"), max(c.w-x-3, 0)))
		}
		return
	case sampleDensity:
		if p.density == nil {
			return
		}
		text := "darker is more, on a log scale"
		if p.density.NonFinite > 0 {
			text += "; ! " + counted(p.density.NonFinite, "sample has", "samples have") + " no place, its values are not finite"
		}
		x = c.text(x+1, 0, quiet, cut(text, max(c.w-x-2, 0)))
		if len(p.density.Marked) == 0 {
			return
		}
	}
	samples, _ := p.samples(s)
	for k, sample := range samples {
		text := fmt.Sprintf("%c %s", sampleLetters[k], engine.Grouped(sample))
		if v := p.atCursor(s, k); v != "" {
			text += " " + v
		}
		if x+2+width(text) >= c.w {
			return
		}
		x = c.text(x+2, 0, sampleTones[k], text)
	}
}

// atCursor is what a sample has at the cursor, else at the end, "" when it is not known.
func (p *samplePane) atCursor(s *scene, k int) string {
	t := p.path
	if t == nil || p.mode == sampleDensity || k >= len(t.Samples) || len(t.Names) == 0 || t.Names[0] != p.columns[p.y].Name {
		return ""
	}
	if samples, _ := p.samples(s); !slices.Equal(samples, t.Samples) {
		return ""
	}
	j := len(t.Steps) - 1
	if r := s.selected(); r != nil && s.cursor >= 0 {
		j, _ = slices.BinarySearch(t.Steps, int(r.launch.Done))
		j = min(j, len(t.Steps)-1)
	}
	return figure(t.Values[0][k][j])
}
