package enginetest

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/eaglet-workbench/eaglet/engine"
)

// Faults checks a sample that faults: it stops with mask byte 2 and the state it had before the step,
// counts as finished, touches nobody else, and the report says which, where and why.
func Faults(e engine.Engine, seed uint64) error {
	w := CountWorkload()
	for _, v := range ways(400) {
		w := w.With(v.change...)
		p := engine.NewPlanes(w.Kernel.Planes, 100)
		w.Fill(p, Descending, 150, seed)
		bad := view[int32](p, "bad")
		bad[3], bad[40], bad[41], bad[99] = 64, 0, 7, 1 // 99 finishes at step 1, before its fault
		want, wantMask := p.Clone(), make([]byte, p.N)
		taken := w.Native(want, wantMask, 400)
		b, err := w.Bind(e, p, make([]byte, p.N))
		if err != nil {
			return err
		}
		rep, err := b.Run(new(engine.Stop), v.options)
		if err == nil {
			err = errors.Join(sameBits(p, want, b.Mask, wantMask), sameSteps(b.Bound.StepsTaken(), taken), consistent(&rep, b))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", v.name, err)
		}
		cause, where := "integer division by zero", "count.go:7:2"
		list := []engine.ReportFault{
			{Sample: 3, Step: 64, Cause: cause, Where: where},
			{Sample: 40, Step: 0, Cause: cause, Where: where},
			{Sample: 41, Step: 7, Cause: cause, Where: where},
		}
		if rep.Faulted != 3 || !rep.Done || !slices.Equal(rep.Faults, list) {
			return fmt.Errorf("%s: faulted %d, done %v, %v, want 3, true, %v", v.name, rep.Faulted, rep.Done, rep.Faults, list)
		}
	}
	return nil
}

// NonFinite checks that samples whose state holds NaN or infinity are counted, and finish all the same
// when their stop rule does not look at it.
func NonFinite(e engine.Engine, seed uint64) error {
	w := CountWorkload()
	b, err := w.NewBatch(e, 100, Spread, 100, seed)
	if err != nil {
		return err
	}
	x := view[float64](b.Planes, "x")
	x[5], x[6], x[70] = math.NaN(), math.Inf(1), math.Inf(-1)
	rep, err := b.Run(new(engine.Stop), engine.RunOptions{MaxSteps: 400})
	if err != nil {
		return err
	}
	if rep.NonFinite != 3 || !rep.Done {
		return fmt.Errorf("%d samples not finite, done = %v, want 3, true", rep.NonFinite, rep.Done)
	}
	return nil
}

// Untracked checks runs without steps taken: the bits and the launches are those of the run that keeps them,
// whatever the way, and once stopped they are gone on with only where the engine has kept them all the same.
func Untracked(e engine.Engine, w *Workload, seed uint64) error {
	const maxSteps = 310
	more, err := offeredWays(e, w, maxSteps)
	if err != nil {
		return err
	}
	for _, v := range append(ways(maxSteps), more...) {
		n := 300
		if v.options.Reorder != 0 {
			n = 4200
		}
		var reports [2]engine.Report
		var batches [2]*Batch
		for i, untracked := range []bool{false, true} {
			o := v.options
			if o.Clock != nil {
				o.Clock = ticking()
			}
			o.Untracked = untracked
			if batches[i], err = w.With(v.change...).NewBatch(e, n, Spread, 200, seed); err != nil {
				return err
			}
			if reports[i], err = batches[i].Run(new(engine.Stop), o); err != nil {
				return fmt.Errorf("%s: %w", v.name, err)
			}
		}
		tracked, got, want := batches[0], &reports[1], &reports[0]
		if err := sameBits(batches[1].Planes, tracked.Planes, batches[1].Mask, tracked.Mask); err != nil {
			return fmt.Errorf("%s: %w", v.name, err)
		}
		if !maps.Equal(got.LaunchesByK, want.LaunchesByK) || got.Launches != want.Launches || got.Steps != want.Steps ||
			got.SampleSteps != want.SampleSteps || got.Compactions != want.Compactions || got.Status != want.Status {
			return fmt.Errorf("%s: %+v, with steps taken %+v", v.name, *got, *want)
		}
	}
	b, err := w.NewBatch(Interrupted(e, []float64{0.5}), 300, Spread, 200, seed)
	if err != nil {
		return err
	}
	o := engine.RunOptions{MaxSteps: maxSteps, Policy: engine.PolicyBand, R: pinnedR, Untracked: true}
	rep, err := b.Run(new(engine.Stop), o)
	if err != nil || rep.Status != "cancelled" {
		return fmt.Errorf("a run that was cut: %v, %+v", err, rep)
	}
	kept := b.Bound.StepsTaken() != nil
	if _, err := b.Continue(new(engine.Stop)); (err == nil) != kept {
		return fmt.Errorf("gone on with after a stop: %v, steps taken kept: %v", err, kept)
	}
	return b.Bound.Close()
}
