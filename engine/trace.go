package engine

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// Trace is a bounded ring of events. Any number of goroutines emit and any number read, each reader with
// a cursor of its own. A producer never waits, neither for a reader nor for another producer; a reader
// that falls behind by more than the capacity loses the oldest events and is told how many.
//
// Events are numbered from 0 in the order of their Emit; number p lives in slot p mod capacity. A slot is
// 12 atomic words under a sequence word (a seqlock, so that a torn copy is seen and thrown away):
//
//	2(p+1)-1  event p is being written
//	2(p+1)    event p is complete
//
// A producer claims its slot by a compare-and-swap. When the slot is still being written by a producer a
// whole lap behind, the newcomer does not wait: it gives its own event up and leaves its number in
// dropped, where readers find it.
type Trace struct {
	start   time.Time
	mask    uint64
	slots   []slot
	written atomic.Uint64 // numbers handed out
}

type slot struct {
	sequence atomic.Uint64
	dropped  atomic.Uint64 // 1 + number of the newest event given up for this slot
	words    [EventBytes / 8]atomic.Uint64
}

// NewTrace makes a trace for capacity events, rounded up to a power of two; it takes 112 bytes per event.
// Its clock starts now.
func NewTrace(capacity int) *Trace {
	size := uint64(1) << bits.Len64(uint64(max(capacity, 1)-1))
	return &Trace{start: time.Now(), mask: size - 1, slots: make([]slot, size)}
}

// Emit stamps e.Time and writes the event. It never blocks and does not allocate; on a nil trace it does
// nothing.
func (t *Trace) Emit(e Event) {
	if t == nil {
		return
	}
	e.Time = time.Since(t.start)
	p := t.written.Add(1) - 1
	s := &t.slots[p&t.mask]
	writing, complete := 2*(p+1)-1, 2*(p+1)
	for {
		old := s.sequence.Load()
		if old > complete {
			return // overwritten before it was written: the reader sees the newer number
		}
		if old&1 == 1 {
			raise(&s.dropped, p+1)
			return
		}
		if s.sequence.CompareAndSwap(old, writing) {
			break
		}
	}
	words := e.words()
	for i, w := range words {
		s.words[i].Store(w)
	}
	s.sequence.Store(complete)
}

// raise makes x at least v.
func raise(x *atomic.Uint64, v uint64) {
	for old := x.Load(); old < v; old = x.Load() {
		if x.CompareAndSwap(old, v) {
			return
		}
	}
}

// Written is the number of events emitted so far, the cursor of a reader that wants only what comes.
func (t *Trace) Written() uint64 {
	if t == nil {
		return 0
	}
	return t.written.Load()
}

// Read copies events from number cursor on into buf and returns how many elements of buf it filled and
// the cursor for the next call. It never waits: with nothing new it returns 0. Events that are lost come
// as one gap event with their exact count in front of the event that follows them, so the events read
// plus the counts of the gaps are next-cursor. A gap has the generation and time of the event that follows,
// generation 0 when none does yet. An event that is being written right now ends the read.
func (t *Trace) Read(cursor uint64, buf []Event) (n int, next uint64) {
	if t == nil || len(buf) == 0 {
		return 0, cursor
	}
	written := t.written.Load()
	var lost uint64
	if size := t.mask + 1; written > size && cursor < written-size {
		lost = written - size - cursor
		cursor = written - size
	}
	for cursor < written && n < len(buf) {
		var e Event
		what := t.fetch(cursor, &e)
		if what == pending {
			break
		}
		switch {
		case what == gone:
			lost++
			cursor++
		case lost > 0: // the event itself is fetched again: there may be no room for it
			buf[n] = gapBefore(lost, &e)
			lost = 0
			n++
		default:
			buf[n] = e
			n++
			cursor++
		}
	}
	if lost > 0 { // nothing follows yet; there is room, for a gap ahead of an event clears lost
		buf[n] = gapBefore(lost, &Event{Time: time.Since(t.start)})
		n++
	}
	return n, cursor
}

func gapBefore(lost uint64, e *Event) Event {
	g := GapEvent(lost)
	g.Generation, g.Time = e.Generation, e.Time
	return g
}

// What fetch found.
const (
	found   = iota
	pending // not written yet
	gone    // overwritten or given up
)

// fetch copies event p into e.
func (t *Trace) fetch(p uint64, e *Event) int {
	s := &t.slots[p&t.mask]
	complete := 2 * (p + 1)
	switch sequence := s.sequence.Load(); {
	case sequence > complete:
		return gone
	case sequence < complete:
		if s.dropped.Load() > p {
			return gone
		}
		return pending
	}
	var words [EventBytes / 8]uint64
	for i := range words {
		words[i] = s.words[i].Load()
	}
	if s.sequence.Load() != complete {
		return gone
	}
	e.setWords(&words)
	return found
}
