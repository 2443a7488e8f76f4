package tui

import (
	"context"
	"fmt"
	"math"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

// lanesPane shows what lanes did with their steps, as if every launch ran in groups of 32: a group is busy
// until its last sample stops. It counts from the stops, so that it holds for any engine.
type lanesPane struct {
	picture *lanePicture
	why     string
}

// lanePicture is the lanes over the launches of a run, and at the cursor.
type lanePicture struct {
	stops    *runStops
	unit     axisUnit // of the launches' places
	step     uint32
	order    laneFill // in slot order
	mapped   laneFill // through the map of live slots
	launches []launchFill
	sampled  bool // not every launch is there
	useful   float64
	paid     [2]float64 // lane-steps: in slot order, through the map
}

// launchFill is one launch.
type launchFill struct {
	from, to float64    // on the axis
	share    [2]float64 // useful of paid lane-steps: in slot order, through the map
}

// countedWork bounds the samples times launches that are looked at for one picture; while a run is on there will be
// another one soon.
const (
	countedWork       = 40_000_000
	countedWorkDuring = 8_000_000
)

// laneQuestion is a launch to be counted.
type laneQuestion struct {
	from, to    float64 // on the axis
	first, upto uint32  // steps of the run before and after
}

func (p *lanesPane) title(s *scene) string {
	m := p.current(s)
	switch {
	case s.state.Kernel == nil:
		return "Lanes: no batch"
	case m == nil && s.stops.why != "":
		return "Lanes: " + s.stops.why
	case p.why != "":
		return "Lanes: " + p.why
	case m == nil || m.useful == 0:
		return "Lanes: what groups of 32 do with their steps"
	}
	order, through := m.paid[0]/m.useful, m.paid[1]/m.useful
	if s.feed.start.Active {
		return fmt.Sprintf("Lanes: %.2f lane-steps paid for one useful through the map, %.2f without it", through, order)
	}
	return fmt.Sprintf("Lanes: %.2f lane-steps paid for one useful; with a map it would be %.2f", order, through)
}

// current is the picture of the batch that is shown, nil while there is none.
func (p *lanesPane) current(s *scene) *lanePicture {
	if p.picture == nil || p.picture.stops.generation != s.state.Generation {
		return nil
	}
	return p.picture
}

func (p *lanesPane) countsStops(s *scene) bool { return s.feed.records.total > 0 }

func (p *lanesPane) wants(s *scene) (string, func(context.Context, Session) (any, error)) {
	q, ok := s.maskQuestion(1, 0)
	if !ok || s.feed.records.total == 0 {
		return "", nil
	}
	shown := q.shown
	records := &s.feed.records
	work := countedWork
	if s.state.Phase == session.Running {
		work = countedWorkDuring
	}
	most := max(work/max(int(s.n()), 1), 8)
	stride := (len(records.items) + most - 1) / max(most, 1)
	var launches []laneQuestion
	for i := records.first(); i < records.total; i += max(stride, 1) {
		r := records.at(i)
		if r.launch.Done > q.stops.done {
			break // made since the stops were counted
		}
		place := s.place(r)
		half := float64(r.launch.Word) / 2
		switch shown.unit {
		case axisLaunch:
			half = 0.5
		case axisWall:
			half = r.launch.Wall.Seconds() / 2
		}
		launches = append(launches, laneQuestion{from: place - half, to: place + half, first: r.launch.Done - min(r.launch.Word, r.launch.Done), upto: r.launch.Done})
	}
	key := fmt.Sprintf("%s, %d of %d launches, %v", q.key(), len(launches), min(records.total, records.first()+len(launches)*max(stride, 1)), shown.unit)
	return key, func(ctx context.Context, _ Session) (any, error) {
		m, err := q.picture(ctx)
		if err != nil {
			return nil, err
		}
		out := &lanePicture{stops: m.stops, unit: shown.unit, step: q.step, order: m.plain, mapped: m.mapped, sampled: stride > 1}
		for _, l := range launches {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			out.count(m.stops.at, slotOrder(m.stops.at, q.fired, l.first), l)
		}
		return out, nil
	}
}

// count adds one launch.
func (m *lanePicture) count(stops []uint32, order []uint32, l laneQuestion) {
	var slots, mapped groupCost
	useful := 0.0
	for slot := range stops {
		if slot%groupLanes == 0 {
			slots.close()
		}
		sample := slot
		if order != nil {
			sample = int(order[slot])
		}
		stop := stops[sample]
		if stop <= l.first {
			continue
		}
		steps := min(stop, l.upto) - l.first
		useful += float64(steps)
		slots.add(steps)
		if mapped.lanes == groupLanes {
			mapped.close()
		}
		mapped.add(steps)
	}
	slots.close()
	mapped.close()
	m.useful += useful
	m.paid[0] += slots.paid
	m.paid[1] += mapped.paid
	if useful > 0 {
		m.launches = append(m.launches, launchFill{l.from, l.to, [2]float64{useful / slots.paid, useful / mapped.paid}})
	}
}

// groupCost sums up what groups pay: each as many lane-steps as its longest sample runs, times its lanes.
type groupCost struct {
	lanes   int
	longest uint32
	paid    float64
}

func (g *groupCost) add(steps uint32) {
	g.lanes++
	g.longest = max(g.longest, steps)
}

func (g *groupCost) close() {
	g.paid += groupLanes * float64(g.longest)
	g.lanes, g.longest = 0, 0
}

func (p *lanesPane) answered(_ string, answer any, err error) {
	p.why = ""
	if err != nil {
		p.why = firstLine(err.Error())
		return
	}
	p.picture = answer.(*lanePicture)
}

func (p *lanesPane) draw(c canvas, s *scene) {
	m := p.current(s)
	if m == nil {
		c.text(gutterWidth, max(c.h/2-1, 0), quiet, cut(afterPause(s, "how full groups of 32 lanes are"), c.w-gutterWidth))
		return
	}
	text := p.sentences(s)
	lines := min(len(text), max(c.h-5, 1))
	if c.h < 6 {
		lines = min(len(text), c.h)
	}
	if plot := c.h - lines; plot >= 4 {
		p.drawShares(c.sub(rect{0, 0, c.w, plot}), s)
	}
	for i := range lines {
		c.text(2, c.h-lines+i, text[i].s, cut(text[i].text, c.w-3))
	}
}

// sentences says how groups are filled at the cursor.
func (p *lanesPane) sentences(s *scene) []span {
	m := p.picture
	say := func(name string, f *laneFill) string {
		if f.groups == 0 {
			return name + ": no group has a live lane"
		}
		return fmt.Sprintf("%s: %s live in %s of 32, %.1f lanes of each (%s)", name,
			counted(f.live, "lane", "lanes"), counted(f.groups, "group", "groups"), float64(f.live)/float64(f.groups), share(uint64(f.live), uint64(f.groups*groupLanes)))
	}
	out := []span{{plain, fmt.Sprintf("at step %s, ", engine.Grouped(m.step)) + say("by slot", &m.order)}}
	if s.feed.start.Active {
		out = append(out, span{plain, say("through the map", &m.mapped)})
	}
	if h := histogram(&m.order, s.glyphs); h != "" {
		out = append(out, span{liveTone, "lanes live in a group, 1 to 32: " + h})
	}
	if m.sampled {
		out = append(out, span{quiet, "counted for some of the launches, evenly spread: the batch is large"})
	}
	return out
}

// histogram is how many groups have 1 to 32 live lanes, one character each.
func histogram(f *laneFill, g *glyphSet) string {
	most := 0
	for _, n := range f.count[1:] {
		most = max(most, n)
	}
	if most == 0 {
		return ""
	}
	var out []rune
	for _, n := range f.count[1:] {
		out = append(out, g.level(float64(n)/float64(most)))
	}
	return string(out)
}

// drawShares draws the useful share of lane-steps over the launches.
func (p *lanesPane) drawShares(c canvas, s *scene) {
	a := s.axes(c)
	if a.area.w == 0 {
		return
	}
	across, _ := s.glyphs.dots()
	dots := float64(a.area.w * across)
	var lines [2]series
	for k := range lines {
		lines[k] = newSeries(a.area.w * across)
		before := math.NaN()
		if p.picture.unit != a.shown.unit {
			break // counted again in a moment
		}
		for _, l := range p.picture.launches {
			x0, x1 := a.shown.at(l.from)*dots, a.shown.at(l.to)*dots
			lines[k].line(x0, l.share[k], x1, l.share[k])
			if before == before {
				lines[k].line(x0, before, x0, l.share[k])
			}
			before = l.share[k]
		}
	}
	if s.feed.start.Active {
		curve(a.area, s.glyphs, bandTone, lines[1])
	} else if s.glyphs.kind != GlyphsBlock {
		points(a.area, s.glyphs, want, lines[1])
	}
	curve(a.area, s.glyphs, liveTone, lines[0])
	a.mark(s.glyphs, 0, "100 %")
	if a.area.h > 2 {
		a.mark(s.glyphs, a.area.h-1, "0 %")
	}
	if a.area.h >= 3 {
		text := "useful share of lane-steps"
		if s.feed.start.Active {
			text += ": upper through the map, lower by slot"
		}
		a.area.label(max(a.area.w-width(text)-1, 0), a.area.h-1, quiet, text)
	}
	if r := s.selected(); r != nil && s.cursor >= 0 {
		a.cursor(s.glyphs, a.column(s.place(r)))
	}
}
