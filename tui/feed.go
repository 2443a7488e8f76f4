package tui

import (
	"math"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
)

// Bounds of one portion of events, so that a fast run cannot starve the keyboard.
const (
	portionEvents = 16_384
	portionTime   = 4 * time.Millisecond
)

// feed is what the workbench knows of the run that is on: events pulled from the session's trace and
// joined. It belongs to the goroutine of the model.
type feed struct {
	trace      *engine.Trace
	cursor     uint64
	buf        [256]engine.Event
	generation uint32

	records ring[record]
	plot    pyramid
	log     ring[engine.Event]
	held    []engine.Event // a launch and what followed in its turn, until it is clear whether the policy spoke

	start    engine.RunStart
	started  bool
	end      engine.RunEnd
	ended    bool
	progress engine.Progress
	passing  bool // progress has come since the last launch boundary

	r            float64 // compaction cost in steps, 0: not known
	measuredAt   [2]time.Duration
	measured     bool // r was measured in this process, from measuredAt
	byWord       map[uint32]int
	otherWords   int // launches of further words than byWord keeps
	compactions  int
	steps        uint64
	sampleSteps  uint64
	wall         time.Duration
	faulted      uint32
	lost, staled uint64 // events lost in the ring; events of an older generation

	books books // what the views of costs keep
}

// keptWords bounds the words that are counted one by one; a band has four.
const keptWords = 64

// begin forgets everything that is known of a run.
func (f *feed) begin(generation uint32) {
	f.generation = generation
	f.records.reset()
	f.plot.reset()
	f.log.reset()
	f.held = f.held[:0]
	f.start, f.started = engine.RunStart{}, false
	f.end, f.ended = engine.RunEnd{}, false
	f.progress, f.passing = engine.Progress{}, false
	f.r, f.measured = 0, false
	f.byWord, f.otherWords = map[uint32]int{}, 0
	f.compactions, f.steps, f.sampleSteps, f.wall, f.faulted = 0, 0, 0, 0, 0
	f.lost, f.staled = 0, 0
	f.books.begin()
}

// newer says whether generation a came after b; generations may wrap.
func newer(a, b uint32) bool { return int32(a-b) > 0 }

// follow makes generation the one whose events count.
func (f *feed) follow(generation uint32) {
	if newer(generation, f.generation) {
		f.begin(generation)
	}
}

// pull takes a portion of events from the trace. changed: something was taken; more: something is left.
// late says when time is up.
func (f *feed) pull(late func() bool) (changed, more bool) {
	for taken := 0; taken < portionEvents; {
		n, next := f.trace.Read(f.cursor, f.buf[:])
		if n == 0 && next == f.cursor {
			return changed, false
		}
		f.cursor = next
		for i := range f.buf[:n] {
			f.take(&f.buf[i])
		}
		changed, taken = true, taken+n
		if late() {
			break
		}
	}
	return changed, f.trace.Written() != f.cursor
}

// take joins one event to what is known.
func (f *feed) take(e *engine.Event) {
	if e.Kind == engine.EventGap {
		f.lost += e.Gap()
		f.say(e)
		return
	}
	if newer(f.generation, e.Generation) {
		f.staled++
		return
	}
	f.follow(e.Generation)
	switch e.Kind {
	case engine.EventRunStart:
		f.runStart(e)
	case engine.EventRunEnd:
		f.end, f.ended, f.passing = e.RunEnd(), true, false
		f.faulted = f.end.Faulted
		f.say(e)
	case engine.EventLaunch:
		f.launch(e)
	case engine.EventPolicy:
		f.policy(e)
	case engine.EventCompaction:
		f.compaction(e)
	case engine.EventProgress:
		f.progress, f.passing = e.Progress(), true
	case engine.EventCalibrate:
		f.measuredAt[0], f.measuredAt[1], f.r = e.Calibrate()
		f.measured = true
		f.say(e)
	case engine.EventReorder:
		f.inTurn(e)
	default:
		f.say(e)
	}
	f.books.note(e, f)
}

func (f *feed) runStart(e *engine.Event) {
	s := e.RunStart()
	if !s.Resumed && f.started {
		r, at, measured := f.r, f.measuredAt, f.measured
		f.begin(f.generation)
		f.r, f.measuredAt, f.measured = r, at, measured
	}
	f.start, f.started, f.ended = s, true, false
	if s.R > 0 {
		f.r = s.R
	}
	f.say(e)
}

func (f *feed) launch(e *engine.Event) {
	l := e.Launch()
	f.records.add(record{launch: l, turn: e.Turn, began: f.wall, flags: e.Flags})
	h, w := engine.FinishShare(l.Newly, f.start.N, l.Word), float64(l.Word)
	f.plot.add(bucket{
		launches: 1, done: l.Done, live: l.Live - min(l.Newly, l.Live),
		word: only(w), h: only(h), kStar: only(math.NaN()), wall: l.Wall,
	})
	if _, ok := f.byWord[l.Word]; ok || len(f.byWord) < keptWords {
		f.byWord[l.Word]++
	} else {
		f.otherWords++
	}
	f.steps += uint64(l.Word)
	f.sampleSteps += l.SampleSteps
	f.wall += l.Wall
	f.faulted += l.Faulted
	f.passing = false
	if len(f.held) > 0 && f.held[0].Turn != e.Turn {
		f.release()
	}
	f.held = append(f.held, *e)
}

func (f *feed) policy(e *engine.Event) {
	p := e.Policy()
	if r := f.records.last(); r != nil && r.turn == e.Turn {
		r.policy, r.hasPolicy = p, true
		r.resident, r.nextCut = e.Flags&engine.FlagResident != 0, e.Flags&engine.FlagCut != 0
		f.plot.amend(func(b *bucket) { b.kStar = only(p.KStar) })
	}
	f.r = p.R
	// The sentence of the policy says what the launch did as well: once is enough.
	kept := f.held[:0]
	for _, h := range f.held {
		if h.Kind != engine.EventLaunch || h.Turn != e.Turn {
			kept = append(kept, h)
		}
	}
	f.held = kept
	f.say(e)
}

func (f *feed) compaction(e *engine.Event) {
	if e.Flags&engine.FlagSkipped != 0 {
		return
	}
	f.compactions++
	if r := f.records.last(); r != nil && r.turn == e.Turn {
		r.compaction, r.compacted = e.Compaction(), true
		f.plot.amend(func(b *bucket) { b.compaction = true })
	}
	f.inTurn(e)
}

// inTurn writes an event to the log behind the launch of its turn, which may wait for the policy.
func (f *feed) inTurn(e *engine.Event) {
	if len(f.held) > 0 && f.held[0].Turn == e.Turn {
		f.held = append(f.held, *e)
		return
	}
	f.say(e)
}

// say writes an event to the log, behind what was held back.
func (f *feed) say(e *engine.Event) {
	f.release()
	f.log.add(*e)
}

func (f *feed) release() {
	for _, h := range f.held {
		f.log.add(h)
	}
	f.held = f.held[:0]
}

// launches is the number of launches of the run, also of those whose events were lost.
func (f *feed) launches() int {
	if last := f.records.last(); last != nil {
		return max(int(last.launch.Number), f.records.total)
	}
	return 0
}

// finished is the number of finished samples as far as the events say.
func (f *feed) finished() uint32 {
	switch last := f.records.last(); {
	case !f.started:
		return 0
	case f.ended:
		return f.end.Finished
	case f.passing:
		return f.progress.Finished
	case last != nil:
		return f.start.N - min(last.after(), f.start.N)
	}
	return f.start.Finished
}
