package session

import (
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/snapshots"
)

// An element that is set at the start is part of the start: of a run, of a Rewind, of a sample that is followed, of a fork.
func TestACellOfTheStart(t *testing.T) {
	for _, memory := range []int64{0, 100_000} { // with a copy of the start, and without
		s := onHost(t, Options{MemoryBytes: memory}, SetBatch{N: 400, Seed: 1}, LoadKernel{"oscillator"}, Configure{Policy: ptr(engine.PolicyBand), R: ptr(0.25)})
		do(t, s, SetCell{"nstop", 17, 3}, SetCell{"x", 17, 0.5}, SetCell{"x", 17, 0.75})
		if st := s.State(); st.Phase != Ready {
			t.Fatalf("%v", st.Phase)
		}
		do(t, s, Run{})
		want := results(t, s)
		if want.StepsTaken[17] != 3 {
			t.Errorf("sample 17 took %d steps, want 3", want.StepsTaken[17])
		}
		do(t, s, Rewind{})
		if r := results(t, s); r.Planes.Float(r.Planes.Index("x"), 17) != 0.75 {
			t.Errorf("after a rewind X is %v", r.Planes.Float(r.Planes.Index("x"), 17))
		}
		do(t, s, Run{})
		sameResults(t, "again", results(t, s), want)
		answer, err := s.Look(ctx, FollowQuery{Samples: []int{17, 18}, Names: []string{"x", TakenColumn}})
		must(t, err)
		tr := answer.(*Trajectory)
		last := len(tr.Steps) - 1
		if x := want.Planes.Index("x"); tr.Values[0][0][0] != 0.75 || tr.Values[0][0][last] != want.Planes.Float(x, 17) || tr.Values[0][1][last] != want.Planes.Float(x, 18) || tr.Values[1][0][last] != 3 {
			t.Errorf("followed: %v", tr.Values)
		}
		do(t, s, ForkRun{Policy: ptr(engine.PolicyDoubling)})
		if f := s.State().Fork; f == nil || !f.Equal.Known || f.Equal.Samples != 0 {
			t.Errorf("the fork: %+v", f)
		}
	}
}

func TestACellOfARunThatIsOn(t *testing.T) {
	s := onHost(t, Options{}, SetBatch{N: 400, Seed: 1}, LoadKernel{"oscillator"}, RunSteps{N: 5})
	do(t, s, SetCell{"x", 3, 9}, SetCell{"nstop", 3, 6})
	st := s.State()
	if last := st.History[len(st.History)-1]; len(st.History) != 3 || last.Edits[0].Name != "nstop of sample 3" || last.Edits[0].Value != 6 {
		t.Errorf("history %+v", st.History)
	}
	do(t, s, Run{})
	if r := results(t, s); r.Mask[3] == 0 || r.Planes.Float(r.Planes.Index("k"), 3) != 6 {
		t.Error("sample 3 does not stop at its new stop")
	}
	do(t, s, Rewind{})
	r := results(t, s)
	if r.Planes.Float(r.Planes.Index("nstop"), 3) != 6 {
		t.Error("what a step only reads is gone after the rewind")
	}
	if r.Planes.Float(r.Planes.Index("x"), 3) == 9 {
		t.Error("what a step writes has outlived the rewind")
	}
}

// A sample that is taken back runs on, one that is finished by hand does not.
func TestTheMaskIsSet(t *testing.T) {
	s := onHost(t, Options{}, SetBatch{N: 100, Seed: 1}, LoadKernel{"oscillator"})
	do(t, s, SetMask{5, true})
	if s.State().Finished != 1 {
		t.Errorf("%d finished", s.State().Finished)
	}
	do(t, s, Run{})
	if r := results(t, s); r.StepsTaken[5] != 0 {
		t.Errorf("sample 5 took %d steps", r.StepsTaken[5])
	}
	do(t, s, SetMask{5, false}, Run{})
	if r := results(t, s); r.StepsTaken[5] == 0 || r.Mask[5] == 0 || s.State().Finished != 100 {
		t.Errorf("taken back: %d steps, mask %d", r.StepsTaken[5], r.Mask[5])
	}
}

