package engine_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
)

func TestPoliciesAndEntriesHaveNames(t *testing.T) {
	for _, p := range engine.Policies() {
		if got, ok := engine.PolicyNamed(p.String()); !ok || got != p {
			t.Errorf("policy %q is read as %v, %v", p, got, ok)
		}
	}
	if _, ok := engine.PolicyNamed("fixed"); ok {
		t.Error("fixed can be asked for")
	}
	for _, e := range []engine.Entry{engine.EntryAuto, engine.EntryFused, engine.EntryPersistent} {
		if got, ok := engine.EntryNamed(e.String()); !ok || got != e {
			t.Errorf("entry %q is read as %v, %v", e, got, ok)
		}
	}
	if _, ok := engine.EntryNamed("both"); ok {
		t.Error("there is an entry named both")
	}
	if s := engine.Policy(200).String() + engine.Entry(200).String() + engine.Status(200).String(); s != "unknownunknownunknown" {
		t.Errorf("numbers beyond the last are called %q", s)
	}
}

func TestDoubling(t *testing.T) {
	for _, c := range []struct {
		name                     string
		newly, live, k, stepsMax uint32
		want                     uint32
	}{
		{"nobody finished: doubled", 0, 100, 16, 64, 32},
		{"fewer than 1 in 16", 6, 97, 16, 64, 32},
		{"1 in 16 exactly: kept", 6, 96, 16, 64, 16},
		{"1 in 4 exactly: kept", 25, 100, 16, 64, 16},
		{"more than 1 in 4: halved", 26, 100, 16, 64, 8},
		{"never beyond steps_max", 0, 100, 64, 64, 64},
		{"never below 8", 90, 10, 8, 64, 8},
		{"a steps_max below 8 is the only word", 90, 10, 4, 4, 4},
		{"nobody is left: halved", 5, 0, 32, 64, 16},
		{"counts near the end of 32 bits", 1 << 31, 1 << 31, 16, 64, 8},
	} {
		if got := engine.Doubling(c.newly, c.live, c.k, c.stepsMax); got != c.want {
			t.Errorf("%s: Doubling(%d, %d, %d, %d) = %d, want %d", c.name, c.newly, c.live, c.k, c.stepsMax, got, c.want)
		}
	}
}

// TestDoublingRun: 64 samples, half stop at 10, half at 100.
func TestDoublingRun(t *testing.T) {
	trace := engine.NewTrace(256)
	b := batch(t, enginetest.Script{Stops: []uint32{10, 100}}, 64)
	rep := must(t)(b.Run(nil, engine.RunOptions{MaxSteps: 1000, Policy: engine.PolicyDoubling, Trace: trace}))
	// 16: 32 of 32 left finished, halved; 8, 16, 32: nobody, doubled; 64.
	if !maps.Equal(rep.LaunchesByK, map[int]int{16: 2, 8: 1, 32: 1, 64: 1}) || rep.R != 0 {
		t.Errorf("%+v", rep)
	}
	var said []string
	for _, e := range events(trace) {
		if e.Kind == engine.EventPolicy {
			said = append(said, engine.Sentence(e))
		}
	}
	want := "next 8 steps: 32 finished, 32 live, more than 1 in 4: halved in 8..64"
	if len(said) != 5 || said[0] != want || said[1] != "next 16 steps: 0 finished, 32 live, fewer than 1 in 16: doubled in 8..64" {
		t.Errorf("said\n%s\nfirst want\n%s", strings.Join(said, "\n"), want)
	}
}

// priced is a script and a clock on which a launch costs launch and each of its steps step.
func priced(s enginetest.Script, launch, step time.Duration) (enginetest.Script, func() time.Duration) {
	now := new(time.Duration)
	s.Tick = func(_ engine.Entry, l engine.LaunchStats) { *now += launch + time.Duration(l.Longest)*step }
	return s, func() time.Duration { return *now }
}

