package tui

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/counting"
	"github.com/eaglet-workbench/eaglet/session"
)

// regretPane weighs the run's policy against every constant word and the best sequence of words there is, by
// counting when samples stopped: nothing is run again. During a run it counts what has been so far.
type regretPane struct {
	answer            *regret
	why               string // there is none
	top, height, rows int
}

// regret is what was counted, made beside the screen.
type regret struct {
	generation uint32
	soFar      bool
	done       uint32
	finished   uint32
	n          int
	assumed    bool // R is a guess: no run has measured it
	rows       []regretRow
	own        int // of rows: the run's policy
	weighed    *counting.Weighed
}

// regretRow is a way to run the batch.
type regretRow struct {
	name string
	counting.Run
	ratio float64 // cost over the oracle's
	note  string
}

// assumedR is R where no run has measured it and nobody has pinned it.
const assumedR = 0.25

// ruleOf is the rule of the run that is on, or was; of the band where the run's policy cannot be counted.
func ruleOf(s *scene) (r counting.Rule, assumed bool) {
	f, k := s.feed, s.state.Kernel.IR
	r = counting.Rule{
		Policy: f.start.Policy, R: f.r, StepsMax: f.start.StepsMax, Cap: f.start.MaxSteps,
		Active: f.start.Active, K: f.start.Fixed, Every: uint32(max(s.state.Launching.Every, 0)),
	}
	if last := f.records.last(); last != nil && last.resident {
		r.Active, r.Resident = true, true
	}
	if f.start.Entry == engine.EntryPersistent || r.Policy == engine.PolicyMeasured || r.Policy == engine.PolicyAuto {
		r.Policy = engine.PolicyBand
	}
	if r.StepsMax == 0 {
		r.StepsMax = max(uint32(max(k.StepsMax, 0)), r.K, 1)
	}
	r.R, assumed = rOf(s)
	return r, assumed
}

// rOf is R as far as it is known for this batch; assumed says that it is a guess.
func rOf(s *scene) (r float64, assumed bool) {
	switch known := s.feed.books.knownR(s.feed.books.batchOf(s.state.Generation)); {
	case s.feed.r > 0:
		return s.feed.r, false
	case s.state.R > 0:
		return s.state.R, false
	case known > 0:
		return known, false
	}
	return assumedR, true
}

func (p *regretPane) countsStops(s *scene) bool {
	return s.feed.started && s.done() > 0 && s.feed.generation == s.state.Generation
}

// wants asks for the table whenever stops have been counted anew.
func (p *regretPane) wants(s *scene) (string, func(context.Context, Session) (any, error)) {
	f, stops := s.feed, s.currentStops()
	if stops == nil || stops.done == 0 || !p.countsStops(s) {
		return "", nil
	}
	rule, assumed := ruleOf(s)
	policy, soFar := f.start.Policy, s.state.Phase != session.Ended
	persistent, lanes, made := f.start.Entry == engine.EntryPersistent, f.books.refill, asMade(f)
	if s.done() != stops.done {
		made = nil // it has gone on since the stops were counted
	}
	return stops.base, func(ctx context.Context, _ Session) (any, error) {
		r := &regret{generation: stops.generation, soFar: soFar, done: stops.done, n: len(stops.at), assumed: assumed}
		if soFar {
			rule.Cap = min(rule.Cap, stops.done)
		}
		if err := r.count(ctx, stops.at, rule, policy); err != nil {
			return nil, err
		}
		if persistent {
			r.addPersistent(&lanes)
		} else {
			r.addMade(made)
		}
		return r, nil
	}
}

// count makes the table.
func (r *regret) count(ctx context.Context, stops []uint32, rule counting.Rule, policy engine.Policy) error {
	p := counting.NewProfile(stops)
	w, err := counting.Weigh(p, rule)
	if err != nil {
		return err
	}
	r.weighed, r.finished = w, p.Finished(rule.Cap)
	add := func(name, note string, run counting.Run) {
		r.rows = append(r.rows, regretRow{name, run, run.Against(&w.Oracle), note})
	}
	add("oracle", "the best sequence of words", w.Oracle)
	own := ""
	if rule.Policy == policy {
		own = "this run"
	}
	r.own = len(r.rows)
	add(rule.Policy.String(), own, w.Run)
	for _, other := range []engine.Policy{engine.PolicyBand, engine.PolicyDoubling} {
		if other == rule.Policy || rule.StepsMax < engine.AutoKMin || ctx.Err() != nil {
			continue
		}
		alike := rule
		alike.Policy = other
		if run, err := counting.Count(p, alike, nil); err == nil {
			add(other.String(), "", run)
		}
	}
	if w.Best >= 0 {
		best := &w.Constants[w.Best]
		add(fmt.Sprintf("%d", best.K), "the best constant", best.Run)
		for i := range w.Constants {
			if c := &w.Constants[len(w.Constants)-1-i]; c.K&(c.K-1) == 0 && c.K != best.K {
				add(fmt.Sprintf("%d", c.K), "", c.Run)
			}
		}
	}
	return ctx.Err()
}

