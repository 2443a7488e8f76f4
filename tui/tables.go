package tui

import (
	"math"
	"slices"
	"strconv"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// The rows of panes, for .csv files. Numbers are written whole, not as the screen shortens them.

// launchTable is every launch that is kept, with what was decided after it.
func launchTable(s *scene) func(row func(...string)) error {
	r := &s.feed.records
	kept := make([]record, 0, len(r.items))
	for i := r.first(); i < r.total; i++ {
		kept = append(kept, *r.at(i))
	}
	return func(row func(...string)) error {
		row("launch", "word_steps", "live_before", "newly_finished", "faulted", "done_steps", "sample_steps", "wall_ns", "compacted",
			"h_per_step", "r_steps", "k_star_steps", "k_steps", "next_steps")
		for i := range kept {
			l, p := &kept[i].launch, &kept[i].policy
			cells := []string{
				whole(l.Number), whole(l.Word), whole(l.Live), whole(l.Newly), whole(l.Faulted), whole(l.Done), whole(l.SampleSteps), whole(l.Wall),
				strconv.FormatBool(kept[i].compacted), "", "", "", "", "",
			}
			if kept[i].hasPolicy {
				copy(cells[9:], []string{exact(p.H), exact(p.R), exact(p.KStar), whole(p.K), whole(p.Next)})
			}
			row(cells...)
		}
		return nil
	}
}

func whole[T ~int | ~int64 | ~uint32 | ~uint64](n T) string { return strconv.FormatInt(int64(n), 10) }

// exact writes v so that it reads back as the same number.
func exact(v float64) string {
	if math.IsInf(v, 1) {
		return "inf"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

func (livePane) table(s *scene) func(row func(...string)) error { return launchTable(s) }
func (bandPane) table(s *scene) func(row func(...string)) error { return launchTable(s) }

func (whyPane) table(s *scene) func(row func(...string)) error {
	lines := reasons(s)
	return func(row func(...string)) error {
		row("what", "text")
		for _, r := range lines {
			row(r.name, r.text)
		}
		return nil
	}
}

// table is every sentence that is kept.
func (p *logPane) table(s *scene) func(row func(...string)) error {
	log := &s.feed.log
	events := make([]engine.Event, 0, len(log.items))
	for i := log.first(); i < log.total; i++ {
		events = append(events, *log.at(i))
	}
	var kernel *ir.Kernel
	if s.state.Kernel != nil {
		kernel = s.state.Kernel.IR
	}
	return func(row func(...string)) error {
		row("turn", "time_ns", "sentence")
		for _, e := range events {
			row(whole(e.Turn), whole(e.Time), engine.SentenceOf(e, kernel))
		}
		return nil
	}
}

func (p *reportPane) table(s *scene) func(row func(...string)) error {
	return rowTable(reportRows(s))
}

func (p *finishPane) table(s *scene) func(row func(...string)) error {
	return rowTable(p.finishRows(s))
}

func rowTable(rows []row) func(row func(...string)) error {
	rows = slices.Clone(rows)
	return func(row func(...string)) error {
		row("name", "value")
		for _, r := range rows {
			row(r.name, r.value)
		}
		return nil
	}
}

func (p *sourcePane) table(s *scene) func(row func(...string)) error {
	if p.coded(s) {
		return p.code.table(p.mode)
	}
	lines := p.lines
	return func(row func(...string)) error {
		row("line", "text")
		for i := range lines {
			text := ""
			for _, piece := range lines[i].pieces {
				text += piece.text
			}
			number := ""
			if lines[i].number > 0 {
				number = strconv.Itoa(lines[i].number)
			}
			row(number, text)
		}
		return nil
	}
}
