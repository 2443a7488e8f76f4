package playback

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

// beat is how often a playing recording tells what has become due.
const beat = 20 * time.Millisecond

// play is the goroutine that tells events while the phase is Running.
func (s *Session) play() {
	defer close(s.ended)
	tick := time.NewTicker(beat)
	defer tick.Stop()
	due := 0.0
	for {
		if s.State().Phase != session.Running {
			due = 0
			select {
			case <-s.over:
				return
			case <-s.wake:
			}
			continue
		}
		select {
		case <-s.over:
			return
		case <-tick.C:
		}
		s.mu.Lock()
		if s.goal != nil {
			s.hurry()
			s.mu.Unlock()
			continue
		}
		due += s.speed * beat.Seconds()
		for due >= 1 && s.state.Phase == session.Running && s.room() {
			due--
			s.turn()
		}
		due = min(due, s.speed*0.1+1) // what the reader had no room for does not come at once
		s.show()
		s.mu.Unlock()
	}
}

// room says whether the reader is near enough to tell more.
func (s *Session) room() bool { return s.taken == 0 || s.trace.Written() < s.taken+ahead }

// restart goes to the start of the recording. s.mu is held, or nobody else knows s yet.
func (s *Session) restart() error {
	r, err := from(s.path, 0)
	if err != nil {
		return err
	}
	if s.r != nil {
		s.r.close()
	}
	s.r, s.held, s.part, s.goal = r, nil, -1, nil
	s.generation++
	s.told = tally{byWord: map[int]int{}}
	s.change(func(x *session.State) {
		x.Generation, x.Phase, x.Activity, x.Since, x.Report = s.generation, session.Ready, "", s.now(), nil
		x.Finished, x.StepsDone = 0, 0
	})
	return nil
}

// toStep goes on to the first launch that reaches a step. s.mu is held.
func (s *Session) toStep(step int) error {
	return s.onward(func() bool { return s.told.steps >= step })
}

// onward tells turns, at least one, until enough says so: at once where that is near, else the goroutine that
// plays goes there as fast as the reader follows. s.mu is held.
func (s *Session) onward(enough func() bool) error {
	if s.state.Phase == session.Ended {
		return errors.New("the recording is at its end: R goes back to its start")
	}
	launches := s.told.launches
	s.goal = func() bool { return s.told.launches > launches && enough() }
	s.hurry()
	if s.goal != nil {
		s.change(func(x *session.State) {
			x.Phase, x.Activity, x.Since = session.Running, "going on in the recording", s.now()
		})
		s.poke()
	}
	return nil
}

// hurry goes towards the goal, a piece at a time. s.mu is held.
func (s *Session) hurry() {
	for told := 0; told < ahead/8 && s.room(); told++ {
		if more := s.turn(); !more || s.goal() {
			s.settle()
			return
		}
	}
	s.show()
}

// Skip tells at most some events of what lies ahead, and says whether all of the recording is told. It is for
// whoever wants the whole of it: the caller reads the trace in between.
func (s *Session) Skip(most int) (end bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	from := s.trace.Written()
	for s.state.Phase != session.Ended && s.trace.Written() < from+uint64(most) {
		s.turn()
	}
	s.show()
	return s.state.Phase == session.Ended
}

// settle pauses where the recording stands. s.mu is held.
func (s *Session) settle() {
	s.goal = nil
	if s.state.Phase == session.Ended {
		return
	}
	s.show()
	s.change(func(x *session.State) { x.Phase, x.Activity, x.Since = session.Paused, "", s.now() })
}

// show puts what was told into the state. s.mu is held.
func (s *Session) show() {
	if s.state.Finished == s.told.finished && s.state.StepsDone == s.told.steps {
		return
	}
	s.change(func(x *session.State) { x.Finished, x.StepsDone = s.told.finished, s.told.steps })
}

// turn tells the next launch, or piece of a pass, with all that was decided about it; false: there is no more.
// s.mu is held.
func (s *Session) turn() bool {
	for boundary := false; ; {
		e, ok := s.peek()
		if !ok {
			s.end()
			return false
		}
		starts := e.Kind == engine.EventLaunch || e.Kind == engine.EventProgress || e.Kind == engine.EventRunStart
		if starts && boundary {
			return true
		}
		boundary = boundary || e.Kind == engine.EventLaunch || e.Kind == engine.EventProgress
		s.tell(*e)
		s.held = nil
	}
}

// peek is the next event of the file.
func (s *Session) peek() (*engine.Event, bool) {
	if s.held == nil {
		if s.r.at >= s.x.events {
			return nil, false
		}
		e, err := s.r.next()
		if err != nil { // the file was changed under us
			s.change(func(x *session.State) { x.Notes = append(x.Notes[:len(x.Notes):len(x.Notes)], err.Error()) })
			return nil, false
		}
		s.held = &e
	}
	return s.held, true
}

