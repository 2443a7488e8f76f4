package jit

import (
	"io"
	"maps"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/eaglet-workbench/eaglet/kernels/generate"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
	"github.com/eaglet-workbench/eaglet/kernels/ir/irtest"
)

// TestLibraryKernelsEqualInterpreter runs every kernel that ships, from its own start values.
func TestLibraryKernelsEqualInterpreter(t *testing.T) {
	names, err := os.ReadDir("../../../kernels/library")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range names {
		if !d.IsDir() {
			continue
		}
		t.Run(d.Name(), func(t *testing.T) {
			k := load(t, "../../../kernels/library/"+d.Name())
			const n, upto = 37, 40
			b := newBatch(k, n)
			for i := range k.Planes {
				p := &k.Planes[i]
				count := n
				if p.Role == ir.RoleParam {
					count = 1
				}
				if p.Role == ir.RoleTable {
					count = max(p.Len, 5)
					b.planes[i] = make([]byte, count*p.Type.Bytes())
				}
				if err := generate.Fill(p, b.planes[i], 7, 0, uint64(count), uint64(count)); err != nil {
					t.Fatal(err)
				}
			}
			if k.Init != nil {
				interp.Compile(k).Init().NewMachine().Store(b.planes, n, interp.NewCursor(0, n), nil)
			}
			for _, target := range Targets {
				x, err := makeText(k, target)
				if err != nil {
					t.Fatal(err)
				}
				agree(t, k, b, upto, 1, 2, x.Unroll())
				t.Logf("%v: unroll %d, registers %d, spills %d, %d bytes, %d instructions", target, x.Unroll(), x.Registers(), x.Spills(), len(x.Bytes()), x.weight)
			}
		})
	}
}

// TestSizesRoundLanesAndGroups runs batches of every size up to three machines' lanes, and limits on the
// lanes.
func TestSizesRoundLanesAndGroups(t *testing.T) {
	for n := 0; n <= 3*maxGroups*lanes+1; n++ {
		b := oscillators(t, n, true)
		want := b.clone()
		interp.Compile(b.k).NewMachine().Run(want.work(300))
		for _, limit := range []int{0, 1, 7, 9, 1000} {
			if n%8 > 1 && limit != 0 {
				continue
			}
			for _, target := range Targets {
				x, err := generateGroups(b.k, target, 1+n%maxGroups)
				if err != nil {
					t.Fatal(err)
				}
				for way, m := range machines(t, x) {
					if way == "emulated" && n > 40 {
						continue
					}
					got := b.clone()
					w := got.work(300)
					w.Lanes = limit
					m.Run(w)
					if d := got.difference(want); d != "" {
						t.Fatalf("%s, n %d, at most %d lanes: %s", way, n, limit, d)
					}
				}
			}
		}
		if n > 34 {
			n += 4
		}
	}
}

// TestMapAndRaggedSteps runs the samples of a map only, in launches of some steps.
func TestMapAndRaggedSteps(t *testing.T) {
	start := oscillators(t, 100, true)
	for i := range start.taken {
		start.taken[i] = uint32(i % 5)
	}
	var slots []uint32
	for i := uint32(0); i < 100; i += 3 {
		slots = append(slots, 99-i)
	}
	everyWay(t, start.k, func(t *testing.T, m *Machine) {
		want, got := start.clone(), start.clone()
		for upto := uint32(3); upto < 60; upto += 7 {
			for _, run := range []struct {
				on *batch
				by func(*interp.Work) *interp.Result
			}{{want, interp.Compile(start.k).NewMachine().Run}, {got, m.Run}} {
				w := run.on.work(upto)
				w.Map, w.Next = slots, interp.NewCursor(0, len(slots))
				run.by(w)
			}
			if d := got.difference(want); d != "" {
				t.Fatalf("upto %d: %s", upto, d)
			}
		}
	})
}

// everyWay calls f with a new machine for every target and way of running it.
func everyWay(t *testing.T, k *ir.Kernel, f func(*testing.T, *Machine)) {
	for _, target := range Targets {
		x, err := makeText(k, target)
		if err != nil {
			t.Fatal(err)
		}
		for way, m := range machines(t, x) {
			t.Run(way, func(t *testing.T) { f(t, m) })
		}
	}
}

