package session

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
)

// readRecording reads all events of a recording.
func readRecording(t *testing.T, path string) (engine.RecordingHeader, []engine.Event) {
	t.Helper()
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	rec, err := engine.OpenRecording(f)
	must(t, err)
	var events []engine.Event
	for {
		e, err := rec.Next()
		if errors.Is(err, io.EOF) {
			return rec.Header, events
		}
		must(t, err)
		events = append(events, e)
	}
}

func TestARecordingHoldsRunsAndStops(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.eagrec")
	s := start(t, enginetest.Script{Stops: spread}, Options{Observe: true})
	do(t, s, LoadKernel{"count"}, SetBatch{N: 100}, Configure{MaxSteps: ptr(60), R: ptr(0.25)})
	must(t, s.Do(ctx, Record{path}))
	if got := s.State().Recording; got != path {
		t.Errorf("the state says that %q is recorded", got)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file is in its place before it is complete")
	}
	do(t, s, Run{})
	want := s.State().Report
	taken := results(t, s).StepsTaken
	mask := results(t, s).Mask
	must(t, s.Do(ctx, StopRecording{}))
	if got := s.State().Recording; got != "" {
		t.Errorf("the state says that %q is still recorded", got)
	}
	header, events := readRecording(t, path)
	if header.N != 100 || header.Options.Kernel != "count" || header.Options.Policy != "band" || header.Options.MaxSteps != 60 {
		t.Errorf("header %+v", header)
	}
	launches, steps, at := 0, 0, 0
	for i := range events {
		switch e := &events[i]; e.Kind {
		case engine.EventLaunch:
			launches++
			steps += int(e.Launch().Word)
		case engine.EventStops:
			if events[i].Generation != s.State().Generation {
				t.Error("stops of another generation")
			}
			s := e.Stops()
			for k := range int(s.Count) {
				if int(s.First) != at-k || s.Taken[k] != taken[at] || s.Mask[k] != mask[at] {
					t.Fatalf("sample %d: %d steps, mask %d; want %d, %d", at, s.Taken[k], s.Mask[k], taken[at], mask[at])
				}
				at++
			}
		}
	}
	if launches != want.Launches || steps != want.Steps || at != 100 {
		t.Errorf("%d launches of %d steps and %d stops, want %d, %d, 100", launches, steps, at, want.Launches, want.Steps)
	}
}

func TestRecordingIsAcceptedDuringARun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.eagrec")
	g := newGate(17)
	s := start(t, enginetest.Script{Stops: spread, Poll: g.poll}, Options{Observe: true})
	do(t, s, LoadKernel{"count"}, SetBatch{N: 100}, Configure{R: ptr(0.25)})
	must(t, s.Do(ctx, Run{}))
	<-g.reached
	must(t, s.Do(ctx, Record{path}))
	close(g.open)
	must(t, s.Wait(ctx))
	must(t, s.Close()) // puts it in its place
	_, events := readRecording(t, path)
	if last := events[len(events)-1]; last.Kind != engine.EventStops {
		t.Errorf("the last event is of kind %d", last.Kind)
	}
}

func TestRecordingRefusals(t *testing.T) {
	dir := t.TempDir()
	s := start(t, enginetest.Script{Stops: spread}, Options{})
	refused := func(c Command, want string) {
		t.Helper()
		if err := s.Do(ctx, c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%T gives %v, want %q", c, err, want)
		}
	}
	refused(Record{filepath.Join(dir, "a.eagrec")}, "no kernel is loaded")
	refused(StopRecording{}, "nothing is being recorded")
	do(t, s, LoadKernel{"count"})
	refused(Record{filepath.Join(dir, "a.bin")}, "a recording is named *.eagrec")
	refused(Record{filepath.Join(dir, "no", "a.eagrec")}, "no such file")
	must(t, s.Do(ctx, Record{filepath.Join(dir, "a.eagrec")}))
	refused(Record{filepath.Join(dir, "b.eagrec")}, "is being recorded already")
}
