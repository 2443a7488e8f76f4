package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

// question is the place in a session's life at which the finish condition was looked at.
type question struct {
	generation uint32
	phase      session.Phase
	steps      int
	report     *engine.Report
}

// askFinish has the session look at the live samples, once for each place, while the pane is shown.
func (m *model) askFinish() tea.Cmd {
	s := m.state
	if m.shown != groupFinish || s.Finish != nil || !m.declaresFinish() {
		return nil
	}
	if s.Phase != session.Ready && s.Phase != session.Paused && s.Phase != session.Ended {
		return nil
	}
	q := question{s.Generation, s.Phase, s.StepsDone, s.Report}
	if q == m.asked {
		return nil
	}
	m.asked = q
	return m.order(session.Diagnose{})
}

// finishPane says why live samples are not finished: how many of them are called what, and for each a few
// samples with the operands of their condition. The picture is of a copy that makes a few steps more; the
// model asks the session for it while the pane is shown and no run is on.
type finishPane struct {
	top, height, rows int
}

func (p *finishPane) title(s *scene) string {
	k, f := s.state.Kernel, s.state.Finish
	switch {
	case k == nil:
		return "Finish: no kernel"
	case k.IR.Finish == nil:
		return "Finish: " + k.IR.Name + " declares none"
	case f == nil:
		return "Finish: " + counted(s.live(), "live sample", "live samples") + ", " + oneLine(k.IR.Finish.Text)
	case f.Live == 0:
		return "Finish: every sample is finished"
	}
	if bad := suspects(f); bad > 0 {
		return fmt.Sprintf("Finish: %s of %s will not get there", engine.Grouped(bad), counted(f.Looked, "live sample", "live samples"))
	}
	return "Finish: " + counted(f.Looked, "live sample is", "live samples are") + " on the way"
}

// suspects are the samples with a lint, of those that were looked at.
func suspects(f *session.FinishPicture) int { return f.Looked - f.Count[session.LintNone] }

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func (p *finishPane) draw(c canvas, s *scene) {
	var lines []row
	for _, r := range finishRows(s) {
		indent := 0
		if r.name != "" {
			indent = finishIndent
		}
		for i, text := range wrap(r.value, max(c.w-indent-2, 8)) {
			name := r.name
			if i > 0 && name != "" {
				name = " "
			}
			lines = append(lines, row{name, text, r.look})
		}
	}
	p.height, p.rows = c.h, len(lines)
	p.top = min(p.top, max(p.rows-p.height, 0))
	for y, r := range lines[p.top:] {
		if y >= c.h {
			break
		}
		x := 1
		if r.name != "" {
			c.right(finishIndent-1, y, strong, r.name)
			x = finishIndent
		}
		c.text(x, y, r.look, r.value)
	}
	if p.top+c.h < p.rows {
		c.right(c.w-1, c.h-1, quiet, fmt.Sprintf(" %d more below", p.rows-p.top-c.h))
	}
}

const finishIndent = 9

// finishRows are the pane's lines: counts by lint, then samples that prove them.
func finishRows(s *scene) []row {
	k, f := s.state.Kernel, s.state.Finish
	switch {
	case k == nil:
		return nil
	case k.IR.Finish == nil:
		return []row{{"", "a batch of this kernel runs a number of steps (n), never until done; name the result of Step and set it: func (s *T) Step() (terminated bool)", quiet}}
	case s.state.Phase == session.Running:
		return []row{{"", "a sample is finished when " + oneLine(k.IR.Finish.Text), plain}, {"", "pause (space) to look at the samples that are live", quiet}}
	case f == nil:
		return []row{{"", "a sample is finished when " + oneLine(k.IR.Finish.Text), plain}}
	case f.Live == 0:
		return []row{{"", "no sample is live: there is nothing to look at", quiet}}
	}
	rows := []row{{"", fmt.Sprintf("finished when %s; %s of %s made %d steps on a copy", oneLine(k.IR.Finish.Text),
		engine.Grouped(f.Looked), counted(f.Live, "live sample", "live samples"), f.Steps), quiet}}
	if len(f.Comparisons) == 0 {
		rows = append(rows, row{"", "the condition holds no comparison that could be taken apart", waits})
	} else if f.Opaque {
		rows = append(rows, row{"", "part of the condition could not be taken apart: what follows is of its comparisons only", waits})
	}
	for l, n := range f.Count {
		if n == 0 {
			continue
		}
		lint, look := session.Lint(l), wrong
		text := lint.String()
		switch lint {
		case session.LintNone:
			look = ends
			text += fmt.Sprintf(", %s within %d steps", engine.Grouped(f.Soon), f.Steps)
		case session.LintLate:
			look = waits
		}
		rows = append(rows, row{engine.Grouped(n), text, look})
	}
	for i := range f.Proofs {
		rows = append(rows, row{"", f.Proofs[i].Sentence(f), plain})
	}
	return rows
}

func (p *finishPane) scroll(by int) { p.top = min(max(p.top+by, 0), max(p.rows-p.height, 0)) }
func (p *finishPane) page() int     { return max(p.height-1, 1) }
