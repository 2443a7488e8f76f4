package session

import (
	"errors"
	"fmt"

	"github.com/eaglet-workbench/eaglet/engine"
)

// startRun begins one of Run, Continue, Step, RunSteps.
func (o *owner) startRun(c Command) error {
	b := o.batch
	if b == nil {
		return errNoKernel
	}
	if b.spoiled != "" {
		return spoiled(b)
	}
	if err := o.refuseRun(c); err != nil {
		return err
	}
	goesOn := o.phase == Paused
	switch c.(type) {
	case Run, RunSteps:
		goesOn = false
	}
	if _, on := c.(Continue); on && b.unstarted {
		c, goesOn = Run{}, false
	}
	b.unstarted = false
	if !goesOn {
		o.generation++
	}
	options := o.runOptions()
	o.begins(&options, goesOn)
	o.start(c, "running "+b.kernel.IR.Name, true, func(stop *engine.Stop) (func(), error) {
		var report engine.Report
		err := func() (err error) {
			defer catch("running "+b.kernel.IR.Name, &err)
			switch c := c.(type) {
			case Run:
				report, err = b.runner.Run(stop, options)
			case Continue:
				report, err = b.runner.Continue(stop)
			case Step:
				report, err = b.runner.Launch(stop, options, c.Word)
			case RunSteps:
				report, err = b.runner.RunSteps(stop, options, c.N)
			}
			return err
		}()
		return func() { o.ran(c, options, &report, err) }, err
	})
	return nil
}

// runOptions are the options of a run that would begin now.
func (o *owner) runOptions() engine.RunOptions {
	return engine.RunOptions{
		MaxSteps: o.max, Policy: o.policy, R: o.r, Trace: o.s.trace, Generation: o.generation, Onlooker: o.window.onlooker,
		Entry: o.launch.Entry, Chunk: o.launch.Chunk, Reorder: o.launch.Reorder, Every: o.launch.Every, Wave: o.launch.Wave,
	}
}

// refuseRun says what can be known to be wrong before a run begins.
func (o *owner) refuseRun(c Command) error {
	k := o.batch.kernel.IR
	noFinish := fmt.Errorf("kernel %s declares no finish, so a run would never be done: run a number of steps instead (--steps N), or declare one: func (s *T) Step() (terminated bool)", k.Name)
	switch c := c.(type) {
	case Run:
		if k.Finish == nil {
			return noFinish
		}
	case Continue:
		switch {
		case o.phase != Paused:
			return errors.New("there is nothing to continue: no run is paused or cancelled; Run starts a new one")
		case k.Finish == nil && o.report != nil && o.report.Status == engine.StatusPaused.String():
			return noFinish
		}
	case Step:
		if c.Word < 0 || c.Word > maxN {
			return fmt.Errorf("a launch takes from 1 to %s steps, or 0 to let the policy choose, not %s", engine.Grouped(maxN), engine.Grouped(c.Word))
		}
	case RunSteps:
		if c.N < 1 || c.N > maxN {
			return fmt.Errorf("a number of steps is from 1 to %s, not %s", engine.Grouped(maxN), engine.Grouped(c.N))
		}
	}
	return nil
}

// ran takes in what came of a run. A refused call has left everything as it was; an engine that failed, or
// a bug, leaves planes that can be looked at and written, but not run on.
func (o *owner) ran(c Command, options engine.RunOptions, report *engine.Report, err error) {
	_, refused := errors.AsType[*engine.Refusal](err)
	if refused || errors.Is(err, engine.ErrBusy) {
		return
	}
	if err != nil {
		o.batch.spoiled = err.Error()
		o.phase = Ended
	} else {
		switch report.Status {
		case engine.StatusFinished.String(), engine.StatusMaxSteps.String():
			o.phase = Ended
		default:
			o.phase = Paused
		}
	}
	status := "failed"
	if report.Kernel != "" {
		o.report, o.finished, o.steps = report, report.Finished, report.Steps
		if at, even := o.batch.runner.Stands(); even && o.phase == Paused {
			o.steps = at // within a launch, where a Seek went
		}
		if o.furthestOf != o.generation {
			o.furthest, o.furthestOf = 0, o.generation
		}
		o.furthest = max(o.furthest, o.steps)
		if err == nil {
			status = report.Status
		}
	}
	o.history.ran(SegmentRun{
		Command: c, MaxSteps: options.MaxSteps, Policy: options.Policy, R: report.R,
		Status: status, Steps: o.steps, Launches: report.LaunchesByK,
	})
	if err == nil {
		o.recordStops()
		o.news = append(o.news, RunEnded{Report: *report})
	}
}
