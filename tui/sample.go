package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

// samplePane shows how samples go: chosen ones over time or through the plane of two values, the whole batch as a fan of
// quantiles or as a density.
type samplePane struct {
	mode    sampleMode
	columns []session.Column
	digest  string
	y, x    int // columns that are shown; x for the plane of two values
	cells   int // of the last drawing: across, and lines
	lines   int

	path    *session.Trajectory
	fan     *session.Fan
	density *session.Density
	why     string
	of      [sampleModes]answeredAt // when the answers were given
}

// answeredAt is the moment of the batch that an answer is of.
type answeredAt struct {
	moment string
	done   uint32
}

// sampleMode is what is drawn.
type sampleMode uint8

const (
	sampleTime sampleMode = iota
	samplePhase
	sampleFan
	sampleDensity
	sampleModes
)

// String names the mode.
func (m sampleMode) String() string {
	return [...]string{"over time", "through the plane", "fan of the batch", "density of the batch"}[m]
}

// samplePoints is how many steps of a way are asked for: several a column of the widest screen.
const samplePoints = 2000

// fanPoints is how many steps of a fan are.
const fanPoints = 120

func (p *samplePane) follow(s *scene) {
	k := s.state.Kernel
	if k == nil || k.Digest == p.digest && p.columns != nil {
		return
	}
	p.digest, p.columns, p.why = k.Digest, nil, ""
	p.path, p.fan, p.density = nil, nil, nil
	for _, c := range session.ColumnsOf(k.IR) {
		if !c.Param {
			p.columns = append(p.columns, c)
		}
	}
	p.y, p.x = p.first(), 0
	if p.y+1 < len(p.columns) {
		p.x = p.y + 1
	}
}

// first is the column that says most at first: the first plane that a step writes.
func (p *samplePane) first() int {
	for i := range p.columns {
		if c := &p.columns[i]; c.State {
			return i
		}
	}
	return 0
}

// samples are those that are followed: the chosen ones, else some spread over the batch.
func (p *samplePane) samples(s *scene) (samples []int, chosen bool) {
	n := int(s.n())
	for _, i := range s.chosen {
		if i < n {
			samples = append(samples, i)
		}
	}
	if len(samples) > 0 {
		return samples[:min(len(samples), mostChosen)], true
	}
	for i := range min(4, n) {
		samples = append(samples, i*n/min(4, n))
	}
	return samples, false
}

func (p *samplePane) title(s *scene) string {
	if s.state.Kernel == nil {
		return "Sample: no batch"
	}
	p.follow(s)
	if len(p.columns) == 0 {
		return "Sample: the kernel has no planes"
	}
	return p.subject(s) + p.age(s)
}

// age says that what is drawn is older than the batch, "" when it is not.
func (p *samplePane) age(s *scene) string {
	of := p.of[p.mode]
	if of.moment == "" || of.moment == p.moment(s) || s.frozen {
		return ""
	}
	return ", as it was at step " + engine.Grouped(of.done)
}

// subject is what is drawn of whom.
func (p *samplePane) subject(s *scene) string {
	y, x := &p.columns[p.y], &p.columns[p.x]
	samples, chosen := p.samples(s)
	of := counted(len(samples), "chosen sample", "chosen samples")
	if !chosen {
		of = counted(len(samples), "sample", "samples") + ", none is chosen"
	}
	switch p.mode {
	case samplePhase:
		return fmt.Sprintf("Sample: %s against %s of %s", y.Name, x.Name, of)
	case sampleFan:
		text := fmt.Sprintf("Sample: quantiles of %s over the batch", y.Name)
		if p.fan != nil && p.fan.Of < p.fan.N {
			text += fmt.Sprintf(" (of %s of %s samples)", engine.Grouped(p.fan.Of), engine.Grouped(p.fan.N))
		}
		return text
	case sampleDensity:
		return fmt.Sprintf("Sample: where %s lie, %s against %s", counted(s.n(), "sample", "samples"), y.Name, x.Name)
	}
	return fmt.Sprintf("Sample: %s of %s", y.Name, of)
}

// moment names the state of the batch.
func (p *samplePane) moment(s *scene) string {
	return fmt.Sprintf("%d/%d/%d/%s", s.state.Generation, s.done(), len(s.state.History), s.state.Phase)
}

// wants asks for what the mode shows.
func (p *samplePane) wants(s *scene) (string, func(context.Context, Session) (any, error)) {
	p.follow(s)
	if len(p.columns) == 0 || s.n() == 0 || s.state.Phase == session.Working {
		return "", nil
	}
	if s.state.Phase == session.Running && p.mode != sampleDensity {
		return "", nil
	}
	y, x := p.columns[p.y].Name, p.columns[p.x].Name
	samples, chosen := p.samples(s)
	var q session.Query
	switch p.mode {
	case sampleTime:
		q = session.FollowQuery{Samples: samples, Names: []string{y}, Points: samplePoints}
	case samplePhase:
		q = session.FollowQuery{Samples: samples, Names: []string{y, x}, Points: samplePoints}
	case sampleFan:
		q = session.FanQuery{Name: y, Points: fanPoints}
	default:
		marked := samples
		if !chosen {
			marked = nil
		}
		q = session.DensityQuery{X: x, Y: y, Width: max(p.cells, 20), Height: max(p.lines, 8), Marked: marked}
	}
	at, mode := answeredAt{p.moment(s), s.done()}, p.mode
	return fmt.Sprintf("%s %d %+v", at.moment, mode, q), func(ctx context.Context, from Session) (any, error) {
		answer, err := from.Look(ctx, q)
		return &sampleAnswer{answer, at, mode}, err
	}
}

