package tui

import (
	"fmt"
	"sort"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// logPane shows one sentence per decision, the newest at the bottom. Sentences are made for the visible
// rows only, so the length of a log costs nothing.
type logPane struct {
	back   int // sentences between the bottom row and the newest; 0 follows
	height int
	rows   []int // index of the sentence in each row, -1 for none
}

func (p *logPane) title(s *scene) string {
	log := &s.feed.log
	if log.total == 0 {
		return "Log: nothing decided yet"
	}
	text := "Log: " + counted(log.total, "sentence", "sentences")
	if n := log.first(); n > 0 {
		text += fmt.Sprintf(", the last %s kept", engine.Grouped(len(log.items)))
	}
	if back := p.bottom(s); back > 0 {
		return text + fmt.Sprintf(", %s newer below", engine.Grouped(back))
	}
	return text + ", newest at the bottom"
}

// bottom is the number of sentences below the last row: where the user scrolled to, else the one about
// the launch under the cursor, else none.
func (p *logPane) bottom(s *scene) int {
	log := &s.feed.log
	if p.back > 0 {
		p.back = min(p.back, len(log.items)-1)
		return p.back
	}
	if at, ok := p.aboutCursor(s); ok {
		return max(log.total-1-at-max(p.height/3, 1), 0)
	}
	return 0
}

// aboutCursor finds the last sentence of the turn under the cursor.
func (p *logPane) aboutCursor(s *scene) (at int, ok bool) {
	r := s.selected()
	if r == nil || s.cursor < 0 {
		return 0, false
	}
	log := &s.feed.log
	first := log.first()
	i := sort.Search(len(log.items), func(i int) bool { return log.at(first+i).Turn > r.turn })
	return first + i - 1, i > 0 && log.at(first+i-1).Turn == r.turn
}

const logIndent = 8

func (p *logPane) draw(c canvas, s *scene) {
	p.height, p.rows = c.h, p.rows[:0]
	for range c.h {
		p.rows = append(p.rows, -1)
	}
	log := &s.feed.log
	if log.total == 0 {
		c.text(2, max(c.h/2-1, 0), quiet, "every decision of a run is written here, in one sentence")
		return
	}
	var kernel *ir.Kernel
	if s.state.Kernel != nil {
		kernel = s.state.Kernel.IR
	}
	about, marked := p.aboutCursor(s)
	y := c.h
	for i := log.total - 1 - p.bottom(s); i >= log.first() && y > 0; i-- {
		e := log.at(i)
		lines := wrap(engine.SentenceOf(*e, kernel), c.w-logIndent-1)
		y -= len(lines)
		for j, line := range lines {
			if y+j >= 0 {
				p.rows[y+j] = i
			}
			c.text(logIndent, y+j, logStyle(e.Kind), line)
		}
		if e.Kind != engine.EventPolicy && e.Kind != engine.EventLaunch {
			continue
		}
		c.right(logIndent-2, y, quiet, engine.Grouped(e.Turn))
		if marked && log.at(about).Turn == e.Turn {
			c.set(0, y, strong, s.glyphs.mark)
			c.restyle(1, y, logIndent-2, selected)
		}
	}
}

// logStyle sets what happened to the user's samples apart from what the runner decided.
func logStyle(k engine.EventKind) style {
	switch k {
	case engine.EventRunStart, engine.EventRunEnd, engine.EventCancel:
		return strong
	case engine.EventFault, engine.EventGap:
		return wrong
	case engine.EventCompaction, engine.EventCalibrate:
		return quiet
	}
	return plain
}

// scroll moves by sentences, downwards when by is positive.
func (p *logPane) scroll(by int) { p.back = max(p.back-by, 0) }

func (p *logPane) page() int { return max(p.height-1, 1) }