func TestPlanesAreMadeAnew(t *testing.T) {
	s := onHost(t, Options{}, SetBatch{N: 100, Seed: 1}, LoadKernel{"oscillator"})
	before := results(t, s)
	do(t, s, SetCell{"x", 0, 7}, Regenerate{"x", 2})
	after := results(t, s)
	x, v := before.Planes.Index("x"), before.Planes.Index("v")
	if after.Planes.Float(x, 0) == 7 || after.Planes.Float(x, 1) == before.Planes.Float(x, 1) {
		t.Error("X is as it was")
	}
	if after.Planes.Float(v, 1) != before.Planes.Float(v, 1) {
		t.Error("V has changed too")
	}
	other := onHost(t, Options{}, SetBatch{N: 100, Seed: 2}, LoadKernel{"oscillator"})
	if o := results(t, other); o.Planes.Float(x, 1) != after.Planes.Float(x, 1) {
		t.Error("X is not that of a batch with seed 2")
	}
	do(t, s, Regenerate{"", 2})
	sameResults(t, "all planes", results(t, s), results(t, other))
}

func TestAPlaneIsLoaded(t *testing.T) {
	path := t.TempDir() + "/x.csv"
	writeFile(t, path, "x\n1\n2\n3\n")
	s := onHost(t, Options{}, SetBatch{N: 3, Seed: 1}, LoadKernel{"oscillator"})
	m, err := snapshots.ParseMapping("x=" + path + "#x")
	must(t, err)
	do(t, s, LoadPlane{m})
	r := results(t, s)
	if x := r.Planes.Index("x"); r.Planes.Float(x, 0) != 1 || r.Planes.Float(x, 2) != 3 {
		t.Error("the plane is not that of the file")
	}
}

func TestEditsThatCannotBe(t *testing.T) {
	s := onHost(t, Options{}, SetBatch{N: 10, Seed: 1}, LoadKernel{"oscillator"})
	for want, c := range map[string]Command{
		"there is no sample 10":          SetCell{"x", 10, 1},
		"there is no sample -1":          SetMask{-1, true},
		`nothing called "qq"`:            SetCell{"qq", 1, 1},
		"is computed from the planes":    SetCell{"energy", 1, 1},
		"steps_taken is counted":         SetCell{TakenColumn, 1, 1},
		"has one value for the batch":    SetCell{"dt", 1, 1},
		"cannot hold 0.5":                SetCell{"nstop", 1, 0.5},
		"sample 3 is live already":       SetMask{3, false},
		`there is no plane "qq" to make`: Regenerate{"qq", 1},
		"plane k has no init tag":        Regenerate{"k", 1},
	} {
		if err := s.Do(ctx, c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v gives %v, want %s", c, err, want)
		}
	}
	do(t, s, RunSteps{N: 1})
	for _, c := range []Command{Regenerate{"x", 1}, LoadPlane{}} {
		if err := s.Do(ctx, c); err == nil || !strings.Contains(err.Error(), "rewind first") {
			t.Errorf("%T in the middle of a run: %v", c, err)
		}
	}
}

