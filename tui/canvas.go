package tui

import "strings"

// cell is one cell of the screen. The second cell of a wide character has rune -1.
type cell struct {
	r rune
	s style
}

// surface is a grid of cells; panes write to it through a [canvas].
type surface struct {
	w, h  int
	ascii bool // nothing but ASCII may be shown
	cells []cell
	spots []spot // what a mouse finds here; see mouse.go
}

func newSurface(w, h int, ascii bool) *surface {
	s := &surface{w: max(w, 0), h: max(h, 0), ascii: ascii}
	s.cells = make([]cell, s.w*s.h)
	return s
}

// String writes the surface as h lines without trailing spaces. A run of one style costs one control
// sequence; t nil leaves all of them out.
func (s *surface) String(t *theme) string {
	var b strings.Builder
	b.Grow(len(s.cells) * 2)
	for y := range s.h {
		if y > 0 {
			b.WriteByte('\n')
		}
		line := s.cells[y*s.w : (y+1)*s.w]
		end := len(line)
		for end > 0 && (line[end-1].r == 0 || line[end-1].r == ' ') && line[end-1].s != selected {
			end--
		}
		open := plain
		for _, c := range line[:end] {
			if c.r < 0 {
				continue
			}
			if c.r == 0 {
				c.r = ' '
			}
			if c.r == ' ' && c.s != selected && open != selected {
				c.s = open // a blank looks the same in every other style
			}
			if t != nil && t[c.s] != t[open] {
				if t[open] != "" {
					b.WriteString("\x1b[m")
				}
				b.WriteString(t[c.s])
			}
			open = c.s
			b.WriteRune(c.r)
		}
		if t != nil && t[open] != "" {
			b.WriteString("\x1b[m")
		}
	}
	return b.String()
}

// rect is a rectangle of cells.
type rect struct{ x, y, w, h int }

// canvas is a window on a surface. Writing outside of it does nothing, so a pane cannot leave its
// rectangle whatever its size.
type canvas struct {
	on *surface
	rect
}

func (s *surface) canvas() canvas { return canvas{s, rect{0, 0, s.w, s.h}} }

// sub is the part r of c, in c's coordinates, cut to c.
func (c canvas) sub(r rect) canvas {
	x0, y0 := max(r.x, 0), max(r.y, 0)
	x1, y1 := min(r.x+r.w, c.w), min(r.y+r.h, c.h)
	return canvas{c.on, rect{c.x + x0, c.y + y0, max(x1-x0, 0), max(y1-y0, 0)}}
}

// set puts a character of width 1 at x, y.
func (c canvas) set(x, y int, s style, r rune) {
	if x < 0 || y < 0 || x >= c.w || y >= c.h {
		return
	}
	i := (c.y+y)*c.on.w + c.x + x
	cells := c.on.cells
	if cells[i].r < 0 { // never leave half of a wide character
		cells[i-1].r = ' '
	}
	if i+1 < len(cells) && cells[i+1].r < 0 {
		cells[i+1].r = ' '
	}
	cells[i] = cell{r: r, s: s}
}

// text writes s from x, y on, cut at the right edge, and returns the column behind it.
func (c canvas) text(x, y int, s style, text string) int {
	if y < 0 || y >= c.h {
		return x
	}
	for _, r := range text {
		r, w := printable(r, c.on.ascii)
		if x+w > c.w {
			break
		}
		if w == 2 {
			c.set(x+1, y, s, ' ')
		}
		c.set(x, y, s, r)
		if w == 2 && x >= 0 {
			c.on.cells[(c.y+y)*c.on.w+c.x+x+1] = cell{r: -1, s: s}
		}
		x += w
	}
	return x
}

// right writes s so that it ends before column x.
func (c canvas) right(x, y int, s style, text string) { c.text(x-width(text), y, s, text) }

// restyle gives n cells from x, y on another style.
func (c canvas) restyle(x, y, n int, s style) {
	for i := x; i < x+n; i++ {
		if i >= 0 && y >= 0 && i < c.w && y < c.h {
			at := &c.on.cells[(c.y+y)*c.on.w+c.x+i]
			at.s = s
			if at.r == 0 {
				at.r = ' '
			}
		}
	}
}

// across draws a horizontal line of n cells.
func (c canvas) across(x, y, n int, s style, r rune) {
	for i := range n {
		c.set(x+i, y, s, r)
	}
}

// down draws a vertical line of n cells.
func (c canvas) down(x, y, n int, s style, r rune) {
	for i := range n {
		c.set(x, y+i, s, r)
	}
}

// spans writes pieces of text one after the other and returns the column behind them.
func (c canvas) spans(x, y int, pieces ...span) int {
	for _, p := range pieces {
		x = c.text(x, y, p.s, p.text)
	}
	return x
}

// span is a piece of text of one style.
type span struct {
	s    style
	text string
}

func spansWidth(pieces []span) int {
	n := 0
	for _, p := range pieces {
		n += width(p.text)
	}
	return n
}
