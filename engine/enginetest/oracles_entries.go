package enginetest

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Persistent checks an engine's persistent entry: one launch as long as its longest sample, exact, without
// boundaries, whatever the chunk; its lanes' steps cover those of the samples. An engine without such an
// entry passes.
func Persistent(e engine.Engine, w *Workload, seed uint64) error {
	for _, stops := range []Stops{Spread, Uniform, Grouped, Descending, Never} {
		for _, chunk := range []int{1, 16, 1000} {
			b, err := w.NewBatch(e, 700, stops, 200, seed)
			if err != nil {
				return err
			}
			if offersOf(b.Bound).Persister == nil {
				return nil
			}
			rep, err := b.Run(new(engine.Stop), engine.RunOptions{MaxSteps: 150, Entry: engine.EntryPersistent, Chunk: chunk})
			if err == nil {
				err = consistent(&rep, b)
			}
			if err != nil {
				return err
			}
			if rep.Launches != 1 || rep.Steps != rep.Longest || !maps.Equal(rep.LaunchesByK, map[int]int{rep.Longest: 1}) ||
				!rep.ExactSteps || rep.Compactions != 0 || rep.Reorders != 0 || rep.Entry != "persistent" {
				return fmt.Errorf("chunk %d: %+v", chunk, rep)
			}
			if !(rep.SlotFill > 0 && rep.SlotFill <= 1) {
				return fmt.Errorf("chunk %d: slot fill %g, want a share in (0,1]", chunk, rep.SlotFill)
			}
		}
	}
	return nil
}

// WithPlanes gives the kernel further planes that no step touches, of every element size and of several
// components, for the oracle on reorder.
func WithPlanes(k *ir.Kernel) {
	for _, p := range []ir.Plane{
		{Name: "extra_bool", Type: ir.Bool, Role: ir.RoleInput},
		{Name: "extra_i32", Type: ir.I32, Role: ir.RoleInput, Dims: []int{3}},
		{Name: "extra_f32", Type: ir.F32, Role: ir.RoleInput},
		{Name: "extra_u64", Type: ir.U64, Role: ir.RoleInput, Dims: []int{2}},
		{Name: "extra_f64", Type: ir.F64, Role: ir.RoleInput, Dims: []int{2, 2}},
		{Name: "extra_param", Type: ir.F64, Role: ir.RoleParam, Dims: []int{2}},
	} {
		p.Field = p.Name
		k.Planes = append(k.Planes, p)
	}
}

// Reordering is oracle 5 on reorder: a run that reorders as often as it may ends with every sample at its
// own place in every plane, mask and steps taken, bit for bit as a plain loop puts it, and so does one that
// a stop cuts while the batch is permuted. An engine that cannot reorder passes.
func Reordering(e engine.Engine, w *Workload, seed uint64) error {
	w = w.With(WithActiveSet, WithPlanes)
	for _, n := range []int{4096, 4095, 6001} {
		for _, stops := range []Stops{Spread, Grouped, Half} {
			if brief() && n > 4096 {
				continue
			}
			if err := reordering(e, w, n, stops, seed); err != nil {
				return fmt.Errorf("n=%d: %w", n, err)
			}
		}
	}
	return nil
}

func reordering(e engine.Engine, w *Workload, n int, stops Stops, seed uint64) error {
	start := engine.NewPlanes(w.Kernel.Planes, n)
	w.Fill(start, stops, 200, seed)
	rng := rand.New(rand.NewPCG(seed, 21))
	for i := range start.Spec {
		if len(start.Spec[i].Name) > 6 && start.Spec[i].Name[:6] == "extra_" {
			for j, b := 0, start.Bytes(i); j < len(b); j++ {
				if b[j] = byte(rng.Uint32()); start.Spec[i].Type == ir.Bool {
					b[j] &= 1
				}
			}
		}
	}
	const maxSteps = 310
	want, wantMask := start.Clone(), make([]byte, n)
	wantTaken := w.Native(want, wantMask, maxSteps)
	o := engine.RunOptions{MaxSteps: maxSteps, Policy: engine.PolicyBand, R: pinnedR, Reorder: 0.75}
	for _, stop := range []float64{-1, 0.3, 0.7} { // share of the third launch, at which a reorder may have fired
		b, err := w.Bind(Interrupted(e, []float64{-1, -1, stop}), start.Clone(), make([]byte, n))
		if err != nil {
			return err
		}
		if offersOf(b.Bound).Reorderer == nil {
			return nil
		}
		rep, err := b.Run(new(engine.Stop), o)
		for err == nil && rep.Status == "cancelled" {
			if err = errors.Join(consistent(&rep, b), everySample(b, start)); err == nil {
				rep, err = b.Continue(new(engine.Stop))
			}
		}
		if err == nil {
			err = errors.Join(sameBits(b.Planes, want, b.Mask, wantMask), sameSteps(b.Bound.StepsTaken(), wantTaken), consistent(&rep, b))
		}
		if err != nil {
			return err
		}
		if fires := n >= 4096; (rep.Reorders > 0) != fires {
			return fmt.Errorf("%d reorders of a batch of %d, want some only from 4096 on", rep.Reorders, n)
		}
		if err := b.Bound.Close(); err != nil {
			return err
		}
	}
	return nil
}

// offersOfEngine is what the Bounds of an engine offer: a mutant of what is not offered is no mutant.
func offersOfEngine(e engine.Engine) (offers, error) {
	b, err := CountWorkload().NewBatch(e, 1, Uniform, 1, seed)
	if err != nil {
		return offers{}, err
	}
	return offersOf(b.Bound), b.Bound.Close()
}
