package session

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/snapshots"
)

// spread gives samples stops from 1 to 97.
var spread = []uint32{1, 5, 97, 30, 64, 2, 50, 11, 80, 29, 3}

func TestCancelAndContinueEqualsOneRun(t *testing.T) {
	for _, passes := range []bool{false, true} {
		policy := ptr(engine.PolicyBand) // auto would measure, and decide by walls
		if passes {
			policy = ptr(engine.PolicyAuto)
		}
		whole := start(t, enginetest.Script{Stops: spread, Passes: passes}, Options{})
		do(t, whole, LoadKernel{"count"}, SetBatch{N: 100}, Configure{MaxSteps: ptr(90), Policy: policy, R: ptr(0.25)}, Run{})
		want, wantReport := results(t, whole), whole.State().Report
		for _, at := range []uint64{0, 1, 17, 500, 2000, 3200} {
			g := newGate(at)
			s := start(t, enginetest.Script{Stops: spread, Passes: passes, Poll: g.poll}, Options{})
			told := record(t, s)
			do(t, s, LoadKernel{"count"}, SetBatch{N: 100}, Configure{MaxSteps: ptr(90), Policy: policy, R: ptr(0.25)})
			must(t, s.Do(ctx, Run{}))
			<-g.reached
			wantPhase(t, s, Running)
			must(t, s.Do(ctx, Cancel{}))
			close(g.open)
			must(t, s.Wait(ctx))
			if ended := take[RunEnded](t, told, 1); ended[0].Report.Status != "cancelled" || ended[0].Report.SampleSteps != at {
				t.Errorf("cancelled at %d: %s after %d sample-steps", at, ended[0].Report.Status, ended[0].Report.SampleSteps)
			}
			generation := s.State().Generation
			do(t, s, Continue{})
			sameResults(t, "continued", results(t, s), want)
			got := s.State().Report
			if got.Steps != wantReport.Steps || got.Finished != wantReport.Finished || got.SampleSteps != wantReport.SampleSteps || !maps.Equal(got.LaunchesByK, wantReport.LaunchesByK) {
				t.Errorf("cancelled at %d, passes %v: report\n got %+v\nwant %+v", at, passes, got, wantReport)
			}
			if s.State().Generation != generation {
				t.Error("going on with a run made a new generation of events")
			}
		}
	}
}

func TestSteppingEqualsOneRun(t *testing.T) {
	whole := start(t, enginetest.Script{Stops: spread}, Options{Observe: true})
	do(t, whole, LoadKernel{"count"}, SetBatch{N: 100}, Configure{R: ptr(0.25)}, Run{})
	s := start(t, enginetest.Script{Stops: spread}, Options{Observe: true})
	told := record(t, s)
	do(t, s, LoadKernel{"count"}, SetBatch{N: 100}, Configure{R: ptr(0.25)}, Step{Word: 1})
	if st := s.State(); st.Phase != Paused || st.StepsDone != 1 || st.Report.Status != "paused" {
		t.Fatalf("one step: %s, %+v", st.Phase, st.Report)
	}
	launches := 1
	for s.State().Phase == Paused {
		do(t, s, Step{})
		launches++
	}
	sameResults(t, "launch by launch", results(t, s), results(t, whole))
	take[RunEnded](t, told, launches)
	st := s.State()
	if st.Phase != Ended || st.Report.Launches != launches || len(st.History[0].Runs) != launches || st.History[0].Runs[0].Command != (Step{1}) {
		t.Errorf("%s after %d launches, the report has %d, history %+v", st.Phase, launches, st.Report.Launches, st.History)
	}
}

