package enginetest

import (
	"fmt"
	"maps"

	"github.com/eaglet-workbench/eaglet/engine"
)

// Travels checks that a run which went back and on again, from a keyframe where the engine keeps some and from the
// start, is at each step where a plain loop is, and ends as the run that went straight: planes, mask, steps and
// launches.
func Travels(e engine.Engine, w *Workload, seed uint64) error {
	const n, limit = 333, 260
	all := ways(limit)
	offered, err := offeredWays(e, w, limit)
	if err != nil {
		return err
	}
	for _, v := range append(all, offered...) {
		w := w.With(v.change...)
		start := engine.NewPlanes(w.Kernel.Planes, n)
		w.Fill(start, Spread, 250, seed)
		b, err := w.Bind(e, start.Clone(), make([]byte, n))
		if err != nil {
			return err
		}
		o := v.options
		o.Keyframes = &engine.Keyframes{Bytes: 1 << 20, Eager: true}
		straight, err := b.Run(new(engine.Stop), o)
		if err != nil {
			return fmt.Errorf("%s: %w", v.name, err)
		}
		end, endMask, taken := b.Planes.Clone(), append([]byte(nil), b.Mask...), append([]uint32(nil), b.Bound.StepsTaken()...)
		for _, step := range []int{straight.Longest - 1, 100, 101, 17, 200, 3} {
			if err := goTo(b, start, o, step); err != nil {
				return fmt.Errorf("%s: to step %d: %w", v.name, step, err)
			}
			want, mask := start.Clone(), make([]byte, n)
			steps := w.Native(want, mask, uint32(step))
			if err := sameBits(b.Planes, want, b.Mask, mask); err != nil {
				return fmt.Errorf("%s: at step %d: %w", v.name, step, err)
			}
			if err := sameSteps(b.Bound.StepsTaken(), steps); err != nil {
				return fmt.Errorf("%s: at step %d: %w", v.name, step, err)
			}
		}
		rep, err := b.Continue(new(engine.Stop))
		if err != nil {
			return fmt.Errorf("%s: going on: %w", v.name, err)
		}
		if err := sameBits(b.Planes, end, b.Mask, endMask); err != nil {
			return fmt.Errorf("%s: gone on: %w", v.name, err)
		}
		if err := sameSteps(b.Bound.StepsTaken(), taken); err != nil {
			return fmt.Errorf("%s: gone on: %w", v.name, err)
		}
		if !maps.Equal(rep.LaunchesByK, straight.LaunchesByK) || rep.Status != straight.Status {
			return fmt.Errorf("%s: gone on: launches %v, %s, straight %v, %s", v.name, rep.LaunchesByK, rep.Status, straight.LaunchesByK, straight.Status)
		}
		if err := b.Bound.Close(); err != nil {
			return err
		}
	}
	return nil
}

// goTo takes a batch to a step, through its start where nothing else leads there.
func goTo(b *Batch, start *engine.Planes, o engine.RunOptions, step int) error {
	course := b.Course()
	if !b.Reaches(step) {
		b.Planes.CopyFrom(start)
		if err := b.Reset(); err != nil {
			return err
		}
	}
	_, err := b.RunTo(new(engine.Stop), o, step, course)
	if err != nil {
		return err
	}
	if at, even := b.Stands(); at != step || !even {
		return fmt.Errorf("it stands at step %d, even: %v", at, even)
	}
	return nil
}

// LosesSteps is a mutant that forgets how many steps samples have taken when it is put back.
func LosesSteps(e engine.Engine) engine.Engine {
	return Wrapped(e, func(b engine.Bound, _ *engine.Planes, _ []byte) engine.Bound {
		return offersOf(b).of(losingSteps{&interrupted{Bound: b}})
	})
}

type losingSteps struct{ *interrupted }

func (l losingSteps) Resume(done uint32, taken []uint32, faults []engine.Fault) (engine.Counters, error) {
	return l.interrupted.Resume(done, make([]uint32, len(taken)), faults)
}