// sampleAnswer is an answer, what was asked for, and when.
type sampleAnswer struct {
	answer any
	at     answeredAt
	mode   sampleMode
}

func (p *samplePane) answered(_ string, told any, err error) {
	p.why = ""
	var answer any
	if a, ok := told.(*sampleAnswer); ok && err == nil {
		answer, p.of[a.mode] = a.answer, a.at
	}
	switch {
	case errors.Is(err, session.ErrOnePass):
		p.why = "the run is one pass over the batch: to be seen when it pauses"
	case err != nil:
		p.why = firstLine(err.Error())
	}
	switch a := answer.(type) {
	case *session.Trajectory:
		p.path = a
	case *session.Fan:
		p.fan = a
	case *session.Density:
		p.density = a
	}
}

func (p *samplePane) draw(c canvas, s *scene) {
	p.follow(s)
	p.cells, p.lines = max(c.w-gutterWidth-1, 0), max(c.h-2, 0)
	switch {
	case s.state.Kernel == nil:
		c.text(2, max(c.h/2, 0), quiet, "load a kernel to begin")
		return
	case p.why != "":
		c.text(2, max(c.h/2, 0), waits, cut(p.why, c.w-3))
		return
	}
	plot := c.sub(rect{0, 0, c.w, c.h - 1})
	switch p.mode {
	case sampleTime:
		p.drawTime(plot, s)
	case samplePhase:
		p.drawPhase(plot, s)
	case sampleFan:
		p.drawFan(plot, s)
	default:
		p.drawDensity(plot, s)
	}
	p.drawLegend(c.sub(rect{0, c.h - 1, c.w, 1}), s)
}

// wait says why there is nothing to draw yet.
func (p *samplePane) wait(c canvas, s *scene) {
	text := "following the samples from the start of the batch"
	if p.mode == sampleFan {
		text = "making the steps of the batch again on a twin"
	}
	if s.state.Phase == session.Running {
		text = "to be had when the run pauses (space)"
	}
	c.text(2, max(c.h/2, 0), quiet, cut(text, c.w-3))
}

// table is the ways of the samples, a step a row; of a fan its levels.
func (p *samplePane) table(*scene) func(row func(cells ...string)) error {
	t, f, mode := p.path, p.fan, p.mode
	return func(row func(cells ...string)) error {
		if mode == sampleFan && f != nil {
			row("step", "live", "not_finite", "least", "q05", "q25", "median", "q75", "q95", "greatest")
			for j := range f.Steps {
				cells := []string{whole(f.Steps[j]), whole(f.Live[j]), whole(f.NonFinite[j])}
				for l := range f.Levels {
					cells = append(cells, exact(f.Levels[l][j]))
				}
				row(cells...)
			}
			return nil
		}
		head := []string{"step"}
		if t == nil || mode == sampleDensity {
			row(head...)
			return nil
		}
		for _, sample := range t.Samples {
			for _, name := range t.Names {
				head = append(head, fmt.Sprintf("%s_of_%d", name, sample))
			}
		}
		row(head...)
		for j := range t.Steps {
			cells := []string{whole(t.Steps[j])}
			for k := range t.Samples {
				for n := range t.Names {
					cells = append(cells, exact(t.Values[n][k][j]))
				}
			}
			row(cells...)
		}
		return nil
	}
}

// explain says what is under the cursor.
func (p *samplePane) explain(s *scene) []string {
	p.follow(s)
	if len(p.columns) == 0 {
		return []string{"the kernel has no planes"}
	}
	var out []string
	samples, chosen := p.samples(s)
	if !chosen {
		out = append(out, "no sample is chosen, so some that lie evenly over the batch are shown; enter chooses others")
	}
	switch p.mode {
	case sampleFan:
		out = append(out, "at each step the values of all samples are ranked: half of them lie in the darkest part, nine in ten in the next, all within the lightest; a sample that has stopped counts with what it stopped with")
	case sampleDensity:
		out = append(out, "each cell is as dark as samples lie in it, on a log scale, at the step that the batch stands at")
	default:
		for k, sample := range samples {
			if v := p.atCursor(s, k); v != "" && p.path != nil {
				end := "is live"
				if stop := p.path.Stop[k]; stop >= 0 {
					end = "stopped after step " + engine.Grouped(stop)
				}
				out = append(out, strings.TrimSpace(fmt.Sprintf("%c is sample %s, which %s; its %s is %s %s", sampleLetters[k], engine.Grouped(sample), end, p.path.Names[0], v, p.columns[p.y].Unit)))
			}
		}
	}
	return out
}
