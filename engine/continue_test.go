package engine_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

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
