package engine_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
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

// TestACancelledPassCountsWhatItsLongestSampleBegan: until the pass is over the report stands for the
// launches that its longest sample has begun, and no launch event is sent.
func TestACancelledPassCountsWhatItsLongestSampleBegan(t *testing.T) {
	var stop engine.Stop
	// Sample 0 is done, sample 1 has taken 130.
	s := enginetest.Script{Passes: true, Stops: []uint32{100, 300}, Poll: stopAt(&stop, 100+130)}
	trace := engine.NewTrace(256)
	b := batch(t, s, 10)
	o := engine.RunOptions{MaxSteps: 1000, Trace: trace}
	rep := must(t)(b.Run(&stop, o))
	if rep.Status != "cancelled" || rep.Longest != 130 || !maps.Equal(rep.LaunchesByK, map[int]int{64: 3}) || rep.Steps != 192 {
		t.Errorf("cancelled: %+v", rep)
	}
	if slices.Contains(kinds(trace), engine.EventLaunch) {
		t.Error("a pass that was cut sent launch events")
	}
	stop.Clear()
	rep = must(t)(b.Continue(&stop))
	if !rep.Done || !maps.Equal(rep.LaunchesByK, map[int]int{64: 5}) {
		t.Errorf("continued: %+v", rep)
	}
}

func TestCancelInsideALaunchThenContinue(t *testing.T) {
	var stop engine.Stop
	b := batch(t, enginetest.Script{Poll: stopAt(&stop, 5)}, 10)
	trace := engine.NewTrace(256)
	o := band
	o.Trace = trace
	rep := must(t)(b.Run(&stop, o))
	if rep.Status != "cancelled" || rep.Launches != 1 || rep.Steps != 16 || rep.Longest != 5 || rep.ExactSteps {
		t.Errorf("cancelled inside the first launch: %+v", rep)
	}
	list := events(trace)
	if c := list[len(list)-2]; c.Kind != engine.EventCancel || c.Cancel() != (engine.Cancel{Steps: 16, Word: 16}) {
		t.Errorf("the event before the end is %s", engine.Sentence(c))
	}
	stop.Clear()
	rep = must(t)(b.Continue(&stop))
	whole := must(t)(batch(t, enginetest.Script{}, 10).Run(nil, band))
	if rep.Launches != whole.Launches || !maps.Equal(rep.LaunchesByK, whole.LaunchesByK) || rep.Status != "finished" {
		t.Errorf("continued %+v\nwhole     %+v", rep, whole)
	}
}

func TestAStopBeforeTheFirstStepCountsNoLaunch(t *testing.T) {
	var stop engine.Stop
	stop.Set()
	for _, passes := range []bool{false, true} {
		b := batch(t, enginetest.Script{Passes: passes}, 10)
		rep := must(t)(b.Run(&stop, engine.RunOptions{MaxSteps: 1000, R: 1}))
		if rep.Status != "cancelled" || rep.Launches != 0 || rep.Steps != 0 || len(rep.LaunchesByK) != 0 || !rep.ExactSteps {
			t.Errorf("passes = %v: %+v", passes, rep)
		}
	}
}

func TestStepMode(t *testing.T) {
	b := batch(t, enginetest.Script{}, 10)
	trace := engine.NewTrace(256)
	o := band
	o.Trace = trace
	rep := must(t)(b.Launch(nil, o, 0))
	if rep.Status != "paused" || rep.Steps != 16 || rep.Launches != 1 {
		t.Fatalf("the policy's first launch: %+v", rep)
	}
	rep = must(t)(b.Launch(nil, o, 1))
	if rep.Status != "paused" || rep.Steps != 17 || !maps.Equal(rep.LaunchesByK, map[int]int{16: 1, 1: 1}) {
		t.Fatalf("one step: %+v", rep)
	}
	rep = must(t)(b.Continue(nil))
	if rep.Status != "finished" || !maps.Equal(rep.LaunchesByK, map[int]int{16: 1, 1: 1, 64: 2}) {
		t.Fatalf("the rest: %+v", rep)
	}
	var stepped []engine.EventFlags
	for _, e := range events(trace) {
		if e.Kind == engine.EventLaunch {
			stepped = append(stepped, e.Flags)
		}
	}
	if !slices.Equal(stepped, []engine.EventFlags{0, engine.FlagStepped, 0, 0}) {
		t.Errorf("flags of the launches %v", stepped)
	}
	want := []engine.EventKind{
		engine.EventRunStart,
		engine.EventLaunch, engine.EventCompaction, engine.EventPolicy,
		engine.EventLaunch, engine.EventCompaction, engine.EventPolicy,
		engine.EventRunStart, // goes on
		engine.EventLaunch, engine.EventCompaction, engine.EventPolicy,
		engine.EventLaunch, engine.EventCompaction, engine.EventPolicy,
		engine.EventRunEnd,
	}
	if got := kinds(trace); !slices.Equal(got, want) {
		t.Errorf("kinds %v, want %v", got, want)
	}
	if rep := must(t)(b.Launch(nil, o, 0)); rep.Status != "finished" || rep.Launches != 0 {
		t.Errorf("a launch of a finished batch: %+v", rep)
	}
}

