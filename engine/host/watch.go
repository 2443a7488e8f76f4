package host

import (
	"sync"
	"time"
)

// progressEvery is how often a pass says how far it is.
const progressEvery = 10 * time.Millisecond

// watch tells somebody how far a call is while it goes on. Its timer is made once per batch.
type watch struct {
	mu       sync.Mutex
	timer    *time.Timer
	team     *team
	size     int
	progress func(finished, steps uint64) // nil: nobody is told
}

// begin starts to tell how far the first size workers of a team are.
func (w *watch) begin(t *team, size int, progress func(finished, steps uint64)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.team, w.size, w.progress = t, size, progress
	if w.timer == nil {
		w.timer = time.AfterFunc(progressEvery, w.tick)
	} else {
		w.timer.Reset(progressEvery)
	}
}

// tick tells, and comes again.
func (w *watch) tick() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.progress == nil {
		return
	}
	w.progress(w.team.progress(w.size))
	w.timer.Reset(progressEvery)
}

// end stops telling; nobody is told any more when it returns.
func (w *watch) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer.Stop()
	w.progress = nil
}