// TestChunksCountLanes checks what a persistent run says about its lanes.
func TestChunksCountLanes(t *testing.T) {
	start := oscillators(t, 300, true)
	want := start.clone()
	interp.Compile(start.k).NewMachine().Run(want.work(2000))
	everyWay(t, start.k, func(t *testing.T, m *Machine) {
		b := start.clone()
		w := b.work(2000)
		w.Chunk = 16
		r := m.Run(w)
		if d := b.difference(want); d != "" {
			t.Fatal(d)
		}
		if got := uint64(300 - m.Width()); r.Refills != got {
			t.Errorf("%d refills, want %d", r.Refills, got)
		}
		if share := float64(r.SampleSteps) / float64(16*r.LaneChunks); share <= 0.7 || share > 1 {
			t.Errorf("lanes were used for %v of their steps", share)
		}
	})
}

// stopAfter is set from the so many-th time on that it is asked.
type stopAfter struct{ asked, from int }

func (s *stopAfter) IsSet() bool { s.asked++; return s.asked > s.from }

// TestStopsLeaveStepBoundaries stops runs of kernels with loops at every place where the code may be left,
// and goes on: the end is that of an undisturbed run.
func TestStopsLeaveStepBoundaries(t *testing.T) {
	stopped, left := 0, 0
	for seed := range uint64(150) {
		k := irtest.Kernel(seed, 20+int(seed%40))
		if !hasLoop(&k.Step.Trip) {
			continue
		}
		start := randomBatch(k, 21, seed)
		want := start.clone()
		interp.Compile(k).NewMachine().Run(want.work(6))
		ways := map[string]*Machine{}
		for _, target := range Targets {
			x, err := generateGroups(k, target, 1+int(seed%3))
			if err != nil {
				t.Fatal(err)
			}
			maps.Copy(ways, machines(t, x))
		}
		for way, m := range ways {
			m.work = 2
			for _, from := range []int{1, 2, 3, 5, 8, 13} {
				got := start.clone()
				for range 1000 {
					w := got.work(6)
					w.Stop = &stopAfter{from: from}
					from += 2
					r := m.Run(w)
					if !r.Stopped {
						break
					}
					stopped++
				}
				if d := got.difference(want); d != "" {
					t.Fatalf("seed %d, %s: %s\n%s", seed, way, d, printed(k))
				}
			}
			left += len(m.resume)
		}
	}
	if stopped < 500 || left < 20 {
		t.Errorf("the kernels are too tame: %d stops, %d places to leave", stopped, left)
	}
}

// TestNativeCodeUnderCollectionsAndProfiler runs code while garbage is collected all the time, goroutines
// allocate and the profiler sends signals. Results must not change, and no collection may wait long.
func TestNativeCodeUnderCollectionsAndProfiler(t *testing.T) {
	for _, target := range Targets {
		t.Run(target.String(), func(t *testing.T) {
			if err := Supported(target); err != nil {
				if required(target) {
					t.Fatal(err)
				}
				t.Skip(err)
			}
			underStress(t, target)
		})
	}
}

func underStress(t *testing.T, target Target) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	if err := pprof.StartCPUProfile(io.Discard); err == nil {
		defer pprof.StopCPUProfile()
	}
	k := load(t, "../../../kernels/library/oscillator")
	c, err := Compile(k, target)
	if err != nil {
		t.Fatal(err)
	}
	start := oscillators(t, 2000, true)
	want := start.clone()
	interp.Compile(k).NewMachine().Run(want.work(2000))
	end := time.Now().Add(2 * time.Second)
	var wait sync.WaitGroup
	for range 3 {
		wait.Go(func() {
			keep := make([][]byte, 64)
			for i := 0; time.Now().Before(end); i++ {
				keep[i%len(keep)] = make([]byte, 1000+i%5000)
			}
		})
	}
	runs := make([]int, 2)
	for worker := range runs {
		wait.Go(func() {
			for time.Now().Before(end) {
				got := start.clone()
				deep(100, func() { c.NewMachine().Run(got.work(2000)) })
				if d := got.difference(want); d != "" {
					t.Error(d)
					return
				}
				runs[worker]++
			}
		})
	}
	longest := time.Duration(0)
	collections := 0
	for time.Now().Before(end) {
		from := time.Now()
		runtime.GC()
		longest = max(longest, time.Since(from))
		collections++
	}
	wait.Wait()
	t.Logf("%v runs, %d collections, the longest %v", runs, collections, longest)
	if slices.Min(runs) == 0 || collections == 0 {
		t.Error("nothing happened")
	}
}

// deep calls f on a deep stack, so that it must have grown.
func deep(n int, f func()) float64 {
	var pad [64]float64
	if n == 0 {
		f()
		return 0
	}
	pad[n%64] = float64(n)
	return deep(n-1, f) + math.Sqrt(pad[n%64])
}