// asMade is the run as its launches were, nil when events are missing.
func asMade(f *feed) *counting.Run {
	if f.lost > 0 || f.passing || f.records.total == 0 || f.otherWords > 0 {
		return nil
	}
	n := float64(f.start.N)
	return &counting.Run{
		Launches: f.launches(), Steps: f.records.last().launch.Done, ByWord: maps.Clone(f.byWord), Compactions: f.compactions,
		Finished: f.finished(), Paid: uint64(math.Round(f.books.totals.held * n)), Useful: f.sampleSteps, Cost: f.books.totals.held,
	}
}

// addMade adds the run as it was made where that is not what its policy alone would have done: launches that
// a key asked for, a mask that was edited, a policy that decides by the clock.
func (r *regret) addMade(made *counting.Run) {
	own := &r.rows[r.own]
	if made == nil || r.free() || maps.Equal(made.ByWord, own.ByWord) {
		return
	}
	made.Cost += r.weighed.Rule.R * float64(made.Compactions)
	own.note = ""
	r.rows = slices.Insert(r.rows, 2, regretRow{"run", *made, made.Against(&r.weighed.Oracle), "this run, as it was made"})
	r.own = 2
}

// addPersistent adds the run as it was: what its lanes were held for.
func (r *regret) addPersistent(l *engine.LaneRefill) {
	if l.LaneChunks == 0 || r.n == 0 {
		return
	}
	run := counting.Run{Launches: 1, Paid: l.LaneChunks * uint64(l.Chunk), Useful: l.SampleSteps, Finished: r.finished}
	run.Cost = float64(run.Paid) / float64(r.n)
	r.rows = slices.Insert(r.rows, 2, regretRow{"persistent", run, run.Against(&r.weighed.Oracle), "this run"})
	r.own = 2
}

func (p *regretPane) answered(_ string, answer any, err error) {
	if r, ok := answer.(*regret); ok && err == nil {
		p.answer, p.why = r, ""
		return
	}
	if err != nil {
		p.why = firstLine(err.Error())
	}
}

// current is the answer about the run that is shown, nil when there is none.
func (p *regretPane) current(s *scene) *regret {
	if p.answer == nil || p.answer.generation != s.state.Generation {
		return nil
	}
	return p.answer
}

func (p *regretPane) title(s *scene) string {
	r := p.current(s)
	switch {
	case s.state.Kernel == nil:
		return "Regret: no kernel"
	case r == nil && !s.feed.started:
		return "Regret: no run yet"
	case r == nil:
		return "Regret: what the run could have cost"
	case r.free():
		return "Regret: none, every word costs the same here"
	}
	return "Regret: " + r.sentence()
}

// free says whether words make no difference.
func (r *regret) free() bool { return !r.weighed.Rule.Active || r.weighed.Rule.Resident }

// sentence is the run against the oracle and the best constant.
func (r *regret) sentence() string {
	own := &r.rows[r.own]
	verb := " cost "
	if own.note == "" {
		verb = " would cost "
	}
	text := "the " + own.name + verb + factor(own.ratio) + " the oracle"
	if w := r.weighed; w.Best >= 0 {
		best := &w.Constants[w.Best]
		text += fmt.Sprintf(", %s the best constant (%d)", factor(own.Against(&best.Run)), best.K)
	}
	if r.soFar {
		text += fmt.Sprintf(", up to step %s", engine.Grouped(r.done))
	}
	return text
}

// factor writes a ratio, with as many digits as it takes to tell it from 1: 1.04x, 1.003x.
func factor(x float64) string {
	switch {
	case x >= 100:
		return figure(x) + "x"
	case x > 0.99 && x < 1.01 && x != 1:
		return fmt.Sprintf("%.3fx", x)
	}
	return fmt.Sprintf("%.2fx", x)
}

// stepsOf writes a cost in steps of the whole batch.
func stepsOf(cost float64) string {
	if cost >= 100 {
		return engine.Grouped(int64(math.Round(cost)))
	}
	return figure(cost)
}

func (p *regretPane) draw(c canvas, s *scene) {
	r := p.current(s)
	if r == nil {
		text := p.why
		switch {
		case s.state.Kernel == nil:
			return
		case !s.feed.started:
			text = "after a run: its cost against every constant number of steps per launch, and against the best sequence there is, counted from when samples stopped"
		case s.stops.why != "":
			text = s.stops.why
		case s.stops.onePass:
			text = "the run is one pass over the batch: it is counted at its next pause"
		case text == "":
			text = "counting when samples stopped"
		}
		text += costSoFar(s)
		for y, line := range wrap(text, c.w-3) {
			c.text(2, max((c.h-2)/2, 0)+y, quiet, line)
		}
		return
	}
	lines := r.lines(s.glyphs, c.w)
	p.height, p.rows = c.h, len(lines)
	p.top = min(p.top, max(p.rows-p.height, 0))
	for y, line := range lines[p.top:] {
		if y >= c.h {
			break
		}
		c.spans(1, y, line...)
	}
	c.moreBelow(p.rows - p.top - c.h)
}

