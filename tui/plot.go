package tui

import (
	"math"
)

// axes is a plot's frame: values on the left, the timeline below.
type axes struct {
	area    canvas // inside
	shown   stretch
	gutter  int // cells left of the area
	outside canvas
}

const gutterWidth = 8

// newAxes draws the frame of a plot over a part of the timeline on c and returns it; labels are written by
// the caller through mark. There is no area when c is too small.
func newAxes(c canvas, g *glyphSet, shown stretch) axes {
	a := axes{shown: shown, gutter: gutterWidth, outside: c}
	a.area = c.sub(rect{gutterWidth, 0, c.w - gutterWidth - 1, c.h - 1})
	if a.area.w < 8 || a.area.h < 1 {
		a.area.w = 0
		return a
	}
	c.on.spots = append(c.on.spots, spot{rect: a.area.rect, axis: shown})
	c.down(gutterWidth-1, 0, a.area.h, quiet, g.axis)
	foot := c.h - 1
	step := niceStep(shown.to-shown.from, max(a.area.w/12, 1), shown.unit != axisWall)
	last, first := -1, true
	for v := math.Ceil(shown.from/step) * step; v <= shown.to*1.0001; v += step {
		text := shown.write(v)
		if first {
			text = shown.unit.String() + " " + text
		}
		first = false
		x := gutterWidth + a.column(v)
		at := min(max(x-width(text)/2, gutterWidth-2), c.w-width(text))
		if at <= last {
			continue
		}
		last = c.text(at, foot, quiet, text)
	}
	return a
}

// mark labels the row of the left axis.
func (a axes) mark(g *glyphSet, row int, text string) {
	a.outside.right(a.gutter-2, row, quiet, text)
	a.outside.set(a.gutter-1, row, quiet, g.tick)
}

// column is the cell of the area at which a place on the timeline lies, the nearest when it lies outside.
func (a axes) column(v float64) int {
	return min(max(int(a.shown.at(v)*float64(a.area.w)), 0), a.area.w-1)
}

// niceStep is the smallest of 1, 2, 5 x 10^i that cuts total into at most parts; at least 1 when whole.
func niceStep(total float64, parts int, whole bool) float64 {
	if whole && total <= 1 || !(total > 0) {
		return 1
	}
	least := total / float64(parts)
	p := math.Pow(10, math.Floor(math.Log10(least)))
	for _, m := range []float64{1, 2, 5, 10} {
		if m*p >= least {
			if whole {
				return max(m*p, 1)
			}
			return m * p
		}
	}
	return 10 * p
}

// niceEnd rounds the right edge of an axis up, so that it moves seldom while a run grows.
func niceEnd(steps float64) float64 {
	if steps < 10 {
		return 10
	}
	p := math.Pow(10, math.Floor(math.Log10(steps)))
	for _, m := range []float64{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10} {
		if m*p >= steps {
			return m * p
		}
	}
	return 10 * p
}

// series is a curve at the resolution of a glyph set's dots: for every dot column the least and greatest
// value, 0 at the bottom of the plot and 1 at its top; NaN for none.
type series struct{ least, most []float64 }

func newSeries(columns int) series {
	s := series{make([]float64, columns), make([]float64, columns)}
	for i := range columns {
		s.least[i], s.most[i] = math.NaN(), math.NaN()
	}
	return s
}

// add widens column i by v.
func (s series) add(i int, v float64) {
	if i < 0 || i >= len(s.least) || math.IsNaN(v) {
		return
	}
	if math.IsNaN(s.least[i]) {
		s.least[i], s.most[i] = v, v
		return
	}
	s.least[i], s.most[i] = min(s.least[i], v), max(s.most[i], v)
}

// line adds the straight line from (x0, y0) to (x1, y1), x in dot columns.
func (s series) line(x0, y0, x1, y1 float64) {
	first, last := int(math.Floor(x0)), int(math.Floor(x1))
	for i := max(first, 0); i <= min(last, len(s.least)-1); i++ {
		from, to := max(float64(i), x0), min(float64(i+1), x1)
		at := func(x float64) float64 {
			if x1 <= x0 {
				return y1
			}
			return y0 + (y1-y0)*(x-x0)/(x1-x0)
		}
		s.add(i, at(from))
		s.add(i, at(to))
	}
}

