package session

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/snapshots"
)

func column(file, name string) snapshots.Column { return snapshots.Column{File: file, Name: name} }

func mapping(plane, file, name string) snapshots.Mapping {
	return snapshots.Mapping{Plane: plane, Column: column(file, name)}
}

func TestRefusals(t *testing.T) {
	for name, tc := range map[string]struct {
		kernel  string
		before  []Command
		command Command
		want    string
	}{
		"a run without a kernel":      {"", nil, Run{}, "no kernel is loaded"},
		"a rewind without a kernel":   {"", nil, Rewind{}, "no kernel is loaded"},
		"an export without a kernel":  {"", nil, Export{"x.csv"}, "no kernel is loaded"},
		"a param without a kernel":    {"", nil, SetParam{"dt", 1}, "no kernel is loaded"},
		"a kernel without a name":     {"", nil, LoadKernel{}, "no kernel is named: give a file, a folder, or the name of a bundled kernel"},
		"a batch of less than none":   {"", nil, SetBatch{N: -5}, "a batch of -5 samples cannot be: n is at least 1, or 0 to have it taken from the mapped columns"},
		"a batch beyond 32 bits":      {"count", nil, SetBatch{N: 1 << 40}, "a batch of 1,099,511,627,776 samples is more than the 2,147,483,647 that can be numbered: run it in shards"},
		"a value for an unknown name": {"count", nil, SetBatch{Values: map[string]float64{"nstap": 1}}, `kernel count has no plane or param "nstap" (did you mean nstop?); it has x, k, nstop, bad`},
		"every problem of a batch": {
			"typed", nil,
			SetBatch{
				N: -1, Mappings: []snapshots.Mapping{mapping("dt", "f.csv", "a"), mapping("w", "f.csv", "a"), mapping("q", "f.csv", "a")},
				Values: map[string]float64{"w": 1e39, "on": 2, "u": 0.5},
			},
			"a batch of -1 samples cannot be: n is at least 1, or 0 to have it taken from the mapped columns\n" +
				"dt is a param, one value for the batch: it cannot come from a column (f.csv#a); give it a value\n" +
				"plane w is given a value and a column (f.csv#a): keep one\n" +
				`there is no plane "q"; the planes are x, k, nstop, bad, dt, w, on, u, r` + "\n" +
				"on is bool and cannot hold 2: give 0 or 1\n" +
				"u is uint32 and cannot hold 0.5: give a whole number, at most 2^53 in size\n" +
				"w is float32 and cannot hold 1e+39: it is out of range",
		},
		"a number of samples that the columns do not have": {
			"count", nil,
			SetBatch{N: 5, Mappings: []snapshots.Mapping{mapping("x", "f.csv", "a")}},
			"n is 5, the columns have 2 rows (f.csv#a): leave n out, or give 2",
		},
		"a text column":            {"count", nil, SetBatch{Mappings: []snapshots.Mapping{mapping("x", "f.csv", "t")}}, `f.csv#t: row 1 (line 2) holds "p", which is no number (plane x is float64); a text column can be kept as labels, not be a plane`},
		"a file that is not there": {"count", nil, SetBatch{Labels: &snapshots.Column{File: "g.csv", Name: "a"}}, "labels: open g.csv: no such file or directory"},
		"a value out of range":     {"typed", nil, SetParam{"u", -1}, "u is uint32 and cannot hold -1: it is out of range"},
		"an unknown param":         {"typed", nil, SetParam{"dt_", -1}, `kernel typed has no plane or param "dt_" (did you mean dt?); it has x, k, nstop, bad, dt, w, on, u, r`},
		"every wrong option": {
			"count", nil,
			Configure{Engine: ptr("cuda"), MaxSteps: ptr(0), Policy: ptr(engine.PolicyFixed), R: ptr(-1.0)},
			"max_steps is a whole number from 1 to 2,147,483,647, not 0\n" +
				"the policy is auto, tiled, band, measured or doubling; a fixed number of steps per launch is the kernel's own\n" +
				"the cost R of a compaction is a positive number of steps, or 0 to have it calibrated, not -1\n" +
				`there is no engine "cuda"; there is scripted`,
		},
		"R that is no number":               {"count", nil, Configure{R: ptr(math.NaN())}, "the cost R of a compaction is a positive number of steps, or 0 to have it calibrated, not NaN"},
		"a run without a finish":            {"endless", nil, Run{}, "kernel endless declares no finish, so a run would never be done: run a number of steps instead (--steps N), or declare one: func (s *T) Step() (terminated bool)"},
		"going on before a run":             {"count", nil, Continue{}, "there is nothing to continue: no run is paused or cancelled; Run starts a new one"},
		"going on after a run's end":        {"count", []Command{Run{}}, Continue{}, "there is nothing to continue: no run is paused or cancelled; Run starts a new one"},
		"going on for ever":                 {"endless", []Command{RunSteps{3}}, Continue{}, "kernel endless declares no finish, so a run would never be done: run a number of steps instead (--steps N), or declare one: func (s *T) Step() (terminated bool)"},
		"no steps":                          {"count", nil, RunSteps{0}, "a number of steps is from 1 to 2,147,483,647, not 0"},
		"a launch of less than none":        {"count", nil, Step{-1}, "a launch takes from 1 to 2,147,483,647 steps, or 0 to let the policy choose, not -1"},
		"a file of an unknown kind":         {"count", nil, Export{"out.xlsx"}, `"out.xlsx": cannot tell what kind of file to write: results go to .npz or .csv`},
		"a folder that is not there":        {"count", nil, Export{"no/out.csv"}, `"no/out.csv" cannot be written: there is no folder no; make it first`},
		"a kernel that does not load":       {"count", nil, LoadKernel{"broken.go"}, "broken.go was not loaded, it has 2 errors; the first: broken.go:3:5 E101 a goroutine is started"},
		"no command at all":                 {"count", nil, nil, "no such command: <nil>"},
		"a batch for the kernel that comes": {"", []Command{SetBatch{Values: map[string]float64{"y": 1}}}, LoadKernel{"count"}, `kernel count has no plane or param "y"; it has x, k, nstop, bad`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			writeFile(t, "f.csv", "a,t\n1,p\n2,q\n")
			s := start(t, enginetest.Script{}, Options{})
			if tc.kernel != "" {
				do(t, s, LoadKernel{tc.kernel}, SetBatch{N: 4})
			}
			do(t, s, tc.before...)
			before := *s.State()
			err := try(s, tc.command)
			if err == nil {
				t.Fatalf("was accepted, want %s", tc.want)
			}
			if got := err.Error(); got != tc.want {
				t.Errorf("\n got %s\nwant %s", got, tc.want)
			}
			after := *s.State()
			if after.Phase != before.Phase || after.Kernel != before.Kernel || after.N != before.N || after.Generation != before.Generation || after.MaxSteps != before.MaxSteps {
				t.Errorf("the session changed: %+v, was %+v", after, before)
			}
		})
	}
}

