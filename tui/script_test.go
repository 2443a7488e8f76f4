package tui

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/session"
)

// script is a session without an engine: a batch of samples with known finish steps, run by the band's
// rule, which sends the events that a runner would send. Nothing in it depends on a clock, except that a
// pace can be set to look at it.
type script struct {
	mu       sync.Mutex
	state    *session.State
	trace    *engine.Trace
	notes    chan session.Notification
	commands []session.Command // given so far
	refuse   error             // what Do answers, when set
	pace     time.Duration     // between two launches of a Run; 0: the test makes them

	finish []uint32 // steps after which each sample finishes, ascending
	r      float64
	done   uint32
	word   uint32
	turn   uint64
	counts engine.RunEnd
	stop   bool

	looks func(session.Query) (any, error) // what Look answers, when set
	live  *session.FinishPicture           // what live samples say during a run, when set
}

var scriptSource = `// Package oscillator integrates damped harmonic oscillators, each to its own stop.
package oscillator

// Oscillator is one sample.
//
//eaglet:kernel steps=auto guard=active_set
type Oscillator struct {
	Omega float64 ` + "`unit:\"rad/s\" init:\"uniform(1, 10)\"`" + ` // angular frequency
	Zeta  float64 ` + "`init:\"uniform(0.01, 0.2)\"`" + `  // damping ratio
	TEnd  float64 ` + "`unit:\"s\" init:\"loguniform(0.1, 6)\"`" + `
	Dt    float64 ` + "`plane:\"param\" unit:\"s\" init:\"1e-3\"`" + `

	X, V, T float64
}

// Step advances one sample by Dt (semi-implicit Euler).
func (s *Oscillator) Step() (terminated bool) {
	s.V += s.Dt * (-s.Omega*s.Omega*s.X - 2*s.Zeta*s.Omega*s.V)
	s.X += s.Dt * s.V
	s.T += s.Dt
	terminated = s.T >= s.TEnd
	return
}

// Energy is an observable.
func (s *Oscillator) Energy() float64 { return 0.5 * s.V * s.V }
`

func scriptKernel() *kernels.Kernel {
	return &kernels.Kernel{
		Path:    "oscillator.go",
		Sources: []kernels.SourceFile{{Name: "oscillator.go", Text: []byte(scriptSource)}},
		Digest:  "5c1d",
		IR: &ir.Kernel{
			Name: "oscillator", Files: []string{"oscillator.go"}, Guard: ir.GuardActiveSet,
			StepsMax: 64, Precision: ir.F64,
			Finish: &ir.Finish{Name: "terminated", Text: "s.T >= s.TEnd", Pos: ir.Pos{Line: 21, Col: 15, End: 28}},
		},
	}
}

// newScript is a batch of n samples whose finish steps are spread evenly over the logarithm of 100..6000.
func newScript(n int) *script {
	s := &script{trace: engine.NewTrace(1 << 16), notes: make(chan session.Notification, 64), r: 0.125}
	for i := range n {
		u := (float64(i) + 0.5) / float64(n)
		s.finish = append(s.finish, uint32(math.Exp(math.Log(100)+u*math.Log(60))))
	}
	s.state = &session.State{
		Generation: 1, Phase: session.Ready, Since: scriptStart, Kernel: scriptKernel(),
		Engine: "host", Device: "2 cores, interpreter", Policy: engine.PolicyBand,
		MaxSteps: 10_000, N: n, Seed: 1,
		Params: []session.Param{{Name: "dt", Unit: "s", Value: 1e-3}},
		Notes:  []string{"omega, zeta, t_end filled by their init tags, x, v, t with 0"},
	}
	s.word = engine.AutoK0
	return s
}

var scriptStart = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func (s *script) Trace() *engine.Trace { return s.trace }

