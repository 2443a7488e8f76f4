package jit

import (
	"testing"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
	"github.com/eaglet-workbench/eaglet/kernels/ir/irtest"
)

// TestStreamsEqualInterpreter makes launches of some steps until nobody is left, with batches of sizes round
// tiles, samples that finish on the way, and shares of several sizes.
func TestStreamsEqualInterpreter(t *testing.T) {
	for _, c := range []struct{ n, step, lanes int }{{1, 1, 0}, {95, 1, 0}, {96, 1, 0}, {97, 1, 40}, {129, 2, 64}, {333, 3, 0}, {333, 1, 100}} {
		start := oscillators(t, c.n, true)
		start.fill("nstop", 0, func(i uint64) float64 { return float64(2 + i/40%5*3) })
		everyWay(t, start.k, func(t *testing.T, m *Machine) {
			want, got := start.clone(), start.clone()
			in := interp.Compile(start.k).NewMachine()
			for upto := uint32(c.step); upto < 20; upto += uint32(c.step) {
				w, g := want.work(upto), got.work(upto)
				g.Lanes = c.lanes
				wanted, r := *in.Run(w), *m.Run(g)
				if d := got.difference(want); d != "" {
					t.Fatalf("%+v, upto %d: %s", c, upto, d)
				}
				if r != wanted {
					t.Fatalf("%+v, upto %d: the result is %+v, want %+v", c, upto, r, wanted)
				}
			}
		})
	}
}

// TestRandomKernelsStreamLikeTheInterpreter starts everybody alike, so that rows of samples stay whole.
func TestRandomKernelsStreamLikeTheInterpreter(t *testing.T) {
	first, count := seeds(t, 300)
	for seed := first; seed < first+count; seed++ {
		k := irtest.Kernel(seed+50_000, 5+int(seed%60))
		start := randomBatch(k, 70+int(seed%30), seed)
		clear(start.taken)
		if seed%3 > 0 {
			clear(start.mask)
		}
		in := interp.Compile(k).NewMachine()
		for _, target := range Targets {
			x, err := generateGroups(k, target, 1+int(seed%4))
			if err != nil {
				t.Fatal(err)
			}
			x.addRowStep()
			for way, m := range machines(t, x) {
				want, got := start.clone(), start.clone()
				for upto := uint32(1); upto < 4; upto++ {
					wanted, r := *in.Run(want.work(upto)), *m.Run(got.work(upto))
					if d := got.difference(want); d != "" {
						t.Fatalf("seed %d, %s, upto %d: %s\n%s", seed, way, upto, d, printed(k))
					}
					if r != wanted {
						t.Fatalf("seed %d, %s, upto %d: the result is %+v, want %+v\n%s", seed, way, upto, r, wanted, printed(k))
					}
				}
			}
		}
	}
}

// TestStreamNeedsFewCalls says that whole rows do not go through Go one by one.
func TestStreamNeedsFewCalls(t *testing.T) {
	start := oscillators(t, 4000, false)
	everyWay(t, start.k, func(t *testing.T, m *Machine) {
		calls, run := 0, m.exec
		m.exec = func(entry uintptr, frame unsafe.Pointer) { calls++; run(entry, frame) }
		for upto := uint32(1); upto < 4; upto++ {
			m.Run(start.clone().work(upto))
		}
		if calls > 3*4 {
			t.Errorf("%d calls for 3 launches of 4000 samples", calls)
		}
	})
}

// TestStopsOfStreamsLeaveStepBoundaries stops streams wherever they ask, also inside loops of a kernel.
func TestStopsOfStreamsLeaveStepBoundaries(t *testing.T) {
	stopped := 0
	for seed := range uint64(60) {
		k := irtest.Kernel(seed, 20+int(seed%40))
		start := randomBatch(k, 75, seed)
		clear(start.taken)
		clear(start.mask)
		want := start.clone()
		interp.Compile(k).NewMachine().Run(want.work(2))
		everyWay(t, k, func(t *testing.T, m *Machine) {
			m.work = 4 * m.weight
			got := start.clone()
			for from := 0; from < 2000; from++ {
				w := got.work(2)
				w.Stop = &stopAfter{from: 1 + from%7 + from*from/50}
				if !m.Run(w).Stopped {
					break
				}
				stopped++
			}
			if d := got.difference(want); d != "" {
				t.Fatalf("seed %d: %s\n%s", seed, d, printed(k))
			}
		})
	}
	if stopped < 100 {
		t.Errorf("only %d stops", stopped)
	}
}
