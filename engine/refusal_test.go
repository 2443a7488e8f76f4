package engine_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

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
	if _, err := b.Run(nil, band); !errors.Is(err, engine.ErrBusy) || !strings.Contains(err.Error(), "wait for its end, or stop it first") {
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
		{"no finish and no budget", []func(*ir.Kernel){enginetest.WithoutFinish}, engine.RunOptions{}, []string{"2 problems", "RunSteps", "by hand with a guard of your own (NewRepeatWhile)", "Step() (terminated bool)", "max_steps"}},
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
	for want, f := range map[string]func() (engine.Report, error){
		"kernel count: steps must be a whole number from 1 to 2147483647, given 0: give how many steps every sample is to take": func() (engine.Report, error) {
			return b.RunSteps(nil, engine.RunOptions{}, 0)
		},
		"kernel count: steps of the launch must be a whole number from 1 to 2147483647, or 0 for the policy's choice, given -1: give how many steps the launch may take": func() (engine.Report, error) {
			return b.Launch(nil, band, -1)
		},
		"there is nothing to continue: no run is paused or cancelled; Run starts a new one": func() (engine.Report, error) {
			return b.Continue(nil)
		},
	} {
		if _, err := f(); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
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