// Look answers by looks, where a test has set it, and else tells the stops of the script's samples.
func (s *script) Look(_ context.Context, q session.Query) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.looks != nil {
		return s.looks(q)
	}
	if _, ok := q.(session.FinishQuery); ok && s.live != nil {
		return s.live, nil
	}
	if _, ok := q.(session.StopsQuery); !ok {
		return nil, fmt.Errorf("the script has no answer to a %T", q)
	}
	out := &session.Stops{
		Generation: s.state.Generation, Done: s.done, MaxSteps: uint32(s.state.MaxSteps),
		Taken: make([]uint32, len(s.finish)), Mask: make([]byte, len(s.finish)),
	}
	for i, stop := range s.finish {
		out.Taken[i] = min(stop, s.done)
		if stop <= s.done {
			out.Mask[i] = 1
		}
	}
	return out, nil
}

func (s *script) State() *session.State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

func (s *script) Subscribe() (<-chan session.Notification, func()) { return s.notes, func() {} }

// change replaces the state by an edited copy and tells subscribers.
func (s *script) change(edit func(*session.State)) {
	s.mu.Lock()
	next := *s.state
	edit(&next)
	s.state = &next
	s.mu.Unlock()
	s.tell(session.Changed{})
}

func (s *script) tell(n session.Notification) {
	select {
	case s.notes <- n:
	default: // nobody listens; the state has it
	}
}

// Do does what a session would do, at once, except for a Run, whose launches the test or the pace makes.
func (s *script) Do(_ context.Context, c session.Command) error {
	s.mu.Lock()
	s.commands = append(s.commands, c)
	refuse, phase := s.refuse, s.state.Phase
	s.mu.Unlock()
	if refuse != nil {
		return refuse
	}
	if _, cancel := c.(session.Cancel); phase == session.Running && !cancel {
		return engine.ErrBusy
	}
	switch c := c.(type) {
	case session.Run, session.Continue:
		s.start(phase == session.Paused)
		s.change(func(x *session.State) { x.Phase, x.Activity = session.Running, "running" })
		if s.pace > 0 {
			go s.play()
		}
	case session.Step:
		if phase == session.Ready {
			s.start(false)
		}
		s.launch(uint32(c.Word))
		s.settle()
	case session.Cancel:
		s.mu.Lock()
		s.stop = true
		s.mu.Unlock()
		s.emit(0, engine.Cancel{Finished: s.finished(), Steps: s.done}.Event(), 0)
		s.end(engine.StatusCancelled)
	case session.Rewind:
		s.done, s.word, s.turn, s.counts = 0, engine.AutoK0, 0, engine.RunEnd{}
		s.change(func(x *session.State) {
			x.Generation++
			x.Phase, x.Report, x.Finished, x.StepsDone = session.Ready, nil, 0, 0
		})
	case session.Seek:
		s.back(c.Step)
	case session.Configure:
		s.change(func(x *session.State) {
			if c.Policy != nil {
				x.Policy = *c.Policy
			}
		})
	}
	return nil
}

// back puts the batch into the past of its run, step 0 to its start.
func (s *script) back(step int) {
	if step == 0 {
		s.Do(context.Background(), session.Rewind{})
		return
	}
	furthest := max(s.state.Furthest, int(s.done))
	s.done = uint32(min(step, furthest))
	s.change(func(x *session.State) {
		x.Phase, x.StepsDone, x.Finished, x.Furthest = session.Paused, int(s.done), int(s.finished()), furthest
	})
}

func (s *script) play() {
	for s.launch(0) {
		time.Sleep(s.pace)
		s.mu.Lock()
		stop := s.stop
		s.mu.Unlock()
		if stop {
			return
		}
	}
	s.settle()
}

func (s *script) emit(turn uint64, e engine.Event, flags engine.EventFlags) {
	e.Generation, e.Turn = s.State().Generation, turn
	e.Flags |= flags
	s.trace.Emit(e)
}