func TestAKernelThatDoesNotLoadLeavesTheOneBefore(t *testing.T) {
	s := start(t, enginetest.Script{}, Options{})
	do(t, s, LoadKernel{"count"}, SetBatch{N: 4}, Run{})
	want := results(t, s)
	err := try(s, LoadKernel{"broken.go"})
	load, ok := errors.AsType[*LoadError](err)
	if !ok || len(load.Diagnostics) != 2 {
		t.Fatalf("error %v", err)
	}
	st := s.State()
	if !st.Diagnostics.Errors() || st.Kernel.Path != "count" || st.Phase != Ended {
		t.Errorf("state %+v", st)
	}
	sameResults(t, "after a load that failed", results(t, s), want)
	do(t, s, LoadKernel{"count"})
	if s.State().Diagnostics != nil {
		t.Errorf("diagnostics of a load before: %v", s.State().Diagnostics)
	}
}

func TestAnotherKernelDropsWhatWasForTheOneBefore(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "f.csv", "a,t\n1,p\n2,q\n")
	s := start(t, enginetest.Script{}, Options{})
	batch := SetBatch{Seed: 3, Mappings: []snapshots.Mapping{mapping("x", "f.csv", "a")}, Labels: ptr(column("f.csv", "t")), Values: map[string]float64{"nstop": 5}}
	do(t, s, LoadKernel{"count"}, batch, LoadKernel{"count"})
	if st := s.State(); st.N != 2 || len(st.Labels) != 2 || st.Notes[0] != "plane x: 2 values from f.csv#a, as they are" {
		t.Errorf("the same kernel again: %+v", st)
	}
	do(t, s, LoadKernel{"typed"})
	st := s.State()
	if st.N != DefaultN || st.Labels != nil || st.Seed != 3 {
		t.Errorf("another kernel: n %d, labels %v, seed %d", st.N, head(st.Labels), st.Seed)
	}
	want := []string{
		"dropped: the column of x (f.csv#a), which was for the kernel before",
		"dropped: the value of nstop, which was for the kernel before",
		"dropped: the labels (f.csv#t), which were for the kernel before",
	}
	for i := range want {
		if st.Notes[i] != want[i] {
			t.Errorf("note %q, want %q", st.Notes[i], want[i])
		}
	}
	if st.Notes[len(st.Notes)-1] != "plane r: uniform(-1, 1), seed 3" || len(st.Params) != 1 || st.Params[0] != (Param{"dt", "s", "time step", 0.5}) {
		t.Errorf("notes %q, params %+v", st.Notes, st.Params)
	}
}

