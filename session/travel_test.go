package session

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels"
)

// Going to any step, back or on, with keyframes or without, shows the same bits as running there; from there the run
// ends as the uninterrupted one, launch by launch, and is the same run all the while.
func TestSeekAnywhere(t *testing.T) {
	for name, c := range map[string]struct {
		options Options
		kernel  string
		n       int
		set     Configure
	}{
		"band":                {Options{Travel: true}, "oscillator", 400, Configure{Policy: ptr(engine.PolicyBand), R: ptr(0.25)}},
		"without keyframes":   {Options{}, "oscillator", 400, Configure{Policy: ptr(engine.PolicyBand), R: ptr(0.25)}},
		"with little memory":  {Options{Travel: true, MemoryBytes: 200_000}, "oscillator", 400, Configure{Policy: ptr(engine.PolicyBand), R: ptr(0.25)}},
		"doubling":            {Options{Travel: true}, "oscillator", 400, Configure{Policy: ptr(engine.PolicyDoubling)}},
		"tiled":               {Options{Travel: true}, "oscillator", 400, Configure{Policy: ptr(engine.PolicyTiled)}},
		"measured":            {Options{Travel: true}, "oscillator", 400, Configure{Policy: ptr(engine.PolicyMeasured)}},
		"persistent":          {Options{Travel: true}, "oscillator", 400, Configure{Entry: ptr(engine.EntryPersistent)}},
		"reordering":          {Options{Travel: true}, "oscillator", 5000, Configure{Policy: ptr(engine.PolicyBand), R: ptr(0.25), Reorder: ptr(0.75)}},
		"a fixed K":           {Options{Travel: true}, "oscillator", 400, Configure{Compile: &kernels.Options{StepsPerLaunch: "7"}, MaxSteps: ptr(900)}},
		"a fixed K, no guard": {Options{Travel: true}, "oscillator", 400, Configure{Compile: &kernels.Options{StepsPerLaunch: "7", Guard: "mask"}, MaxSteps: ptr(900)}},
	} {
		t.Run(name, func(t *testing.T) {
			setup := []Command{c.set, SetBatch{N: c.n, Seed: 5}, LoadKernel{c.kernel}}
			s := onHost(t, c.options, append(setup, Run{})...)
			want, report := results(t, s), *s.State().Report
			plain := onHost(t, Options{}, setup...)
			generation := s.State().Generation
			rapid.Check(t, func(rt *rapid.T) {
				step := rapid.IntRange(1, report.Longest-1).Draw(rt, "step")
				do(t, s, Seek{step})
				do(t, plain, Rewind{}, RunSteps{N: step})
				sameResults(t, "at a step", results(t, s), results(t, plain))
				st := s.State()
				if st.StepsDone != step || st.Phase != Paused || st.Generation != generation || st.Furthest != report.Steps {
					rt.Fatalf("asked for step %d, it stands at %d of %d, %v, generation %d", step, st.StepsDone, st.Furthest, st.Phase, st.Generation-generation)
				}
				if rapid.Bool().Draw(rt, "a step on its own") && step+1 < report.Longest {
					do(t, s, Step{Word: 1})
					if st := s.State(); st.StepsDone != step+1 {
						rt.Fatalf("one step from %d it stands at %d", step, st.StepsDone)
					}
				}
				if rapid.Bool().Draw(rt, "goes on") {
					do(t, s, Continue{})
					sameResults(t, "gone on", results(t, s), want)
					if got := s.State().Report; !maps.Equal(got.LaunchesByK, report.LaunchesByK) || got.Status != report.Status {
						rt.Fatalf("launches %v, %s, want %v, %s", got.LaunchesByK, got.Status, report.LaunchesByK, report.Status)
					}
					if st := s.State(); st.Furthest != st.StepsDone {
						rt.Fatalf("at the end it stands at %d of %d", st.StepsDone, st.Furthest)
					}
				}
			})
			do(t, s, Seek{0})
			if st := s.State(); st.Phase != Ready || st.StepsDone != 0 || st.Furthest != 0 {
				t.Errorf("step 0: %v, %d of %d", st.Phase, st.StepsDone, st.Furthest)
			}
			if report.Status == "finished" { // else it has more steps to go
				do(t, s, Seek{1 << 20})
				sameResults(t, "beyond the end", results(t, s), want)
			}
		})
	}
}