func TestMeasuredByAScriptedClock(t *testing.T) {
	halves := []uint32{2, 5, 40, 100} // of 64 samples: 16 each
	for _, c := range []struct {
		name         string
		stops        []uint32
		launch, step time.Duration
		maxSteps     int
		want         map[int]int
		probes       []bool
		r            float64
	}{
		// After step 5 half is finished: a try of 8 costs 9 µs, 1.1 a step against 2: the band, 16 steps to 29; nobody
		// finished: 64 to 93; 16 did, k* = sqrt(2)*8 exactly: 16 to 109.
		{"a fused launch is cheaper", halves, time.Microsecond, time.Microsecond, 1000, map[int]int{1: 5, 8: 1, 16: 2, 64: 1}, []bool{true}, 0.25},
		// Tries after step 5 (32 of 64 live) and 40 (16 of 64); no price of a launch: 8 steps cost 8.
		{"a fused launch is as dear", halves, 0, time.Microsecond, 1000, map[int]int{1: 84, 8: 2}, []bool{false, false}, 0},
		{"the samples all run to the end: no try, the one-step loop", []uint32{50}, time.Microsecond, time.Microsecond, 1000, map[int]int{1: 50}, nil, 0},
		{"the try is cut to the steps that are left", halves, 0, time.Microsecond, 8, map[int]int{1: 5, 3: 1}, []bool{false}, 0},
		{"one step is left: no try", halves, time.Microsecond, time.Microsecond, 6, map[int]int{1: 6}, nil, 0},
	} {
		script, clock := priced(enginetest.Script{Stops: c.stops}, c.launch, c.step)
		trace := engine.NewTrace(1 << 10)
		rep := must(t)(batch(t, script, 64).Run(nil, engine.RunOptions{
			MaxSteps: c.maxSteps, Policy: engine.PolicyMeasured, Clock: clock, Trace: trace,
		}))
		if !maps.Equal(rep.LaunchesByK, c.want) || rep.Policy != "measured" || rep.R != c.r {
			t.Errorf("%s: launches by k %v, policy %s, R %g, want %v and R %g", c.name, rep.LaunchesByK, rep.Policy, rep.R, c.want, c.r)
		}
		var probes []bool
		for _, e := range events(trace) {
			if e.Kind == engine.EventProbe {
				probes = append(probes, e.Probe().Changed)
			}
		}
		if !slices.Equal(probes, c.probes) {
			t.Errorf("%s: probes %v, want %v", c.name, probes, c.probes)
		}
	}
}

func TestMeasuredSaysWhatItMeasured(t *testing.T) {
	script, clock := priced(enginetest.Script{Stops: []uint32{2, 5, 40, 100}}, time.Microsecond, time.Microsecond)
	trace := engine.NewTrace(1 << 10)
	must(t)(batch(t, script, 64).Run(nil, engine.RunOptions{MaxSteps: 1000, Policy: engine.PolicyMeasured, R: 0.25, Clock: clock, Trace: trace}))
	for _, e := range events(trace) {
		if e.Kind == engine.EventProbe {
			const want = "measured: a launch of 8 steps takes 9µs, 1.13µs a step, one step alone 2µs: goes on under the band"
			if got := engine.Sentence(e); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		}
	}
}

func TestReorderFires(t *testing.T) {
	for _, c := range []struct {
		name                string
		count, live32, span uint32
		theta               float32
		want                bool
	}{
		{"a span of 4095: never", 10, 100, 4095, 0.5, false},
		{"a span of 4096: now it may", 10, 100, 4096, 0.5, true},
		{"live slots side by side fill their groups", 320, 10, 8192, 0.5, false},
		{"half full exactly is not less than half", 160, 10, 8192, 0.5, false},
		{"one less is", 159, 10, 8192, 0.5, true},
		{"theta 0.25", 81, 10, 8192, 0.25, false},
		{"theta 0.75", 239, 10, 8192, 0.75, true},
		{"every slot of the span is live", 5000, 5000, 5000, 0.75, false},
		{"nobody is live", 0, 0, 8192, 0.5, false},
		{"theta is rounded to float32 first", 6, 1, 4096, 0.2, true}, // float32(0.2)*32 = 6.4000001
	} {
		if got := engine.ReorderFires(c.count, c.live32, c.span, c.theta); got != c.want {
			t.Errorf("%s: ReorderFires(%d, %d, %d, %g) = %v", c.name, c.count, c.live32, c.span, c.theta, got)
		}
	}
}

// reordering counts the calls of a Reorderer.
type reordering struct {
	engine.Bound
	engine.Reorderer
	offered, restored *int
}

func (r reordering) Reorder(theta float32) (engine.ReorderStats, error) {
	*r.offered++
	return r.Reorderer.Reorder(theta)
}

func (r reordering) Restore() error {
	*r.restored++
	return r.Reorderer.Restore()
}

