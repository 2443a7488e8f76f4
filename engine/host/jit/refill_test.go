package jit

import (
	"math"
	"testing"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
	"github.com/eaglet-workbench/eaglet/kernels/ir/irtest"
)

// TestRefillsEqualInterpreter runs batches whose samples finish at many different steps, some never, some NaN.
func TestRefillsEqualInterpreter(t *testing.T) {
	for _, c := range []struct {
		n     int
		chunk uint32
		lanes int
		upto  uint32
	}{{700, 1, 0, 1000}, {1500, 8, 1500, 1000}, {1500, 16, 200, 60}, {2049, 0, 0, 1000}, {900, 5, 64, 33}} {
		start := oscillators(t, c.n, true)
		start.fill("nstop", 0, func(i uint64) float64 { return 1 + float64(i*i%97) })
		start.fill("x", 0, func(i uint64) float64 {
			if i%31 == 5 {
				return math.Float64frombits(0xFFF0_0000_0000_0000 | i)
			}
			return draw(i, 2, -1, 1)
		})
		for i := 0; i < c.n; i += 113 {
			start.mask[i] = byte(i % 2)
			start.taken[(i+7)%c.n] = uint32(i % 3)
		}
		want := start.clone()
		wanted := *interp.Compile(start.k).NewMachine().Run(want.work(c.upto))
		everyWay(t, start.k, func(t *testing.T, m *Machine) {
			got := start.clone()
			w := got.work(c.upto)
			w.Chunk, w.Lanes = c.chunk, c.lanes
			r := *m.Run(w)
			if d := got.difference(want); d != "" {
				t.Fatalf("%+v: %s", c, d)
			}
			r.LaneChunks, r.Refills = 0, 0
			if r != wanted {
				t.Fatalf("%+v: the result is %+v, want %+v", c, r, wanted)
			}
		})
	}
}

// TestRandomKernelsRefillLikeTheInterpreter gives random kernels more samples than there are lanes, all alike at
// the start, and stops some of the runs.
func TestRandomKernelsRefillLikeTheInterpreter(t *testing.T) {
	first, count := seeds(t, 250)
	refilled := 0
	for seed := first; seed < first+count; seed++ {
		k := irtest.Kernel(seed+70_000, 5+int(seed%60))
		start := randomBatch(k, 150+int(seed%100), seed)
		clear(start.taken)
		clear(start.mask)
		want := start.clone()
		wanted := *interp.Compile(k).NewMachine().Run(want.work(300))
		for _, target := range Targets {
			x, err := generateGroups(k, target, 1+int(seed%2))
			if err != nil {
				t.Fatal(err)
			}
			for way, m := range machines(t, x) {
				if way == "emulated" && seed%8 != 0 {
					continue
				}
				got := start.clone()
				if seed%2 == 0 {
					for from := range 4 {
						w := got.work(300)
						w.Chunk, w.Stop = 3, &stopAfter{from: 1 + from*3}
						m.Run(w)
					}
				}
				r := *m.Run(got.work(300))
				if d := got.difference(want); d != "" {
					t.Fatalf("seed %d, %s: %s\n%s", seed, way, d, printed(k))
				}
				if seed%2 == 1 && r != wanted {
					t.Fatalf("seed %d, %s: the result is %+v, want %+v\n%s", seed, way, r, wanted, printed(k))
				}
				if x.refilling && wanted.Newly > 100 {
					refilled++
				}
			}
		}
	}
	if refilled < int(count)/20 {
		t.Errorf("only %d runs may have refilled lanes", refilled)
	}
}

// TestRefillsNeedFewCalls says that lanes are refilled inside the code.
func TestRefillsNeedFewCalls(t *testing.T) {
	start := oscillators(t, 4000, false)
	start.fill("nstop", 0, func(i uint64) float64 { return 10 + float64(i*i%97) })
	everyWay(t, start.k, func(t *testing.T, m *Machine) {
		calls, run := 0, m.exec
		m.exec = func(entry uintptr, frame unsafe.Pointer) { calls++; run(entry, frame) }
		w := start.clone().work(1000)
		w.Chunk, w.Lanes = 8, 4000
		if m.Run(w); calls > 250 {
			t.Errorf("%d calls for 4000 samples", calls)
		}
	})
}
