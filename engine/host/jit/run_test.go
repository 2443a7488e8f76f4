package jit

import (
	"io"
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
			x, err := makeText(k)
			if err != nil {
				t.Skip(err)
			}
			agree(t, k, b, upto, 1, 2, x.Unroll())
			t.Logf("unroll %d, registers %d, spills %d, %d bytes, %d instructions", x.Unroll(), x.Registers(), x.Spills(), len(x.Bytes()), x.weight)
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
			x, err := generateGroups(b.k, 1+n%maxGroups)
			if err != nil {
				t.Fatal(err)
			}
			m := x.newMachine(emulate(x.bytes))
			if n > 40 && Supported() == nil {
				m = machines(t, x)["native"]
			}
			got := b.clone()
			w := got.work(300)
			w.Lanes = limit
			m.Run(w)
			if d := got.difference(want); d != "" {
				t.Fatalf("n %d, at most %d lanes: %s", n, limit, d)
			}
		}
		if n > 34 {
			n += 4
		}
	}
}

// TestMapAndRaggedSteps runs the samples of a map only, in launches of some steps.
func TestMapAndRaggedSteps(t *testing.T) {
	b := oscillators(t, 100, true)
	for i := range b.taken {
		b.taken[i] = uint32(i % 5)
	}
	var slots []uint32
	for i := uint32(0); i < 100; i += 3 {
		slots = append(slots, 99-i)
	}
	want := b.clone()
	for upto := uint32(3); upto < 60; upto += 7 {
		for _, run := range []struct {
			on *batch
			by func(*interp.Work) *interp.Result
		}{{want, interp.Compile(b.k).NewMachine().Run}, {b, emulated(t, b.k).Run}} {
			w := run.on.work(upto)
			w.Map, w.Next = slots, interp.NewCursor(0, len(slots))
			run.by(w)
		}
		if d := b.difference(want); d != "" {
			t.Fatalf("upto %d: %s", upto, d)
		}
	}
}

func emulated(t *testing.T, k *ir.Kernel) *Machine {
	x, err := makeText(k)
	if err != nil {
		t.Fatal(err)
	}
	return x.newMachine(emulate(x.bytes))
}

// TestChunksCountLanes checks what a persistent run says about its lanes.
func TestChunksCountLanes(t *testing.T) {
	b := oscillators(t, 300, true)
	want := b.clone()
	interp.Compile(b.k).NewMachine().Run(want.work(2000))
	m := emulated(t, b.k)
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
		x, err := generateGroups(k, 1+int(seed%3))
		if err != nil {
			continue
		}
		start := randomBatch(k, 21, seed)
		want := start.clone()
		interp.Compile(k).NewMachine().Run(want.work(6))
		for way, m := range machines(t, x) {
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
			left += len(x.resume)
		}
	}
	if stopped < 500 || left < 20 {
		t.Errorf("the kernels are too tame: %d stops, %d places to leave", stopped, left)
	}
}

// TestNativeCodeUnderCollectionsAndProfiler runs code while garbage is collected all the time, goroutines
// allocate and the profiler sends signals. Results must not change, and no collection may wait long.
func TestNativeCodeUnderCollectionsAndProfiler(t *testing.T) {
	if err := Supported(); err != nil {
		if requireNative() {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	if err := pprof.StartCPUProfile(io.Discard); err == nil {
		defer pprof.StopCPUProfile()
	}
	k := load(t, "../../../kernels/library/oscillator")
	c, err := Compile(k)
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
