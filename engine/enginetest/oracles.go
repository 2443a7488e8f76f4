package enginetest

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Every oracle is a function that returns nil or says what is wrong first, so that a test can assert that
// a mutant is rejected. They run with R pinned and Wave 0.

// pinnedR is R in all oracles.
const pinnedR = 0.25

// sizes are the batch sizes of oracle 1: one, around a vector of 8, a strip and more, a large odd one.
var sizes = []int{1, 7, 8, 9, 33, 1000, 2049, 100003}

// manySamples is where a batch takes a noticeable part of a second.
const manySamples = 10000

// ticking is a clock that goes on by a microsecond each time somebody looks: a launch is as dear as another,
// so the measured policy finds longer ones cheaper.
func ticking() func() time.Duration {
	var now time.Duration
	return func() time.Duration {
		now += time.Microsecond
		return now
	}
}

// way is a kernel variant with options: a way to run a workload.
type way struct {
	name    string
	change  []func(*ir.Kernel)
	options engine.RunOptions
}

// ways are the ways in which the bits must not differ.
func ways(maxSteps int) []way {
	o := engine.RunOptions{MaxSteps: maxSteps, R: pinnedR}
	band, tiled, every := o, o, o
	band.Policy, tiled.Policy, every.Every = engine.PolicyBand, engine.PolicyTiled, 6
	o.Clock = ticking()
	return []way{
		{"auto", nil, o},
		{"tiled", nil, tiled},
		{"band", nil, band},
		{"band, guard=mask", []func(*ir.Kernel){WithMask}, band},
		{"one step per launch", []func(*ir.Kernel){WithMask, WithSteps(1)}, o},
		{"5 steps per launch", []func(*ir.Kernel){WithMask, WithSteps(5)}, o},
		{"3 steps per launch, compacting every 6", []func(*ir.Kernel){WithActiveSet, WithSteps(3)}, every},
	}
}

// offeredWays are further ways of an engine that offers more: both entries by name, small and large chunks,
// and a reorder as often as its rule lets it.
func offeredWays(e engine.Engine, w *Workload, maxSteps int) ([]way, error) {
	b, err := w.NewBatch(e, 1, Uniform, 1, seed)
	if err != nil {
		return nil, err
	}
	o := engine.RunOptions{MaxSteps: maxSteps, R: pinnedR, Clock: ticking()}
	measured, doubling := o, o
	measured.Policy, doubling.Policy = engine.PolicyMeasured, engine.PolicyDoubling
	list := []way{{"measured", nil, measured}, {"doubling", nil, doubling}}
	has := offersOf(b.Bound)
	if has.Persister != nil {
		for _, chunk := range []int{0, 1, 7, 400} {
			o := o
			o.Entry, o.Chunk = engine.EntryPersistent, chunk
			list = append(list, way{fmt.Sprintf("persistent, chunk %d", chunk), nil, o})
		}
	}
	if has.Reorderer != nil {
		o.Policy, o.Reorder = engine.PolicyBand, 0.75
		list = append(list, way{"band, reordering", []func(*ir.Kernel){WithActiveSet}, o})
	}
	return list, b.Bound.Close()
}

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

// PresetMask is oracle 4: samples marked by the caller are not touched, any non-zero byte becomes 1, the
// others are exact; Reset then runs the marked ones; a mask edited between runs is honoured.
func PresetMask(e engine.Engine, w *Workload, seed uint64) error {
	const n, maxSteps = 500, 30
	for _, v := range ways(maxSteps)[:5] {
		w := w.With(v.change...)
		if err := presetMask(e, w, v, n, maxSteps, seed); err != nil {
			return fmt.Errorf("%s: %w", v.name, err)
		}
	}
	return nil
}

func presetMask(e engine.Engine, w *Workload, v way, n, maxSteps int, seed uint64) error {
	want := engine.NewPlanes(w.Kernel.Planes, n)
	w.Fill(want, Descending, 60, seed)
	mask, wantMask := make([]byte, n), make([]byte, n)
	for i := 0; i < n; i += 7 {
		mask[i], wantMask[i] = byte(1+4*(i%2)), 1
	}
	got := want.Clone()
	b, err := w.Bind(e, got, mask)
	if err != nil {
		return err
	}
	run := func(what string) error {
		taken := w.Native(want, wantMask, uint32(maxSteps))
		rep, err := b.Run(new(engine.Stop), v.options)
		if err == nil {
			err = errors.Join(sameBits(got, want, mask, wantMask), sameSteps(b.Bound.StepsTaken(), taken), consistent(&rep, b))
		}
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		return nil
	}
	if err := run("every 7th preset"); err != nil {
		return err
	}
	// One that is finished and one that is not change places: both are honoured.
	live, done := slices.Index(mask, 0), n-2
	if live < 0 || mask[done] == 0 {
		return fmt.Errorf("the fixture lacks a live or a finished sample: %d, %d", live, mask[done])
	}
	mask[live], mask[done] = 1, 0
	wantMask[live], wantMask[done] = 1, 0
	if err := run("one finished and one live sample swapped"); err != nil {
		return err
	}
	if err := b.Reset(); err != nil {
		return err
	}
	clear(wantMask)
	if err := sameBits(got, want, mask, wantMask); err != nil {
		return fmt.Errorf("after a reset: %w", err)
	}
	return run("run again after a reset")
}

// activeMapper is what a Bound may offer to let oracle 5 look at the map itself.
type activeMapper interface{ ActiveMap() []uint32 }

