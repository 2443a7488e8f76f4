package engine

import "fmt"

// A pass runs the whole batch without a boundary between launches: the engine takes tile after tile to its
// end, or its lanes claim sample after sample. The report of the tiled pass is that of the launches of
// stepsMax steps which the tiled policy stands for; they are derived afterwards from the steps that each
// sample took, with the live samples of each, and sent as events with FlagDerived. The persistent entry is
// one launch, as long as its longest sample.

// passState is a pass that is going on or was cut.
type passState struct {
	on       bool
	from     uint32 // steps of the run before it
	finished uint32 // mask bytes set before it
	faulted  uint32 // samples that faulted in it
	steps    uint64 // sample-steps
	stats    LaunchStats
}

// laneStats are what persistent launches of a run said about their lanes.
type laneStats struct {
	chunks, refills, steps uint64
}

// slotFill is the share of the lanes' steps that samples took, 0 when nothing was launched.
func (l *laneStats) slotFill(chunk uint32) float64 {
	if l.chunks == 0 || chunk == 0 {
		return 0
	}
	return float64(l.steps) / (float64(chunk) * float64(l.chunks))
}

// passOver runs the rest of the run as one pass, or the rest of a pass that was cut.
func (r *Runner) passOver(stop *Stop) error {
	c := &r.run
	if !c.pass.on && r.over() {
		return nil
	}
	if stop.IsSet() {
		r.cancelled()
		return nil
	}
	r.beginPass()
	defer r.endPass()
	before := r.bound.Counters()
	if !c.pass.on {
		c.pass = passState{on: true, from: c.done, finished: before.Finished}
	}
	s, err := r.sweep(stop, before)
	if err != nil {
		c.broken = true
		return fmt.Errorf("pass: %w", err)
	}
	if err := r.fetch(); err != nil {
		c.broken = true
		return fmt.Errorf("pass: %w", err)
	}
	after := r.bound.Counters()
	c.pass.faulted += after.Faulted - before.Faulted
	c.pass.steps += s.SampleSteps
	c.pass.stats.Newly += after.Finished - before.Finished
	c.pass.stats.LastStop = max(c.pass.stats.LastStop, s.LastStop)
	c.pass.stats.Wall += s.Wall
	c.steps += s.SampleSteps
	if s.Faulted > 0 {
		r.emitFaults(c.pass.from, c.limit)
	}
	if s.Stopped && !r.allFinished() {
		r.cancelled()
		return nil
	}
	switch {
	case c.entry == EntryPersistent:
		r.derivePersistent()
	case c.untracked:
		r.countLaunches()
	default:
		r.deriveLaunches()
	}
	if !r.over() { // everybody is at the limit or marked, though the counter does not say so
		c.status = StatusMaxSteps
	}
	return nil
}

// sweep has the engine make the pass.
func (r *Runner) sweep(stop *Stop, before Counters) (LaunchStats, error) {
	c := &r.run
	trace, generation, turn := c.options.Trace, c.options.Generation, c.turn
	progress := func(finished, steps uint64) {
		e := Progress{Finished: before.Finished + uint32(finished), SampleSteps: steps}.Event()
		e.Generation, e.Turn = generation, turn
		trace.Emit(e)
	}
	if c.entry != EntryPersistent {
		return r.bound.(Passer).Pass(stop, c.limit, progress)
	}
	s, err := r.bound.(Persister).Persist(stop, c.limit, c.chunk, progress)
	c.lanes.chunks += s.LaneChunks
	c.lanes.refills += s.Refills
	c.lanes.steps += s.SampleSteps
	return s.LaunchStats, err
}

// derivePersistent counts a complete persistent launch: one launch of as many steps as its longest sample
// took.
func (r *Runner) derivePersistent() {
	c := &r.run
	longest, _ := r.stepsTaken()
	if c.untracked {
		longest = int(c.limit)
		if r.allFinished() {
			longest = int(c.pass.stats.LastStop)
		}
	}
	from := c.pass.from
	word := max(uint32(longest), from) - from
	c.turn++
	c.launches++
	c.byWord[word]++
	c.done += word
	c.lastWord = word
	c.course.add(&c.at, word, false)
	defer c.tells(stageOver)
	live := uint32(r.planes.N) - c.pass.finished
	r.emit(Launch{
		Number: uint32(c.launches), Word: word, Live: live, Newly: c.pass.stats.Newly, Faulted: c.pass.faulted,
		Done: c.done, SampleSteps: c.pass.steps, Wall: c.pass.stats.Wall,
	}.Event(), FlagDerived)
	r.emit(LaneRefill{
		Chunk: c.chunk, Live: live, LaneChunks: c.lanes.chunks, Refills: c.lanes.refills, SampleSteps: c.lanes.steps,
	}.Event(), 0)
	c.pass = passState{}
}

// countLaunches counts a complete pass as launches without events: without steps taken nobody knows who
// finished in which.
func (r *Runner) countLaunches() {
	c := &r.run
	end := c.limit
	if r.allFinished() {
		end = c.pass.stats.LastStop
	}
	for c.done < end {
		w := min(uint32(r.kernel.StepsMax), c.limit-c.done)
		c.turn++
		c.launches++
		c.byWord[w]++
		c.done += w
		c.lastWord = w
		c.course.add(&c.at, w, false)
	}
	c.tells(stageOver)
	c.pass = passState{}
}

// deriveLaunches counts a complete pass as launches and sends their events.
func (r *Runner) deriveLaunches() {
	c := &r.run
	word, from := uint32(r.kernel.StepsMax), c.pass.from
	launches := int((uint64(c.limit-from) + uint64(word) - 1) / uint64(word))
	newly := make([]uint32, launches)
	faulted := make([]uint32, launches)
	partial := make([]uint64, launches) // steps of those that finished, in the launch they finished in
	last, faults := 0, uint32(0)
	for i, t := range r.bound.StepsTaken() {
		var at int
		switch {
		case r.mask[i] == 0:
			continue
		case r.mask[i] == 2:
			if t < from {
				continue
			}
			at = min(int((t-from)/word), launches-1) // it faulted in the step after t
			faulted[at]++
			faults++
		default:
			if t <= from {
				continue
			}
			at = min(int((t-from-1)/word), launches-1)
		}
		newly[at]++
		partial[at] += uint64(t - from - uint32(at)*word)
		last = max(last, at)
	}
	if faults > c.pass.faulted { // faulted before this run began: they have taken no step of it
		old := min(faults-c.pass.faulted, faulted[0])
		newly[0] -= old
		faulted[0] -= old
	}
	if r.allFinished() {
		launches = last + 1
	}
	live := uint32(r.planes.N) - c.pass.finished
	c.pass = passState{}
	for j := range launches {
		w := min(word, c.limit-c.done)
		var flags EventFlags = FlagDerived
		if w < word {
			flags |= FlagCut
		}
		c.turn++
		c.launches++
		c.byWord[w]++
		c.done += w
		c.lastWord = w
		c.course.add(&c.at, w, false)
		r.emit(Launch{
			Number: uint32(c.launches), Word: w, Live: live, Newly: newly[j], Faulted: faulted[j], Done: c.done,
			SampleSteps: uint64(live-newly[j])*uint64(w) + partial[j],
		}.Event(), flags)
		live -= newly[j]
	}
	c.tells(stageOver)
}
