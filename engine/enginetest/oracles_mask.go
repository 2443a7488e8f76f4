package enginetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/eaglet-workbench/eaglet/engine"
)

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
