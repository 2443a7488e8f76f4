package session

import (
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaglet-workbench/eaglet/engine"
)

// Going to any step, back or on, shows the same bits as running there, and from a boundary of a launch on the
// run ends as the uninterrupted one, launch by launch.
func TestSeekAnywhere(t *testing.T) {
	for _, policy := range []engine.Policy{engine.PolicyBand, engine.PolicyDoubling, engine.PolicyTiled} {
		options := Configure{Policy: &policy, R: ptr(0.25)}
		setup := []Command{SetBatch{N: 400, Seed: 5}, LoadKernel{"oscillator"}, options}
		whole := onHost(t, Options{}, append(setup, Run{})...)
		want, report := results(t, whole), *whole.State().Report
		s := onHost(t, Options{}, append(setup, Run{})...)
		plain := onHost(t, Options{}, setup...)
		rapid.Check(t, func(rt *rapid.T) {
			step := rapid.IntRange(0, 1100).Draw(rt, "step")
			do(t, s, Seek{step})
			do(t, plain, Rewind{})
			if step > 0 {
				do(t, plain, RunSteps{N: step})
			}
			sameResults(t, "at a step", results(t, s), results(t, plain))
			if st := s.State(); step > 0 && st.StepsDone != min(step, report.Steps) && st.Phase == Paused {
				rt.Errorf("asked for step %d, it stands at %d, %v", step, st.StepsDone, st.Phase)
			}
			if s.State().Phase == Paused {
				do(t, s, Continue{})
			} else if s.State().Phase == Ready {
				do(t, s, Run{})
			}
			sameResults(t, "gone on", results(t, s), want)
			if step == 0 {
				if got := s.State().Report; !maps.Equal(got.LaunchesByK, report.LaunchesByK) {
					rt.Errorf("%v: launches %v, want %v", policy, got.LaunchesByK, report.LaunchesByK)
				}
			}
		})
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
