package tui

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/counting"
)

// knobsWidth is the column of the parameters.
const knobsWidth = 29

func (p *labPane) draw(c canvas, s *scene) {
	p.begin(s)
	p.drawKnobs(c.sub(rect{0, 0, min(knobsWidth, c.w), c.h}), s)
	right := c.sub(rect{knobsWidth, 0, c.w - knobsWidth, c.h})
	c.down(knobsWidth-1, 0, c.h, quiet, s.glyphs.bar)
	a := p.answer
	if a == nil || p.why != "" {
		text := p.why
		if text == "" {
			text = "counting"
		}
		for y, line := range wrap(text, right.w-2) {
			right.text(1, y, waits, line)
		}
		return
	}
	y := 0
	say := func(look style, text string) {
		for _, line := range wrap(text, right.w-2) {
			right.text(1, y, look, line)
			y++
		}
	}
	say(plain, a.decisions())
	for _, text := range a.weight() {
		say(strong, text)
	}
	table := orderLines(a, s.glyphs, right.w-2)
	if plot := right.h - y - len(table); plot >= 5 {
		drawThought(right.sub(rect{0, y, right.w, plot}), s, a)
		y += plot
	}
	for _, line := range table {
		right.spans(1, y, line...)
		y++
	}
}

// drawKnobs writes the parameters, the chosen one marked; as many as fit around it.
func (p *labPane) drawKnobs(c canvas, s *scene) {
	p.first = min(max(p.row-c.h+2, 0), max(len(labKnobs)-c.h, 0))
	for i := p.first; i < len(labKnobs) && i-p.first < c.h; i++ {
		k, y := &labKnobs[i], i-p.first
		look := plain
		if !k.used(&p.want) {
			look = quiet
		}
		c.text(2, y, quiet, k.name)
		c.text(13, y, look, cut(k.value(&p.want), c.w-15))
		if i == p.row {
			c.set(0, y, strong, s.glyphs.mark)
			c.restyle(1, y, c.w-3, selected)
		}
	}
	y := len(labKnobs) + 1
	for _, text := range []string{"up down choose", "left right change"} {
		if y < c.h {
			c.text(2, y, quiet, text)
			y++
		}
	}
	if p.want.real || y+1 >= c.h {
		return
	}
	for i, line := range wrap(p.want.shape.Shape.Says(), c.w-4) {
		c.text(2, y+1+i, quiet, line)
	}
}

// splitAt is the height from which live samples have a plot of their own.
const splitAt = 14

// drawThought draws the words of the launches over the steps, and the live samples: below, or as dots behind.
func drawThought(c canvas, s *scene, a *labAnswer) {
	shown := stretch{unit: axisStep, to: float64(max(a.weighed.Run.Steps, 1))}
	split := c.h >= splitAt && c.w > gutterWidth+9
	if split {
		below := c.h * 2 / 5
		x := axes{shown: shown, gutter: gutterWidth, outside: c}
		x.area = c.sub(rect{gutterWidth, 0, c.w - gutterWidth - 1, c.h - below - 1})
		c.down(gutterWidth-1, 0, x.area.h, quiet, s.glyphs.axis)
		drawThoughtWords(x, s, a)
		c.text(gutterWidth, x.area.h, quiet, "live samples")
		c = c.sub(rect{0, c.h - below, c.w, below})
	}
	x := newAxes(c, s.glyphs, shown)
	if x.area.w == 0 {
		return
	}
	across, _ := s.glyphs.dots()
	dots := float64(x.area.w * across)
	live := newSeries(x.area.w * across)
	x0, y0, n := 0.0, 1.0, float64(max(a.n, 1))
	a.plot.each(func(b bucket) {
		x1, y1 := shown.at(float64(b.done))*dots, float64(b.live)/n
		live.line(x0, y0, x1, y1)
		x0, y0 = x1, y1
	})
	if split {
		curve(x.area, s.glyphs, liveTone, live)
		x.mark(s.glyphs, 0, short(a.n))
		x.mark(s.glyphs, x.area.h-1, "0")
		return
	}
	drawThoughtWords(x, s, a)
	points(x.area, s.glyphs, liveTone, live)
}

// drawThoughtWords draws steps per launch on a logarithmic scale.
func drawThoughtWords(x axes, s *scene, a *labAnswer) {
	least, most := float64(min(a.of.stepsMax, engine.AutoKMin)), float64(max(a.of.stepsMax, 2*engine.AutoKMin))
	a.plot.each(func(b bucket) { least, most = min(least, max(b.word.least, 1)), max(most, b.word.most) })
	low, high := math.Floor(math.Log2(least)), math.Ceil(math.Log2(most))
	place := func(words float64) float64 { return (math.Log2(max(words, 1)) - low) / (high - low) }
	across, _ := s.glyphs.dots()
	dots := float64(x.area.w * across)
	words := newSeries(x.area.w * across)
	x0 := 0.0
	a.plot.each(func(b bucket) {
		x1 := x.shown.at(float64(b.done)) * dots
		words.line(x0, place(b.word.least), x1, place(b.word.least))
		words.line(x0, place(b.word.most), x1, place(b.word.most))
		x0 = x1
	})
	curve(x.area, s.glyphs, bandTone, words)
	taken := -1
	for e := high; e >= low; e-- {
		if row := dotRow((e-low)/(high-low), x.area.h); row != taken {
			x.mark(s.glyphs, row, engine.Grouped(int64(math.Exp2(e))))
			taken = row
		}
	}
	legend := "line: steps per launch"
	if s.glyphs.kind != GlyphsBlock && x.outside.h < splitAt {
		legend += ", dots: live samples"
	}
	x.area.label(max(x.area.w-width(legend)-1, 0), x.area.h-1, quiet, cut(legend, x.area.w-1))
}

// orderLines are what the order of the samples does: a row per order.
func orderLines(a *labAnswer, g *glyphSet, w int) [][]span {
	const label = 12
	moved := a.of.active && a.of.theta > 0
	roomy := moved && w >= 63
	head := fmt.Sprintf("%-*s%10s", label, "order", "warp fill")
	if a.of.active {
		head += fmt.Sprintf("%12s", "slots used")
	}
	if roomy {
		head += fmt.Sprintf("%11s%10s", "reordered", "reorders")
	}
	if moved {
		head += fmt.Sprintf("%8s", "gain")
	}
	bar := min(w-len(head)-2, 30)
	out := [][]span{{{quiet, cut(head, w)}}}
	for order := range counting.Arrangements {
		o := &a.orders[order]
		text := fmt.Sprintf("%-*s%10s", label, order, percent(o.Fill()))
		if a.of.active {
			text += fmt.Sprintf("%12s", percent(o.TouchedFill()))
		}
		if roomy {
			text += fmt.Sprintf("%11s%10s", percent(o.MovedFill()), engine.Grouped(o.Reorders))
		}
		if moved {
			text += fmt.Sprintf("%8s", factor(o.Gain()))
		}
		line := []span{{plain, cut(text, w)}}
		if bar >= 8 {
			full := min(int(math.Round(o.Fill()*float64(bar))), bar)
			cells := make([]rune, bar)
			for i := range cells {
				cells[i] = g.empty
				if i < full {
					cells[i] = g.full
				}
			}
			line = append(line, span{bandTone, "  " + string(cells)})
		}
		out = append(out, line)
	}
	return out
}

// sortedWords are the words of launches, ascending.
func sortedWords(by map[uint32]int) []uint32 { return slices.Sorted(maps.Keys(by)) }
