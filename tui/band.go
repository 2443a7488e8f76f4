package tui

import (
	"fmt"
	"math"

	"github.com/eaglet-workbench/eaglet/engine"
)

// bandPane shows how many steps each launch took, k* before it was rounded as dots, and h below.
type bandPane struct{}

func (bandPane) title(s *scene) string {
	r := s.selected()
	if r == nil {
		if s.feed.passing {
			return "Band: one pass, no launches"
		}
		return "Band: steps per launch, no launch yet"
	}
	text := fmt.Sprintf("Band: %s per launch, launch %s of %s",
		counted(r.launch.Word, "step", "steps"), engine.Grouped(r.launch.Number), engine.Grouped(s.feed.launches()))
	if r.flags&engine.FlagStepped != 0 {
		text += ", asked for by a key"
	}
	if r.flags&engine.FlagDerived != 0 {
		text += ", rebuilt after the pass"
	}
	return text
}

func (bandPane) draw(c canvas, s *scene) {
	f := s.feed
	if f.records.total == 0 {
		text := "the steps of every launch are drawn here, with what the formula wanted"
		if f.passing {
			text = "no launches to decide about: they are rebuilt when the pass is over"
		}
		c.text(2, max((c.h-2)/2, 0), quiet, text)
		return
	}
	a := s.axes(c)
	if a.area.w == 0 {
		return
	}
	strip := 0
	if a.area.h >= 8 {
		strip = 3
		if a.area.h >= 16 {
			strip = 5
		}
	}
	plot := a.area.sub(rect{0, 0, a.area.w, a.area.h - strip})
	drawWords(plot, a, s)
	if strip > 0 {
		drawShare(c, a, a.area.sub(rect{0, plot.h + 1, a.area.w, strip - 1}), plot.h, s)
	}
	if r := s.selected(); r != nil && s.cursor >= 0 {
		a.cursor(s.glyphs, a.column(s.place(r)))
	}
}

// drawWords draws steps per launch on a logarithmic scale.
func drawWords(plot canvas, a axes, s *scene) {
	f := s.feed
	least, most := float64(engine.AutoKMin), float64(max(f.start.StepsMax, 2*engine.AutoKMin))
	f.plot.each(func(b bucket) { least, most = min(least, max(b.word.least, 1)), max(most, b.word.most) })
	low, high := math.Floor(math.Log2(least)), math.Ceil(math.Log2(most))
	place := func(words float64) float64 { return (math.Log2(max(words, 1)) - low) / (high - low) }

	across, _ := s.glyphs.dots()
	dots := float64(plot.w * across)
	words, wanted := newSeries(plot.w*across), newSeries(plot.w*across)
	x0, ended, before := a.shown.at(0)*dots, 0.0, only(math.NaN())
	f.plot.each(func(b bucket) {
		ended = a.shown.end(&b, ended)
		x1 := a.shown.at(ended) * dots
		words.line(x0, place(b.word.least), x1, place(b.word.least))
		words.line(x0, place(b.word.most), x1, place(b.word.most))
		if k := before.last; k >= least/2 && k <= 2*most {
			wanted.line(x0, place(k), x1, place(k))
		}
		x0, before = x1, b.kStar
	})
	curve(plot, s.glyphs, bandTone, words)
	points(plot, s.glyphs, want, wanted)

	if legend := "dots: k* before rounding"; s.glyphs.kind != GlyphsBlock && plot.h > 2 {
		plot.label(plot.w-width(legend)-1, plot.h-1, want, legend)
	}
	taken := -1
	for e := high; e >= low; e-- {
		row := dotRow((e-low)/(high-low), plot.h)
		if row != taken {
			a.mark(s.glyphs, row, engine.Grouped(int64(math.Exp2(e))))
			taken = row
		}
	}
}

// drawShare draws h, the share of the batch that finished per step, on a logarithmic scale.
func drawShare(c canvas, a axes, plot canvas, caption int, s *scene) {
	f := s.feed
	least, most := math.Inf(1), 0.0
	f.plot.each(func(b bucket) {
		if b.h.most > 0 {
			least, most = min(least, b.h.most), max(most, b.h.most)
		}
	})
	c.across(gutterWidth-1, caption, 1, quiet, s.glyphs.axis)
	x := c.text(gutterWidth, caption, quiet, "h: share of the batch finishing per step, log scale")
	if text := "R = " + figure(f.r); f.r > 0 && x+2+width(text) < c.w {
		c.right(c.w-1, caption, quiet, text)
	}
	if most == 0 {
		c.text(gutterWidth, caption+1, quiet, "nobody has finished yet: h = 0")
		return
	}
	low, high := math.Floor(math.Log10(least)), math.Ceil(math.Log10(most))
	if high == low {
		high++
	}
	across, _ := s.glyphs.dots()
	dots := float64(plot.w * across)
	line := newSeries(plot.w * across)
	x0, ended := a.shown.at(0)*dots, 0.0
	f.plot.each(func(b bucket) {
		ended = a.shown.end(&b, ended)
		x1 := a.shown.at(ended) * dots
		if b.h.most > 0 {
			y := (math.Log10(b.h.most) - low) / (high - low)
			line.line(x0, y, x1, y)
		}
		x0 = x1
	})
	curve(plot, s.glyphs, liveTone, line)
	a.mark(s.glyphs, caption+1, fmt.Sprintf("1e%d", int(high)))
	if plot.h > 1 {
		a.mark(s.glyphs, caption+plot.h, fmt.Sprintf("1e%d", int(low)))
	}
}
