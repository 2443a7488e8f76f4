package playback

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/session"
)

// Options say how a recording is opened; the zero value is good.
type Options struct {
	Kernel string           // the recorded kernel's file; "": the bundled one of its name, when it is the same
	Clock  func() time.Time // nil: time.Now
}

// Session tells a recording. All methods are safe for concurrent use.
type Session struct {
	path  string
	x     *index
	now   func() time.Time
	trace *engine.Trace
	wake  chan struct{} // holds one: there is something to play
	over  chan struct{} // closed by Close
	ended chan struct{} // closed when the goroutine has ended

	mu         sync.Mutex // guards what follows
	state      *session.State
	subs       map[chan session.Notification]struct{}
	speed      float64 // launches in a second
	closed     bool
	taken      uint64 // events of the trace that the reader has; what is ahead of it is bounded
	generation uint32
	r          *reader
	held       *engine.Event // read from the file, not told yet
	part       int           // index of the part that is told; -1 before the first event
	told       tally         // of the part so far
	goal       func() bool   // where a way that is going on ends; nil for none
}

// tally is what the events of a run add up to.
type tally struct {
	launches, compactions, reorders, steps int
	word                                   uint32 // of the newest launch
	sampleSteps                            uint64
	byWord                                 map[int]int
	finished, faulted                      int
	r                                      float64
	faults                                 []engine.ReportFault
	start                                  engine.RunStart
}

// ahead is how many events may wait in the ring for the reader; the ring has room for four times as many, so
// that none is lost while the reader does what it must.
const (
	ahead     = 1 << 14
	ringSpace = 4 * ahead
)

// wantedTime is how long a recording plays at the speed that it begins with, where that is not too slow or too
// fast to see.
const wantedTime = 12 * time.Second

// The bounds of speed, in launches a second.
const (
	Slowest = 0.5
	Fastest = 65_536
)

// Open reads through a recording and stands at its start.
func Open(path string, o Options) (*Session, error) {
	x, err := readIndex(path)
	if err != nil {
		return nil, err
	}
	k, note, err := kernelOf(x, o.Kernel)
	if err != nil {
		return nil, err
	}
	s := &Session{
		path: path, x: x, now: o.Clock, trace: engine.NewTrace(ringSpace), wake: make(chan struct{}, 1),
		over: make(chan struct{}), ended: make(chan struct{}), subs: map[chan session.Notification]struct{}{}, part: -1,
	}
	if s.now == nil {
		s.now = time.Now
	}
	launches := 0
	for i := range x.parts {
		launches += x.parts[i].launches + x.parts[i].passes
	}
	s.speed = 1
	for s.speed < 64 && float64(launches)/s.speed > wantedTime.Seconds() {
		s.speed *= 2
	}
	s.state = s.first(k, note)
	if err := s.restart(); err != nil {
		return nil, err
	}
	go s.play()
	return s, nil
}

// first is the state before anything was told.
func (s *Session) first(k *kernels.Kernel, note string) *session.State {
	h := &s.x.header
	o := &h.Options
	policy, _ := engine.PolicyNamed(o.Policy) // one that is not known is shown as auto
	entry, _ := engine.EntryNamed(o.Entry)
	notes := []string{fmt.Sprintf("a recording: %s, %s of %s, %s", s.path, engine.Counted(len(s.x.parts), "run"), o.Kernel, engine.Counted(s.x.events, "event"))}
	if note != "" {
		notes = append(notes, note)
	}
	if s.x.cut != nil {
		notes = append(notes, s.x.cut.Error())
	}
	return &session.State{
		Phase: session.Ready, Since: s.now(), Kernel: k, Engine: o.Engine, Device: o.Device, Policy: policy, R: o.R,
		MaxSteps: o.MaxSteps, N: h.N, Recording: "", Notes: notes,
		Launching: session.Launching{Entry: entry, Chunk: o.Chunk, Reorder: o.Reorder, Every: o.Every, Wave: o.Wave},
	}
}