func TestReorderIsOfferedAfterACompactionThatRanAndUndoneAtTheEnd(t *testing.T) {
	for _, c := range []struct {
		name              string
		n                 int
		theta             float64
		stops             []uint32
		offered, reorders int
		restored          int
	}{
		// 1 of 3 stays: 33 % of each group is live, less than half; then nobody.
		{"samples finish here and there", 6000, 0.5, []uint32{5, 5, 100}, 2, 1, 1},
		{"theta 0.25 is not reached", 6000, 0.25, []uint32{5, 5, 100}, 2, 0, 0},
		{"a batch under 4096 leaves it out", 4095, 0.5, []uint32{5, 5, 100}, 0, 0, 0},
		{"without theta it is never offered", 6000, 0, []uint32{5, 5, 100}, 0, 0, 0},
	} {
		offered, restored := 0, 0
		e := enginetest.Wrapped(enginetest.NewScripted(enginetest.Script{Reorders: true, Stops: c.stops}),
			func(b engine.Bound, _ *engine.Planes, _ []byte) engine.Bound {
				return reordering{b, b.(engine.Reorderer), &offered, &restored}
			})
		b, err := enginetest.CountWorkload().NewBatch(e, c.n, enginetest.Uniform, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		x := slices.Clone(engine.View[float64](b.Planes, 0))
		trace := engine.NewTrace(256)
		o := band
		o.Reorder, o.Trace = c.theta, trace
		rep := must(t)(b.Run(nil, o))
		if offered != c.offered || rep.Reorders != c.reorders || restored != c.restored {
			t.Errorf("%s: offered %d, reordered %d, restored %d times, want %d, %d, %d", c.name, offered, rep.Reorders, restored, c.offered, c.reorders, c.restored)
		}
		// Sample i is at i: its x is its own start, halved and added to as often as it stepped.
		for i, start := range x {
			want := start
			for k := range c.stops[i%len(c.stops)] {
				want = float64(want*0.5) + float64(k)
			}
			if got := engine.View[float64](b.Planes, 0)[i]; got != want {
				t.Fatalf("%s: sample %d has x = %g, want %g", c.name, i, got, want)
			}
		}
		fired := 0
		for _, ev := range events(trace) {
			if ev.Kind == engine.EventReorder && ev.Flags&engine.FlagSkipped == 0 {
				fired++
				const want = "reorder: 2,000 live samples moved to the front of 6,000 slots; they filled 0.33 of their groups, less than theta = 0.5"
				if got := engine.Sentence(ev); got != want {
					t.Errorf("got  %s\nwant %s", got, want)
				}
			}
		}
		if fired != c.reorders {
			t.Errorf("%s: %d events of a reorder, want %d", c.name, fired, c.reorders)
		}
	}
}

func TestACancelledReorderingRunHandsOutSampleOrder(t *testing.T) {
	var stop engine.Stop
	// 6000*5 steps go to the first launch; the stop comes in the launch after the reorder.
	b := batch(t, enginetest.Script{Reorders: true, Stops: []uint32{5, 5, 300}, Poll: stopAt(&stop, 4000*5+2000*16+777)}, 6000)
	o := band
	o.Reorder = 0.5
	rep := must(t)(b.Run(&stop, o))
	if rep.Status != "cancelled" || rep.Reorders != 1 {
		t.Fatalf("%+v", rep)
	}
	for i, k := range engine.View[int32](b.Planes, 1) {
		if live := i%3 == 2; live != (b.Mask[i] == 0) || live != (k > 5) || uint32(k) != b.Bound.StepsTaken()[i] {
			t.Fatalf("sample %d: k = %d, mask %d, %d steps taken", i, k, b.Mask[i], b.Bound.StepsTaken()[i])
		}
	}
	stop.Clear()
	if rep = must(t)(b.Continue(&stop)); !rep.Done || rep.Longest != 300 {
		t.Errorf("%+v", rep)
	}
	for i, k := range engine.View[int32](b.Planes, 1) {
		if want := []int32{5, 5, 300}[i%3]; k != want {
			t.Fatalf("sample %d took %d steps, want %d", i, k, want)
		}
	}
}

func TestReorderNeverSkipsCompactionInABatchOfOneWave(t *testing.T) {
	b := batch(t, enginetest.Script{Reorders: true, Stops: []uint32{5, 5, 100}}, 6000)
	o := band
	o.Reorder, o.Wave = 0.5, 1<<20
	if rep := must(t)(b.Run(nil, o)); rep.Compactions == 0 || rep.Reorders != 1 || rep.LaunchesByK[16] == 0 {
		t.Errorf("%+v", rep)
	}
}

func ExampleDoubling() {
	// 57 of 8,812 finished in a launch of 16 steps: fewer than 1 in 16.
	fmt.Println(engine.Doubling(57, 8812-57, 16, 64))
	// 40 of the 100 that are left: more than 1 in 4.
	fmt.Println(engine.Doubling(40, 100, 32, 64))
	// Output:
	// 32
	// 16
}

func ExampleReorderFires() {
	// 2,000 live samples lie in 188 groups of 32 slots: a third of the lanes that they keep busy.
	fmt.Println(engine.ReorderFires(2000, 188, 6000, 0.5))
	// Side by side they would fill 63 groups.
	fmt.Println(engine.ReorderFires(2000, 63, 6000, 0.5))
	// Output:
	// true
	// false
}
