package engine

import "fmt"

// A pass runs the whole batch without a boundary between launches: the engine takes tile after tile to its
// end. The report is that of the launches of stepsMax steps which the tiled policy stands for; they are
// derived afterwards from the steps that each sample took, with the live samples of each, and sent as
// events with FlagDerived.

// passState is a pass that is going on or was cut.
type passState struct {
	on       bool
	from     uint32 // steps of the run before it
	finished uint32 // mask bytes set before it
	faulted  uint32 // samples that faulted in it
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
	before := r.bound.Counters()
	if !c.pass.on {
		c.pass = passState{on: true, from: c.done, finished: before.Finished}
	}
	trace, generation, turn := c.options.Trace, c.options.Generation, c.turn
	progress := func(finished, steps uint64) {
		e := Progress{Finished: before.Finished + uint32(finished), SampleSteps: steps}.Event()
		e.Generation, e.Turn = generation, turn
		trace.Emit(e)
	}
	s, err := r.bound.(Passer).Pass(stop, c.limit, progress)
	if err != nil {
		c.broken = true
		return fmt.Errorf("pass: %w", err)
	}
	after := r.bound.Counters()
	c.pass.faulted += after.Faulted - before.Faulted
	c.steps += s.SampleSteps
	if s.Faulted > 0 {
		r.emitFaults(c.pass.from, c.limit)
	}
	if s.Stopped && !r.allFinished() {
		r.cancelled()
		return nil
	}
	r.deriveLaunches()
	r.over()
	return nil
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
		r.emit(Launch{
			Number: uint32(c.launches), Word: w, Live: live, Newly: newly[j], Faulted: faulted[j], Done: c.done,
			SampleSteps: uint64(live-newly[j])*uint64(w) + partial[j],
		}.Event(), flags)
		live -= newly[j]
	}
}