// State is the newest picture.
func (s *Session) State() *session.State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// Trace is where the events are told.
func (s *Session) Trace() *engine.Trace { return s.trace }

// Subscribe gives a channel that says that the state has changed, and a function that ends it.
func (s *Session) Subscribe() (<-chan session.Notification, func()) {
	c := make(chan session.Notification, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		close(c)
		return c, func() {}
	}
	s.subs[c] = struct{}{}
	return c, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.subs, c)
	}
}

// Taken tells how many events of the trace the reader has: nothing is told that would push out one it has
// not. Without such a reader nothing waits for one.
func (s *Session) Taken(events uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = events
}

// Close ends the session.
func (s *Session) Close() error {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.over)
	}
	s.mu.Unlock()
	<-s.ended
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.subs {
		close(c)
	}
	clear(s.subs)
	if s.r != nil {
		s.r.close()
		s.r = nil
	}
	return nil
}

// change replaces the state by an edited copy and tells the subscribers. s.mu is held.
func (s *Session) change(edit func(*session.State)) {
	next := *s.state
	edit(&next)
	s.state = &next
	for c := range s.subs {
		select {
		case c <- session.Changed{}:
		default: // one that has not been taken says the same
		}
	}
}

// errNoEngine is said to what a recording cannot do.
var errNoEngine = errors.New("this is a recording, no engine is behind it: `eaglet open` runs a kernel")

// Do plays, pauses, goes on by a launch or to a step, or back. It goes by launches, as they were made: to the
// first that reaches a step. Everything else is refused.
func (s *Session) Do(ctx context.Context, c session.Command) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return session.ErrClosed
	}
	switch c := c.(type) {
	case session.Run, session.Continue:
		if s.state.Phase == session.Ended {
			return errors.New("the recording is at its end: R goes back to its start")
		}
		s.change(func(x *session.State) { x.Phase, x.Activity, x.Since = session.Running, s.activity(), s.now() })
		s.poke()
		return nil
	case session.Cancel:
		if s.state.Phase == session.Running {
			s.settle()
		}
		return nil
	case session.Step:
		if c.Word != 0 {
			return errors.New("a recording goes on by launches, as they were made: s tells the next one")
		}
		return s.onward(func() bool { return true })
	case session.RunSteps:
		return s.toStep(s.told.steps + c.N)
	case session.RunUntil:
		if c.Until.String() != "change" {
			return errors.New("a recording goes on to a change of the steps per launch, by a number of steps (+100), or to a step (step 500)")
		}
		word := s.told.word
		return s.onward(func() bool { return s.told.word != word })
	case session.Seek:
		if c.Step < s.told.steps || c.Step == 0 {
			if err := s.restart(); err != nil || c.Step == 0 {
				return err
			}
		}
		return s.toStep(c.Step)
	case session.Rewind:
		return s.restart()
	}
	return errNoEngine
}

// Look answers what a recording knows: when each sample stopped.
func (s *Session) Look(ctx context.Context, q session.Query) (any, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if _, ok := q.(session.StopsQuery); !ok {
		return nil, errors.New("a recording holds decisions and stops, no planes: `eaglet open` runs the kernel and has them")
	}
	return s.stops(ctx)
}

// Speed is in launches a second.
func (s *Session) Speed() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.speed
}

// SetSpeed sets it, within [Slowest] and [Fastest].
func (s *Session) SetSpeed(launches float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.speed = min(max(launches, Slowest), Fastest)
	s.change(func(x *session.State) {
		if x.Phase == session.Running {
			x.Activity = s.activity()
		}
	})
	s.poke()
}

func (s *Session) activity() string {
	return fmt.Sprintf("replaying at %g launches/s", s.speed)
}

// poke wakes the goroutine that plays.
func (s *Session) poke() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Path is the recording's file.
func (s *Session) Path() string { return s.path }

// Position says where the recording stands: the run that is told, from 1, of how many, and whether all is told.
func (s *Session) Position() (run, runs int, end bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.part + 1, len(s.x.parts), s.state.Phase == session.Ended
}