// What is set last in a plane is what it begins with; edits of the other planes, and of the mask, stay.
func TestTheLastEditOfAPlaneHolds(t *testing.T) {
	path := t.TempDir() + "/omega.csv"
	writeFile(t, path, "omega\n1\n2\n3\n4\n")
	mapping, err := snapshots.ParseMapping("omega=" + path + "#omega")
	must(t, err)
	seven := onHost(t, Options{}, SetBatch{N: 4, Seed: 7}, LoadKernel{"oscillator"})
	made := func(name string, sample int) float64 {
		r := results(t, seven)
		return r.Planes.Float(r.Planes.Index(name), sample)
	}
	for _, c := range []struct {
		name     string
		plane    string
		commands []Command
		want     [2]float64 // of samples 1 and 2
	}{
		{"a value after an element", "x", []Command{SetCell{"x", 1, 0.5}, SetParam{"x", 2}}, [2]float64{2, 2}},
		{"an element after a value", "x", []Command{SetParam{"x", 2}, SetCell{"x", 1, 0.5}}, [2]float64{0.5, 2}},
		{"a value after an element, both on the way", "nstop", []Command{RunSteps{N: 1}, SetCell{"nstop", 1, 5}, SetParam{"nstop", 9}}, [2]float64{9, 9}},
		{"a seed after a value", "x", []Command{SetParam{"x", 2}, Regenerate{"x", 7}}, [2]float64{made("x", 1), made("x", 2)}},
		{"a value after a seed", "x", []Command{Regenerate{"x", 7}, SetParam{"x", 2}}, [2]float64{2, 2}},
		{"a seed after a value, then a column for another plane", "x", []Command{SetParam{"x", 2}, Regenerate{"x", 7}, LoadPlane{mapping}}, [2]float64{made("x", 1), made("x", 2)}},
		{"an element, then a column for another plane", "x", []Command{Regenerate{"x", 7}, SetCell{"x", 1, 0.5}, LoadPlane{mapping}}, [2]float64{0.5, made("x", 2)}},
		{"a column after an element, a value and a seed", "omega", []Command{SetCell{"omega", 1, 8}, SetParam{"omega", 9}, Regenerate{"omega", 3}, LoadPlane{mapping}}, [2]float64{2, 3}},
		{"an element after a column", "omega", []Command{LoadPlane{mapping}, SetCell{"omega", 1, 8}}, [2]float64{8, 3}},
		{"a value after a column and an element", "omega", []Command{LoadPlane{mapping}, SetCell{"omega", 1, 8}, SetParam{"omega", 9}}, [2]float64{9, 9}},
		{"a seed after a column, then a column for another plane", "omega", []Command{LoadPlane{mapping}, Regenerate{"omega", 7}, SetCell{"x", 1, 1}}, [2]float64{made("omega", 1), made("omega", 2)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := onHost(t, Options{}, SetBatch{N: 4, Seed: 1}, LoadKernel{"oscillator"}, SetMask{3, true}, SetCell{"v", 0, 0.125})
			do(t, s, c.commands...)
			path := t.TempDir() + "/s.toml"
			do(t, s, Rewind{}, Save{path})
			commands, err := FromFile(path)
			must(t, err)
			for name, s := range map[string]*Session{"here": s, "saved and opened": onHost(t, Options{}, commands...)} {
				r := results(t, s)
				p, v := r.Planes.Index(c.plane), r.Planes.Index("v")
				if got := [2]float64{r.Planes.Float(p, 1), r.Planes.Float(p, 2)}; got != c.want {
					t.Errorf("%s: %s is %v, want %v", name, c.plane, got, c.want)
				}
				if r.Planes.Float(v, 0) != 0.125 || r.Mask[3] != 1 || s.State().Finished != 1 {
					t.Errorf("%s: v is %v, mask %v, %d finished", name, r.Planes.Float(v, 0), r.Mask, s.State().Finished)
				}
			}
		})
	}
}

