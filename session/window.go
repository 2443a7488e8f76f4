package session

import (
	"context"
	"errors"
	"sync"

	"github.com/eaglet-workbench/eaglet/engine"
)

// Questions while a run is on. The owner lends the batch to the run; a question is handed to the run's goroutine,
// which answers it at its next boundary: it copies what the question needs, and the run waits as long. What takes
// longer than a copy is left to whoever asked.
//
//	Look -> owner -> window: waiting ... boundary -> run: glance, a copy -> Look: rest -> answer
//
// A question that still waits when the run ends goes back to the owner, who answers it from the batch at rest.

// ErrOnePass says why a question cannot be answered now.
var ErrOnePass = errors.New("the run is one pass over the batch, without a boundary to look at: to be had when it pauses")

// glancing is a question that can be answered at a boundary. Glance takes from the batch what is needed, with
// nothing shared; rest makes the answer of it, on the goroutine of whoever asked, and ends soon after stop is set.
type glancing interface {
	Query
	glance(s *still) (rest rest, err error)
}

type rest func(stop *engine.Stop) (any, error)

// done is a rest with nothing left to do.
func done(answer any) rest { return func(*engine.Stop) (any, error) { return answer, nil } }

// finish does the rest of an answer, as long as ctx allows.
func (r rest) finish(ctx context.Context) (answer any, err error) {
	defer catch("answering a question", &err)
	var stop engine.Stop
	defer context.AfterFunc(ctx, stop.Set)()
	if answer, err = r(&stop); ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return answer, err
}

// window is where questions wait for a boundary of the run that is on.
type window struct {
	onlooker *engine.Onlooker

	mu      sync.Mutex // guards what follows
	batch   *batch     // what the run works on; nil: nothing is to be seen
	waiting []*request
}

func newWindow() *window {
	w := &window{}
	w.onlooker = engine.NewOnlooker(w.look)
	return w
}

// open lets questions be answered from b, which a run is about to begin with.
func (w *window) open(b *batch) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.batch = b
}

// close ends that, and gives who still waits.
func (w *window) close() []*request {
	w.mu.Lock()
	defer w.mu.Unlock()
	left := w.waiting
	w.batch, w.waiting = nil, nil
	return left
}

// ask lets a question wait for a boundary. In a pass, which has none, it is refused at once.
func (w *window) ask(r *request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting = append(w.waiting, r)
	if !w.onlooker.Ask() {
		w.refuse()
	}
}

// look answers whoever waits; it is called by the run.
func (w *window) look(at engine.Boundary) {
	w.mu.Lock()
	b := w.batch
	if b == nil {
		w.mu.Unlock()
		return
	}
	if at.Pass {
		w.refuse()
		w.mu.Unlock()
		return
	}
	waiting := w.waiting
	w.waiting = nil
	w.mu.Unlock()
	s := &still{batch: b, generation: at.Generation, done: int(at.Done), most: int(at.MaxSteps), places: at.Places}
	for _, r := range waiting {
		if r.fate.CompareAndSwap(pending, taken) {
			r.reply <- s.answer(r)
		}
	}
}

// refuse tells whoever waits that there will be no boundary.
func (w *window) refuse() {
	for _, r := range w.waiting {
		if r.fate.CompareAndSwap(pending, taken) {
			r.reply <- ErrOnePass
		}
	}
	w.waiting = nil
}

// answer takes what a question needs, and delivers it.
func (s *still) answer(r *request) (err error) {
	defer catch("looking at the batch", &err)
	rest, err := r.query.(glancing).glance(s)
	if err == nil {
		r.deliver(rest)
	}
	return err
}
