package enginetest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
)

// StopsAnywhere stops runs by a clock, at moments nobody chose, while they work, under every policy and
// entry: at every stop planes, mask, counter and report agree and every sample is where a plain loop of as
// many steps puts it, and in the end the bits are those of the run in one.
func StopsAnywhere(e engine.Engine, w *Workload, seed uint64) error {
	const maxSteps = 300
	n := 20000
	if brief() {
		n = 4200 // which may still reorder
	}
	start := engine.NewPlanes(w.Kernel.Planes, n)
	w.Fill(start, Spread, 250, seed)
	want, wantMask := start.Clone(), make([]byte, n)
	wantTaken := w.Native(want, wantMask, maxSteps)
	more, err := offeredWays(e, w, maxSteps)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(seed, 11))
	for _, v := range append(ways(maxSteps), more...) {
		if v.name == "persistent, chunk 1" || v.name == "persistent, chunk 400" {
			continue // there is nothing in them that a chunk of 7 has not
		}
		b, err := w.With(v.change...).Bind(e, start.Clone(), make([]byte, n))
		if err != nil {
			return err
		}
		if err := stoppedNowAndThen(b, start, v.options, rng); err != nil {
			return fmt.Errorf("%s, %w", v.name, err)
		}
		if err := errors.Join(sameBits(b.Planes, want, b.Mask, wantMask), sameSteps(b.Bound.StepsTaken(), wantTaken)); err != nil {
			return fmt.Errorf("%s, at the end: %w", v.name, err)
		}
		if err := b.Bound.Close(); err != nil {
			return err
		}
	}
	return nil
}

// stoppedNowAndThen makes a whole run of b, whose planes were those of start, with up to 20 stops.
func stoppedNowAndThen(b *Batch, start *engine.Planes, o engine.RunOptions, rng *rand.Rand) error {
	var stop engine.Stop
	after := func() *time.Timer {
		stop.Clear()
		return time.AfterFunc(time.Duration(100+rng.IntN(2000))*time.Microsecond, stop.Set)
	}
	timer := after()
	rep, err := b.Run(&stop, o)
	for stops := 0; ; stops++ {
		timer.Stop()
		if err == nil {
			err = errors.Join(consistent(&rep, b), everySample(b, start))
		}
		if err != nil {
			return fmt.Errorf("stop %d: %w", stops, err)
		}
		if rep.Status != "cancelled" {
			return nil
		}
		if stops < 20 {
			timer = after()
		} else {
			stop.Clear()
		}
		rep, err = b.Continue(&stop)
	}
}

// everySample checks some samples of a stopped batch against a plain loop of the steps that each took.
func everySample(b *Batch, start *engine.Planes) error {
	p := start.Clone()
	plain := b.Workload.Plain(p)
	taken := b.Bound.StepsTaken()
	for i := 0; i < p.N; i += 37 {
		for range taken[i] {
			plain.Step(i)
		}
		for q := range p.Spec {
			size := p.Spec[q].Type.Bytes()
			if p.Elements(q) == p.N && !bytes.Equal(p.Bytes(q)[i*size:(i+1)*size], b.Planes.Bytes(q)[i*size:(i+1)*size]) {
				return fmt.Errorf("sample %d after %d steps: plane %s is %v, want %v", i, taken[i], p.Spec[q].Name,
					b.Planes.Float(q, i), p.Float(q, i))
			}
		}
	}
	return nil
}