// Whoever changes the batch in the past makes another run of it, which decides anew.
func TestAChangeInThePast(t *testing.T) {
	s := onHost(t, Options{Travel: true}, Configure{Policy: ptr(engine.PolicyBand), R: ptr(0.25)}, SetBatch{N: 300, Seed: 5}, LoadKernel{driftFile(t)}, Run{})
	plain := onHost(t, Options{}, Configure{Policy: ptr(engine.PolicyBand), R: ptr(0.25)}, SetBatch{N: 300, Seed: 5}, LoadKernel{driftFile(t)})
	before := s.State()
	do(t, s, Seek{20})
	do(t, plain, RunSteps{N: 20}, SetParam{"dt", 0.5}, Run{})
	do(t, s, SetParam{"dt", 0.5}, Continue{})
	st := s.State()
	if st.Generation == before.Generation || st.Furthest != st.StepsDone {
		t.Errorf("it stands at %d of %d, before at %d", st.StepsDone, st.Furthest, before.StepsDone)
	}
	got, want := results(t, s), results(t, plain)
	for i := range want.Planes.Spec {
		if !slices.Equal(got.Planes.Bytes(i), want.Planes.Bytes(i)) {
			t.Errorf("plane %s differs from that of a batch that was changed at step 20", want.Planes.Spec[i].Name)
		}
	}
	if err := s.Do(ctx, Seek{10}); err == nil {
		t.Error("a step before the change is gone to")
	}
}

// Going back is asked for, answered and counted where the batch stands.
func TestQuestionsInThePast(t *testing.T) {
	s := onHost(t, Options{Travel: true}, Configure{Policy: ptr(engine.PolicyBand), R: ptr(0.25)}, SetBatch{N: 300, Seed: 5}, LoadKernel{"oscillator"}, Run{}, Seek{100})
	stops := lookAtStops(t, s)
	if stops.Done != 100 {
		t.Errorf("stops of step %d", stops.Done)
	}
	for i, taken := range stops.Taken {
		if stops.Mask[i] == 0 && taken != 100 || taken > 100 {
			t.Fatalf("sample %d: mask %d after %d steps", i, stops.Mask[i], taken)
		}
	}
	until, err := ParseCondition("live < 10%")
	must(t, err)
	do(t, s, RunUntil{until})
	if st := s.State(); st.Finished <= 270 || st.StepsDone <= 100 || st.StepsDone >= st.Furthest {
		t.Errorf("%d finished at step %d of %d", st.Finished, st.StepsDone, st.Furthest)
	}
}

func TestSeekToABoundaryKeepsEveryDecision(t *testing.T) {
	setup := []Command{SetBatch{N: 2000, Seed: 1}, LoadKernel{"oscillator"}, Configure{Policy: ptr(engine.PolicyBand), R: ptr(0.25)}}
	s := onHost(t, Options{}, append(setup, Run{})...)
	want := *s.State().Report
	for launches := 1; launches < want.Launches; launches += 7 {
		do(t, s, Rewind{})
		for range launches {
			do(t, s, Step{})
		}
		boundary := s.State().StepsDone
		do(t, s, Continue{}, Seek{boundary})
		if st := s.State(); st.StepsDone != boundary || st.Report.Launches != launches {
			t.Fatalf("boundary %d after %d launches: it stands at %d after %d", boundary, launches, st.StepsDone, st.Report.Launches)
		}
		do(t, s, Continue{})
		if got := s.State().Report; !maps.Equal(got.LaunchesByK, want.LaunchesByK) || got.Compactions != want.Compactions {
			t.Errorf("from step %d on: %v, want %v", boundary, got.LaunchesByK, want.LaunchesByK)
		}
	}
}

func TestRunUntil(t *testing.T) {
	until := func(text string) RunUntil {
		c, err := ParseCondition(text)
		must(t, err)
		return RunUntil{c}
	}
	s := onHost(t, Options{}, SetBatch{N: 2000, Seed: 1}, LoadKernel{"oscillator"}, Configure{Policy: ptr(engine.PolicyBand), R: ptr(0.25)})
	do(t, s, until("live < 50%"))
	first := s.State()
	if live := first.N - first.Finished; first.Phase != Paused || live >= 1000 || live < 500 {
		t.Errorf("%v with %d live", first.Phase, live)
	}
	do(t, s, until("live<100"))
	if st := s.State(); st.N-st.Finished >= 100 || st.StepsDone <= first.StepsDone || st.Generation != first.Generation {
		t.Errorf("%d live at step %d", st.N-st.Finished, st.StepsDone)
	}
	do(t, s, Rewind{}, until("change"), until("k = 32"))
	do(t, s, Step{})
	if st := s.State(); st.Report.LaunchesByK[32] != 1 {
		t.Errorf("launches %v: the first of 32 steps comes next", st.Report.LaunchesByK)
	}
	do(t, s, Rewind{}, until("sample 17"))
	if r := results(t, s); r.Mask[17] == 0 {
		t.Error("sample 17 is live")
	}
	do(t, s, until("nan")) // never: to the end
	if st := s.State(); st.Phase != Ended {
		t.Errorf("%v", st.Phase)
	}
	for _, text := range []string{"", "live", "live > 3", "live < x", "k", "sample -1", "sample 1 2", "steps 5"} {
		if _, err := ParseCondition(text); err == nil || !strings.Contains(err.Error(), "run until: live < 500") {
			t.Errorf("%q gives %v", text, err)
		}
	}
	for want, c := range map[string]Command{"there is no sample 2,000": until("sample 2000"), "a step of the run": Seek{-1}, "run until": RunUntil{}} {
		if err := s.Do(ctx, c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v gives %v", c, err)
		}
	}
}
