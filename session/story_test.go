package session

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
	"github.com/eaglet-workbench/eaglet/snapshots"
)

// A user's afternoon: a batch from a file, a first run into the cap, a look, a longer run, an interruption,
// an edit, back to the start, and the results on disk.
func TestStory(t *testing.T) {
	t.Chdir(t.TempDir())
	var table strings.Builder
	table.WriteString("name,stop\n")
	for i := range 100 {
		fmt.Fprintf(&table, "body %d,%d\n", i, 10+i)
	}
	writeFile(t, "bodies.csv", table.String())

	g := newGate(5000)
	s := start(t, enginetest.Script{Poll: g.poll}, Options{Observe: true})
	told := record(t, s)
	wantPhase(t, s, Empty)

	// What is wanted is said before there is a kernel, then one is loaded.
	do(t, s, Configure{MaxSteps: ptr(40), R: ptr(0.25)})
	do(t, s, SetBatch{
		Seed:     7,
		Mappings: []snapshots.Mapping{{Plane: "nstop", Column: snapshots.Column{File: "bodies.csv", Name: "stop"}}},
		Labels:   &snapshots.Column{File: "bodies.csv", Name: "name"},
		Values:   map[string]float64{"x": 1},
	})
	do(t, s, LoadKernel{Path: "count"})
	st := s.State()
	if st.Phase != Ready || st.N != 100 || st.Seed != 7 || st.Policy != engine.PolicyBand || st.Engine != "scripted" || st.Device != "scripted, 1 worker" {
		t.Fatalf("after loading: %+v", st)
	}
	if st.LabelName != "name" || st.Labels[99] != "body 99" {
		t.Errorf("labels %q of column %s", head(st.Labels), st.LabelName)
	}
	if want := []string{
		"plane nstop: 100 values from bodies.csv#stop, as they are",
		"plane x: 1 for all, as given", "plane k: 0", "plane bad: -1",
	}; !slices.Equal(st.Notes, want) {
		t.Errorf("notes %q, want %q", st.Notes, want)
	}

	// The first run ends at the cap of 40 steps: the bodies up to number 30 are done.
	do(t, s, Run{})
	st = s.State()
	if st.Phase != Ended || st.Report.Status != "max_steps" || st.Finished != 31 || st.StepsDone != 40 {
		t.Fatalf("after the first run: %s %+v", st.Phase, st.Report)
	}

	// A second budget, interrupted in the middle of it.
	do(t, s, Configure{MaxSteps: ptr(1000)})
	if err := s.Do(ctx, Run{}); err != nil {
		t.Fatal(err)
	}
	<-g.reached
	if err := s.Do(ctx, Rewind{}); !errors.Is(err, engine.ErrBusy) {
		t.Errorf("rewind during a run: %v", err)
	}
	if _, err := s.Look(ctx, OriginQuery{Sample: 1}); !errors.Is(err, engine.ErrBusy) {
		t.Errorf("a question that takes long during a run: %v", err)
	}
	must(t, s.Do(ctx, Cancel{}))
	close(g.open)
	must(t, s.Wait(ctx))
	st = s.State()
	if st.Phase != Paused || st.Report.Status != "cancelled" || st.Finished <= 31 || st.Finished >= 100 {
		t.Fatalf("after cancelling: %s %+v", st.Phase, st.Report)
	}

	// The rest is to finish at step 111, and the run goes on.
	do(t, s, SetParam{Name: "nstop", Value: 111}, Continue{})
	st = s.State()
	if st.Phase != Ended || st.Report.Status != "finished" || st.Finished != 100 || st.Report.Longest != 111-40 {
		t.Fatalf("after going on: %s %+v", st.Phase, st.Report)
	}
	if h := st.History; len(h) != 2 || len(h[0].Runs) != 2 || len(h[1].Runs) != 1 ||
		!slices.Equal(h[1].Edits, []Edit{{"nstop", 111}}) || h[0].Runs[1].Status != "cancelled" || h[0].Digest != "digest of count" || h[1].Runs[0].MaxSteps != 1000 {
		t.Errorf("history %+v", h)
	}

	// From the start once more: the edit of an input holds, every body now takes 111 steps.
	do(t, s, Rewind{})
	st = s.State()
	if st.Phase != Ready || st.Finished != 0 || st.Report != nil || len(st.History) != 1 {
		t.Fatalf("after rewinding: %+v", st)
	}
	do(t, s, Run{}, Export{Path: "out.csv"}, Export{Path: "out.npz"})
	got := results(t, s)
	k := got.Planes.Index("k")
	for i := range 100 {
		if v := got.Planes.Float(k, i); v != 111 || got.Mask[i] != 1 || got.StepsTaken[i] != 111 {
			t.Fatalf("sample %d: k = %v, mask %d, %d steps taken", i, v, got.Mask[i], got.StepsTaken[i])
		}
	}

	// What is on disk is what is in memory, names and all.
	for _, file := range []string{"out.csv", "out.npz"} {
		src, err := snapshots.Open([]snapshots.Mapping{{Plane: "x", Column: snapshots.Column{File: file, Name: "x"}}},
			&snapshots.Column{File: file, Name: "name"}, got.Planes.Spec, nil)
		if err != nil {
			t.Fatal(err)
		}
		p := engine.NewPlanes(got.Planes.Spec, src.Rows())
		if _, err := src.Load(p); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(engine.View[float64](p, 0), engine.View[float64](got.Planes, 0)) {
			t.Errorf("%s: x is not what is in memory", file)
		}
		if labels, err := src.Labels(); err != nil || !slices.Equal(labels, got.Labels) {
			t.Errorf("%s: labels %q, %v", file, head(labels), err)
		}
	}
	take[RunEnded](t, told, 4)
	if files := take[Exported](t, told, 2); files[0].Path != "out.csv" || files[1].Path != "out.npz" || files[1].Bytes < 100*21 {
		t.Errorf("exported %+v", files)
	}
	take[Failed](t, told, 0)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
