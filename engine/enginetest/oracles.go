package enginetest

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/eaglet-workbench/eaglet/engine"
)

// Every oracle is a function that returns nil or says what is wrong first, so that a test can assert that
// a mutant is rejected. They run with R pinned and Wave 0.

// pinnedR is R in all oracles.
const pinnedR = 0.25

// sizes are the batch sizes of oracle 1: one, around a vector of 8, a strip and more, a large odd one.
var sizes = []int{1, 7, 8, 9, 33, 1000, 2049, 100003}

// manySamples is where a batch takes a noticeable part of a second.
const manySamples = 10000

// Bits is oracle 1: planes, mask, counter and steps taken are bit for bit those of a plain loop of single
// steps with a separate stop rule; a second run launches nothing.
func Bits(e engine.Engine, w *Workload, n int, stops Stops, s int32, seed uint64) error {
	const maxSteps = 400 // more than any stop: everybody finishes
	want := engine.NewPlanes(w.Kernel.Planes, n)
	w.Fill(want, stops, s, seed)
	wantMask := make([]byte, n)
	wantTaken := w.Native(want, wantMask, maxSteps)
	more, err := offeredWays(e, w, maxSteps)
	if err != nil {
		return err
	}
	for i, v := range append(ways(maxSteps), more...) {
		if n > manySamples && i != 0 && i != 2 && v.options.Reorder == 0 && v.options.Chunk != 7 {
			continue // a long batch is about its length: auto, band and what offers are for will do
		}
		b, err := w.With(v.change...).NewBatch(e, n, stops, s, seed)
		if err != nil {
			return err
		}
		rep, err := b.Run(new(engine.Stop), v.options)
		if err == nil {
			err = errors.Join(
				sameBits(b.Planes, want, b.Mask, wantMask), sameSteps(b.Bound.StepsTaken(), wantTaken), consistent(&rep, b),
			)
		}
		if err == nil {
			err = launchesNothing(b, v.options, want, wantMask)
		}
		if err != nil {
			return fmt.Errorf("%s, n=%d, %s: %w", w.Name, n, v.name, err)
		}
		if err := b.Bound.Close(); err != nil {
			return err
		}
	}
	return nil
}

// launchesNothing runs a batch that is finished.
func launchesNothing(b *Batch, o engine.RunOptions, want *engine.Planes, wantMask []byte) error {
	rep, err := b.Run(new(engine.Stop), o)
	if err != nil {
		return err
	}
	if rep.Launches != 0 || rep.Steps != 0 || rep.Longest != 0 || !rep.ExactSteps || !rep.Done {
		return fmt.Errorf("a second run of a finished batch launched: %+v", rep)
	}
	return sameBits(b.Planes, want, b.Mask, wantMask)
}

// LaunchCounts is oracle 2: how many launches a run makes follows its longest sample, not max_steps;
// longest <= steps < longest + the largest word; a never-finishing batch with a cap of 37 takes exactly 37.
func LaunchCounts(e engine.Engine, w *Workload, seed uint64) error {
	const n = 100
	for _, stops := range []Stops{Spread, Uniform, Grouped, Half, Descending} {
		for _, v := range ways(400)[:6] { // the last one goes on to the end of its turn
			var first engine.Report
			for _, maxSteps := range []int{400, 4000} {
				b, err := w.With(v.change...).NewBatch(e, n, stops, 200, seed)
				if err != nil {
					return err
				}
				o := v.options
				o.MaxSteps = maxSteps
				rep, err := b.Run(new(engine.Stop), o)
				if err != nil {
					return err
				}
				most := slices.Max(slices.Collect(maps.Keys(rep.LaunchesByK)))
				if err := consistent(&rep, b); err != nil {
					return fmt.Errorf("%s: %w", v.name, err)
				}
				if rep.Longest > rep.Steps || rep.Steps >= rep.Longest+most {
					return fmt.Errorf("%s: %d steps for a longest sample of %d and words up to %d", v.name, rep.Steps, rep.Longest, most)
				}
				if maxSteps == 400 {
					first = rep
				} else if rep.Launches != first.Launches || rep.Steps != first.Steps {
					return fmt.Errorf("%s: %d launches of %d steps under a cap of 400, %d of %d under 4000",
						v.name, first.Launches, first.Steps, rep.Launches, rep.Steps)
				}
			}
		}
	}
	return neverFinishing(e, w, seed)
}

