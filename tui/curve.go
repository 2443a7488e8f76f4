package tui

import (
	"fmt"
	"math"

	"github.com/eaglet-workbench/eaglet/engine"
)

// The cost curve of the band: what a step loses when launches take k steps,
//
//	cost(k) = R/k + h*k/2
//
// the share of a compaction and the lanes that idle until the boundary, in steps of the whole batch.

// costOf is the cost per step of launches of k steps.
func costOf(p *engine.PolicyDecision, k float64) float64 { return p.R/k + p.H*k/2 }

// curveLeast is the least height that the curve is drawn in.
const curveLeast = 5

// costInWords gives the cost of what was chosen, of the words beside it, and the least there is.
func costInWords(p *engine.PolicyDecision) string {
	at := func(k uint32) string { return fmt.Sprintf("%s at %d", figure(costOf(p, float64(k))), k) }
	text := "R/k + h*k/2 = " + at(p.K)
	beside := ""
	if p.K > engine.AutoKMin {
		beside = at(max(p.K/2, engine.AutoKMin))
	}
	if p.K < p.StepsMax {
		if beside != "" {
			beside += ", "
		}
		beside += at(min(2*p.K, p.StepsMax))
	}
	if beside != "" {
		text += "; " + beside
	}
	if p.Newly > 0 {
		text += fmt.Sprintf("; least %s at k* = %s", figure(math.Sqrt(2*p.R*p.H)), figure(p.KStar))
	}
	return text
}

// drawCost draws the curve over k = 8..steps_max on a logarithmic axis, with what was chosen and k* marked.
func drawCost(c canvas, g *glyphSet, p *engine.PolicyDecision) {
	low, high := math.Log2(engine.AutoKMin), math.Log2(float64(max(p.StepsMax, 2*engine.AutoKMin)))
	area := c.sub(rect{gutterWidth, 1, c.w - gutterWidth - 2, c.h - 2})
	if area.w < 12 || area.h < 2 {
		return
	}
	c.text(1, 0, quiet, cut("cost per step: R/k + h*k/2, in steps of the batch", c.w-2))
	c.down(gutterWidth-1, 1, area.h, quiet, g.axis)
	across, _ := g.dots()
	columns := area.w * across
	line := newSeries(columns)
	most, least := max(costOf(p, math.Exp2(low)), costOf(p, math.Exp2(high))), math.Inf(1)
	for i := range columns {
		k := math.Exp2(low + (high-low)*(float64(i)+0.5)/float64(columns))
		least = min(least, costOf(p, k))
	}
	base := least * 0.8 // so that the bottom of the curve is seen
	if most <= base {
		return
	}
	for i := range columns {
		k := math.Exp2(low + (high-low)*(float64(i)+0.5)/float64(columns))
		line.add(i, (costOf(p, k)-base)/(most-base))
	}
	curve(area, g, bandTone, line)
	column := func(k float64) int {
		return min(max(int((math.Log2(k)-low)/(high-low)*float64(area.w)), 0), area.w-1)
	}
	mark := func(k float64, look style) {
		for y := range area.h {
			if area.free(column(k), y, 1) {
				area.set(column(k), y, look, g.bar)
			}
		}
	}
	if p.Newly > 0 && p.KStar >= engine.AutoKMin && p.KStar <= float64(p.StepsMax) {
		mark(p.KStar, want)
		area.besides(column(p.KStar), 0, want, "k* "+figure(p.KStar))
	}
	mark(float64(p.K), strong)
	area.besides(column(float64(p.K)), min(1, area.h-1), strong, fmt.Sprintf("k %d", p.K))
	c.right(gutterWidth-1, 1, quiet, figure(most))
	c.right(gutterWidth-1, area.h, quiet, figure(base))
	last := -1
	for k := float64(engine.AutoKMin); k <= float64(p.StepsMax); k *= 2 {
		text := fmt.Sprintf("%.0f", k)
		x := min(gutterWidth+column(k)-len(text)/2, c.w-len(text))
		if x > last {
			last = c.text(x, c.h-1, quiet, text)
		}
	}
}

// besides writes a label beside a column, on the side where there is room and nothing stands.
func (c canvas) besides(x, y int, look style, text string) {
	n := width(text)
	switch {
	case c.free(x+1, y, n):
		c.text(x+1, y, look, text)
	case c.free(x-n, y, n):
		c.text(x-n, y, look, text)
	}
}
