package tui

import "math"

// A picture of a screen draws plots and chrome by shapes of its own, for no font can be trusted to hold
// braille, and text by a font. shape is one of those: in a cell whose width and height are 1, y downwards.
type shape struct {
	// A polygon, when it has corners; else a circle.
	corners [][2]float64
	x, y, r float64 // r in heights of the cell, so that a dot is round
	share   float64 // of opacity; 0 means 1
}

func box(x0, y0, x1, y1 float64) shape {
	return shape{corners: [][2]float64{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}}
}

func shaded(share float64) []shape {
	s := box(0, 0, 1, 1)
	s.share = share
	return []shape{s}
}

// stroke is a line of some thickness, in widths of a cell that is half as wide as it is high.
func stroke(thick, x0, y0, x1, y1 float64) shape {
	dx, dy := x1-x0, 2*(y1-y0)
	n := thick / 2 / math.Hypot(dx, dy)
	ox, oy := -dy*n, dx*n/2
	return shape{corners: [][2]float64{{x0 + ox, y0 + oy}, {x1 + ox, y1 + oy}, {x1 - ox, y1 - oy}, {x0 - ox, y0 - oy}}}
}

// dotRadius is that of a braille dot: dots of one line nearly touch.
const dotRadius = 0.085

// shapesOf are the shapes of a character, nil when it is for the font.
func shapesOf(r rune) []shape {
	switch {
	case r >= 0x2800 && r <= 0x28ff:
		return brailleShapes(r)
	case r >= 0x2580 && r <= 0x259f:
		return blockShapes(r)
	case r >= 0x2500 && r <= 0x257f:
		return lineShapes(r)
	}
	return symbols[r]
}

func brailleShapes(r rune) []shape {
	out := []shape{}
	for x, column := range brailleBit {
		for y, bit := range column {
			if (r-0x2800)&bit != 0 {
				out = append(out, shape{x: 0.25 + 0.5*float64(x), y: (2*float64(y) + 1) / 8, r: dotRadius})
			}
		}
	}
	return out
}

// quarters are the quadrants U+2596 to U+259F: upper left 1, upper right 2, lower left 4, lower right 8.
var quarters = [...]int{4, 8, 1, 1 | 4 | 8, 1 | 8, 1 | 2 | 4, 1 | 2 | 8, 2, 2 | 4, 2 | 4 | 8}

func blockShapes(r rune) []shape {
	switch {
	case r == 0x2580:
		return []shape{box(0, 0, 1, 0.5)}
	case r <= 0x2588:
		return []shape{box(0, 1-float64(r-0x2580)/8, 1, 1)}
	case r <= 0x258f:
		return []shape{box(0, 0, float64(0x2590-r)/8, 1)}
	case r == 0x2590:
		return []shape{box(0.5, 0, 1, 1)}
	case r <= 0x2593:
		return shaded(float64(r-0x2590) / 4)
	case r == 0x2594:
		return []shape{box(0, 0, 1, 0.125)}
	case r == 0x2595:
		return []shape{box(0.875, 0, 1, 1)}
	}
	out := []shape{}
	for i := range 4 {
		if quarters[r-0x2596]&(1<<i) != 0 {
			x, y := float64(i%2)/2, float64(i/2)/2
			out = append(out, box(x, y, x+0.5, y+0.5))
		}
	}
	return out
}

// arms are the lines of box drawing that reach from the middle of a cell: left, right, up, down; 1 light,
// 2 heavy.
var arms = map[rune][4]int{
	'─': {1, 1, 0, 0}, '━': {2, 2, 0, 0}, '│': {0, 0, 1, 1}, '┃': {0, 0, 2, 2},
	'┌': {0, 1, 0, 1}, '┐': {1, 0, 0, 1}, '└': {0, 1, 1, 0}, '┘': {1, 0, 1, 0},
	'├': {0, 1, 1, 1}, '┤': {1, 0, 1, 1}, '┬': {1, 1, 0, 1}, '┴': {1, 1, 1, 0}, '┼': {1, 1, 1, 1},
	'┏': {0, 2, 0, 2}, '┓': {2, 0, 0, 2}, '┗': {0, 2, 2, 0}, '┛': {2, 0, 2, 0},
	'╴': {1, 0, 0, 0}, '╵': {0, 0, 1, 0}, '╶': {0, 1, 0, 0}, '╷': {0, 0, 0, 1},
}

func lineShapes(r rune) []shape {
	a, ok := arms[r]
	if !ok {
		return nil
	}
	out := []shape{}
	for i, weight := range a {
		if weight == 0 {
			continue
		}
		half := 0.06 * float64(weight) // of the width; half as much of the height
		switch i {
		case 0:
			out = append(out, box(0, 0.5-half/2, 0.5+half, 0.5+half/2))
		case 1:
			out = append(out, box(0.5-half, 0.5-half/2, 1, 0.5+half/2))
		case 2:
			out = append(out, box(0.5-half, 0, 0.5+half, 0.5+half/2))
		case 3:
			out = append(out, box(0.5-half, 0.5-half/2, 0.5+half, 1))
		}
	}
	return out
}

// symbols are the characters of the glyph sets that fonts may lack.
var symbols = map[rune][]shape{
	'▸': {{corners: [][2]float64{{0.2, 0.3}, {0.85, 0.52}, {0.2, 0.74}}}},
	'◂': {{corners: [][2]float64{{0.8, 0.3}, {0.15, 0.52}, {0.8, 0.74}}}},
	'▴': {{corners: [][2]float64{{0.5, 0.35}, {0.95, 0.7}, {0.05, 0.7}}}},
	'▾': {{corners: [][2]float64{{0.5, 0.7}, {0.95, 0.35}, {0.05, 0.35}}}},
	'▮': {box(0.25, 0.25, 0.75, 0.75)},
	'◦': outline(0.11, 0),
	'◌': outline(0.16, 0.5),
	'✓': {stroke(0.16, 0.1, 0.55, 0.38, 0.7), stroke(0.16, 0.38, 0.7, 0.92, 0.3)},
	'✗': {stroke(0.16, 0.15, 0.35, 0.85, 0.7), stroke(0.16, 0.85, 0.35, 0.15, 0.7)},
}

// outline is a circle as eight strokes; gap is the part of each that is left out.
func outline(radius, gap float64) []shape {
	var out []shape
	at := func(i float64) (x, y float64) {
		return 0.5 + 2*radius*math.Cos(i*math.Pi/4), 0.52 + radius*math.Sin(i*math.Pi/4)
	}
	for i := range 8 {
		x0, y0 := at(float64(i))
		x1, y1 := at(float64(i) + 1 - gap)
		out = append(out, stroke(0.12, x0, y0, x1, y1))
	}
	return out
}
