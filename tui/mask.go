package tui

import (
	"context"
	"fmt"
	"math"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

// maskPane shows who is live: over time, each row some consecutive samples; and at the cursor, in the order of
// samples and in that of slots.
type maskPane struct {
	picture     *maskPicture
	why         string // there is none
	cells, rows int    // of the last drawing
	at          int    // 1 + the row of the picture under the bar, 0 for none
}

// stepAtCursor is the step of the run that the cursor shows.
func (s *scene) stepAtCursor() uint32 {
	if r := s.selected(); r != nil && s.cursor >= 0 {
		return r.launch.Done
	}
	return s.done()
}

func (p *maskPane) title(s *scene) string {
	m := p.current(s)
	switch {
	case s.state.Kernel == nil:
		return "Mask: no batch"
	case m == nil && s.stops.why != "":
		return "Mask: " + s.stops.why
	case p.why != "":
		return "Mask: " + p.why
	case m == nil:
		return "Mask: who is live, " + engine.Grouped(s.n()) + " samples"
	}
	return fmt.Sprintf("Mask: %s of %s live at step %s", engine.Grouped(m.live), counted(len(m.stops.at), "sample", "samples"), engine.Grouped(m.step))
}

// current is the picture of the batch that is shown, nil while there is none: one of a run before it would tell
// of samples that are no longer so.
func (p *maskPane) current(s *scene) *maskPicture {
	if p.picture == nil || p.picture.stops.generation != s.state.Generation {
		return nil
	}
	return p.picture
}

// afterPause is what the panes that need stops say while there are none.
func afterPause(s *scene, what string) string {
	if s.state.Phase == session.Running && s.stops.onePass {
		return what + ": to be had when the run pauses (space)"
	}
	return what
}

// maskQuestion is what a pane shows of the mask, for a drawing of the given size; false while no stops are known.
func (s *scene) maskQuestion(cells, rows int) (maskQuestion, bool) {
	stops := s.currentStops()
	if stops == nil {
		return maskQuestion{}, false
	}
	f := s.feed
	q := maskQuestion{stops: stops, step: min(s.stepAtCursor(), stops.done), cells: cells, rows: rows, shown: s.shows(), active: f.start.Active}
	if s.cursor < 0 && !s.past() {
		q.step = stops.done
	}
	if q.shown.unit != axisStep {
		ended := 0.0
		f.plot.each(func(b bucket) {
			ended = q.shown.end(&b, ended)
			q.ends, q.dones = append(q.ends, ended), append(q.dones, b.done)
		})
	}
	for i := f.books.reorders.first(); i < f.books.reorders.total; i++ {
		if o := f.books.reorders.at(i); o.fired {
			q.fired = append(q.fired, o.done)
		}
	}
	return q, true
}

// key tells questions apart.
func (q *maskQuestion) key() string {
	return fmt.Sprintf("%s step %d, %dx%d of %v, %d reorders", q.stops.base, q.step, q.cells, q.rows, q.shown, len(q.fired))
}

func (p *maskPane) countsStops(*scene) bool { return p.cells > 0 }

func (p *maskPane) wants(s *scene) (string, func(context.Context, Session) (any, error)) {
	if p.cells == 0 {
		return "", nil
	}
	q, ok := s.maskQuestion(p.cells, p.rows)
	if !ok {
		return "", nil
	}
	return q.key(), func(ctx context.Context, _ Session) (any, error) { return q.picture(ctx) }
}

func (p *maskPane) answered(_ string, answer any, err error) {
	p.why = ""
	if err != nil {
		p.why = firstLine(err.Error())
		return
	}
	p.picture = answer.(*maskPicture)
}

func (p *maskPane) draw(c canvas, s *scene) {
	strips := 2
	if c.h < 3 {
		strips = 1
	}
	raster := c.h - strips
	if raster < 4 {
		raster = 0
	}
	p.cells, p.rows = c.w-gutterWidth-1, 0
	if raster > 0 {
		a := s.axes(c.sub(rect{0, 0, c.w, raster}))
		p.cells, p.rows = a.area.w, a.area.h
		if m := p.current(s); m != nil && a.area.w > 0 {
			m.drawRaster(a, s)
			p.drawBar(a, s)
		}
	}
	m := p.current(s)
	if m == nil {
		c.text(gutterWidth, max(c.h/2-1, 0), quiet, cut(afterPause(s, "who is live over time"), c.w-gutterWidth))
		return
	}
	p.strip(c, raster, "sample", m.samples, s)
	if strips < 2 {
		return
	}
	if m.slots == nil {
		c.text(gutterWidth, raster+1, quiet, cut("slots lie as the samples: nothing has moved them, and launches use no map", c.w-gutterWidth))
		return
	}
	p.strip(c, raster+1, "slot", m.slots, s)
}

// strip draws shares of live samples in one line.
func (p *maskPane) strip(c canvas, y int, name string, shares []float64, s *scene) {
	c.right(gutterWidth-2, y, quiet, name)
	c.set(gutterWidth-1, y, quiet, s.glyphs.axis)
	drawStrip(c.sub(rect{gutterWidth, y, c.w - gutterWidth - 1, 1}), s.glyphs, shares)
}

// drawStrip writes a share a cell: how high a block stands, or how dense a character is.
func drawStrip(c canvas, g *glyphSet, shares []float64) {
	for x := range min(c.w, len(shares)) {
		c.set(x, 0, liveTone, g.level(shares[x]))
	}
}

// level is the character for a share in one cell: a share that is neither none nor all never looks so.
func (g *glyphSet) level(v float64) rune {
	levels := []rune(" ▁▂▃▄▅▆▇█")
	if g.kind == GlyphsASCII {
		levels = []rune(" .:-=+*#@")
	}
	return pickLevel(levels, v)
}

// shade is the character for a share in a cell of an area.
func (g *glyphSet) shade(v float64) rune {
	levels := []rune(" ░▒▓█")
	if g.kind == GlyphsASCII {
		levels = []rune(" .:-=+*#@")
	}
	return pickLevel(levels, v)
}

func pickLevel(levels []rune, v float64) rune {
	last := len(levels) - 1
	switch {
	case !(v > 0):
		return levels[0]
	case v >= 1:
		return levels[last]
	}
	return levels[min(max(int(math.Round(v*float64(last))), 1), last-1)]
}

// shareAt is what a row of the raster holds at a place of the axis, which has moved on since it was made while a
// run is on; NaN for what it does not hold.
func (m *maskPicture) shareAt(row []float64, x float64, unit axisUnit) float64 {
	at := int(math.Floor(m.shown.at(x) * float64(len(row))))
	if unit != m.shown.unit || at < 0 || at >= len(row) {
		return math.NaN()
	}
	return row[at]
}

// drawRaster shades who is live over time.
func (m *maskPicture) drawRaster(a axes, s *scene) {
	rows := len(m.raster)
	for y := range a.area.h {
		if rows == 0 {
			break
		}
		row := m.raster[y*rows/a.area.h]
		for x := range a.area.w {
			if v := m.shareAt(row, a.shown.from+(float64(x)+0.5)/float64(a.area.w)*(a.shown.to-a.shown.from), a.shown.unit); v == v {
				a.area.set(x, y, liveTone, s.glyphs.shade(v))
			}
		}
	}
	a.mark(s.glyphs, 0, "0")
	a.mark(s.glyphs, a.area.h-1, short(len(m.stops.at)-1))
	if r := s.selected(); r != nil && s.cursor >= 0 {
		a.cursor(s.glyphs, a.column(s.place(r)))
	}
}

// drawMaskLine writes the mask in one line, for screens without room for the pane.
func (m *model) drawMaskLine(c canvas) {
	p, ok := m.panes[paneMask].(*maskPane)
	if !ok {
		return
	}
	if p.cells == 0 || !m.maskOnScreen() {
		p.cells, p.rows = c.w-gutterWidth-1, 0
	}
	now := p.current(&m.scene)
	if now == nil {
		p.strip(c, 0, "mask", nil, &m.scene)
		c.text(gutterWidth+1, 0, quiet, cut(afterPause(&m.scene, "who is live"), c.w-gutterWidth-1))
		return
	}
	p.strip(c, 0, "mask", now.samples, &m.scene)
}

// maskOnScreen says whether the mask pane itself is drawn.
func (m *model) maskOnScreen() bool {
	for _, p := range m.layout().panes {
		if p.pane == paneMask {
			return true
		}
	}
	return false
}