func neverFinishing(e engine.Engine, w *Workload, seed uint64) error {
	const limit = 37
	for _, v := range ways(limit)[:5] { // words of auto kernels, and of K = 1, sum to the cap
		b, err := w.With(v.change...).NewBatch(e, 100, Never, 1, seed)
		if err != nil {
			return err
		}
		rep, err := b.Run(new(engine.Stop), v.options)
		if err != nil {
			return err
		}
		for i, k := range view[int32](b.Planes, "k") {
			if k != limit {
				return fmt.Errorf("%s: sample %d took %d steps under a cap of %d", v.name, i, k, limit)
			}
		}
		if rep.Steps != limit || !rep.ExactSteps || rep.Done || rep.Status != "max_steps" {
			return fmt.Errorf("%s: a cap of %d gives %+v", v.name, limit, rep)
		}
	}
	// A fixed K overshoots to a whole launch, a compacting one to a whole turn.
	for _, c := range []struct {
		k, every, want int
	}{{5, 0, 40}, {3, 6, 42}, {37, 0, 37}} {
		guard := WithMask
		if c.every != 0 {
			guard = WithActiveSet
		}
		b, err := w.With(guard, WithSteps(c.k)).NewBatch(e, 100, Never, 1, seed)
		if err != nil {
			return err
		}
		rep, err := b.Run(new(engine.Stop), engine.RunOptions{MaxSteps: limit, Every: c.every})
		if err != nil {
			return err
		}
		if rep.Steps != c.want || rep.Longest != c.want || !rep.ExactSteps {
			return fmt.Errorf("%d steps per launch, every %d: a cap of %d gives %d steps, want %d", c.k, c.every, limit, rep.Steps, c.want)
		}
	}
	return nil
}

// StopsAtCounter is what an engine that counts its finished samples satisfies: a batch whose samples all
// finish at step 20 ends before a cap of 100 and says that it is done. [MarksWithoutCounting] must fail it.
func StopsAtCounter(e engine.Engine, w *Workload, seed uint64) error {
	b, err := w.NewBatch(e, 50, Uniform, 20, seed)
	if err != nil {
		return err
	}
	rep, err := b.Run(new(engine.Stop), engine.RunOptions{MaxSteps: 100, Policy: engine.PolicyBand, R: pinnedR})
	if err != nil {
		return err
	}
	if !rep.Done || rep.Steps >= 100 {
		return fmt.Errorf("ran %d of 100 steps, done = %v", rep.Steps, rep.Done)
	}
	return nil
}

// RunsToCap is oracle 3, the red case of the guard: on an engine that marks finished samples but does not
// count them, a run goes on to its cap and reports that it is not done, and the marked samples stay as
// they are. An honest engine must fail it.
func RunsToCap(e engine.Engine, w *Workload, seed uint64) error {
	for _, v := range ways(100)[2:] {
		b, err := w.With(v.change...).NewBatch(e, 50, Uniform, 20, seed)
		if err != nil {
			return err
		}
		rep, err := b.Run(new(engine.Stop), v.options)
		if err != nil {
			return err
		}
		if rep.Done || rep.Status != "max_steps" || rep.Steps < 100 {
			return fmt.Errorf("%s: ran %d of 100 steps, done = %v, status %s", v.name, rep.Steps, rep.Done, rep.Status)
		}
		for i, k := range view[int32](b.Planes, "k") {
			if k != 20 {
				return fmt.Errorf("%s: sample %d was marked at step 20 and went on to %d", v.name, i, k)
			}
		}
	}
	return nil
}

// TiledLaunches is oracle 7: S=300 uniform gives five launches of 64; caps of 37 and 150 cut the last.
func TiledLaunches(e engine.Engine, w *Workload, seed uint64) error {
	for _, c := range []struct {
		maxSteps int
		want     map[int]int
	}{
		{1000, map[int]int{64: 5}},
		{300, map[int]int{64: 4, 44: 1}},
		{37, map[int]int{37: 1}},
		{150, map[int]int{64: 2, 22: 1}},
	} {
		b, err := w.NewBatch(e, 200, Uniform, 300, seed)
		if err != nil {
			return err
		}
		rep, err := b.Run(new(engine.Stop), engine.RunOptions{MaxSteps: c.maxSteps, Policy: engine.PolicyTiled})
		if err != nil {
			return err
		}
		if !maps.Equal(rep.LaunchesByK, c.want) || rep.Policy != "tiled" {
			return fmt.Errorf("cap %d: launches by k are %v (policy %s), want %v", c.maxSteps, rep.LaunchesByK, rep.Policy, c.want)
		}
		if err := consistent(&rep, b); err != nil {
			return fmt.Errorf("cap %d: %w", c.maxSteps, err)
		}
	}
	return nil
}

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