func TestANumberOfSteps(t *testing.T) {
	s := start(t, enginetest.Script{}, Options{})
	do(t, s, LoadKernel{"endless"}, SetBatch{N: 10}, RunSteps{N: 25}, Step{Word: 16}, RunSteps{N: 5})
	r := results(t, s)
	if k := r.Planes.Float(1, 9); k != 25+16+5 {
		t.Errorf("k = %v after 25 steps, a launch of 16, and 5 steps", k)
	}
	wantPhase(t, s, Paused)
	// With a finish, the rest of the samples goes on to the cap.
	do(t, s, LoadKernel{"count"}, SetBatch{N: 10, Values: map[string]float64{"nstop": 30}}, RunSteps{N: 10}, Continue{})
	if st := s.State(); st.Phase != Ended || st.Finished != 10 || st.StepsDone < 30 {
		t.Errorf("%s, %d finished, %d steps", st.Phase, st.Finished, st.StepsDone)
	}
	// Nothing is left to run: that is a run of no launches.
	do(t, s, Run{})
	if st := s.State(); st.Phase != Ended || st.Report.Launches != 0 || st.Report.Status != "finished" {
		t.Errorf("%s, %+v", st.Phase, st.Report)
	}
}

func TestFaultsAndLosses(t *testing.T) {
	s := start(t, enginetest.Script{Faults: map[int]uint32{3: 7}, NaNs: map[int]uint32{5: 2}}, Options{})
	do(t, s, LoadKernel{"count"}, SetBatch{N: 10}, Run{})
	st := s.State()
	if st.Phase != Ended || st.Report.Faulted != 1 || st.Report.Faults[0].Sample != 3 || st.Report.NonFinite != 1 {
		t.Errorf("%s %+v", st.Phase, st.Report)
	}
	if r := results(t, s); r.Mask[3] != 2 || r.StepsTaken[3] != 7 {
		t.Errorf("mask %d, %d steps taken", r.Mask[3], r.StepsTaken[3])
	}
}