func (s *script) start(resumed bool) {
	s.mu.Lock()
	s.stop = false
	s.mu.Unlock()
	s.emit(0, engine.RunStart{
		N: uint32(len(s.finish)), Finished: s.finished(), MaxSteps: uint32(s.state.MaxSteps), StepsMax: 64,
		Policy: engine.PolicyBand, R: s.r, Active: true, Resumed: resumed,
	}.Event(), 0)
}

// finished is the number of samples that are done after s.done steps.
func (s *script) finished() uint32 {
	for i, f := range s.finish {
		if f > s.done {
			return uint32(i)
		}
	}
	return uint32(len(s.finish))
}

// launch makes one launch, of word steps or of the band's, with the events of its turn; false: it was the last.
func (s *script) launch(word uint32) (more bool) {
	n, maxSteps := uint32(len(s.finish)), uint32(s.state.MaxSteps)
	before := s.finished()
	if before == n || s.done >= maxSteps {
		return false
	}
	var flags engine.EventFlags
	if word != 0 {
		flags = engine.FlagStepped
	} else {
		word = s.word
	}
	if left := maxSteps - s.done; word > left {
		word, flags = left, flags|engine.FlagCut
	}
	s.done += word
	s.turn++
	s.counts.Launches++
	after := s.finished()
	newly := after - before
	wall := time.Duration(uint64(n-before)*uint64(word)) * 4 * time.Nanosecond
	s.counts.Wall += wall
	s.emit(s.turn, engine.Launch{
		Number: s.counts.Launches, Word: word, Live: n - before, Newly: newly, Done: s.done,
		SampleSteps: uint64(n-before) * uint64(word), Wall: wall,
	}.Event(), flags)
	if newly > 0 {
		s.emit(s.turn, engine.Compaction{
			Before: n - before, After: n - after, Groups: (n - after + 31) / 32, Wall: 12 * time.Microsecond,
		}.Event(), 0)
	} else {
		s.emit(s.turn, engine.Compaction{Before: n - before, After: n - before}.Event(), engine.FlagSkipped)
	}
	h := engine.FinishShare(newly, n, word)
	p := engine.PolicyDecision{
		N: n, Newly: newly, Word: word, R: s.r, H: h, KStar: engine.KStar(s.r, h),
		K: engine.Band(newly, n, word, s.r, 64), StepsMax: 64,
	}
	flags = 0
	if after < n && s.done < maxSteps {
		p.Next = min(p.K, maxSteps-s.done)
		if p.Next < p.K {
			flags = engine.FlagCut
		}
	}
	s.word = p.K
	s.emit(s.turn, p.Event(), flags)
	return p.Next > 0
}

// settle ends a call: paused, or over.
func (s *script) settle() {
	switch {
	case int(s.finished()) == len(s.finish):
		s.end(engine.StatusFinished)
	case s.done >= uint32(s.state.MaxSteps):
		s.end(engine.StatusMaxSteps)
	default:
		s.change(func(x *session.State) {
			x.Phase, x.Finished, x.StepsDone = session.Paused, int(s.finished()), int(s.done)
		})
	}
}

func (s *script) end(status engine.Status) {
	end := s.counts
	end.Status, end.Finished, end.Steps = status, s.finished(), s.done
	s.emit(0, end.Event(), 0)
	report := engine.Report{
		Kernel: "oscillator", N: len(s.finish), Finished: int(end.Finished), Done: int(end.Finished) == len(s.finish),
		Status: status.String(), Launches: int(end.Launches), Steps: int(end.Steps), Longest: int(end.Steps),
		SampleSteps: 19_000_000, Entry: "fused", Policy: "band", R: s.r, MaxSteps: s.state.MaxSteps,
		Engine: "host", Wall: end.Wall, BuildTime: 3 * time.Millisecond,
	}
	s.change(func(x *session.State) {
		x.Phase = session.Ended
		if status == engine.StatusCancelled {
			x.Phase = session.Paused
		}
		x.Activity, x.Report, x.Finished, x.StepsDone = "", &report, int(end.Finished), int(end.Steps)
	})
	s.tell(session.RunEnded{Report: report})
}
