package tui

import (
	"fmt"
	"math"
	"sort"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/engine"
)

// compactPane shows on the shared axis what every compaction brought against what it cost: the lanes that it
// freed, times the steps until the next one, over R. Below 1 it did not pay.
type compactPane struct{}

func (compactPane) title(s *scene) string {
	b := &s.feed.books
	switch {
	case !s.feed.started:
		return "Compaction: no run yet"
	case b.settled.total == 0:
		return "Compaction: none so far"
	}
	t := &b.totals
	text := fmt.Sprintf("Compaction: %s for %s steps, %s gained", counted(b.settled.total, "time", "times"), figure(t.cost), figure(t.gain))
	if over := t.paid + t.unpaid; over > 0 {
		text += fmt.Sprintf(", %s of %s paid", engine.Grouped(t.paid), engine.Grouped(over))
	}
	return text
}

func (compactPane) draw(c canvas, s *scene) {
	b := &s.feed.books
	if b.settled.total == 0 {
		for y, line := range wrap(whyNoCompaction(s), c.w-3) {
			c.text(2, max((c.h-2)/2, 0)+y, quiet, line)
		}
		return
	}
	var foot []span
	for i, text := range compactionSentences(s) {
		if i > 0 && c.h < 9 {
			break
		}
		for _, line := range wrap(text.text, c.w-2) {
			foot = append(foot, span{text.s, line})
		}
	}
	if most := max(c.h/3, 1); len(foot) > most { // the plot has its lines first
		foot = foot[:most]
		foot[most-1].text = prefix(foot[most-1].text, c.w-6) + " ..."
	}
	if plot := c.sub(rect{0, 0, c.w, c.h - len(foot)}); plot.h >= 3 {
		drawSettled(plot, s)
	}
	for i, line := range foot {
		c.text(1, c.h-len(foot)+i, line.s, line.text)
	}
}

// keys are those that hold while costs are shown.
func (compactPane) keys() []binding {
	return []binding{
		{name: "unpaid-before", keys: []string{"{"}, title: says("cursor to the compaction before that did not pay"), brief: says("unpaid"), off: unpaidOff, do: toUnpaid(-1)},
		{name: "unpaid-after", keys: []string{"}"}, title: says("cursor to the compaction after that did not pay"), off: unpaidOff, do: toUnpaid(+1)},
	}
}

func unpaidOff(m *model) string {
	if m.feed.books.totals.unpaid == 0 {
		return "no compaction has failed to pay"
	}
	return ""
}

// toUnpaid moves the cursor to the launch before the next compaction that did not pay.
func toUnpaid(by int) func(*model) tea.Cmd {
	return func(m *model) tea.Cmd {
		all, r := &m.feed.books.settled, &m.feed.records
		from := uint32(math.MaxUint32)
		if at := m.selected(); at != nil && m.cursor >= 0 {
			from = at.launch.Number
		}
		first := all.first()
		i := first + sort.Search(len(all.items), func(i int) bool { return all.at(first+i).number >= from })
		if by < 0 {
			i--
		} else if all.has(i) && all.at(i).number == from {
			i++
		}
		for ; all.has(i); i += by {
			if x := all.at(i); x.over && x.paidAt == 0 {
				// Launches are numbered from 1, and records are in their order.
				if at := r.total - 1 - int(r.last().launch.Number-x.number); r.has(at) {
					m.setCursor(at)
					return nil
				}
			}
		}
		m.say(waits, "no such compaction further that way")
		return nil
	}
}

// whyNoCompaction says why there is nothing to show.
func whyNoCompaction(s *scene) string {
	f := s.feed
	switch {
	case s.state.Kernel == nil:
		return "load a kernel to begin"
	case !f.started:
		return "what every compaction costs, and what it brings until the next one, is drawn here"
	case f.start.Entry == engine.EntryPersistent:
		return "the persistent entry has no boundaries and compacts nothing: its lanes take the next sample themselves"
	case f.records.total > 0 && f.records.last().resident:
		return "the batch fits one wave of the device: no lane waits for another sample, so compaction is left out"
	case !f.start.Active:
		return "the kernel has no active set (guard=active_set), so a boundary frees no lane: 32 neighbours leave together, with the last of them"
	case f.passing || f.records.total > 0 && f.records.last().flags&engine.FlagDerived != 0:
		return "one pass over the batch has no boundaries to compact at; p switches to observe, where it has"
	}
	return "nobody has finished yet: there is no lane to free"
}

// settledAt is the compaction behind the launch under the cursor or the last one before it, nil for none.
func settledAt(s *scene) *settlement {
	return atCursor(s, &s.feed.books.settled, func(x *settlement) uint32 { return x.number })
}