// dots are the dots of one cell across and down.
func (g *glyphSet) dots() (across, down int) {
	switch g.kind {
	case GlyphsBraille:
		return 2, 4
	case GlyphsBlock:
		return 1, 8
	}
	return 1, 3
}

// brailleBit is the bit of U+2800 for a dot at column x, row y (from the top) of a cell.
var brailleBit = [2][4]rune{{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}

// curve draws s as a line: braille dots; with blocks the area below it; with ASCII _ - ' for the thirds
// of a cell and | where it passes through.
func curve(c canvas, g *glyphSet, look style, s series) {
	across, down := g.dots()
	rows := c.h * down
	before := [2]int{-1, -1} // top and bottom row of the column before
	for i := range min(c.w*across, len(s.least)) {
		if math.IsNaN(s.least[i]) {
			before = [2]int{-1, -1}
			continue
		}
		top, bottom := dotRow(s.most[i], rows), dotRow(s.least[i], rows)
		if before[0] >= 0 { // no gap between columns
			if before[1] < top-1 {
				top = before[1] + 1
			}
			if before[0] > bottom+1 {
				bottom = before[0] - 1
			}
		}
		before = [2]int{dotRow(s.most[i], rows), dotRow(s.least[i], rows)}
		switch g.kind {
		case GlyphsBraille:
			for y := top; y <= bottom; y++ {
				c.dot(i, y, look)
			}
		case GlyphsBlock:
			for y := c.h - 1; y >= 0; y-- {
				if eighths := min((y+1)*8-top, 8); eighths > 0 {
					c.set(i, y, look, '▁'+rune(eighths-1))
				}
			}
		default:
			for y := top / down; y <= bottom/down; y++ {
				r := '|'
				if top/down == bottom/down {
					r = [...]rune{'\'', '-', '_'}[top%down]
				}
				c.set(i, y, look, r)
			}
		}
	}
}

// points draws s as single dots, only where the area is free; nothing with blocks, which have no points.
func points(c canvas, g *glyphSet, look style, s series) {
	across, down := g.dots()
	for i := range min(c.w*across, len(s.least)) {
		if math.IsNaN(s.least[i]) || g.kind == GlyphsBlock {
			continue
		}
		y := dotRow(s.most[i], c.h*down)
		if !c.free(i/across, y/down, 1) {
			continue
		}
		if g.kind == GlyphsBraille {
			c.dot(i, y, look)
		} else {
			c.set(i, y/down, look, '.')
		}
	}
}

// dotRow is the row, from the top, of v in 0..1 among rows.
func dotRow(v float64, rows int) int {
	return min(max(int(math.Round((1-v)*float64(rows-1))), 0), rows-1)
}

// dot adds one braille dot.
func (c canvas) dot(x, y int, look style) {
	cx, cy := x/2, y/4
	if x < 0 || y < 0 || cx >= c.w || cy >= c.h {
		return
	}
	r := c.on.cells[(c.y+cy)*c.on.w+c.x+cx].r
	if r < 0x2800 || r > 0x28ff {
		r = 0x2800
	}
	c.set(cx, cy, look, r|brailleBit[x%2][y%4])
}

// free says whether n cells from x, y on are empty.
func (c canvas) free(x, y, n int) bool {
	if y < 0 || y >= c.h || x < 0 || x+n > c.w {
		return false
	}
	for i := range n {
		if r := c.on.cells[(c.y+y)*c.on.w+c.x+x+i].r; r != 0 && r != ' ' {
			return false
		}
	}
	return true
}

// label writes text where the area is free.
func (c canvas) label(x, y int, look style, text string) {
	if c.free(x, y, width(text)) {
		c.text(x, y, look, text)
	}
}

// cursor marks a column of the area and below it.
func (a axes) cursor(g *glyphSet, x int) {
	for y := range a.area.h {
		if a.area.free(x, y, 1) {
			a.area.set(x, y, strong, g.bar)
		} else {
			a.area.restyle(x, y, 1, selected)
		}
	}
	a.outside.set(a.gutter+x, a.outside.h-1, selected, g.cursor)
}
