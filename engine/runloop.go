package engine

import (
	"errors"
	"fmt"
)

// RunLoop is a whole run as a part of a pipeline, with parts of the caller's in its turns.
type RunLoop struct {
	runner *Runner
	o      RunOptions
	inside Inside
	begun  bool // and stopped: it goes on
	report Report
}

// Loop makes a part of a run under options o: what [Runner.Run] does, as one part of a [GraphPipeline], with
// inside in every turn. With parts inside, a run is made launch by launch on the fused entry, for a pass and
// a persistent launch have no turns. A loop inside is refused.
func (r *Runner) Loop(o RunOptions, inside Inside) (*RunLoop, error) {
	bad := refusal{Refusal{Kernel: r.kernel.Name}}
	if r.kernel.Finish == nil {
		bad.noFinish()
	}
	r.checkOptions(&bad, &o, false)
	if inside.parts() > 0 && o.Entry == EntryPersistent {
		bad.add("entry", "fused for a loop with parts inside", "persistent", "one persistent launch has no turns; leave the entry out")
	}
	for i, p := range append(append([]Part(nil), inside.First...), inside.Last...) {
		switch {
		case p == nil:
			bad.add(fmt.Sprintf("part %d inside", i+1), "a part", "nil", "leave it out")
		case containsLoop(p):
			bad.add(fmt.Sprintf("part %d inside", i+1), "no loop", "a loop", "put one loop after the other in a pipeline")
		}
	}
	if err := bad.err(); err != nil {
		return nil, err
	}
	return &RunLoop{runner: r, o: o, inside: inside}, nil
}

// Do runs the batch until every sample is finished or at the cap, or goes on after a stop.
func (l *RunLoop) Do(stop *Stop) (err error) {
	r := l.runner
	if l.begun {
		l.report, err = r.Continue(stop)
	} else {
		l.report, err = r.exclusively(l.o.clock(), func() error { return r.start(stop, l.o, l.inside) })
	}
	if errors.Is(err, ErrBusy) {
		return err
	}
	if l.begun = err == nil && l.report.Status == StatusCancelled.String(); l.begun {
		return ErrStopped
	}
	return err
}

// Report is that of the last Do.
func (l *RunLoop) Report() Report { return l.report }