// offerAt is the offer of a reorder behind the launch under the cursor or the last one before it, nil for none.
func offerAt(s *scene) *offer {
	return atCursor(s, &s.feed.books.reorders, func(x *offer) uint32 { return x.number })
}

// atCursor is the last of what is kept that came behind the launch under the cursor or before it; number is that
// of its launch.
func atCursor[T any](s *scene, all *ring[T], number func(*T) uint32) *T {
	r := s.selected()
	if r == nil || s.cursor < 0 {
		return all.last()
	}
	first := all.first()
	i := sort.Search(len(all.items), func(i int) bool { return number(all.at(first+i)) > r.launch.Number })
	if i == 0 {
		return nil
	}
	return all.at(first + i - 1)
}

// compactionSentences are about what is under the cursor: the compaction, and the reorder if one was offered.
func compactionSentences(s *scene) []span {
	var out []span
	if x := settledAt(s); x != nil {
		look := plain
		if x.over && x.paidAt == 0 {
			look = waits
		}
		out = append(out, span{look, x.words(s.feed)})
	}
	if o := offerAt(s); o != nil {
		out = append(out, span{plain, fmt.Sprintf("after launch %s, %s", engine.Grouped(o.number), o.words())})
	} else if s.feed.started && s.state.Launching.Reorder == 0 {
		out = append(out, span{quiet, "reorder: not asked for (theta 0.25 to 0.75), so live samples stay where they lie"})
	}
	return out
}

// words is the settlement in a sentence.
func (x *settlement) words(f *feed) string {
	cost := "R = " + figure(x.cost) + " steps"
	if f.r == 0 {
		cost = figure(x.cost) + " steps as measured"
	}
	text := fmt.Sprintf("after launch %s: %s of %s freed for %s (%s): ", engine.Grouped(x.number),
		engine.Grouped(x.freed), counted(x.before, "lane", "lanes"), cost, elapsed(x.wall))
	gained := fmt.Sprintf("%s steps gained in %s", figure(x.gain), counted(x.launches, "launch", "launches"))
	switch {
	case x.paidAt > 0 && x.launches > x.paidAt:
		return text + fmt.Sprintf("paid back after %s; %s", counted(x.paidAt, "launch", "launches"), gained)
	case x.paidAt > 0:
		return text + fmt.Sprintf("%s, paid back after %s", gained, counted(x.paidAt, "launch", "launches"))
	case x.over && x.launches == 0:
		return text + "the run was over, nothing could be gained"
	case x.over:
		return text + gained + " until the next one: did not pay"
	case x.launches == 0:
		return text + "no launch since"
	}
	return text + gained + " so far, not paid back yet"
}

// words is the offer as the log says it.
func (o *offer) words() string {
	e := o.Event()
	if !o.fired {
		e.Flags = engine.FlagSkipped
	}
	return engine.Sentence(e)
}

// drawSettled draws gain over cost of every compaction on a logarithmic scale, a line where both are equal,
// and a lane of marks below: | paid back, x did not pay, R reordered.
func drawSettled(c canvas, s *scene) {
	b := &s.feed.books
	a := s.axes(c)
	if a.area.w == 0 {
		return
	}
	lane := a.area.h - 1
	plot := a.area.sub(rect{0, 0, a.area.w, lane})
	across, _ := s.glyphs.dots()
	line := newSeries(plot.w * across)
	low, high := -1.0, 1.0
	if t := &b.totals; t.least > 0 {
		low, high = max(min(low, math.Floor(math.Log2(t.least))), -6), min(max(high, math.Ceil(math.Log2(t.most))), 8)
	}
	place := func(log2 float64) float64 { return min(max((log2-low)/(high-low), 0), 1) }
	draw := func(x0, x1, least, most float64, paid rune) {
		from, to := a.shown.at(x0), a.shown.at(x1)
		if to < 0 || from > 1 {
			return
		}
		if least > 0 {
			dots := float64(plot.w * across)
			i := min(int(to*dots), plot.w*across-1)
			line.add(i, place(math.Log2(least)))
			line.add(i, place(math.Log2(most)))
		}
		for col := a.column(x0); col <= a.column(x1); col++ {
			if a.area.rune(col, lane) != 'x' {
				a.area.set(col, lane, markStyle[paid], paid)
			}
		}
	}
	eachSettled(s, a.shown, draw)
	each(&b.reorders, func(o *offer) {
		if at := a.shown.at(o.place(s.axis.unit)); o.fired && at >= 0 && at <= 1 {
			a.area.set(a.column(o.place(s.axis.unit)), lane, strong, 'R')
		}
	})
	if plot.h > 0 {
		if plot.h > 1 {
			curve(plot, s.glyphs, liveTone, line)
		} else {
			points(plot, s.glyphs, liveTone, line)
		}
		even := dotRow(place(0), plot.h)
		for x := range plot.w {
			if plot.free(x, even, 1) && x%2 == 0 {
				plot.set(x, even, quiet, '-')
			}
		}
		a.mark(s.glyphs, even, "1x")
		if even > 0 {
			a.mark(s.glyphs, 0, times(high))
		}
		if even < plot.h-1 {
			a.mark(s.glyphs, plot.h-1, times(low))
		}
		if text := "gain over cost, log scale; 1x: paid back"; plot.h > 2 {
			plot.label(plot.w-width(text)-1, 0, quiet, text)
		}
	}
	a.outside.right(gutterWidth-2, lane, quiet, "paid")
	if text := " | yes  x no  R reorder"; s.cursor < 0 {
		a.area.label(1, lane, quiet, text)
	}
	if r := s.selected(); r != nil && s.cursor >= 0 {
		a.cursor(s.glyphs, a.column(s.place(r)))
	}
}