// costSoFar is what the launches themselves say of the cost, while nothing is counted.
func costSoFar(s *scene) string {
	t := &s.feed.books.totals
	if !s.feed.started || !s.feed.start.Active || t.held == 0 {
		return ""
	}
	return fmt.Sprintf("; so far %s steps of the whole batch for %s run: %s held by lanes, %s for %s", stepsOf(t.held+t.cost), counted(s.done(), "step", "steps"),
		stepsOf(t.held), figure(t.cost), counted(s.feed.books.settled.total, "compaction", "compactions"))
}

// moreBelow says how many lines do not fit: in the first line where that is free, else in the last.
func (c canvas) moreBelow(below int) {
	if below <= 0 {
		return
	}
	text, y := fmt.Sprintf(" %d more below", below), c.h-1
	if c.free(c.w-1-len(text), 0, len(text)) {
		y = 0
	}
	c.right(c.w-1, y, quiet, text)
}

func (p *regretPane) scroll(by int) { p.top = min(max(p.top+by, 0), max(p.rows-p.height, 0)) }
func (p *regretPane) page() int     { return max(p.height-1, 1) }

// lines are the table: a row per way to run, its cost and how far it is above the oracle's.
func (r *regret) lines(g *glyphSet, w int) [][]span {
	const label, figures = 12, 24
	bar := min(w-2-label-figures-32, 50)
	head := fmt.Sprintf("%-*s%12s%10s", label, "policy or k", "cost, steps", "x oracle")
	if bar >= 8 {
		head += "  above the oracle"
	}
	out := [][]span{{{quiet, head}}}
	most := 1.0
	for i := range r.rows {
		most = max(most, min(r.rows[i].ratio, 3))
	}
	for i := range r.rows {
		x := &r.rows[i]
		look := plain
		if x.note != "" {
			look = strong
		}
		line := []span{{look, fmt.Sprintf("%-*s%12s%10s", label, x.name, stepsOf(x.Cost), factor(x.ratio))}}
		if bar >= 8 {
			full := 0
			if most > 1 {
				full = min(int((x.ratio-1)/(most-1)*float64(bar)+0.5), bar)
			}
			cells := make([]rune, bar)
			for i := range cells {
				cells[i] = ' '
				if i < full {
					cells[i] = g.full
				}
			}
			line = append(line, span{bandTone, "  " + string(cells)})
		}
		if x.note != "" {
			line = append(line, span{quiet, " " + string(g.mark) + " " + x.note})
		}
		out = append(out, line)
	}
	for _, text := range r.notes() {
		for _, line := range wrap(text, w-2) {
			out = append(out, []span{{quiet, line}})
		}
	}
	return out
}

// notes say what the figures mean.
func (r *regret) notes() []string {
	w := r.weighed
	own := &r.rows[r.own]
	out := []string{fmt.Sprintf("%s pays %s lane-steps per useful one: %s held, %s used, by %s and %s",
		own.name, figure(own.PaidPerUseful()), short(own.Paid), short(own.Useful),
		counted(own.Launches, "launch", "launches"), counted(own.Compactions, "compaction", "compactions"))}
	if own.name == engine.EntryPersistent.String() {
		out = append(out, "the others are made of launches; lanes that take the next sample themselves pay no R, but half a chunk at each sample's end")
	}
	switch {
	case w.Rule.Resident:
		out = append(out, "the batch fits one wave of the device: no lane waits for another sample, so words make no difference")
	case !w.Rule.Active:
		out = append(out, "the kernel has no active set, so a boundary frees no lane: 32 neighbours leave together, with the last of them, and words make no difference; their order does (Lab)")
	case r.assumed:
		out = append(out, fmt.Sprintf("R is not known, no run has measured it: counted with %s steps; p switches to observe, which does", figure(w.Rule.R)))
	default:
		out = append(out, fmt.Sprintf("cost in steps of the whole batch: the sum of word*live/n, and R = %s for each compaction; counted from the stops, nothing was run again", figure(w.Rule.R)))
	}
	return out
}

// explain is the paragraph about the table.
func (p *regretPane) explain(s *scene) []string {
	r := p.current(s)
	if r == nil {
		return []string{"what a policy costs can be counted from when samples stopped: " + p.title(s)}
	}
	out := []string{r.sentence()}
	out = append(out, r.notes()...)
	return append(out, "the oracle knows every stop and takes the cheapest sequence of launches of at most as many steps: no policy can cost less under this account")
}
