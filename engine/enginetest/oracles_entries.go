package enginetest

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// CapFixture is oracle 9, run before every benchmark: 4096 samples of which 8 stop at 2S, under a cap of
// S = 128. However they are run, each takes min(stop, S) steps, and 4088 are finished.
func CapFixture(e engine.Engine, w *Workload, seed uint64) error {
	const n, s, slow = 4096, 128, 512 // one in 512 is slow
	stops := func(_ *rand.Rand, i, _ int, s int32) int32 {
		if i%slow == 7 {
			return 2 * s
		}
		return 1 + int32(i)%s
	}
	more, err := offeredWays(e, w, s)
	if err != nil {
		return err
	}
	for _, v := range append(ways(s)[:5], more...) { // the other fixed words pass the cap
		if v.name == "5 steps per launch" {
			continue
		}
		b, err := w.With(v.change...).NewBatch(e, n, stops, s, seed)
		if err != nil {
			return err
		}
		rep, err := b.Run(new(engine.Stop), v.options)
		if err != nil {
			return err
		}
		if rep.Finished != n-n/slow || rep.Done || rep.Status != "max_steps" || rep.Longest != s {
			return fmt.Errorf("%s: %d finished after %d steps, done %v, status %s, want %d, %d, false, max_steps",
				v.name, rep.Finished, rep.Longest, rep.Done, rep.Status, n-n/slow, s)
		}
		taken := b.Bound.StepsTaken()
		for i, k := range view[int32](b.Planes, "k") {
			if want := min(stops(nil, i, n, s), s); k != want || taken[i] != uint32(want) {
				return fmt.Errorf("%s: sample %d is at k = %d after %d steps, want %d", v.name, i, k, taken[i], want)
			}
		}
		if err := b.Bound.Close(); err != nil {
			return err
		}
	}
	return nil
}

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

// Untracked checks runs without steps taken: the bits and the launches are those of the run that keeps them,
// whatever the way, and once stopped they are gone on with only where the engine has kept them all the same.
func Untracked(e engine.Engine, w *Workload, seed uint64) error {
	const n, maxSteps = 5000, 310
	more, err := offeredWays(e, w, maxSteps)
	if err != nil {
		return err
	}
	for _, v := range append(ways(maxSteps), more...) {
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
	b, err := w.NewBatch(Interrupted(e, []float64{0.5}), n, Spread, 200, seed)
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

// ForgetsAPlane is a mutant whose reorders leave plane number plane as it was.
func ForgetsAPlane(e engine.Engine, plane int) engine.Engine {
	return Wrapped(e, func(b engine.Bound, p *engine.Planes, _ []byte) engine.Bound {
		o := offersOf(b)
		if o.Reorderer != nil {
			o.Reorderer = forgettingPlane{o.Reorderer, p, plane}
		}
		return o.of(&interrupted{Bound: b})
	})
}

type forgettingPlane struct {
	engine.Reorderer
	planes *engine.Planes
	plane  int
}

func (f forgettingPlane) Reorder(theta float32) (engine.ReorderStats, error) {
	before := slices.Clone(f.planes.Bytes(f.plane))
	s, err := f.Reorderer.Reorder(theta)
	copy(f.planes.Bytes(f.plane), before)
	return s, err
}

// NeverRestores is a mutant that leaves a reordered batch as it lies.
func NeverRestores(e engine.Engine) engine.Engine {
	return Wrapped(e, func(b engine.Bound, _ *engine.Planes, _ []byte) engine.Bound {
		o := offersOf(b)
		if o.Reorderer != nil {
			o.Reorderer = unrestoring{o.Reorderer}
		}
		return o.of(&interrupted{Bound: b})
	})
}

type unrestoring struct{ engine.Reorderer }

func (unrestoring) Restore() error { return nil }

// LosesChunks is a mutant whose persistent entry counts one chunk of a lane in ten: its slots would be more
// than full.
func LosesChunks(e engine.Engine) engine.Engine {
	return Wrapped(e, func(b engine.Bound, _ *engine.Planes, _ []byte) engine.Bound {
		o := offersOf(b)
		if o.Persister != nil {
			o.Persister = losingChunks{o.Persister}
		}
		return o.of(&interrupted{Bound: b})
	})
}

type losingChunks struct{ engine.Persister }

func (l losingChunks) Persist(stop *engine.Stop, upto, chunk uint32, progress func(finished, steps uint64)) (engine.PersistStats, error) {
	s, err := l.Persister.Persist(stop, upto, chunk, progress)
	s.LaneChunks /= 10
	return s, err
}

// offersOfEngine is what the Bounds of an engine offer: a mutant of what is not offered is no mutant.
func offersOfEngine(e engine.Engine) (offers, error) {
	b, err := CountWorkload().NewBatch(e, 1, Uniform, 1, seed)
	if err != nil {
		return offers{}, err
	}
	return offersOf(b.Bound), b.Bound.Close()
}