func TestStepModeEndsAtTheCap(t *testing.T) {
	b := batch(t, enginetest.Script{}, 10)
	o := band
	o.MaxSteps = 20
	must(t)(b.Launch(nil, o, 0))
	rep := must(t)(b.Launch(nil, o, 50))
	if rep.Status != "max_steps" || rep.Steps != 20 || !maps.Equal(rep.LaunchesByK, map[int]int{16: 1, 4: 1}) {
		t.Fatalf("a launch beyond the cap: %+v", rep)
	}
	rep = must(t)(b.Launch(nil, o, 3)) // a new run, with a new budget
	if rep.Status != "paused" || rep.Steps != 3 {
		t.Fatalf("the launch after: %+v", rep)
	}
}

func TestRunSteps(t *testing.T) {
	for _, c := range []struct {
		name   string
		change []func(*ir.Kernel)
		script enginetest.Script
		want   map[int]int
	}{
		{"in a pass", nil, enginetest.Script{Passes: true}, map[int]int{64: 1, 6: 1}},
		{"under the band nobody finishes: 64, cut to 54", nil, enginetest.Script{}, map[int]int{16: 1, 54: 1}},
		{"a fixed K is cut", []func(*ir.Kernel){enginetest.WithMask, enginetest.WithSteps(4)}, enginetest.Script{}, map[int]int{4: 17, 2: 1}},
		{"a compacting one too", []func(*ir.Kernel){enginetest.WithSteps(20)}, enginetest.Script{}, map[int]int{20: 3, 10: 1}},
		{"without a finish declaration", []func(*ir.Kernel){enginetest.WithoutFinish}, enginetest.Script{}, map[int]int{16: 1, 54: 1}},
	} {
		b := batch(t, c.script, 10, c.change...)
		o := engine.RunOptions{R: 0.25, Policy: engine.PolicyBand}
		if c.script.Passes {
			o.Policy = engine.PolicyAuto
		}
		rep := must(t)(b.RunSteps(nil, o, 70))
		if rep.Status != "paused" || rep.Steps != 70 || rep.Longest != 70 || !rep.ExactSteps {
			t.Errorf("%s: %+v", c.name, rep)
		}
		if !maps.Equal(rep.LaunchesByK, c.want) {
			t.Errorf("%s: launches by k %v, want %v", c.name, rep.LaunchesByK, c.want)
		}
	}
}

func TestContinueAfterRunStepsGoesOnToMaxSteps(t *testing.T) {
	b := batch(t, enginetest.Script{}, 10)
	o := band
	o.MaxSteps = 90
	must(t)(b.RunSteps(nil, o, 70))
	rep := must(t)(b.Continue(nil))
	if rep.Status != "max_steps" || rep.Steps != 90 || rep.Longest != 90 {
		t.Errorf("continued to the cap: %+v", rep)
	}
}

func TestAKernelWithoutFinishIsRefusedByRunAndTakesSteps(t *testing.T) {
	b := batch(t, enginetest.Script{}, 10, enginetest.WithoutFinish)
	_, err := b.Run(nil, band)
	if err == nil || !strings.Contains(err.Error(), "--steps N") || !strings.Contains(err.Error(), "kernel count") {
		t.Fatalf("Run says %v", err)
	}
	rep := must(t)(b.Launch(nil, band, 3))
	if rep.Steps != 3 || rep.Status != "paused" {
		t.Fatalf("a launch: %+v", rep)
	}
	if _, err := b.Continue(nil); err == nil || !strings.Contains(err.Error(), "--steps N") {
		t.Fatalf("Continue says %v", err)
	}
	if rep := must(t)(b.Launch(nil, band, 2)); rep.Steps != 5 {
		t.Fatalf("the refused Continue changed the run: %+v", rep)
	}
}

