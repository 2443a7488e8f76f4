package playback

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
	"github.com/eaglet-workbench/eaglet/session"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// live is a session that was recorded, and what it ended with.
type live struct {
	path   string
	events []engine.Event // the trace, without stops
	report engine.Report
	stops  *session.Stops
}

// record runs the oscillator with commands, the last of which makes the run that is reported.
func record(t *testing.T, n int, commands ...session.Command) live {
	t.Helper()
	ctx := t.Context()
	l := live{path: filepath.Join(t.TempDir(), "run.eagrec")}
	s := session.New([]engine.Engine{enginetest.NewScripted(enginetest.Script{})}, session.Options{Observe: true})
	defer s.Close()
	do := func(c session.Command) {
		t.Helper()
		must(t, s.Do(ctx, c))
		must(t, s.Wait(ctx))
	}
	r := 0.25
	do(session.SetBatch{N: n, Seed: 1})
	do(session.LoadKernel{Path: "oscillator"})
	do(session.Configure{R: &r})
	do(session.Record{Path: l.path})
	from := s.Trace().Written()
	for _, c := range commands {
		do(c)
	}
	l.report = *s.State().Report
	answer, err := s.Look(ctx, session.StopsQuery{})
	must(t, err)
	l.stops = answer.(*session.Stops)
	do(session.StopRecording{})
	buf := make([]engine.Event, 1<<14)
	got, _ := s.Trace().Read(from, buf)
	l.events = buf[:got]
	return l
}