// While the session works, commands wait for their turn; whoever gives up waiting has asked for nothing.
func TestCommandsWaitForWork(t *testing.T) {
	reached, open := make(chan struct{}), make(chan struct{})
	s := start(t, enginetest.Script{}, Options{Load: func(path string) (*kernels.Kernel, kernels.Diagnostics) {
		if path == "typed" {
			close(reached)
			<-open
		}
		return library(path)
	}})
	do(t, s, LoadKernel{"count"}, SetBatch{N: 8})
	must(t, s.Do(ctx, LoadKernel{"typed"}))
	<-reached
	if st := s.State(); st.Phase != Working || st.Activity != "loading typed" || st.Kernel.Path != "count" {
		t.Errorf("while loading: %+v", st)
	}
	soon, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	if err := s.Do(soon, SetParam{"dt", 9}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a command that gave up: %v", err)
	}
	ran := make(chan error)
	go func() { ran <- s.Do(ctx, Run{}) }()
	select {
	case err := <-ran:
		t.Errorf("the run did not wait: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	close(open)
	must(t, <-ran)
	must(t, s.Wait(ctx))
	st := s.State()
	if st.Kernel.Path != "typed" || st.Phase != Ended || st.Params[0].Value != 0.5 {
		t.Errorf("after loading: %s of %s, params %v", st.Phase, st.Kernel.Path, st.Params)
	}
	if err := s.Do(soon, Rewind{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a context that is over: %v", err)
	}
}

func TestWorkCanBeCancelled(t *testing.T) {
	reached, open := make(chan struct{}), make(chan struct{})
	s := start(t, enginetest.Script{}, Options{Load: func(path string) (*kernels.Kernel, kernels.Diagnostics) {
		close(reached)
		<-open
		return library(path)
	}})
	told := record(t, s)
	must(t, s.Do(ctx, Cancel{})) // nothing is on: no error
	must(t, s.Do(ctx, LoadKernel{"count"}))
	<-reached
	must(t, s.Do(ctx, Cancel{}))
	close(open)
	must(t, s.Wait(ctx))
	if f := take[Failed](t, told, 1); !errors.Is(f[0].Err, ErrCancelled) || f[0].Command != (LoadKernel{"count"}) {
		t.Errorf("failed: %+v", f)
	}
	wantPhase(t, s, Empty)
}

func TestCloseStopsARun(t *testing.T) {
	g := newGate(3)
	s := start(t, enginetest.Script{Poll: g.poll}, Options{})
	notes, _ := s.Subscribe()
	do(t, s, LoadKernel{"count"}, SetBatch{N: 8})
	must(t, s.Do(ctx, Run{}))
	<-g.reached
	waiting := make(chan error)
	go func() { waiting <- s.Wait(ctx) }()
	time.Sleep(10 * time.Millisecond) // so that the Wait is with the session
	time.AfterFunc(10*time.Millisecond, func() { close(g.open) })
	must(t, s.Close())
	must(t, s.Close())
	if err := <-waiting; err != nil && !errors.Is(err, ErrClosed) {
		t.Errorf("who waited: %v", err)
	}
	if err := s.Do(ctx, Run{}); !errors.Is(err, ErrClosed) {
		t.Errorf("a command after that: %v", err)
	}
	if _, err := s.Results(); !errors.Is(err, ErrClosed) {
		t.Errorf("results after that: %v", err)
	}
	var last Notification
	for n := range notes { // ends, for the channel is closed
		if _, change := n.(Changed); !change {
			last = n
		}
	}
	if ended, ok := last.(RunEnded); !ok || ended.Report.Status != "cancelled" {
		t.Errorf("the last word was %+v", last)
	}
	if _, ok := <-first(s.Subscribe()); ok {
		t.Error("a subscription to a closed session is open")
	}
}

func first[A, B any](a A, _ B) A { return a }

func TestEventsCarryTheGeneration(t *testing.T) {
	s := start(t, enginetest.Script{Stops: spread}, Options{Observe: true})
	do(t, s, LoadKernel{"count"}, SetBatch{N: 50}, Configure{MaxSteps: ptr(20)}, Run{}, Run{}, Step{}, Step{}, Rewind{}, Run{})
	buf := make([]engine.Event, 4096)
	n, _ := s.Trace().Read(0, buf)
	var starts []uint32
	for _, e := range buf[:n] {
		if e.Kind == engine.EventRunStart {
			starts = append(starts, e.Generation)
		}
	}
	// Two runs, the launches of a third, and one from the start.
	if len(starts) != 4 || starts[0] >= starts[1] || starts[1] >= starts[2] || starts[2] >= starts[3] || starts[3] != s.State().Generation {
		t.Errorf("runs of the generations %v, the state has %d", starts, s.State().Generation)
	}
}

func TestChangingTheEngine(t *testing.T) {
	slow := enginetest.NewScripted(enginetest.Script{Name: "slow", Stops: spread})
	fast := enginetest.NewScripted(enginetest.Script{Name: "fast", Device: "fast, 9 workers", Stops: spread})
	broken := enginetest.NewScripted(enginetest.Script{Name: "broken", BindErr: errBroken})
	s := startOn(t, Options{Load: library}, slow, fast, broken)
	do(t, s, LoadKernel{"count"}, SetBatch{N: 20}, Run{})
	want := results(t, s)
	wantError(t, try(s, Configure{Engine: ptr("fast")}), "the engine can be changed at the start of a batch only: rewind first")
	do(t, s, Configure{Engine: ptr("slow")}, Rewind{}, Configure{Engine: ptr("fast"), MaxSteps: ptr(500)})
	if st := s.State(); st.Engine != "fast" || st.Device != "fast, 9 workers" || st.MaxSteps != 500 || st.Phase != Ready {
		t.Errorf("%+v", st)
	}
	if err := try(s, Configure{Engine: ptr("broken"), MaxSteps: ptr(7)}); !errors.Is(err, errBroken) {
		t.Errorf("a broken engine: %v", err)
	}
	if st := s.State(); st.Engine != "fast" || st.MaxSteps != 500 {
		t.Errorf("after a move that failed: %s, %d", st.Engine, st.MaxSteps)
	}
	do(t, s, Run{})
	sameResults(t, "on the other engine", results(t, s), want)
	if r := s.State().Report; r.Engine != "fast" || r.Device != "fast, 9 workers" {
		t.Errorf("report of %s, %s", r.Engine, r.Device)
	}
}

// A subscriber that does not read delays nobody, and finds everything when it does.
func TestASlowSubscriber(t *testing.T) {
	s := start(t, enginetest.Script{}, Options{})
	notes, leave := s.Subscribe()
	const runs = 500
	do(t, s, LoadKernel{"count"}, SetBatch{N: 1})
	for range runs {
		must(t, s.Do(ctx, RunSteps{N: 1}))
		must(t, s.Wait(ctx))
	}
	must(t, s.Close())
	ended, changed := 0, 0
	for n := range notes {
		switch n := n.(type) {
		case RunEnded:
			ended++
			if n.Report.Steps > 1 {
				t.Fatalf("report %d has %d steps", ended, n.Report.Steps)
			}
		case Changed:
			changed++
		default:
			t.Errorf("%T", n)
		}
	}
	if ended != runs || changed == 0 {
		t.Errorf("%d ends of %d runs, %d changes", ended, runs, changed)
	}
	leave() // after the end: no harm
}

func TestChangesAreMerged(t *testing.T) {
	var h hub
	notes, leave := h.subscribe()
	defer leave()
	fill := cap(notes) + 1 // the channel, and one that the pump may hold
	for range fill {
		h.notify(Exported{})
	}
	for range 1000 {
		h.notify(Changed{})
	}
	h.notify(Exported{Path: "last"})
	h.notify(Changed{})
	h.close()
	var got []Notification
	for n := range notes {
		got = append(got, n)
	}
	rest := got[fill:]
	if len(rest) < 3 || len(rest) > 4 || rest[len(rest)-2] != (Exported{Path: "last"}) || rest[len(rest)-1] != (Changed{}) {
		t.Errorf("%d after the first %d: %v", len(rest), fill, rest)
	}
}

func TestNotificationsKeepTheirOrder(t *testing.T) {
	var h hub
	notes, leave := h.subscribe()
	defer leave()
	const count = 50_000
	go func() {
		for i := range int64(count) {
			h.notify(Exported{Bytes: i})
			h.notify(Changed{})
		}
		h.close()
	}()
	next := int64(0)
	for n := range notes {
		if e, ok := n.(Exported); ok {
			if e.Bytes != next {
				t.Fatalf("number %d came in place of %d", e.Bytes, next)
			}
			next++
		}
	}
	if next != count {
		t.Errorf("%d of %d came", next, count)
	}
}

// Whoever sees a state in a notification's wake sees one that is at least as new.
func TestStateComesBeforeItsNotification(t *testing.T) {
	s := start(t, enginetest.Script{}, Options{})
	do(t, s, LoadKernel{"count"}, SetBatch{N: 1})
	notes, leave := s.Subscribe()
	defer leave()
	for i := range 200 {
		must(t, s.Do(ctx, RunSteps{N: 1}))
		if s.State().Phase == Ready {
			t.Fatal("accepted, but not on")
		}
		for {
			n := <-notes
			if _, ok := n.(RunEnded); ok {
				if st := s.State(); st.Phase == Running || len(st.History[0].Runs) != i+1 {
					t.Fatalf("run %d ended, the state says %s after %d runs", i, st.Phase, len(st.History[0].Runs))
				}
				break
			}
		}
	}
}

// Many goroutines give every command there is; whatever comes, nothing hangs, races or panics, and the
// session is good for a run in the end.
func TestHammer(t *testing.T) {
	t.Chdir(t.TempDir())
	s := start(t, enginetest.Script{Stops: spread, Delay: 50 * time.Microsecond}, Options{Observe: true})
	do(t, s, LoadKernel{"count"}, SetBatch{N: 200})
	var bugs atomic.Int64
	commands := []Command{
		LoadKernel{"count"},
		LoadKernel{"typed"},
		LoadKernel{"broken"},
		SetBatch{N: 100, Seed: 2},
		SetBatch{N: 100, Values: map[string]float64{"nstop": 9}},
		SetParam{"nstop", 40},
		SetParam{"x", 2},
		Configure{MaxSteps: ptr(50)},
		Configure{Policy: ptr(engine.PolicyBand)},
		Run{},
		Run{},
		Run{},
		Continue{},
		Continue{},
		Step{},
		Step{Word: 3},
		RunSteps{N: 20},
		Cancel{},
		Cancel{},
		Rewind{},
		Export{"a.csv"},
		Export{"b.npz"},
	}
	end := time.Now().Add(400 * time.Millisecond)
	done := make(chan struct{})
	const hammers = 6
	for h := range hammers {
		go func() {
			defer func() { done <- struct{}{} }()
			notes, leave := s.Subscribe()
			defer leave()
			for i := h * 7; time.Now().Before(end); i++ {
				soon, cancel := context.WithTimeout(ctx, time.Duration(i%5)*time.Millisecond)
				err := s.Do(soon, commands[i*(2*h+1)%len(commands)])
				if _, bug := errors.AsType[*BugError](err); bug {
					bugs.Add(1)
				}
				cancel()
				st := s.State()
				_ = st.Phase.String() + st.Activity
				for _, seg := range st.History {
					for _, r := range seg.Runs {
						_ = r.Status
					}
				}
				if i%11 == 0 {
					_, _ = s.Results()
				}
				for more := true; more; {
					select {
					case n := <-notes:
						if f, ok := n.(Failed); ok {
							if _, bug := errors.AsType[*BugError](f.Err); bug {
								bugs.Add(1)
							}
						}
					default:
						more = false
					}
				}
			}
		}()
	}
	for range hammers {
		<-done
	}
	must(t, s.Do(ctx, Cancel{}))
	must(t, s.Wait(ctx))
	if bugs.Load() > 0 {
		t.Errorf("%d bugs were caught", bugs.Load())
	}
	do(t, s, SetBatch{N: 64}, Configure{MaxSteps: ptr(1000)}, Run{})
	if st := s.State(); st.Finished != 64 {
		t.Errorf("%d of 64 finished", st.Finished)
	}
}

func TestResultsAreACopy(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "f.csv", "a,t\n1,p\n2,q\n")
	s := start(t, enginetest.Script{}, Options{})
	do(t, s, LoadKernel{"count"}, SetBatch{Mappings: []snapshots.Mapping{mapping("x", "f.csv", "a")}, Labels: ptr(column("f.csv", "t"))})
	r := results(t, s)
	if !slices.Equal(engine.View[float64](r.Planes, 0), []float64{1, 2}) || !slices.Equal(r.Labels, []string{"p", "q"}) || r.MaskName != "terminated" || r.LabelName != "t" {
		t.Fatalf("%+v", r)
	}
	engine.View[float64](r.Planes, 0)[0], r.Mask[0], r.Labels[0] = 9, 1, "z"
	if r := results(t, s); r.Planes.Float(0, 0) != 1 || r.Mask[0] != 0 || r.Labels[0] != "p" {
		t.Errorf("%+v", r)
	}
}

func TestReadingCanBeCancelled(t *testing.T) {
	t.Chdir(t.TempDir())
	var table strings.Builder
	table.WriteString("a\n")
	for range 200_000 {
		table.WriteString("1.25\n")
	}
	writeFile(t, "f.csv", table.String())
	s := start(t, enginetest.Script{}, Options{})
	do(t, s, LoadKernel{"count"}, SetBatch{N: 3})
	told := record(t, s)
	must(t, s.Do(ctx, SetBatch{Mappings: []snapshots.Mapping{mapping("x", "f.csv", "a")}}))
	must(t, s.Do(ctx, Cancel{}))
	must(t, s.Wait(ctx))
	if f := take[Failed](t, told, 1); !errors.Is(f[0].Err, ErrCancelled) {
		t.Errorf("failed: %v", f[0].Err)
	}
	if st := s.State(); st.N != 3 || st.Phase != Ready {
		t.Errorf("the batch before is gone: %+v", st)
	}
}
