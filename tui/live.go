package tui

import (
	"fmt"

	"github.com/eaglet-workbench/eaglet/engine"

	"github.com/eaglet-workbench/eaglet/session"
)

// livePane shows how many samples are still live against the steps of the run: one curve that parts the
// batch into live below and finished above.
type livePane struct{}

func (livePane) title(s *scene) string {
	switch {
	case s.state.Kernel == nil:
		return "Live: no batch"
	case !s.feed.started:
		return fmt.Sprintf("Live: %s of %s samples, at the start", engine.Grouped(s.live()), engine.Grouped(s.n()))
	}
	if s.feed.passing {
		return fmt.Sprintf("Live: %s of %s samples, in one pass", engine.Grouped(s.live()), engine.Grouped(s.n()))
	}
	if r := s.selected(); r != nil && s.cursor >= 0 {
		return fmt.Sprintf("Live: %s of %s samples after launch %s, step %s",
			engine.Grouped(r.after()), engine.Grouped(s.n()), engine.Grouped(r.launch.Number), engine.Grouped(r.launch.Done))
	}
	return fmt.Sprintf("Live: %s of %s samples after %s",
		engine.Grouped(s.live()), engine.Grouped(s.n()), counted(s.done(), "step", "steps"))
}

func (livePane) draw(c canvas, s *scene) {
	f := s.feed
	if f.records.total == 0 {
		drawPass(c, s)
		return
	}
	a := s.axes(c)
	if a.area.w == 0 {
		return
	}
	n := float64(s.n())
	across, down := s.glyphs.dots()
	line := newSeries(a.area.w * across)
	dots := float64(a.area.w * across)
	x0, ended, y0 := a.shown.at(0)*dots, 0.0, 1.0
	if first := f.records.at(f.records.first()); first.launch.Number == 1 {
		y0 = float64(first.launch.Live) / n
	}
	f.plot.each(func(b bucket) {
		ended = a.shown.end(&b, ended)
		x1, y1 := a.shown.at(ended)*dots, float64(b.live)/n
		line.line(x0, y0, x1, y1)
		x0, y0 = x1, y1
	})
	curve(a.area, s.glyphs, liveTone, line)
	live := s.live()
	if r := s.selected(); r != nil && s.cursor >= 0 {
		live = r.after()
	}
	text, low := "live "+engine.Grouped(live), a.area.h-1
	room := a.area.h >= 3 && a.area.free(1, low, width(text))
	if r := s.selected(); r != nil && s.cursor >= 0 {
		a.cursor(s.glyphs, a.column(s.place(r)))
	}
	if s.glyphs.kind == GlyphsBraille {
		shade(a.area, line, down)
	}
	if room {
		a.area.text(1, low, liveTone, text)
	}
	if text := "finished " + engine.Grouped(s.n()-min(live, s.n())); a.area.h >= 3 {
		a.area.label(a.area.w-width(text)-1, 0, doneTone, text)
	}
	a.mark(s.glyphs, 0, short(s.n()))
	if a.area.h >= 5 {
		a.mark(s.glyphs, a.area.h/2, short(s.n()/2))
	}
	a.mark(s.glyphs, a.area.h-1, "0")
}

// middle is the step in the middle of a launch.
func middle(r *record) float64 { return float64(r.launch.Done) - float64(r.launch.Word)/2 }

// shade puts a sparse pattern of dots below the curve: the live part of the batch.
func shade(c canvas, line series, down int) {
	for x := range c.w {
		least := line.least[2*x]
		if !(least >= 0) {
			continue
		}
		top := dotRow(least, c.h*down) / down
		for y := top + 1; y < c.h; y++ {
			if c.free(x, y, 1) && (x+y)%2 == 0 {
				c.set(x, y, quiet, 0x2804)
			}
		}
	}
}

// drawPass stands for the curve while there is no boundary between launches to draw it from.
func drawPass(c canvas, s *scene) {
	f := s.feed
	y := max((c.h-3)/2, 0)
	switch {
	case s.state.Kernel == nil:
		c.text(2, y, quiet, "load a kernel to begin")
	case f.passing:
		c.text(2, y, plain, "one pass over the batch: no launch boundaries until its end")
		c.bar(2, y+1, max(min(c.w-4, 60), 0), s.glyphs, doneTone, float64(f.progress.Finished), float64(s.n()))
		c.text(2, y+2, plain, fmt.Sprintf("finished %s of %s, %s sample-steps so far",
			engine.Grouped(f.progress.Finished), engine.Grouped(s.n()), short(f.progress.SampleSteps)))
	case s.state.Phase == session.Running:
		c.text(2, y, quiet, "waiting for the first launch to return")
	default:
		c.text(2, y, plain, "no launch yet")
		c.text(2, y+1, quiet, "space runs the batch, s makes one launch")
	}
}
