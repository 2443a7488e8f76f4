package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

// reportPane is the report of the run, filling in while it goes on.
type reportPane struct {
	top    int
	height int
	rows   int
}

func (p *reportPane) title(s *scene) string {
	f := s.feed
	switch {
	case s.state.Kernel == nil:
		return "Report: no batch"
	case s.state.Phase == session.Running:
		return fmt.Sprintf("Report so far: %s, %s", counted(f.launches(), "launch", "launches"), counted(s.done(), "step", "steps"))
	case s.state.Report == nil && !f.started:
		return "Report: no run yet"
	}
	if s.past() {
		return "Report: at step " + engine.Grouped(s.done()) + ", in the past of the run"
	}
	return fmt.Sprintf("Report: %s after %s", statusInWords(s), counted(f.launches(), "launch", "launches"))
}

// statusInWords is how the last run ended.
func statusInWords(s *scene) string {
	switch {
	case s.state.Phase == session.Running:
		return "running"
	case s.past():
		return "in the past of the run"
	case s.feed.ended:
		return s.feed.end.Status.String()
	case s.state.Report != nil:
		return s.state.Report.Status
	case s.state.Phase == session.Paused:
		return engine.StatusPaused.String()
	}
	return s.state.Phase.String()
}

const reportIndent = 12

// row is one line of the report.
type row struct {
	name, value string
	look        style
}

func (p *reportPane) draw(c canvas, s *scene) {
	if s.state.Kernel == nil {
		return
	}
	var lines []row
	for _, r := range reportRows(s) {
		for i, text := range wrap(r.value, max(c.w-reportIndent-1, 8)) {
			if i > 0 {
				r.name = ""
			}
			lines = append(lines, row{r.name, text, r.look})
		}
	}
	p.height, p.rows = c.h, len(lines)
	p.top = min(p.top, max(p.rows-p.height, 0))
	for y, r := range lines[p.top:] {
		if y >= c.h {
			break
		}
		c.text(1, y, quiet, r.name)
		c.text(reportIndent, y, r.look, r.value)
	}
	if p.top+c.h < p.rows {
		c.right(c.w-1, c.h-1, quiet, fmt.Sprintf(" %d more below", p.rows-p.top-c.h))
	}
}

func (p *reportPane) scroll(by int) { p.top = min(max(p.top+by, 0), max(p.rows-p.height, 0)) }
func (p *reportPane) page() int     { return max(p.height-1, 1) }

// wallTime is how long the run has computed: the engine's own figure when it is over, else that of the
// launches so far.
func (f *feed) wallTime() time.Duration {
	if f.ended {
		return f.end.Wall
	}
	return f.wall
}

// reportRows are the rows of the report; what a run has not said yet is left out.
func reportRows(s *scene) []row {
	f, n := s.feed, s.n()
	rows := []row{
		{"status", statusInWords(s), strong},
		{"finished", fmt.Sprintf("%s of %s (%s)", engine.Grouped(s.finished()), engine.Grouped(n), share(s.finished(), n)), plain},
		{"launches", launchesInWords(f), plain},
		{"steps", fmt.Sprintf("%s of at most %s", engine.Grouped(s.done()), engine.Grouped(s.state.MaxSteps)), plain},
	}
	work, wall := f.sampleSteps, f.wallTime()
	if f.passing {
		work = f.progress.SampleSteps
	}
	rep := s.state.Report
	settled := rep != nil && s.state.Phase != session.Running && s.state.Phase != session.Working
	if settled {
		work, wall = rep.SampleSteps, rep.Wall
	}
	if work > 0 {
		text := short(work) + " sample-steps"
		if wall > 0 {
			text += ", " + rate(work, wall, "sample-steps")
		}
		rows = append(rows, row{"work", text, plain})
	}
	if f.compactions > 0 {
		rows = append(rows, row{"compacted", fmt.Sprintf("%s in %s", counted(f.compactions, "time", "times"), counted(f.launches(), "launch", "launches")), plain})
	}
	if f.r > 0 {
		rows = append(rows, row{"R", figure(f.r) + " steps per compaction" + measuredInWords(f), plain})
	}
	if wall > 0 {
		rows = append(rows, row{"wall", elapsed(wall), plain})
	}
	if settled {
		rows = append(rows, settledRows(rep)...)
	} else if f.faulted > 0 {
		rows = append(rows, row{"faulted", engine.Grouped(f.faulted), wrong})
	}
	where := s.state.Engine
	if s.state.Device != "" {
		where += ", " + s.state.Device
	}
	rows = append(rows, row{"engine", where, plain}, row{"policy", s.policyInWords(), plain},
		row{"seed", fmt.Sprint(s.state.Seed), plain})
	for _, p := range s.state.Params {
		rows = append(rows, row{p.Name, strings.TrimSpace(figure(p.Value) + " " + p.Unit), plain})
	}
	if s.observer != "" {
		rows = append(rows, row{"observer", s.observer, quiet})
	}
	for _, note := range s.state.Notes {
		rows = append(rows, row{"note", note, quiet})
	}
	return rows
}

// settledRows are what only a finished call can say.
func settledRows(rep *engine.Report) []row {
	rows := []row{{"longest", counted(rep.Longest, "step", "steps") + " of one sample", plain}}
	if rep.BuildTime > 0 {
		rows = append(rows, row{"build", elapsed(rep.BuildTime), plain})
	}
	if rep.Entry != "" {
		rows = append(rows, row{"entry", rep.Entry, plain})
	}
	if rep.NonFinite > 0 {
		rows = append(rows, row{"non-finite", counted(rep.NonFinite, "sample holds", "samples hold") + " a NaN or an infinity", wrong})
	}
	if rep.Faulted > 0 {
		rows = append(rows, row{"faulted", engine.Grouped(rep.Faulted), wrong})
		for _, x := range rep.Faults {
			rows = append(rows, row{"", fmt.Sprintf("sample %s, step %s: %s at %s", engine.Grouped(x.Sample), engine.Grouped(x.Step), x.Cause, x.Where), wrong})
		}
	}
	return rows
}

// launchesInWords is the number of launches, and how many of each word.
func launchesInWords(f *feed) string {
	text := engine.Grouped(f.launches())
	words := make([]uint32, 0, len(f.byWord))
	for w := range f.byWord {
		words = append(words, w)
	}
	slices.Sort(words)
	parts := make([]string, 0, len(words))
	for _, w := range words {
		parts = append(parts, fmt.Sprintf("%dx%d", f.byWord[w], w))
	}
	if f.otherWords > 0 {
		parts = append(parts, fmt.Sprintf("%d others", f.otherWords))
	}
	const most = 8
	if len(parts) > most {
		parts = append(parts[:most], "...")
	}
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, " ") + " steps"
	}
	return text
}

func measuredInWords(f *feed) string {
	if !f.measured {
		return ""
	}
	return fmt.Sprintf(", measured %s / %s", elapsed(f.measuredAt[0]), elapsed(f.measuredAt[1]))
}