func open(t *testing.T, path string) *Session {
	t.Helper()
	s, err := Open(path, Options{})
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

// told reads what a session has told since from.
func told(s *Session, from uint64) []engine.Event {
	buf := make([]engine.Event, ringSpace)
	n, _ := s.Trace().Read(from, buf)
	return buf[:n]
}

// same compares events but for their time and generation.
func same(a, b engine.Event) bool {
	a.Time, b.Time, a.Generation, b.Generation = 0, 0, 0, 0
	return a == b
}

func TestARecordingIsToldAsItWas(t *testing.T) {
	want := record(t, 500, session.Run{})
	s := open(t, want.path)
	if st := s.State(); st.Phase != session.Ready || st.N != 500 || st.Policy != engine.PolicyBand || st.Kernel == nil || st.Kernel.Sources == nil {
		t.Errorf("at the start: %+v", st)
	}
	if !s.Skip(1<<20) || s.State().Phase != session.Ended {
		t.Fatalf("the end is not reached: %s", s.State().Phase)
	}
	got := told(s, 0)
	if len(got) != len(want.events) {
		t.Fatalf("%d events, want %d", len(got), len(want.events))
	}
	for i := range got {
		if !same(got[i], want.events[i]) {
			t.Errorf("event %d is %+v, want %+v", i, got[i], want.events[i])
		}
		if got[i].Generation != s.State().Generation {
			t.Errorf("event %d has generation %d", i, got[i].Generation)
		}
	}
	st := s.State()
	if st.Report == nil || st.Report.Status != want.report.Status || st.Report.Steps != want.report.Steps || st.Report.Launches != want.report.Launches ||
		st.Report.Finished != 500 || st.Finished != 500 || st.StepsDone != want.report.Steps || st.Report.SampleSteps != want.report.SampleSteps {
		t.Errorf("report %+v\nwant   %+v", st.Report, want.report)
	}
	for k, n := range want.report.LaunchesByK {
		if st.Report.LaunchesByK[k] != n {
			t.Errorf("%d launches of %d steps, want %d", st.Report.LaunchesByK[k], k, n)
		}
	}
	answer, err := s.Look(t.Context(), session.StopsQuery{})
	must(t, err)
	if stops := answer.(*session.Stops); !slices.Equal(stops.Taken, want.stops.Taken) || !bytes.Equal(stops.Mask, want.stops.Mask) {
		t.Error("the stops are others")
	}
}

func TestOneLaunchAtATime(t *testing.T) {
	want := record(t, 200, session.Run{})
	s := open(t, want.path)
	for launch := 1; launch <= want.report.Launches; launch++ {
		must(t, s.Do(t.Context(), session.Step{}))
		events := told(s, 0)
		last := engine.Launch{}
		for i := range events {
			if events[i].Kind == engine.EventLaunch {
				last = events[i].Launch()
			}
		}
		if int(last.Number) != launch {
			t.Fatalf("after %d times s launch %d was told", launch, last.Number)
		}
		if st := s.State(); st.StepsDone != int(last.Done) {
			t.Errorf("launch %d: the state says step %d, want %d", launch, st.StepsDone, last.Done)
		}
		answer, err := s.Look(t.Context(), session.StopsQuery{})
		must(t, err)
		stops, live := answer.(*session.Stops), 0
		for i := range stops.Mask {
			if stops.Mask[i] == 0 {
				live++
			}
		}
		if want := int(last.Live - last.Newly); live != want {
			t.Errorf("after launch %d the stops say that %d are live, want %d", launch, live, want)
		}
	}
	if s.State().Phase != session.Ended {
		if err := s.Do(t.Context(), session.Step{}); err != nil {
			t.Error(err)
		}
	}
	if err := s.Do(t.Context(), session.Step{}); err == nil || !strings.Contains(err.Error(), "at its end") {
		t.Errorf("behind the end s gives %v", err)
	}
}

// Going back is a new generation: a view that knew the end forgets it.
func TestRewindTellsAgain(t *testing.T) {
	want := record(t, 200, session.Run{})
	s := open(t, want.path)
	s.Skip(1 << 20)
	before, from := s.State().Generation, s.Trace().Written()
	must(t, s.Do(t.Context(), session.Rewind{}))
	if st := s.State(); st.Phase != session.Ready || st.Generation == before || st.Finished != 0 || st.Report != nil {
		t.Errorf("after a rewind %+v", st)
	}
	s.Skip(1 << 20)
	again := told(s, from)
	if len(again) != len(want.events) || !same(again[3], want.events[3]) {
		t.Errorf("%d events the second time, want %d", len(again), len(want.events))
	}
}

func TestSeveralRunsAreSeveralGenerations(t *testing.T) {
	want := record(t, 200, session.Run{}, session.Rewind{}, session.Run{})
	s := open(t, want.path)
	if len(s.x.parts) != 2 {
		t.Fatalf("%d runs were found, want 2", len(s.x.parts))
	}
	s.Skip(1 << 20)
	generations := map[uint32]int{}
	for _, e := range told(s, 0) {
		if e.Kind == engine.EventLaunch {
			generations[e.Generation]++
		}
	}
	if len(generations) != 2 {
		t.Errorf("launches by generation: %v", generations)
	}
	if run, runs, end := s.Position(); run != 2 || runs != 2 || !end {
		t.Errorf("stands at run %d of %d, end %v", run, runs, end)
	}
}

// A paused run that goes on stays one run.
func TestAContinuedRunIsOne(t *testing.T) {
	want := record(t, 200, session.Step{}, session.Step{}, session.Continue{})
	s := open(t, want.path)
	if len(s.x.parts) != 1 {
		t.Fatalf("%d runs were found, want 1", len(s.x.parts))
	}
	s.Skip(1 << 20)
	if st := s.State(); st.Report.Launches != want.report.Launches || st.StepsDone != want.report.Steps {
		t.Errorf("report %+v, want %+v", st.Report, want.report)
	}
}

// Played, it comes to its end and loses nothing, however slow the reader is.
func TestPlayingLosesNothing(t *testing.T) {
	want := record(t, 500, session.Run{})
	s := open(t, want.path)
	notes, leave := s.Subscribe()
	defer leave()
	s.SetSpeed(Fastest)
	must(t, s.Do(t.Context(), session.Run{}))
	if st := s.State(); st.Phase != session.Running || !strings.Contains(st.Activity, "launches/s") {
		t.Errorf("playing: %s, %q", st.Phase, st.Activity)
	}
	for s.State().Phase != session.Ended {
		select {
		case <-notes:
		case <-time.After(10 * time.Second):
			t.Fatal("the end does not come")
		}
	}
	events := told(s, 0)
	if len(events) != len(want.events) {
		t.Errorf("%d events, want %d", len(events), len(want.events))
	}
}

// What was not read is never pushed out: the recording waits.
func TestTheReaderIsWaitedFor(t *testing.T) {
	want := record(t, 50, session.Run{})
	s := open(t, want.path)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = 1
	if !s.room() {
		t.Fatal("at the start there is no room")
	}
	for range ahead + 1 {
		s.trace.Emit(engine.Event{Kind: engine.EventProgress})
	}
	if s.room() {
		t.Error("there is room, though the reader is far behind")
	}
	s.taken = s.trace.Written()
	if !s.room() {
		t.Error("there is no room, though the reader has all")
	}
}

func TestPauseAndSpeed(t *testing.T) {
	want := record(t, 200, session.Run{})
	s := open(t, want.path)
	s.SetSpeed(1e9)
	if s.Speed() != Fastest {
		t.Errorf("speed %g", s.Speed())
	}
	s.SetSpeed(0)
	if s.Speed() != Slowest {
		t.Errorf("speed %g", s.Speed())
	}
	must(t, s.Do(t.Context(), session.Run{}))
	must(t, s.Do(t.Context(), session.Cancel{}))
	if p := s.State().Phase; p != session.Paused {
		t.Errorf("a pause gives %s", p)
	}
	must(t, s.Do(t.Context(), session.RunSteps{N: 20}))
	if st := s.State(); st.StepsDone < 20 || st.Phase != session.Paused {
		t.Errorf("20 steps on it stands at step %d, %s", st.StepsDone, st.Phase)
	}
}

func TestThereAndBack(t *testing.T) {
	want := record(t, 300, session.Run{})
	s := open(t, want.path)
	done := []int{0}
	words := []uint32{0}
	for i := range want.events {
		if want.events[i].Kind == engine.EventLaunch {
			l := want.events[i].Launch()
			done, words = append(done, int(l.Done)), append(words, l.Word)
		}
	}
	if len(done) < 10 {
		t.Fatalf("only %d launches", len(done))
	}
	for _, launch := range []int{5, 2, 9, 0, 7} {
		must(t, s.Do(t.Context(), session.Seek{Step: done[launch]}))
		if st := s.State(); st.StepsDone != done[launch] || st.Phase == session.Running {
			t.Errorf("step %d: stands at %d, %s", done[launch], st.StepsDone, st.Phase)
		}
	}
	must(t, s.Do(t.Context(), session.Seek{Step: done[4] - 1}))
	if got := s.State().StepsDone; got != done[4] {
		t.Errorf("a step within launch 4 gives step %d, want its end, %d", got, done[4])
	}
	change, err := session.ParseCondition("change")
	must(t, err)
	must(t, s.Do(t.Context(), session.Seek{Step: done[1]}))
	must(t, s.Do(t.Context(), session.RunUntil{Until: change}))
	for i := 2; i < len(words); i++ {
		if words[i] != words[1] {
			if got := s.State().StepsDone; got != done[i] {
				t.Errorf("the change is at step %d, it went to %d", done[i], got)
			}
			break
		}
	}
	nan, err := session.ParseCondition("nan")
	must(t, err)
	if err := s.Do(t.Context(), session.RunUntil{Until: nan}); err == nil || !strings.Contains(err.Error(), "change of the steps per launch") {
		t.Errorf("until nan gives %v", err)
	}
}

// Far ahead of a slow reader it goes on by itself, and can be stopped.
func TestAFarGoalWaitsForItsReader(t *testing.T) {
	want := record(t, 300, session.Run{})
	s := open(t, want.path)
	s.mu.Lock()
	s.taken = 1
	for range ahead + 1 {
		s.trace.Emit(engine.Event{Kind: engine.EventProgress})
	}
	s.mu.Unlock()
	must(t, s.Do(t.Context(), session.Seek{Step: 1 << 20}))
	if st := s.State(); st.Phase != session.Running || st.Activity == "" {
		t.Errorf("%s, %q", st.Phase, st.Activity)
	}
	must(t, s.Do(t.Context(), session.Cancel{}))
	if st := s.State(); st.Phase != session.Paused {
		t.Errorf("stopped it is %s", st.Phase)
	}
	must(t, s.Do(t.Context(), session.Seek{Step: 1 << 20}))
	notes, leave := s.Subscribe()
	defer leave()
	s.Taken(s.Trace().Written())
	for s.State().Phase != session.Ended {
		select {
		case <-notes:
		case <-time.After(10 * time.Second):
			t.Fatal("the end does not come")
		}
	}
}

func TestWhatNeedsAnEngineIsRefused(t *testing.T) {
	want := record(t, 50, session.Run{})
	s := open(t, want.path)
	for _, c := range []session.Command{
		session.SetParam{}, session.Reload{}, session.LoadKernel{Path: "kepler"}, session.Configure{}, session.Export{}, session.Diagnose{},
	} {
		if err := s.Do(t.Context(), c); err == nil || !strings.Contains(err.Error(), "no engine is behind it") {
			t.Errorf("%T gives %v", c, err)
		}
	}
	if _, err := s.Look(t.Context(), session.FollowQuery{Samples: []int{0}}); err == nil {
		t.Error("planes are answered")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Do(ctx, session.Run{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context gives %v", err)
	}
}

func TestBadFilesAreRefused(t *testing.T) {
	good := record(t, 50, session.Run{})
	text, err := os.ReadFile(good.path)
	must(t, err)
	dir := t.TempDir()
	for _, c := range []struct {
		name, says string
		data       []byte
	}{
		{"an empty file", "cut off", nil},
		{"a text", "is no eaglet recording", []byte(strings.Repeat("hello ", 40))},
		{"a header alone", "nothing was recorded", text[:headerBytes(text)]},
	} {
		path := filepath.Join(dir, "bad.eagrec")
		must(t, os.WriteFile(path, c.data, 0o600))
		if _, err := Open(path, Options{}); err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "bad.eagrec") {
			t.Errorf("%s gives %v, want %q", c.name, err, c.says)
		}
	}
	if _, err := Open(filepath.Join(dir, "none.eagrec"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file gives %v", err)
	}
	if _, err := Open(good.path, Options{Kernel: "kepler"}); err == nil || !strings.Contains(err.Error(), "another kernel") {
		t.Errorf("another kernel gives %v", err)
	}
	// One that was cut short is told up to the cut, and says so.
	path := filepath.Join(dir, "cut.eagrec")
	must(t, os.WriteFile(path, text[:len(text)-40], 0o600))
	s := open(t, path)
	if notes := strings.Join(s.State().Notes, "\n"); !strings.Contains(notes, "cut off") {
		t.Errorf("notes: %s", notes)
	}
	if !s.Skip(1 << 20) {
		t.Error("the end of a cut recording is not reached")
	}
}

// headerBytes is where the events of a recording begin.
func headerBytes(text []byte) int { return 56 + int(text[12]) + int(text[13])<<8 }

// A recording of a kernel that is not at hand is told with a stand-in that has no source.
func TestWithoutItsKernel(t *testing.T) {
	good := record(t, 50, session.Run{})
	text, err := os.ReadFile(good.path)
	must(t, err)
	text[24] ^= 1 // the digest
	path := filepath.Join(t.TempDir(), "other.eagrec")
	must(t, os.WriteFile(path, text, 0o600))
	s := open(t, path)
	k := s.State().Kernel
	if k == nil || k.IR.Name != "oscillator" || len(k.Sources) != 0 || !k.IR.Auto() || k.IR.StepsMax != 64 {
		t.Errorf("the stand-in is %+v", k)
	}
	if notes := strings.Join(s.State().Notes, "\n"); !strings.Contains(notes, "--kernel") {
		t.Errorf("notes: %s", notes)
	}
}
