package enginetest

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/eaglet-workbench/eaglet/engine"
)

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
