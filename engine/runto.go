package engine

import (
	"errors"
	"fmt"
)

// Going to a step of a run, on or back.
//
// A run that goes back lies on its course, and makes the same launches again: their words, what was measured for
// them, and so their bits, are those of the first time, and their events, which have been sent, are not sent again.
// A step within a launch stops it half way; whatever follows finishes it first, to where it was to end.

// errWithin ends a call within a launch, at the step that was asked for.
var errWithin = errors.New("within a launch")

// Course is what a run has decided so far, see [Runner.Course].
type Course struct {
	course  *course
	options RunOptions
}

// Course is that of the run which was made last, to be handed to RunTo after the batch was put back to where the run
// began.
func (r *Runner) Course() Course {
	c := &r.run
	o := c.options
	o.R, o.MaxSteps = max(o.R, c.r), int(c.maxSteps)
	return Course{c.course, o}
}

// Stands is the steps of the run that every live sample has taken. Even is false when a stop has cut a launch or a
// pass, so that samples stand at steps of their own.
func (r *Runner) Stands() (step int, even bool) {
	c := &r.run
	switch {
	case c.pass.on, c.cut.word != 0 && c.within == 0:
		return 0, false
	case c.cut.word != 0:
		return int(c.within), true
	}
	return int(c.done), true
}

// Reaches says whether RunTo can get to a step of the run as the batch is: from where it stands, or from a keyframe.
// Otherwise planes and mask have to be put back to where the run began, and RunTo begins there.
func (r *Runner) Reaches(step int) bool {
	c := &r.run
	if !c.begun || c.broken || step < 0 || step > int(c.maxSteps) {
		return false
	}
	if at, even := r.Stands(); even && at <= step && c.entry != EntryPersistent {
		return true
	}
	return c.course.frames.before(uint32(step)) != nil
}

// RunTo makes launches until the live samples have taken step steps of the run, and pauses there; it goes back to a
// keyframe where that is nearer or the run is beyond. The run is over sooner when every sample finishes.
//
// When the run does not get there as it is (see Reaches), a run begins: under o, or where on is the course of a run that
// began with the same planes and mask, on that course and under its options, with more steps if need be. It is made of
// launches, on the fused entry. o's Trace, Generation and Onlooker hold from here on.
func (r *Runner) RunTo(stop *Stop, o RunOptions, step int, on Course) (Report, error) {
	return r.exclusively(o.clock(), func() error {
		bad := refusal{Refusal{Kernel: r.kernel.Name}}
		if step < 0 || step > maxStepCount {
			bad.add("step", fmt.Sprintf("a whole number from 0 to %d", maxStepCount), fmt.Sprint(step), "give the step of the run to go to")
		}
		if !r.Reaches(step) {
			begin := o
			if on.course != nil {
				begin = on.options
				begin.MaxSteps = max(begin.MaxSteps, step)
				begin.Trace, begin.Keyframes = nil, nil // they know of it
			}
			r.checkOptions(&bad, &begin, false)
			if err := r.begin(&bad, begin, 0, true, Inside{}); err != nil {
				return err
			}
			if on.course != nil {
				r.run.recall(on.course)
				r.run.options.Trace, r.run.options.Generation, r.run.options.Onlooker = o.Trace, o.Generation, o.Onlooker
			}
			return r.to(stop, uint32(step))
		}
		if err := bad.err(); err != nil {
			return err
		}
		c := &r.run
		c.options.Trace, c.options.Generation, c.options.Onlooker = o.Trace, o.Generation, o.Onlooker
		if err := r.nearest(uint32(step)); err != nil {
			return err
		}
		return r.to(stop, uint32(step))
	})
}

// nearest takes the run to where it is best begun to go to a step.
func (r *Runner) nearest(step uint32) error {
	c := &r.run
	f := c.course.frames.before(step)
	at, even := r.Stands()
	if even = even && c.entry != EntryPersistent; even && at <= int(step) && (f == nil || at >= int(f.done)) {
		return r.resume()
	}
	return r.restoreFrame(f)
}

// recall makes a run that has just begun follow a course.
func (c *run) recall(on *course) {
	c.course, c.interrupted = on, true
	if k := on.frames; k != nil {
		k.due = k.every
	}
}

// Forget drops what was decided beyond where the run stands: the batch has been changed, and the run goes on anew.
func (r *Runner) Forget() error {
	if !r.busy.CompareAndSwap(false, true) {
		return ErrBusy
	}
	defer r.busy.Store(false)
	c := &r.run
	if c.course == nil {
		return nil
	}
	at, _ := r.Stands()
	c.course.cut(c.at, c.launches, uint32(at))
	c.course.told = min(c.course.told, placeOf(c.launches, 0))
	if c.cut.word == 0 {
		c.course.told = min(placeOf(c.launches, stageOver), c.course.told|stageOver)
	}
	return nil
}

// to makes launches until the live samples have taken step steps.
func (r *Runner) to(stop *Stop, step uint32) error {
	c := &r.run
	c.dropTarget()
	c.stopAt = step
	defer func() { c.stopAt = 0 }()
	for step > 0 && (c.cut.word != 0 || c.done < step || !c.beforeLaunch()) {
		more, err := r.next(stop)
		if !more || err != nil {
			return err
		}
	}
	if r.over() {
		return nil
	}
	c.status = StatusPaused
	r.finishedInTurn()
	return nil
}
