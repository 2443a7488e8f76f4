package engine

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

// numbered is an event that carries a producer and its count in every word, so that a torn copy shows.
func numbered(producer, count uint64) Event {
	e := Event{Kind: EventLaunch, Generation: uint32(producer), Turn: count}
	for i := range e.Payload {
		e.Payload[i] = producer<<48 | count
	}
	return e
}

func torn(e *Event) bool {
	want := uint64(e.Generation)<<48 | e.Turn
	for _, w := range e.Payload {
		if w != want {
			return true
		}
	}
	return false
}

func TestTraceKeepsOrderAndStampsTime(t *testing.T) {
	trace := NewTrace(8)
	for i := range uint64(5) {
		trace.Emit(numbered(1, i))
	}
	buf := make([]Event, 3)
	n, next := trace.Read(0, buf)
	if n != 3 || next != 3 {
		t.Fatalf("read %d up to %d, want 3 up to 3", n, next)
	}
	n, next = trace.Read(next, buf)
	if n != 2 || next != 5 || buf[0].Turn != 3 || buf[1].Turn != 4 {
		t.Fatalf("read %d up to %d: %v", n, next, buf)
	}
	if buf[1].Time < buf[0].Time || buf[0].Time <= 0 {
		t.Fatalf("times %v, %v do not go up from the start", buf[0].Time, buf[1].Time)
	}
	if n, next := trace.Read(next, buf); n != 0 || next != 5 {
		t.Fatalf("with nothing new: read %d up to %d", n, next)
	}
}

func TestTraceLossIsOneGapWithItsCount(t *testing.T) {
	for _, c := range []struct {
		name            string
		emitted, cursor uint64
		gap             uint64
		first, next     uint64
	}{
		{"a full ring has lost nothing", 8, 0, 0, 0, 8},
		{"one too many loses one", 9, 0, 1, 1, 9},
		{"a lap and a half", 20, 0, 12, 12, 20},
		{"a reader in the lost part", 20, 5, 7, 12, 20},
		{"a reader at the oldest", 20, 12, 0, 12, 20},
	} {
		trace := NewTrace(8)
		for i := range c.emitted {
			trace.Emit(numbered(1, i))
		}
		buf := make([]Event, 16)
		n, next := trace.Read(c.cursor, buf)
		got := buf[:n]
		if c.gap > 0 {
			if got[0].Kind != EventGap || got[0].Gap() != c.gap || got[0].Generation != 1 {
				t.Errorf("%s: first %+v, want a gap of %d", c.name, got[0], c.gap)
				continue
			}
			got = got[1:]
		}
		if next != c.next || len(got) != int(c.next-c.first) || got[0].Turn != c.first {
			t.Errorf("%s: %d events from %d up to %d, want %d from %d up to %d", c.name, len(got), got[0].Turn, next, c.next-c.first, c.first, c.next)
		}
	}
}

func TestTraceGapInABufferOfOne(t *testing.T) {
	trace := NewTrace(4)
	for i := range uint64(7) {
		trace.Emit(numbered(1, i))
	}
	buf := make([]Event, 1)
	n, next := trace.Read(0, buf)
	if n != 1 || buf[0].Gap() != 3 || next != 3 {
		t.Fatalf("read %d up to %d: %+v, want a gap of 3 up to 3", n, next, buf[0])
	}
	n, next = trace.Read(next, buf)
	if n != 1 || buf[0].Turn != 3 || next != 4 {
		t.Fatalf("read %d up to %d: %+v, want event 3", n, next, buf[0])
	}
}

// TestTraceGivesUpRatherThanWaits plays a producer that is a lap behind in the middle of its write.
func TestTraceGivesUpRatherThanWaits(t *testing.T) {
	trace := NewTrace(2)
	slow := trace.written.Add(1) - 1 // number 0, its slot claimed
	trace.slots[0].sequence.Store(2*(slow+1) - 1)
	trace.Emit(numbered(1, 1))
	buf := make([]Event, 8)
	if n, next := trace.Read(0, buf); n != 0 || next != 0 {
		t.Fatalf("an event being written: read %d up to %d, want to wait at 0", n, next)
	}
	trace.Emit(numbered(1, 2)) // wants the slot of number 0
	trace.Emit(numbered(1, 3))
	n, next := trace.Read(0, buf)
	// 0 and 1 are older than the ring, 2 was given up, 3 is there.
	if n != 2 || next != 4 || buf[0].Gap() != 3 || buf[1].Turn != 3 {
		t.Fatalf("read %d up to %d: %+v, want a gap of 3 and event 3", n, next, buf[:n])
	}
	trace.Emit(numbered(1, 4)) // given up as well: the slot is still claimed
	n, next = trace.Read(next, buf)
	if n != 1 || next != 5 || buf[0].Gap() != 1 {
		t.Fatalf("read %d up to %d: %+v, want a gap of 1 at the end", n, next, buf[:n])
	}
}

func TestNilTraceTakesEvents(t *testing.T) {
	var trace *Trace
	trace.Emit(Event{})
	if n, next := trace.Read(7, make([]Event, 1)); n != 0 || next != 7 || trace.Written() != 0 {
		t.Fatalf("a nil trace gave %d events up to %d", n, next)
	}
}

func TestTraceDoesNotAllocate(t *testing.T) {
	trace, buf := NewTrace(64), make([]Event, 64)
	var cursor uint64
	if got := testing.AllocsPerRun(100, func() {
		trace.Emit(numbered(1, 1))
		_, cursor = trace.Read(cursor, buf)
	}); got != 0 {
		t.Errorf("%v allocations for an event written and read", got)
	}
}

// TestTraceHammer has producers faster than readers on a small ring. Every reader must see each
// producer's events in order and whole, and events and gaps must add up to what was written.
func TestTraceHammer(t *testing.T) {
	const producers, readers, each = 4, 3, 20000
	trace := NewTrace(64)
	var writing atomic.Int32
	writing.Store(producers)
	var all sync.WaitGroup
	for p := range uint64(producers) {
		all.Go(func() {
			defer writing.Add(-1)
			for i := range uint64(each) {
				trace.Emit(numbered(p, i))
				if i%64 == 0 {
					runtime.Gosched()
				}
			}
		})
	}
	for r := range readers {
		all.Go(func() {
			var cursor, seen, lost uint64
			last := [producers]int64{-1, -1, -1, -1}
			buf := make([]Event, 1+17*r)
			for {
				end := writing.Load() == 0
				n, next := trace.Read(cursor, buf)
				for i := range buf[:n] {
					e := &buf[i]
					if e.Kind == EventGap {
						lost += e.Gap()
						continue
					}
					seen++
					if torn(e) || int64(e.Turn) <= last[e.Generation] {
						t.Errorf("reader %d: torn or out of order after %d: %+v", r, last[e.Generation], *e)
						return
					}
					last[e.Generation] = int64(e.Turn)
				}
				if seen+lost > next {
					t.Errorf("reader %d: %d seen and %d lost of %d", r, seen, lost, next)
					return
				}
				cursor = next
				if end && n == 0 {
					break
				}
				runtime.Gosched()
			}
			if seen+lost != producers*each || cursor != trace.Written() {
				t.Errorf("reader %d: %d seen and %d lost, %d written", r, seen, lost, trace.Written())
			}
			if seen < 1 {
				t.Errorf("reader %d saw nothing", r)
			}
		})
	}
	all.Wait()
}