// A sample that is finished at the start is finished wherever the way from there is gone: in a run, a fork, a travel, a
// followed sample, a reload, on another engine.
func TestAMaskOfTheStart(t *testing.T) {
	for _, memory := range []int64{0, 100_000} { // with a copy of the start, and without
		s := onHost(t, Options{MemoryBytes: memory}, SetBatch{N: 400, Seed: 1}, LoadKernel{"oscillator"}, Configure{Policy: ptr(engine.PolicyBand), R: ptr(0.25)})
		do(t, s, SetMask{5, true}, SetMask{6, true}, SetMask{6, false})
		if st := s.State(); st.Phase != Ready || st.Finished != 1 || len(st.History) != 1 {
			t.Fatalf("%v, %d finished, %d segments", st.Phase, st.Finished, len(st.History))
		}
		do(t, s, Run{})
		want := results(t, s)
		if want.StepsTaken[5] != 0 || want.StepsTaken[6] == 0 || want.Mask[5] != 1 {
			t.Errorf("samples 5 and 6 took %v steps", want.StepsTaken[5:7])
		}
		answer, err := s.Look(ctx, FollowQuery{Samples: []int{5, 6}, Names: []string{"x", TakenColumn}})
		must(t, err)
		tr := answer.(*Trajectory)
		last, x := len(tr.Steps)-1, want.Planes.Index("x")
		if tr.Stop[0] != 0 || tr.Values[1][0][last] != 0 || tr.Values[0][0][last] != want.Planes.Float(x, 5) || tr.Values[0][1][last] != want.Planes.Float(x, 6) {
			t.Errorf("followed: stops %v", tr.Stop)
		}
		do(t, s, ForkRun{Policy: ptr(engine.PolicyDoubling)})
		if f := s.State().Fork; f == nil || !f.Equal.Known || f.Equal.Samples != 0 {
			t.Errorf("the fork: %+v", f)
		}
		steps := s.State().StepsDone
		do(t, s, Seek{Step: steps / 2}, Seek{Step: steps})
		sameResults(t, "there and back", results(t, s), want)
		do(t, s, Rewind{})
		if r := results(t, s); r.Mask[5] != 1 || s.State().Finished != 1 {
			t.Errorf("after a rewind mask %d, %d finished", r.Mask[5], s.State().Finished)
		}
		do(t, s, Reload{Keep: KeepNothing}, Run{})
		sameResults(t, "reloaded", results(t, s), want)
	}
}

// A fork that gives a plane one value gives it to elements too that were set.
func TestAForkGivesAPlaneOneValue(t *testing.T) {
	s := onHost(t, Options{}, SetBatch{N: 20, Seed: 1}, LoadKernel{"oscillator"}, SetCell{"nstop", 3, 50})
	do(t, s, ForkRun{Values: map[string]float64{"nstop": 9}})
	if f := s.State().Fork; f == nil || f.Report.Steps != 9 {
		t.Errorf("the fork: %+v", f)
	}
}

// A reload keeps what was set in the start, where the new kernel has the plane.
func TestAReloadKeepsCellsOfTheStart(t *testing.T) {
	path := t.TempDir() + "/decay.go"
	text := "package decay\n\n//eaglet:kernel steps=auto\ntype Decay struct {\n\tRate float64 `init:\"uniform(1, 2)\"`\n\tPop float64 `init:\"1\"`\n}\n\nfunc (s *Decay) Step() (terminated bool) {\n\ts.Pop -= 0.01 * s.Rate * s.Pop\n\tterminated = s.Pop < 0.5\n\treturn\n}\n"
	writeFile(t, path, text)
	s := onHost(t, Options{}, SetBatch{N: 20, Seed: 1}, LoadKernel{path})
	do(t, s, SetCell{"pop", 3, 8}, Regenerate{"rate", 9})
	rate := results(t, s)
	writeFile(t, path, strings.Replace(strings.Replace(text, "\tPop ", "\tExtra float64\n\tPop ", 1), "0.5", "0.25", 1))
	do(t, s, Reload{})
	r := results(t, s)
	if r.Planes.Float(r.Planes.Index("pop"), 3) != 8 || r.Planes.Float(r.Planes.Index("pop"), 4) != 1 {
		t.Error("the element is not what it was set to")
	}
	if i := r.Planes.Index("rate"); r.Planes.Float(i, 5) != rate.Planes.Float(rate.Planes.Index("rate"), 5) {
		t.Error("the plane is made by another seed")
	}
	do(t, s, Run{}, Rewind{})
	if r := results(t, s); r.Planes.Float(r.Planes.Index("pop"), 3) != 8 {
		t.Error("the rewind has lost it")
	}
}
