package session

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels"
)

// Options are what a session is made with; the zero value is good.
type Options struct {
	// Trace is the capacity of the ring of events; 0: 16,384.
	Trace int
	// Observe starts with the policy band, so that there are decisions to be seen; otherwise with auto.
	Observe bool
	// Load loads kernels; nil: kernels.LoadWith, with the compile options of [Configure].
	Load func(path string) (*kernels.Kernel, kernels.Diagnostics)
	// Watch loads the kernel's file again when its content changes.
	Watch bool
	// Travel keeps keyframes of runs, in an eighth of the free memory, so that Seek is quick.
	Travel bool
	// MemoryBytes is what a batch may take; 0: what the system has free, where it tells.
	MemoryBytes int64
}

// Session is one kernel with its batch, and what happened to it. All methods are safe for concurrent use.
type Session struct {
	requests chan *request
	state    atomic.Pointer[State]
	trace    *engine.Trace
	hub      hub

	closing   chan struct{} // closed to ask the owner to end
	closeOnce sync.Once
	closed    chan struct{} // closed when it has
}

// request is something that the owner is asked for.
type request struct {
	ctx     context.Context
	command Command // or
	query   Query   // something about the batch, to be delivered, or
	deliver func(rest)
	idle    bool         // an answer when nothing is going on any more
	reply   chan error   // holds one
	fate    atomic.Int32 // pending until the owner takes it or its maker withdraws it
}

const (
	pending = iota
	taken
	withdrawn
)

// New starts a session on the first of engines, with no kernel. Close ends it.
func New(engines []engine.Engine, o Options) *Session {
	if o.Trace <= 0 {
		o.Trace = 1 << 14
	}
	s := &Session{
		requests: make(chan *request),
		trace:    engine.NewTrace(o.Trace),
		closing:  make(chan struct{}),
		closed:   make(chan struct{}),
	}
	own := newOwner(s, slices.Clone(engines), o)
	own.publish()
	go own.loop()
	return s
}

// Do gives a command. It returns when the command is accepted; what comes of it arrives as notifications.
// While the session is working on another command it waits for that, unless ctx ends first. A refused
// command changes nothing; the error says all that is wrong with it. During a run every command but
// Cancel gives engine.ErrBusy; Cancel without a run is no error.
func (s *Session) Do(ctx context.Context, c Command) error {
	return s.ask(&request{ctx: ctx, command: c})
}

// Wait returns when nothing is going on: no work, no run, no command waiting.
func (s *Session) Wait(ctx context.Context) error {
	return s.ask(&request{ctx: ctx, idle: true})
}

// Results gives a copy of planes, mask, steps taken, labels and observables; during a run, of its next boundary,
// [ErrOnePass] where it has none. It waits while the session is working.
func (s *Session) Results() (*Results, error) {
	answer, err := s.Look(context.Background(), resultsQuery{})
	r, _ := answer.(*Results)
	return r, err
}

// ask hands a request to the owner and waits for the answer.
func (s *Session) ask(r *request) error {
	r.reply = make(chan error, 1)
	if err := r.ctx.Err(); err != nil {
		return err
	}
	select {
	case s.requests <- r:
	case <-r.ctx.Done():
		return r.ctx.Err()
	case <-s.closing:
		return ErrClosed
	}
	select {
	case err := <-r.reply:
		return err
	case <-r.ctx.Done():
		if r.fate.CompareAndSwap(pending, withdrawn) {
			return r.ctx.Err()
		}
		return <-r.reply // the owner has it in hand
	}
}

// State is the newest picture of the session. It never waits.
func (s *Session) State() *State { return s.state.Load() }

// Trace is the ring of the events of all runs.
func (s *Session) Trace() *engine.Trace { return s.trace }

// Subscribe gives a channel of what happens from now on, and a function that ends it. A slow reader holds
// nobody up and misses nothing; only Changed ones that follow each other are merged. After Close the
// channel is closed when it is read to its end. A reader who stops reading calls the function.
func (s *Session) Subscribe() (<-chan Notification, func()) { return s.hub.subscribe() }

// Close cancels what is going on, waits for it, and ends the session. Later commands give ErrClosed.
func (s *Session) Close() error {
	s.closeOnce.Do(func() { close(s.closing) })
	<-s.closed
	return nil
}
