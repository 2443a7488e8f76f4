package tui

import (
	"slices"
	"strconv"

	"github.com/eaglet-workbench/eaglet/engine/counting"
)

// The rows of the views of costs, for .csv files. What has not been counted yet has no rows.

func (compactPane) table(s *scene) func(row func(...string)) error {
	all := &s.feed.books.settled
	kept := make([]settlement, 0, len(all.items))
	each(all, func(x *settlement) { kept = append(kept, *x) })
	return func(row func(...string)) error {
		row("launch", "done_steps", "slots_before", "lanes_freed", "cost_steps", "wall_ns", "launches_since", "steps_since", "gain_steps", "paid_after_launches", "settled")
		for i := range kept {
			x := &kept[i]
			paid := ""
			if x.paidAt > 0 {
				paid = whole(x.paidAt)
			}
			row(whole(x.number), whole(x.done), whole(x.before), whole(x.freed), exact(x.cost), whole(x.wall), whole(x.launches), whole(x.steps),
				exact(x.gain), paid, strconv.FormatBool(x.over))
		}
		return nil
	}
}

func (p *pickPane) table(s *scene) func(row func(...string)) error {
	runs := pickRuns(s)
	return func(row func(...string)) error {
		row("run", "entry", "why", "timed", "status", "wall_ns", "sample_steps", "wall_ns_per_sample_step", "slot_fill", "chunk_steps")
		for i := range runs {
			r := &runs[i]
			why := entryChosenBy(r)
			if r.picked {
				why = reasonInShort(&r.pick)
			}
			status, fill := "", ""
			if r.ended {
				status = r.end.Status.String()
			}
			if r.slotFill > 0 {
				fill = exact(r.slotFill)
			}
			row(whole(r.serial), r.entry().String(), why, strconv.FormatBool(r.pick.Timed), status, whole(r.end.Wall), whole(r.work), exact(r.perStep()), fill, whole(r.start.Chunk))
		}
		return nil
	}
}

// table is the oracle, the policies, and every constant word.
func (p *regretPane) table(s *scene) func(row func(...string)) error {
	r := p.current(s)
	return func(row func(...string)) error {
		row("policy_or_k", "note", "launches", "steps", "compactions", "paid_lane_steps", "useful_lane_steps", "cost_steps", "over_oracle")
		if r == nil {
			return nil
		}
		write := func(name, note string, run *counting.Run) {
			row(name, note, whole(run.Launches), whole(run.Steps), whole(run.Compactions), whole(run.Paid), whole(run.Useful), exact(run.Cost), exact(run.Against(&r.weighed.Oracle)))
		}
		for i := range r.rows {
			if x := &r.rows[i]; x.name[0] < '0' || x.name[0] > '9' {
				write(x.name, x.note, &x.Run)
			}
		}
		for i := range r.weighed.Constants {
			note := ""
			if i == r.weighed.Best {
				note = "the best constant"
			}
			c := &r.weighed.Constants[i]
			write(whole(c.K), note, &c.Run)
		}
		return nil
	}
}

// table is what each order of the samples does.
func (p *labPane) table(*scene) func(row func(...string)) error {
	a := p.answer
	return func(row func(...string)) error {
		row("order", "samples", "stops", "policy", "launches", "compactions", "cost_steps", "warp_fill", "slots_used", "slots_used_reordered", "reorders", "gain")
		if a == nil {
			return nil
		}
		for order, o := range slices.All(a.orders[:]) {
			row(counting.Arrangement(order).String(), whole(a.n), a.of.inWords(), a.of.policy.String(), whole(o.Launches), whole(o.Compactions), exact(o.Cost),
				exact(o.Fill()), exact(o.TouchedFill()), exact(o.MovedFill()), whole(o.Reorders), exact(o.Gain()))
		}
		return nil
	}
}

// click chooses a parameter; one that is chosen is changed, less on the left half of its value, more on the
// right one.
func (p *labPane) click(s *scene, x, y int) {
	i := p.first + y
	if x >= knobsWidth || y < 0 || i >= len(labKnobs) {
		return
	}
	if i != p.row {
		p.row = i
		return
	}
	by := -1
	if x >= (13+knobsWidth)/2 {
		by = 1
	}
	p.slide(s, by)
}
