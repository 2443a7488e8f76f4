package session

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
	"github.com/eaglet-workbench/eaglet/engine/host"
)

// endless are stops of a batch that runs until somebody cancels it.
var endless = []uint32{5, 0, 90, 0, 300, 17, 2000}

func lookAtStops(t *testing.T, s *Session) *Stops {
	t.Helper()
	answer, err := s.Look(ctx, StopsQuery{})
	if err != nil {
		t.Fatal(err)
	}
	return answer.(*Stops)
}

// While a run is on, every answer is of one of its boundaries, later ones of later ones: each sample by its own
// number, wherever the engine has moved it.
func TestAnswersDuringARunAreOfABoundary(t *testing.T) {
	for name, reorder := range map[string]float64{"in the order of samples": 0, "reordered": 0.75} {
		t.Run(name, func(t *testing.T) {
			s := start(t, enginetest.Script{Stops: endless, Reorders: true}, Options{})
			do(t, s, SetBatch{N: 5000}, LoadKernel{"count"},
				Configure{Policy: ptr(engine.PolicyBand), R: ptr(0.25), Reorder: &reorder, MaxSteps: ptr(maxN)})
			must(t, s.Do(ctx, Run{}))
			for last := uint32(0); last < 3000; {
				stops := lookAtStops(t, s)
				if stops.Done < last || stops.MaxSteps != maxN || stops.Generation != s.State().Generation {
					t.Fatalf("step %d after step %d, of %d, generation %d", stops.Done, last, stops.MaxSteps, stops.Generation)
				}
				last = stops.Done
				r := results(t, s)
				k := engine.View[int32](r.Planes, r.Planes.Index("k"))
				later := uint32(0) // the step that the results are of: that of the samples that never finish
				for i := range stops.Taken {
					stop := endless[i%len(endless)]
					finished := stop != 0 && stop <= last
					want := last
					if finished {
						want = stop
					}
					if stops.Taken[i] != want || (stops.Mask[i] != 0) != finished {
						t.Fatalf("at step %d sample %d: %d steps taken, mask %d", last, i, stops.Taken[i], stops.Mask[i])
					}
					if i == 1 {
						later = r.StepsTaken[i]
					}
					if i > 1 && stop == 0 && r.StepsTaken[i] != later || k[i] != int32(r.StepsTaken[i]) {
						t.Fatalf("results: sample %d has taken %d steps, sample 1 %d, k is %d", i, r.StepsTaken[i], later, k[i])
					}
				}
				if later < last {
					t.Fatalf("results of step %d after stops of step %d", later, last)
				}
			}
			do(t, s, Cancel{})
			wantPhase(t, s, Paused)
		})
	}
}

// A question that still waits when its run is over is answered from the batch at rest; one whose asker has given up
// is not answered.
func TestQuestionsThatOutlastTheirRun(t *testing.T) {
	g := newGate(5)
	s := start(t, enginetest.Script{Stops: []uint32{7}, Poll: g.poll}, Options{})
	do(t, s, SetBatch{N: 10}, LoadKernel{"count"}, Configure{Policy: ptr(engine.PolicyBand), R: ptr(0.25)})
	must(t, s.Do(ctx, Run{}))
	<-g.reached // in the only launch: no boundary follows
	soon, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	if _, err := s.Look(soon, StopsQuery{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("an asker who gave up: %v", err)
	}
	answers := make(chan *Stops)
	go func() {
		answer, err := s.Look(ctx, StopsQuery{})
		if err != nil {
			t.Error(err)
		}
		stops, _ := answer.(*Stops)
		answers <- stops
	}()
	close(g.open)
	if stops := <-answers; stops == nil || stops.Done != 7 && stops.Done != 16 || !bytes.Equal(stops.Mask, bytes.Repeat([]byte{1}, 10)) {
		t.Errorf("%+v", stops)
	}
}

func TestClosingRefusesQuestionsThatWait(t *testing.T) {
	g := newGate(5)
	s := start(t, enginetest.Script{Stops: []uint32{0}, Poll: g.poll}, Options{})
	do(t, s, SetBatch{N: 10}, LoadKernel{"count"}, Configure{Policy: ptr(engine.PolicyBand), R: ptr(0.25)})
	must(t, s.Do(ctx, Run{}))
	<-g.reached
	errs := make(chan error)
	go func() { _, err := s.Look(ctx, StopsQuery{}); errs <- err }()
	go func() { time.Sleep(time.Millisecond); close(g.open) }()
	s.Close()
	if err := <-errs; err != nil && !errors.Is(err, ErrClosed) {
		t.Errorf("%v", err)
	}
}

func TestAPassHasNoBoundaryToLookAt(t *testing.T) {
	g := newGate(50)
	s := start(t, enginetest.Script{Stops: []uint32{7}, Passes: true, Poll: g.poll}, Options{})
	do(t, s, SetBatch{N: 10}, LoadKernel{"count"})
	must(t, s.Do(ctx, Run{}))
	<-g.reached
	if _, err := s.Look(ctx, StopsQuery{}); !errors.Is(err, ErrOnePass) {
		t.Errorf("stops: %v", err)
	}
	if _, err := s.Results(); !errors.Is(err, ErrOnePass) {
		t.Errorf("results: %v", err)
	}
	must(t, s.Do(ctx, Cancel{}))
	close(g.open)
	must(t, s.Wait(ctx))
	wantPhase(t, s, Paused)
	if stops := lookAtStops(t, s); stops.Done == 0 {
		t.Errorf("%+v", stops)
	}
}

// Several askers, some of them impatient, ask while runs begin, pause, go on and start again on the real engine:
// no answer is half of one step and half of another, and the end is that of a run that nobody looked at.
func TestManyAskersAtOnce(t *testing.T) {
	setup := []Command{
		SetBatch{N: 5000, Seed: 3},
		LoadKernel{"oscillator"},
		Configure{Policy: ptr(engine.PolicyBand), R: ptr(0.25), Reorder: ptr(0.5)},
	}
	plain := startOn(t, Options{}, host.New(host.WithWorkers(2)))
	do(t, plain, append(setup, Run{})...)
	want := results(t, plain)

	s := startOn(t, Options{}, host.New(host.WithWorkers(2)))
	do(t, s, setup...)
	over, stop := context.WithCancel(ctx)
	var askers sync.WaitGroup
	for a := range 4 {
		askers.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(a), 1))
			for over.Err() == nil {
				asking, cancel := over, context.CancelFunc(func() {})
				if rng.IntN(2) == 0 {
					asking, cancel = context.WithTimeout(over, time.Duration(rng.IntN(300))*time.Microsecond)
				}
				answer, err := s.Look(asking, StopsQuery{})
				cancel()
				if err != nil {
					continue // gave up, or a load was on
				}
				for i, taken := range answer.(*Stops).Taken {
					if taken > answer.(*Stops).Done {
						t.Errorf("sample %d has taken %d steps of %d", i, taken, answer.(*Stops).Done)
						return
					}
				}
			}
		})
	}
	for round := range 12 {
		do(t, s, Rewind{})
		must(t, s.Do(ctx, Run{}))
		for range round % 4 {
			must(t, s.Do(ctx, Cancel{}))
			must(t, s.Wait(ctx))
			if s.State().Phase == Paused {
				must(t, s.Do(ctx, Continue{}))
			}
		}
		must(t, s.Wait(ctx))
		for s.State().Phase == Paused {
			do(t, s, Continue{})
		}
		sameResults(t, "looked at", results(t, s), want)
	}
	stop()
	askers.Wait()
}