func TestACancelledRunStepsContinuesToItsNumber(t *testing.T) {
	var stop engine.Stop
	b := batch(t, enginetest.Script{Poll: stopAt(&stop, 25)}, 10, enginetest.WithoutFinish)
	rep := must(t)(b.RunSteps(&stop, engine.RunOptions{R: 1}, 50))
	if rep.Status != "cancelled" {
		t.Fatalf("%+v", rep)
	}
	stop.Clear()
	if rep = must(t)(b.Continue(&stop)); rep.Status != "paused" || rep.Steps != 50 || rep.Longest != 50 || rep.SampleSteps != 500 {
		t.Fatalf("%+v", rep)
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

func TestOneRunAtATime(t *testing.T) {
	started, goOn := make(chan struct{}), make(chan struct{})
	b := batch(t, enginetest.Script{Poll: func(steps uint64) {
		if steps == 0 {
			close(started)
			<-goOn
		}
	}}, 4)
	done := make(chan error)
	go func() {
		_, err := b.Run(nil, band)
		done <- err
	}()
	<-started
	if _, err := b.Run(nil, band); !errors.Is(err, engine.ErrBusy) {
		t.Errorf("a second run says %v", err)
	}
	if err := b.Reset(); !errors.Is(err, engine.ErrBusy) {
		t.Errorf("a reset says %v", err)
	}
	close(goOn)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestRefusals(t *testing.T) {
	fixed := enginetest.WithSteps(5)
	for _, c := range []struct {
		name   string
		change []func(*ir.Kernel)
		o      engine.RunOptions
		want   []string
	}{
		{"no budget", nil, engine.RunOptions{}, []string{"kernel count", "max_steps", "from 1 to 2147483647", "given 0", "the most steps"}},
		{"a negative budget", nil, engine.RunOptions{MaxSteps: -3}, []string{"given -3"}},
		{"a policy that is none", nil, engine.RunOptions{MaxSteps: 1, Policy: 9}, []string{"policy", "auto, tiled, band, measured or doubling", "given 9"}},
		{"fixed asked of an auto kernel", nil, engine.RunOptions{MaxSteps: 1, Policy: engine.PolicyFixed}, []string{"given fixed", "steps=K"}},
		{"an R that is no number", nil, engine.RunOptions{MaxSteps: 1, R: math.NaN()}, []string{"R must be a positive finite number", "NaN"}},
		{"an R without end", nil, engine.RunOptions{MaxSteps: 1, R: math.Inf(1)}, []string{"+Inf"}},
		{"a negative wave", nil, engine.RunOptions{MaxSteps: 1, Wave: -1}, []string{"wave", "given -1"}},
		{"every on an auto kernel", nil, engine.RunOptions{MaxSteps: 1, Every: 16}, []string{"every", "steps=auto"}},
		{"every without an active set", []func(*ir.Kernel){enginetest.WithMask, fixed}, engine.RunOptions{MaxSteps: 1, Every: 20}, []string{"every", "guard=active_set"}},
		{"every that is no multiple", []func(*ir.Kernel){fixed}, engine.RunOptions{MaxSteps: 1, Every: 16}, []string{"every", "multiple of the kernel's 5", "given 16", "give 5"}},
		{"every below 4 steps", []func(*ir.Kernel){enginetest.WithSteps(1)}, engine.RunOptions{MaxSteps: 1, Every: 3}, []string{"at least 4", "given 3", "give 4"}},
		{"a wave beyond 32 bits", nil, engine.RunOptions{MaxSteps: 1, Wave: 1 << 33}, []string{"wave must be 0 to 4294967295 samples, given 8589934592"}},
		{"an entry that is none", nil, engine.RunOptions{MaxSteps: 1, Entry: 7}, []string{"entry must be auto, fused or persistent, given 7"}},
		{"an entry that the engine lacks", nil, engine.RunOptions{MaxSteps: 1, Entry: persistent}, []string{"entry must be fused on engine scripted, which has no persistent entry"}},
		{"a fixed K in one launch", []func(*ir.Kernel){fixed}, engine.RunOptions{MaxSteps: 1, Entry: persistent}, []string{"entry must be fused for a kernel with a fixed number of steps per launch", "steps=auto"}},
		{"a policy for one launch", nil, engine.RunOptions{MaxSteps: 1, Entry: persistent, Policy: engine.PolicyBand}, []string{"policy must be auto for the persistent entry", "given band"}},
		{"a negative chunk", nil, engine.RunOptions{MaxSteps: 1, Chunk: -8}, []string{"chunk must be a whole number of steps from 1", "given -8"}},
		{"a chunk for launches", nil, engine.RunOptions{MaxSteps: 1, Chunk: 8, Entry: fused}, []string{"chunk must be left out for the fused entry, given 8"}},
		{"a chunk that the engine has no use for", nil, engine.RunOptions{MaxSteps: 1, Chunk: 8}, []string{"chunk must be left out on engine scripted, which has no persistent entry"}},
		{"theta too small", nil, engine.RunOptions{MaxSteps: 1, Reorder: 0.2}, []string{"reorder must be a theta from 0.25 to 0.75, given 0.2: give 0.5"}},
		{"theta too large", nil, engine.RunOptions{MaxSteps: 1, Reorder: 1}, []string{"theta from 0.25 to 0.75, given 1"}},
		{"theta that is no number", nil, engine.RunOptions{MaxSteps: 1, Reorder: math.NaN()}, []string{"given NaN"}},
		{"reorder without an active set", []func(*ir.Kernel){enginetest.WithMask}, engine.RunOptions{MaxSteps: 1, Reorder: 0.5}, []string{"reorder must be left out for a kernel without an active set", "guard=active_set"}},
		{"reorder that the engine cannot", nil, engine.RunOptions{MaxSteps: 1, Reorder: 0.5}, []string{"reorder must be left out on engine scripted, which cannot reorder"}},
		{"reorder in one launch", nil, engine.RunOptions{MaxSteps: 1, Reorder: 0.5, Entry: persistent}, []string{"3 problems", "which has no boundaries"}},
		{"several at once", nil, engine.RunOptions{R: -1, Every: 3}, []string{"3 problems", "max_steps", "R must", "every"}},
		{"no finish and no budget", []func(*ir.Kernel){enginetest.WithoutFinish}, engine.RunOptions{}, []string{"2 problems", "RunSteps", "max_steps"}},
	} {
		b := batch(t, enginetest.Script{}, 4, c.change...)
		rep, err := b.Run(nil, c.o)
		var refusal *engine.Refusal
		if !errors.As(err, &refusal) || rep.N != 0 {
			t.Errorf("%s: %v, report %+v", c.name, err, rep)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %q does not say %q", c.name, err, want)
			}
		}
	}
	b := batch(t, enginetest.Script{}, 4)
	for name, f := range map[string]func() (engine.Report, error){
		"no steps":          func() (engine.Report, error) { return b.RunSteps(nil, engine.RunOptions{}, 0) },
		"a negative launch": func() (engine.Report, error) { return b.Launch(nil, band, -1) },
		"nothing to go on":  func() (engine.Report, error) { return b.Continue(nil) },
	} {
		if _, err := f(); err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
}

func TestPlanesThatDoNotFitAreRefusedTogether(t *testing.T) {
	w := enginetest.CountWorkload()
	spec := slices.Clone(w.Kernel.Planes)
	spec[0].Type = ir.F32
	spec[1].Name = "steps_taken"
	spec = append(spec, ir.Plane{Name: "mass", Type: ir.F64})
	p := engine.NewPlanes(spec, 4)
	program, _ := enginetest.NewScripted(enginetest.Script{}).Compile(w.Kernel)
	good := engine.NewPlanes(w.Kernel.Planes, 4)
	bound, err := program.Bind(good, make([]byte, 4))
	if err != nil {
		t.Fatal(err)
	}
	_, err = engine.NewRunner(program, bound, p, make([]byte, 3), "scripted", "").Run(nil, band)
	if err == nil {
		t.Fatal("not refused")
	}
	for _, want := range []string{
		"plane steps_taken must be left to the runner", "plane x must be plane 0, float64 of width 1, given plane 0, float32",
		"plane k must be given", "plane mass must be left out", "x, k, nstop, bad", "mask must be one byte per sample, 4 bytes, given 3 bytes",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
}

func TestAnEngineErrorEndsTheRunAndCannotBeContinued(t *testing.T) {
	lost := errors.New("the device fell off")
	b := batch(t, enginetest.Script{LaunchErr: lost}, 4)
	trace := engine.NewTrace(16)
	o := band
	o.Trace = trace
	rep, err := b.Run(nil, o)
	if !errors.Is(err, lost) || !strings.Contains(err.Error(), "scripted: kernel count: launch 1: the device") {
		t.Errorf("the error says %v", err)
	}
	if rep.N != 4 || rep.Done {
		t.Errorf("the report says %+v", rep)
	}
	if got := kinds(trace); !slices.Equal(got, []engine.EventKind{engine.EventRunStart, engine.EventRunEnd}) {
		t.Errorf("events %v", got)
	}
	if _, err := b.Continue(nil); err == nil {
		t.Error("a broken run was continued")
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

func TestAnEditedMaskIsHonouredByContinue(t *testing.T) {
	var stop engine.Stop
	b := batch(t, enginetest.Script{Poll: stopAt(&stop, 10*16+3)}, 10)
	must(t)(b.Run(&stop, band))
	b.Mask[4] = 9 // the caller calls sample 4 finished
	stop.Clear()
	rep := must(t)(b.Continue(&stop))
	taken := b.Bound.StepsTaken()
	if !rep.Done || taken[4] != 16 || taken[5] != 100 || b.Mask[4] != 1 {
		t.Errorf("steps taken %v, mask %v, %+v", taken, b.Mask, rep)
	}
}

func TestResetForgetsTheRunAndKeepsThePlanes(t *testing.T) {
	b := batch(t, enginetest.Script{}, 10)
	must(t)(b.Launch(nil, band, 5))
	before := b.Planes.Clone()
	b.Mask[2] = 1
	if err := b.Reset(); err != nil {
		t.Fatal(err)
	}
	if b.Mask[2] != 0 || b.Bound.Counters().Finished != 0 || slices.Max(b.Bound.StepsTaken()) != 0 {
		t.Errorf("mask %v, counters %+v, steps %v", b.Mask, b.Bound.Counters(), b.Bound.StepsTaken())
	}
	for i := range before.Spec {
		if !slices.Equal(before.Bytes(i), b.Planes.Bytes(i)) {
			t.Errorf("plane %s was touched", before.Spec[i].Name)
		}
	}
	if _, err := b.Continue(nil); err == nil {
		t.Error("a run that was reset was continued")
	}
}

func TestNonFiniteLooksAtStateOfBothWidthsAndEveryComponent(t *testing.T) {
	k := enginetest.CountKernel(func(k *ir.Kernel) {
		k.Planes = append(k.Planes,
			ir.Plane{Name: "q", Field: "Q", Type: ir.F32, Dims: []int{3}, Role: ir.RoleState},
			ir.Plane{Name: "given", Field: "Given", Type: ir.F64, Role: ir.RoleInput})
	})
	program, _ := enginetest.NewScripted(enginetest.Script{}).Compile(k)
	p, mask := engine.NewPlanes(k.Planes, 70), make([]byte, 70)
	for i := range mask {
		engine.View[int32](p, p.Index("nstop"))[i] = 3
		engine.View[int32](p, p.Index("bad"))[i] = -1
	}
	q, given := engine.View[float32](p, p.Index("q")), engine.View[float64](p, p.Index("given"))
	q[2*70+69] = float32(math.NaN())
	q[0*70+69] = float32(math.Inf(1)) // the same sample
	q[1*70+4] = float32(math.Inf(-1))
	q[1*70+5] = math.MaxFloat32
	given[7] = math.NaN() // an input is no state
	engine.View[float64](p, p.Index("x"))[0] = math.NaN()
	bound, err := program.Bind(p, mask)
	if err != nil {
		t.Fatal(err)
	}
	rep := must(t)(engine.NewRunner(program, bound, p, mask, "scripted", "").Run(nil, band))
	if rep.NonFinite != 3 {
		t.Errorf("%d samples not finite, want 3: samples 0, 4 and 69", rep.NonFinite)
	}
}
