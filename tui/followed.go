package tui

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

// followed is one sample on its way to the finish condition: the margin from the start on, and at the step
// under the bar both operands, the margin, and how it moves.
type followed struct {
	id         string // of the sample at this place of the batch's life, for questions
	sample     int
	label      string
	comparison int
	dir        string // where a reproduction goes

	path                  *session.Trajectory
	at                    int // index into path.Steps
	origin                *session.Origin
	files                 *session.Reproduction
	wantOrigin, wantFiles bool
	trouble               string
}

// followedPoints is how many steps of a long way are kept; a way that is not longer is there step by step.
const followedPoints = 20_000

func newFollowed(sample int, label string, comparison int, st *session.State) *followed {
	return &followed{
		id: fmt.Sprintf("%d %d %d ", sample, st.Generation, st.StepsDone), sample: sample, label: label,
		comparison: comparison, dir: filepath.Clean("eaglet-" + st.Kernel.IR.Name + "-" + strconv.Itoa(sample)),
	}
}

func (f *followed) title() string {
	name := "sample " + engine.Grouped(f.sample)
	if f.label != "" {
		name += " (" + f.label + ")"
	}
	if f.path == nil {
		return "Finish: following " + name
	}
	stop := "live"
	if s := f.path.Stop[0]; s >= 0 {
		stop = "stopped after step " + engine.Grouped(s)
	}
	if why := f.path.Fault[0]; why != "" {
		stop += " by a fault: " + why
	}
	return fmt.Sprintf("Finish: %s over %s, %s", name, counted(f.path.Steps[len(f.path.Steps)-1], "step", "steps"), stop)
}

// wants is the next question about the sample.
func (f *followed) wants() (string, func(context.Context, Session) (any, error)) {
	look := func(key string, q session.Query) (string, func(context.Context, Session) (any, error)) {
		return f.id + key, func(ctx context.Context, from Session) (any, error) { return from.Look(ctx, q) }
	}
	switch {
	case f.trouble != "":
	case f.path == nil:
		return look("path", session.FollowQuery{Samples: []int{f.sample}, Points: followedPoints})
	case f.wantOrigin && f.origin == nil:
		return look("origin", session.OriginQuery{Sample: f.sample})
	case f.wantFiles && f.files == nil:
		return look("files", session.ReproductionQuery{Sample: f.sample, Dir: f.dir})
	}
	return "", nil
}

func (f *followed) answered(key string, answer any, err error) {
	if !strings.HasPrefix(key, f.id) {
		return
	}
	if err != nil {
		f.trouble = firstLine(err.Error())
		return
	}
	switch a := answer.(type) {
	case *session.Trajectory:
		f.path = a
		f.comparison = min(f.comparison, len(a.Comparisons)-1)
		f.at = len(a.Steps) - 1
	case *session.Origin:
		f.origin = a
		if a.Step > 0 && f.path != nil { // show the step that made it
			for i, step := range f.path.Steps {
				if step < a.Step {
					f.at = i
				}
			}
		}
	case *session.Reproduction:
		f.files = a
	}
}

// move goes along the steps.
func (f *followed) move(by int) {
	if f.path != nil {
		f.at = min(max(f.at+by, 0), len(f.path.Steps)-1)
	}
}

// margin is how far the comparison is from holding in the step that follows Steps[j].
func (f *followed) margin(j int) float64 {
	return f.path.Comparisons[f.comparison].Margin(f.path.LHS[f.comparison][0][j], f.path.RHS[f.comparison][0][j])
}

func (f *followed) draw(c canvas, s *scene) {
	switch {
	case f.trouble != "":
		for y, line := range wrap(f.trouble, c.w-4) {
			c.text(2, y+1, wrong, line)
		}
		return
	case f.path == nil:
		c.text(2, max(c.h/2-1, 0), quiet, "running this sample again from the start, on the interpreter")
		return
	}
	rows := f.rows()
	var lines []row
	for _, r := range rows {
		for i, text := range wrap(r.value, max(c.w-finishIndent-3, 8)) {
			name := r.name
			if i > 0 {
				name = ""
			}
			lines = append(lines, row{name, text, r.look})
		}
	}
	plot := c.h - len(lines)
	if plot >= 5 && f.comparison >= 0 {
		f.plot(c.sub(rect{0, 0, c.w, plot}), s)
	} else {
		plot = 0
	}
	for i, l := range lines {
		c.right(finishIndent+1, plot+i, key, l.name)
		c.text(finishIndent+3, plot+i, l.look, l.value)
	}
}