func TestEnginesThatFail(t *testing.T) {
	for name, tc := range map[string]struct {
		script enginetest.Script
		want   string
	}{
		"in compiling": {enginetest.Script{CompileErr: errBroken}, "engine scripted: compile count: the device is on fire"},
		"in binding":   {enginetest.Script{BindErr: errBroken}, "engine scripted: the device is on fire"},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, tc.script, Options{})
			err := try(s, LoadKernel{"count"})
			if !errors.Is(err, errBroken) {
				t.Errorf("the cause is lost: %v", err)
			}
			wantError(t, err, tc.want)
			wantPhase(t, s, Empty)
		})
	}
	s := startOn(t, Options{Load: library})
	wantError(t, try(s, LoadKernel{"count"}), "there is no engine to run a kernel on")
}

func TestARunThatFailsLeavesPlanesToLookAt(t *testing.T) {
	s := start(t, enginetest.Script{LaunchErr: errBroken}, Options{})
	do(t, s, LoadKernel{"count"}, SetBatch{N: 4})
	if err := try(s, Run{}); !errors.Is(err, errBroken) {
		t.Fatalf("error %v", err)
	}
	wantPhase(t, s, Ended)
	if r := results(t, s); r.Planes.N != 4 {
		t.Errorf("planes of %d samples", r.Planes.N)
	}
	err := try(s, Run{})
	if err == nil || !strings.HasPrefix(err.Error(), "the batch cannot be run on: ") || !strings.HasSuffix(err.Error(), "the device is on fire; rewind it") {
		t.Errorf("a run after that: %v", err)
	}
	do(t, s, Rewind{})
	wantPhase(t, s, Ready)
}

func TestABugIsCaught(t *testing.T) {
	hot := true
	s := start(t, enginetest.Script{Poll: func(steps uint64) {
		if steps == 10 && hot {
			panic("index out of range [7]")
		}
	}}, Options{Observe: true})
	do(t, s, LoadKernel{"count"}, SetBatch{N: 4})
	err := try(s, Run{})
	bug, ok := errors.AsType[*BugError](err)
	if !ok || len(bug.Stack) == 0 {
		t.Fatalf("error %v", err)
	}
	wantError(t, err, "running count: index out of range [7]: this is a bug in eaglet; the planes are kept")
	if r := results(t, s); r.Planes.Float(1, 0) != 10 {
		t.Errorf("k of sample 0 is %v, 10 steps were taken before", r.Planes.Float(1, 0))
	}
	if err := try(s, Run{}); err == nil {
		t.Error("a run on a batch that a bug has spoiled was accepted")
	}
	hot = false
	do(t, s, Rewind{}, Run{})
	if st := s.State(); st.Phase != Ended || st.Finished != 4 {
		t.Errorf("after a rewind: %s, %d finished", st.Phase, st.Finished)
	}
}

func TestALoaderThatPanicsIsCaught(t *testing.T) {
	s := start(t, enginetest.Script{}, Options{Load: func(string) (*kernels.Kernel, kernels.Diagnostics) { panic("nil map") }})
	wantError(t, try(s, LoadKernel{"count"}), "loading count: nil map: this is a bug in eaglet; the planes are kept")
	wantPhase(t, s, Empty)
}

func TestWhatInitOverwritesIsRefused(t *testing.T) {
	k := enginetest.CountKernel(func(k *ir.Kernel) {
		f := &ir.Func{Name: "init", Stores: []ir.Cell{{Plane: 0}, {Plane: 2}}}
		half, old := f.New(ir.F64), f.New(ir.I32)
		f.Body.Instrs = []*ir.Instr{
			{Op: ir.OpConst, Type: ir.F64, Imm: math.Float64bits(0.5), Results: []ir.Value{half}},
			{Op: ir.OpLoad, Type: ir.I32, Imm: 2, Results: []ir.Value{old}},
		}
		f.Body.Yield = []ir.Value{half, old}
		k.Init = f
	})
	s := start(t, enginetest.Script{}, Options{Load: func(string) (*kernels.Kernel, kernels.Diagnostics) {
		return &kernels.Kernel{IR: k}, nil
	}})
	do(t, s, LoadKernel{"count"}, SetBatch{N: 3, Values: map[string]float64{"nstop": 4}}) // Init reads what it overwrites
	wantError(t, try(s, SetParam{"x", 1}), "plane x cannot be given a value: the kernel's Init computes it and would overwrite it")
	wantError(t, try(s, SetBatch{Values: map[string]float64{"x": 1}, Mappings: []snapshots.Mapping{mapping("x", "f.csv", "a")}}),
		"plane x is given a value and a column (f.csv#a): keep one\n"+
			"plane x cannot come from a column: the kernel's Init computes it and would overwrite it\n"+
			"plane x cannot be given a value: the kernel's Init computes it and would overwrite it")
}