// tell emits an event and adds it up.
func (s *Session) tell(e engine.Event) {
	at := s.r.at - 1
	if next := s.part + 1; next < len(s.x.parts) && at >= s.x.parts[next].first {
		if s.part >= 0 {
			s.generation++
		}
		s.part = next
		s.told = tally{byWord: map[int]int{}, finished: 0}
		s.change(func(x *session.State) {
			x.Generation, x.Report, x.Finished, x.StepsDone = s.generation, nil, 0, 0
		})
	}
	t := &s.told
	switch e.Kind {
	case engine.EventStops:
		return // Look has them
	case engine.EventRunStart:
		t.start = e.RunStart()
		t.finished = int(t.start.Finished)
		if t.start.R > 0 {
			t.r = t.start.R
		}
	case engine.EventLaunch:
		l := e.Launch()
		t.launches++
		t.steps = int(l.Done)
		t.sampleSteps += l.SampleSteps
		t.byWord[int(l.Word)]++
		t.word = l.Word
		t.finished += int(l.Newly)
		t.faulted += int(l.Faulted)
	case engine.EventProgress:
		p := e.Progress()
		t.finished = int(p.Finished)
	case engine.EventCompaction:
		if e.Flags&engine.FlagSkipped == 0 {
			t.compactions++
		}
	case engine.EventReorder:
		if e.Flags&engine.FlagSkipped == 0 {
			t.reorders++
		}
	case engine.EventPolicy:
		t.r = e.Policy().R
	case engine.EventFault:
		f := e.Fault()
		if len(t.faults) < 16 {
			t.faults = append(t.faults, engine.ReportFault{
				Sample: int(f.Sample), Step: int(f.Step), Cause: f.Kind.String(), Where: fmt.Sprintf("line %d", f.Pos.Line),
			})
		}
	case engine.EventRunEnd:
		t.finished = int(e.RunEnd().Finished)
		t.steps = int(e.RunEnd().Steps)
		s.report(e.RunEnd())
	}
	e.Generation = s.generation
	s.trace.Emit(e)
}

// report makes the report of a run from its events.
func (s *Session) report(end engine.RunEnd) {
	t, o := &s.told, &s.x.header.Options
	n := int(t.start.N)
	r := engine.Report{
		Kernel: o.Kernel, N: n, Finished: int(end.Finished), Done: int(end.Finished) == n, Status: end.Status.String(),
		Launches: int(end.Launches), Steps: int(end.Steps), LaunchesByK: t.byWord, Longest: int(end.Steps),
		SampleSteps: t.sampleSteps, Compactions: t.compactions, Reorders: t.reorders, Entry: t.start.Entry.String(),
		Policy: t.start.Policy.String(), R: t.r, MaxSteps: int(t.start.MaxSteps), Engine: o.Engine, Device: o.Device,
		Wall: end.Wall, Faulted: int(end.Faulted), Faults: t.faults,
	}
	s.change(func(x *session.State) { x.Report, x.Finished, x.StepsDone = &r, t.finished, t.steps })
}

// end stands at the end of the recording.
func (s *Session) end() {
	s.goal = nil
	s.change(func(x *session.State) {
		x.Phase, x.Activity, x.Since = session.Ended, "", s.now()
		x.Finished, x.StepsDone = s.told.finished, s.told.steps
	})
}

// stops reads when the samples of the run that is told stopped, as far as it is told.
func (s *Session) stops(ctx context.Context) (*session.Stops, error) {
	s.mu.Lock()
	at, generation, done, most := s.part, s.generation, uint32(s.told.steps), s.told.start.MaxSteps
	s.mu.Unlock()
	if at < 0 {
		at = 0
	}
	p := &s.x.parts[at]
	n := int(p.start.N)
	if p.stopped < n || n == 0 {
		return nil, errors.New("the recording does not say when the samples of this run stopped: it was cut short, or the batch is too large")
	}
	r, err := from(s.path, p.stops)
	if err != nil {
		return nil, err
	}
	defer r.close()
	out := &session.Stops{Generation: generation, Done: done, MaxSteps: most, Taken: make([]uint32, n), Mask: make([]byte, n)}
	for got := 0; got < n; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		e, err := r.next()
		if errors.Is(err, io.EOF) {
			return nil, io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
		if e.Kind != engine.EventStops {
			continue
		}
		stops := e.Stops()
		for i := range min(int(stops.Count), len(stops.Taken)) {
			to := int(stops.First) + i
			if to >= n {
				return nil, fmt.Errorf("%s is damaged: it tells the stop of sample %d of %d", s.path, to, n)
			}
			out.Taken[to] = min(stops.Taken[i], done)
			if stops.Taken[i] <= done {
				out.Mask[to] = stops.Mask[i]
			}
			got++
		}
	}
	return out, nil
}