// CompactionMap is oracle 5: after a compaction the map holds the indices of the zero mask, in order; a
// compaction does not run again while the counter stays, nor at the start when nobody is finished.
func CompactionMap(e engine.Engine, w *Workload, n int, seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 5))
	for _, share := range []float64{0, 0.02, 0.5, 0.98, 1} {
		p := engine.NewPlanes(w.Kernel.Planes, n)
		w.Fill(p, Uniform, 50, seed)
		mask := make([]byte, n)
		for i := range mask {
			if rng.Float64() < share {
				mask[i] = 1
			}
		}
		b, err := w.Bind(e, p, mask)
		if err != nil {
			return err
		}
		if err := compactionMap(b); err != nil {
			return fmt.Errorf("n=%d, %g of it finished: %w", n, share, err)
		}
	}
	return nil
}

func compactionMap(b *Batch) error {
	c, err := b.Bound.Begin(false)
	if err != nil {
		return err
	}
	live, groups := liveSlots(b.Mask)
	if int(c.Finished) != len(b.Mask)-len(live) {
		return fmt.Errorf("the counter starts at %d, want %d", c.Finished, len(b.Mask)-len(live))
	}
	ran := c.Finished != 0
	for _, what := range []string{"first compaction", "second compaction, the counter unmoved"} {
		s, err := b.Bound.Compact()
		if err != nil {
			return err
		}
		if s.Ran != ran {
			return fmt.Errorf("%s: ran = %v, want %v", what, s.Ran, ran)
		}
		ran = false
		if s.Active != b.Bound.Counters().Active || int(s.Active) != len(live) {
			return fmt.Errorf("%s: the map holds %d slots (counters: %d), want %d", what, s.Active, b.Bound.Counters().Active, len(live))
		}
		if s.Ran && int(s.Groups) != groups {
			return fmt.Errorf("%s: %d groups of 32, want %d", what, s.Groups, groups)
		}
		if m, ok := b.Bound.(activeMapper); ok {
			if got := m.ActiveMap(); !slices.Equal(got[:s.Active], live) {
				return fmt.Errorf("%s: the map is not the list of live slots in order", what)
			}
		}
	}
	// The launch goes through the map: the live ones step, the others keep their bits.
	want, wantMask := b.Planes.Clone(), slices.Clone(b.Mask)
	b.Workload.Native(want, wantMask, 3)
	if _, err := b.Bound.Launch(new(engine.Stop), 3); err != nil {
		return err
	}
	return sameBits(b.Planes, want, b.Mask, wantMask)
}

// liveSlots restates what a compaction finds.
func liveSlots(mask []byte) (live []uint32, groups int) {
	for i, m := range mask {
		if m != 0 {
			continue
		}
		if len(live) == 0 || int(live[len(live)-1])/32 != i/32 {
			groups++
		}
		live = append(live, uint32(i))
	}
	return live, groups
}

// Decide is the shape of engine.Band.
type Decide func(newly, n, word uint32, r float64, stepsMax uint32) uint32

// RestatedBand is the band said again, with a root and a logarithm: k* to the nearest power of two.
func RestatedBand(newly, n, word uint32, r float64, stepsMax uint32) uint32 {
	if newly == 0 {
		return stepsMax
	}
	h := float64(newly) / (float64(n) * float64(word))
	k := math.Exp2(math.Round(math.Log2(math.Sqrt(2 * r / h))))
	return uint32(min(max(k, 8), float64(stepsMax)))
}

// ConstantBand is the mutant that the oracle on the band must reject.
func ConstantBand(_, _, _ uint32, _ float64, _ uint32) uint32 { return 16 }

// BandLaunches is oracle 6: a hand loop that knows only the stops and decides by decide gives the same
// words, in the same numbers, and the same compactions.
func BandLaunches(e engine.Engine, w *Workload, decide Decide, seed uint64) error {
	for _, stops := range []Stops{Spread, Uniform, Grouped, Half, Descending, Never} {
		for _, maxSteps := range []int{37, 150, 1000} {
			if brief() && maxSteps == 1000 {
				continue
			}
			for _, r := range []float64{0.015625, pinnedR, 16} {
				if err := bandLaunches(e, w, decide, stops, maxSteps, r, seed); err != nil {
					return fmt.Errorf("cap %d, R %g: %w", maxSteps, r, err)
				}
			}
		}
	}
	return nil
}

func bandLaunches(e engine.Engine, w *Workload, decide Decide, stops Stops, maxSteps int, r float64, seed uint64) error {
	const n = 350
	b, err := w.NewBatch(e, n, stops, 300, seed)
	if err != nil {
		return err
	}
	nstop := slices.Clone(view[int32](b.Planes, "nstop"))
	rep, err := b.Run(new(engine.Stop), engine.RunOptions{MaxSteps: maxSteps, Policy: engine.PolicyBand, R: r})
	if err != nil {
		return err
	}
	finishedBy := func(step int) (count uint32) {
		for _, s := range nstop {
			if int(s) <= step {
				count++
			}
		}
		return count
	}
	want, compactions := map[int]int{}, 0
	for done, word, before := 0, min(16, maxSteps), uint32(0); ; {
		want[word]++
		done += word
		after := finishedBy(done)
		if after != before {
			compactions++
		}
		next := min(int(decide(after-before, n, uint32(word), r, 64)), maxSteps-done)
		before = after
		if after == n || next == 0 {
			break
		}
		word = next
	}
	if !maps.Equal(rep.LaunchesByK, want) {
		return fmt.Errorf("launches by k are %v, a hand loop makes %v", rep.LaunchesByK, want)
	}
	if rep.Compactions != compactions {
		return fmt.Errorf("%d compactions, a hand loop makes %d", rep.Compactions, compactions)
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