// rows are what is said about the step under the bar.
func (f *followed) rows() []row {
	p, j := f.path, f.at
	var rows []row
	add := func(name, value string, look style) { rows = append(rows, row{name, value, look}) }
	step := fmt.Sprintf("%s of %s", engine.Grouped(p.Steps[j]+1), engine.Grouped(p.Steps[len(p.Steps)-1]+1))
	if p.Stop[0] >= 0 && p.Steps[j] >= p.Stop[0] {
		step = fmt.Sprintf("%s, stopped there", engine.Grouped(p.Stop[0]))
	}
	add("step", step+"; j and k go along", plain)
	for i := range p.Comparisons {
		lhs, rhs := p.LHS[i][0][j], p.RHS[i][0][j]
		cmp := &p.Comparisons[i]
		m := cmp.Margin(lhs, rhs)
		text := fmt.Sprintf("%s: %s against %s, margin %s", cmp.Text(), digitsOf(lhs), digitsOf(rhs), digitsOf(m))
		look := plain
		switch {
		case math.IsNaN(m):
			text, look = text+", NaN never compares true", wrong
		case j > 0:
			before := cmp.Margin(p.LHS[i][0][j-1], p.RHS[i][0][j-1])
			text += ", " + moved(m-before, p.Steps[j]-p.Steps[j-1])
		}
		add([]string{"when", "and"}[min(i, 1)], text, look)
	}
	if f.origin != nil {
		look := wrong
		if f.origin.None {
			look = ends
		}
		add("origin", f.origin.Sentence(), look)
	} else if f.wantOrigin {
		add("origin", "looking for the step and the expression", waits)
	}
	if f.files != nil {
		add("wrote", strings.Join(f.files.Files, ", "), ends)
		add("run", f.files.Command, plain)
	}
	return rows
}

// moved says how a margin changed in some steps.
func moved(by float64, steps int) string {
	per := by / float64(max(steps, 1))
	switch {
	case per > 0:
		return "nearer by " + figure(per) + " a step"
	case per < 0:
		return "away by " + figure(-per) + " a step"
	case math.IsNaN(per):
		return "no longer a number"
	}
	return "not moving"
}

// digitsOf writes v with six significant digits.
func digitsOf(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return figure(v)
	}
	return digits(v, 6)
}

// plot draws the margin over the steps, and 0, where the sample finishes.
func (f *followed) plot(c canvas, s *scene) {
	steps := f.path.Steps
	a := newAxes(c, s.glyphs, stretch{unit: axisStep, from: float64(steps[0]), to: float64(max(steps[len(steps)-1], steps[0]+1))})
	if a.area.w == 0 {
		return
	}
	least, most := 0.0, 0.0
	for j := range steps {
		if m := f.margin(j); m-m == 0 {
			least, most = min(least, m), max(most, m)
		}
	}
	if most == least {
		most = least + 1
	}
	across, _ := s.glyphs.dots()
	line, bad := newSeries(a.area.w*across), -1
	for j := 1; j < len(steps); j++ {
		m0, m1 := f.margin(j-1), f.margin(j)
		if m1-m1 != 0 && bad < 0 {
			bad = j
		}
		if m0-m0 != 0 || m1-m1 != 0 {
			continue
		}
		x0, x1 := a.shown.at(float64(steps[j-1])), a.shown.at(float64(steps[j]))
		dots := float64(a.area.w * across)
		line.line(x0*dots, (m0-least)/(most-least), x1*dots, (m1-least)/(most-least))
	}
	zero := dotRow((0-least)/(most-least), a.area.h)
	for x := range a.area.w {
		if x%2 == 0 {
			a.area.set(x, zero, quiet, s.glyphs.rule)
		}
	}
	curve(a.area, s.glyphs, liveTone, line)
	a.mark(s.glyphs, zero, "0")
	if top := dotRow(1, a.area.h); top != zero {
		a.mark(s.glyphs, top, figure(most))
	}
	if low := dotRow(0, a.area.h); low != zero {
		a.mark(s.glyphs, low, figure(least))
	}
	a.area.label(a.area.w-38, min(zero+1, a.area.h-1), quiet, "margin: 0 and above is where it finishes")
	if bad >= 0 {
		x := a.column(float64(steps[bad]))
		a.area.text(min(x, a.area.w-12), 0, wrong, s.glyphs.fail+" not finite")
	}
	a.cursor(s.glyphs, a.column(float64(steps[f.at])))
}