// The marks of compactions: they paid back, did not, or it is too early to say.
const (
	markPaid   = '|'
	markUnpaid = 'x'
	markOpen   = '?'
)

var markStyle = map[rune]style{markPaid: doneTone, markUnpaid: waits, markOpen: quiet}

// exactSettled is how many compactions are drawn one by one; more are drawn in short.
const exactSettled = 2048

// eachSettled calls draw with the compactions in view: where they lie, the least and greatest gain over cost, 0
// for none yet, and the mark.
func eachSettled(s *scene, v stretch, draw func(x0, x1, least, most float64, mark rune)) {
	b, unit := &s.feed.books, s.axis.unit
	all := &b.settled
	first := all.first()
	from := sort.Search(len(all.items), func(i int) bool { return all.at(first+i).place(unit) >= v.from })
	to := sort.Search(len(all.items), func(i int) bool { return all.at(first+i).place(unit) > v.to })
	if to-from <= exactSettled {
		for i := first + from; i < first+to; i++ {
			x := all.at(i)
			at, ratio, mark := x.place(unit), 0.0, markPaid
			switch {
			case x.paidAt > 0:
			case x.over:
				mark = markUnpaid
			default:
				mark = markOpen
			}
			if x.over {
				ratio = x.ratio()
			}
			draw(at, at, ratio, ratio, mark)
		}
		return
	}
	ended := 0.0
	b.short.each(func(p bucket) {
		before := ended
		ended = v.end(&p, ended)
		mark := markPaid
		if p.h.least == 0 {
			mark = markUnpaid
		}
		least, most := p.word.least, p.word.most
		if math.IsNaN(p.word.last) {
			least, most = 0, 0
		}
		draw(max(before, ended-(ended-before)/float64(max(p.launches, 1))), ended, least, most, mark)
	})
}

// times writes a power of two as a factor.
func times(log2 float64) string {
	if log2 < 0 {
		return fmt.Sprintf("1/%.0f", math.Exp2(-log2))
	}
	return fmt.Sprintf("%.0fx", math.Exp2(log2))
}

// place is where a compaction lies on the axis.
func (x *settlement) place(unit axisUnit) float64 {
	return boundaryAt(unit, x.number, x.done, x.at.Seconds())
}

func (o *offer) place(unit axisUnit) float64 {
	return boundaryAt(unit, o.number, o.done, o.at.Seconds())
}

// boundaryAt is where the boundary behind a launch lies.
func boundaryAt(unit axisUnit, number, done uint32, wall float64) float64 {
	switch unit {
	case axisLaunch:
		return float64(number)
	case axisWall:
		return wall
	}
	return float64(done)
}

// each goes through what a ring keeps, in order.
func each[T any](r *ring[T], f func(*T)) {
	for i := r.first(); i < r.total; i++ {
		f(r.at(i))
	}
}

// rune is what stands in a cell, 0 for nothing.
func (c canvas) rune(x, y int) rune {
	if x < 0 || y < 0 || x >= c.w || y >= c.h {
		return 0
	}
	return c.on.cells[(c.y+y)*c.on.w+c.x+x].r
}

// explain is the paragraph about the compaction under the cursor.
func (compactPane) explain(s *scene) []string {
	if s.feed.books.settled.total == 0 {
		return []string{whyNoCompaction(s)}
	}
	var out []string
	for _, x := range compactionSentences(s) {
		out = append(out, x.text)
	}
	t := &s.feed.books.totals
	return append(out,
		"a compaction costs R, and gives the lanes of finished samples to live ones: what it gains is those lanes times the steps until the next compaction, which would have freed them too",
		fmt.Sprintf("all of them so far: %s steps paid (%s of wall), %s gained", figure(t.cost), elapsed(t.wall), figure(t.gain)))
}
