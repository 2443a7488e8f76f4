package engine

import "github.com/eaglet-workbench/eaglet/kernels/ir"

// emit sends an event of the current turn. Nothing here allocates.
func (r *Runner) emit(e Event, flags EventFlags) {
	c := &r.run
	e.Flags |= flags
	e.Turn = c.turn
	e.Generation = c.options.Generation
	c.options.Trace.Emit(e)
}

// emitStart says that a run begins, or goes on.
func (r *Runner) emitStart(resumed bool) {
	c := &r.run
	c.open = true
	r.emit(RunStart{
		N: uint32(r.planes.N), Finished: r.bound.Counters().Finished,
		MaxSteps: c.maxSteps, StepsMax: uint32(r.kernel.StepsMax),
		Policy: c.chosen, R: c.r, Fixed: uint32(r.kernel.Steps),
		Active: r.kernel.Guard == ir.GuardActiveSet && !c.resident, Resumed: resumed,
		Entry: c.entry, Chunk: c.chunk,
	}.Event(), 0)
}

// emitEnd says how a call with report rep ended; a pause after a launch in step mode is none.
func (r *Runner) emitEnd(rep *Report) {
	c := &r.run
	if !c.open || (c.status == StatusPaused && c.target == 0) {
		return
	}
	c.open = false
	if f := &c.nonFinite; f.Count > 0 {
		r.emit(f.Event(), 0)
	}
	r.emit(RunEnd{
		Status: c.status, Finished: uint32(rep.Finished), Faulted: uint32(rep.Faulted),
		Steps: uint32(rep.Steps), Launches: uint32(rep.Launches), Wall: c.wall,
	}.Event(), 0)
}

// emitPolicy says what the band, or the doubling rule, decided after launch l, and from what.
func (r *Runner) emitPolicy(l *Launch, after Counters) {
	c := &r.run
	if !c.tells(stagePolicy) {
		return
	}
	h := FinishShare(l.Newly, uint32(r.planes.N), l.Word)
	p := PolicyDecision{
		N: uint32(r.planes.N), Newly: l.Newly, Word: l.Word,
		R: c.r, H: h, K: c.word, StepsMax: uint32(r.kernel.StepsMax), Live: uint32(r.planes.N) - after.Finished,
	}
	if c.chosen == PolicyDoubling {
		p.Rule = PolicyDoubling
	} else {
		p.KStar = KStar(c.r, h)
	}
	var flags EventFlags
	if c.resident {
		flags |= FlagResident
	}
	if after.Finished != p.N && c.done < c.limit {
		p.Next = min(c.word, c.limit-c.done)
		if p.Next < c.word {
			flags |= FlagCut
		}
	}
	r.emit(p.Event(), flags)
}

// emitFaults names the faults of the steps [from, upto) that are among the run's first 16.
func (r *Runner) emitFaults(from, upto uint32) {
	for _, f := range r.bound.Faults() {
		if f.Step >= from && f.Step < upto {
			r.emit(f.Event(), 0)
		}
	}
}
