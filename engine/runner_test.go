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
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// batch is n count samples on a scripted engine, stops at 100 unless the script says otherwise.
func batch(t *testing.T, s enginetest.Script, n int, change ...func(*ir.Kernel)) *enginetest.Batch {
	t.Helper()
	b, err := enginetest.CountWorkload().With(change...).NewBatch(enginetest.NewScripted(s), n, enginetest.Uniform, 100, 1)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// stopAt is a Poll that sets stop once, before the sample-step with number at.
func stopAt(stop *engine.Stop, at uint64) func(uint64) {
	done := false
	return func(steps uint64) {
		if steps == at && !done {
			done = true
			stop.Set()
		}
	}
}

// events are all that a trace holds, the walls and times left out.
func events(trace *engine.Trace) []engine.Event {
	buf := make([]engine.Event, 1<<13)
	n, _ := trace.Read(0, buf)
	return buf[:n]
}

func kinds(trace *engine.Trace) []engine.EventKind {
	var list []engine.EventKind
	for _, e := range events(trace) {
		list = append(list, e.Kind)
	}
	return list
}

func must(t *testing.T) func(engine.Report, error) engine.Report {
	return func(rep engine.Report, err error) engine.Report {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return rep
	}
}

var band = engine.RunOptions{MaxSteps: 1000, Policy: engine.PolicyBand, R: 0.25}

func TestAutoIsTiledOnAPasserAndMeasuredElsewhere(t *testing.T) {
	for _, c := range []struct {
		passes bool
		want   string
	}{{true, "tiled"}, {false, "measured"}} {
		rep := must(t)(batch(t, enginetest.Script{Passes: c.passes}, 10).Run(nil, engine.RunOptions{MaxSteps: 1000}))
		if rep.Policy != c.want {
			t.Errorf("passes = %v: policy %s, want %s", c.passes, rep.Policy, c.want)
		}
	}
	rep := must(t)(batch(t, enginetest.Script{}, 10, enginetest.WithSteps(4)).Run(nil, band))
	if rep.Policy != "fixed" || rep.R != 0 {
		t.Errorf("a fixed-K kernel has policy %s, R %g", rep.Policy, rep.R)
	}
}

// TestEventsOfARun walks through a small run: 64 samples, half of them stop at 10, half at 100, R = 1.
func TestEventsOfARun(t *testing.T) {
	trace := engine.NewTrace(256)
	b := batch(t, enginetest.Script{Stops: []uint32{10, 100}}, 64)
	o := band
	o.R, o.Trace, o.Generation = 1, trace, 7
	rep := must(t)(b.Run(nil, o))

	var got []string
	for _, e := range events(trace) {
		if e.Generation != 7 {
			t.Errorf("generation %d of %+v, want 7", e.Generation, e)
		}
		s := engine.Sentence(e)
		if e.Kind == engine.EventRunEnd {
			s = s[:strings.Index(s, " in ")] // without the wall
		}
		got = append(got, s)
	}
	want := []string{
		"run: 64 samples, at most 1,000 steps, steps per launch by the band in 8..64 with R = 1, compacting",
		"launch 1: 16 steps over 64 live samples, 32 finished",
		"compaction: 64 to 32 live slots, in 2 groups of 32",
		"next 8 steps: h = 32/(64*16) = 0.031, k* = sqrt(2*1/0.031) = 8.0, nearest power of two in 8..64",
		"launch 2: 8 steps over 32 live samples, 0 finished",
		"no compaction: nobody finished since the last one, the map keeps 32 slots",
		"next 64 steps: nobody finished, so h = 0 and k* has no end, held at 64 in 8..64",
		"launch 3: 64 steps over 32 live samples, 0 finished",
		"no compaction: nobody finished since the last one, the map keeps 32 slots",
		"next 64 steps: nobody finished, so h = 0 and k* has no end, held at 64 in 8..64",
		"launch 4: 64 steps over 32 live samples, 32 finished",
		"compaction: 32 to 0 live slots, in 0 groups of 32",
		"no launch follows: h = 32/(64*64) = 0.0078, k* = sqrt(2*1/0.0078) = 16.0, nearest power of two in 8..64 is 16",
		"every sample is finished after 152 steps",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	turns := map[engine.EventKind][]uint64{}
	for _, e := range events(trace) {
		turns[e.Kind] = append(turns[e.Kind], e.Turn)
	}
	for _, k := range []engine.EventKind{engine.EventLaunch, engine.EventPolicy, engine.EventCompaction} {
		if !slices.Equal(turns[k], []uint64{1, 2, 3, 4}) {
			t.Errorf("events of kind %d have turns %v, want 1 to 4", k, turns[k])
		}
	}
	if rep.Compactions != 2 || rep.Launches != 4 || rep.Steps != 152 || rep.Longest != 100 || rep.ExactSteps {
		t.Errorf("report %+v", rep)
	}
	if rep.SampleSteps != 32*10+32*100 {
		t.Errorf("%d sample-steps, want %d", rep.SampleSteps, 32*10+32*100)
	}
}

// TestFixedTurn: a fixed-K kernel with an active set compacts once a turn; the launches of a turn share it.
func TestFixedTurn(t *testing.T) {
	trace := engine.NewTrace(256)
	b := batch(t, enginetest.Script{}, 8, enginetest.WithSteps(5))
	rep := must(t)(b.Run(nil, engine.RunOptions{MaxSteps: 1000, Trace: trace}))
	// every = 5*ceil(16/5) = 20: turns of 4 launches; all stop at 100, the end of turn 5.
	if !maps.Equal(rep.LaunchesByK, map[int]int{5: 20}) || rep.Compactions != 1 {
		t.Errorf("report %+v", rep)
	}
	launches, last := map[uint64]int{}, uint64(0)
	for _, e := range events(trace) {
		if e.Kind == engine.EventLaunch {
			launches[e.Turn]++
			last = e.Turn
		}
	}
	if last != 5 || launches[1] != 4 || launches[5] != 4 {
		t.Errorf("launches by turn %v, want 5 turns of 4", launches)
	}
}

func TestDerivedLaunchesAreThoseOfLaunching(t *testing.T) {
	stops := []uint32{1, 63, 64, 65, 128, 129, 300, 0}
	faults := map[int]uint32{8: 0, 17: 64, 26: 65, 35: 299}
	run := func(passes bool) ([]engine.Launch, engine.Report, []engine.EventFlags) {
		trace := engine.NewTrace(1024)
		b := batch(t, enginetest.Script{Passes: passes, Stops: stops, Faults: faults}, 100)
		for i := 0; i < 100; i += 9 {
			b.Mask[i] = 2 // faulted earlier
		}
		rep := must(t)(b.Run(nil, engine.RunOptions{MaxSteps: 310, Policy: engine.PolicyTiled, Trace: trace}))
		var launches []engine.Launch
		var flags []engine.EventFlags
		for _, e := range events(trace) {
			if e.Kind == engine.EventLaunch {
				l := e.Launch()
				l.Wall = 0
				launches = append(launches, l)
				flags = append(flags, e.Flags)
			}
		}
		return launches, rep, flags
	}
	launched, want, _ := run(false)
	derived, got, flags := run(true)
	if !slices.Equal(derived, launched) {
		t.Errorf("derived  %+v\nlaunched %+v", derived, launched)
	}
	if !maps.Equal(got.LaunchesByK, map[int]int{64: 4, 54: 1}) || !maps.Equal(want.LaunchesByK, got.LaunchesByK) {
		t.Errorf("launches by k %v in a pass, %v launched", got.LaunchesByK, want.LaunchesByK)
	}
	wantFlags := []engine.EventFlags{
		engine.FlagDerived, engine.FlagDerived, engine.FlagDerived, engine.FlagDerived,
		engine.FlagDerived | engine.FlagCut,
	}
	if !slices.Equal(flags, wantFlags) {
		t.Errorf("flags %v, want %v", flags, wantFlags)
	}
	if got.Finished != want.Finished || got.SampleSteps != want.SampleSteps || got.ExactSteps != want.ExactSteps {
		t.Errorf("in a pass %+v\nlaunched  %+v", got, want)
	}
}

func TestABatchOfOneWaveSkipsCompactionAndRunsLongLaunches(t *testing.T) {
	for _, c := range []struct {
		wave        int
		want        map[int]int
		compactions int
	}{
		{0, map[int]int{16: 1, 8: 1, 64: 2}, 2},
		{63, map[int]int{16: 1, 8: 1, 64: 2}, 2},
		{64, map[int]int{64: 2}, 0},
	} {
		trace := engine.NewTrace(64)
		o := band
		o.R, o.Wave, o.Trace = 1, c.wave, trace
		rep := must(t)(batch(t, enginetest.Script{Stops: []uint32{10, 100}}, 64).Run(nil, o))
		if !maps.Equal(rep.LaunchesByK, c.want) || rep.Compactions != c.compactions {
			t.Errorf("wave %d: %v and %d compactions, want %v and %d", c.wave, rep.LaunchesByK, rep.Compactions, c.want, c.compactions)
		}
		for _, e := range events(trace) {
			if e.Kind == engine.EventPolicy && (e.Flags&engine.FlagResident != 0) != (c.wave == 64) {
				t.Errorf("wave %d: %s", c.wave, engine.Sentence(e))
			}
		}
	}
}

func TestRIsCalibratedOncePinnedWhenGivenAndOneWhenUnknown(t *testing.T) {
	process := fmt.Sprint(time.Now().UnixNano()) // R is kept per process: -count=2 needs another engine
	name := func(s string) enginetest.Script {
		return enginetest.Script{Name: process + s, Compaction: 30 * time.Microsecond, Step: 10 * time.Microsecond}
	}
	calibrations := func(trace *engine.Trace) (n int) {
		for _, k := range kinds(trace) {
			if k == engine.EventCalibrate {
				n++
			}
		}
		return n
	}
	trace := engine.NewTrace(256)
	o := engine.RunOptions{MaxSteps: 1000, Policy: engine.PolicyBand, Trace: trace}
	if rep := must(t)(batch(t, name(""), 10).Run(nil, o)); rep.R != 4 || calibrations(trace) != 1 {
		t.Errorf("R = %g after %d calibrations, want 4 (3 rounded on the logarithmic scale) after 1", rep.R, calibrations(trace))
	}
	other := name("")
	other.Compaction = time.Millisecond // a clock says something else the second time
	if rep := must(t)(batch(t, other, 10).Run(nil, o)); rep.R != 4 || calibrations(trace) != 1 {
		t.Errorf("the second runner: R = %g after %d calibrations, want 4 after 1", rep.R, calibrations(trace))
	}
	if rep := must(t)(batch(t, other, 11).Run(nil, o)); rep.R == 4 || calibrations(trace) != 2 {
		t.Errorf("another n: R = %g after %d calibrations", rep.R, calibrations(trace))
	}
	o.R = 0.5
	if rep := must(t)(batch(t, other, 12).Run(nil, o)); rep.R != 0.5 || calibrations(trace) != 2 {
		t.Errorf("pinned: R = %g after %d calibrations", rep.R, calibrations(trace))
	}
	o.R = 0
	blind, err := enginetest.CountWorkload().NewBatch(enginetest.WithoutPasses(enginetest.NewScripted(name(" blind"))), 10, enginetest.Uniform, 100, 1)
	if err != nil {
		t.Fatal(err)
	}
	if rep := must(t)(blind.Run(nil, o)); rep.R != 1 {
		t.Errorf("an engine that cannot time: R = %g, want 1", rep.R)
	}
}

func TestFaultEventsNameSampleStepAndPlace(t *testing.T) {
	for _, passes := range []bool{false, true} {
		trace := engine.NewTrace(256)
		b := batch(t, enginetest.Script{Passes: passes, Faults: map[int]uint32{3: 20, 5: 0}}, 10)
		rep := must(t)(b.Run(nil, engine.RunOptions{MaxSteps: 1000, R: 1, Trace: trace}))
		var got []string
		for _, e := range events(trace) {
			if e.Kind == engine.EventFault {
				got = append(got, engine.SentenceOf(e, b.Workload.Kernel))
			}
		}
		slices.Sort(got)
		want := []string{
			"sample 3 faulted in step 21: integer division by zero at count.go:7:2",
			"sample 5 faulted in step 1: integer division by zero at count.go:7:2",
		}
		if !slices.Equal(got, want) || rep.Faulted != 2 {
			t.Errorf("passes = %v: %v, %d faulted", passes, got, rep.Faulted)
		}
	}
}

func TestProgressOfAPass(t *testing.T) {
	trace := engine.NewTrace(256)
	b := batch(t, enginetest.Script{Passes: true}, 1000)
	b.Mask[0] = 1
	must(t)(b.Run(nil, engine.RunOptions{MaxSteps: 1000, Trace: trace}))
	var got []uint32
	for _, e := range events(trace) {
		if e.Kind == engine.EventProgress {
			got = append(got, e.Progress().Finished)
		}
	}
	if !slices.Equal(got, []uint32{256, 512, 768, 1000}) {
		t.Errorf("progress %v of the batch, the preset sample included", got)
	}
}

// TestNothingAllocatesPerLaunch compares a run of 7 launches with one of 700.
func TestNothingAllocatesPerLaunch(t *testing.T) {
	trace := engine.NewTrace(64)
	allocs := func(maxSteps int) float64 {
		b := batch(t, enginetest.Script{Stops: []uint32{0}}, 4)
		o := engine.RunOptions{MaxSteps: maxSteps, Policy: engine.PolicyBand, R: 0.25, Trace: trace}
		return testing.AllocsPerRun(10, func() { must(t)(b.Run(nil, o)) })
	}
	if short, long := allocs(400), allocs(44000); long > short {
		t.Errorf("%g allocations for 7 launches, %g for 700", short, long)
	}
}
