package tui

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/session"
)

// told is a scene to whose feed events are given.
type told struct {
	*scene
	script *script
	turn   uint64
}

// tell begins a scene of a batch of n samples.
func tell(n int) *told {
	s := newScript(10)
	s.state.N = n
	f := &feed{trace: s.trace}
	f.begin(1)
	f.books.belongs(1, batchName(s.state))
	return &told{scene: &scene{state: s.state, feed: f, glyphs: &glyphSets[GlyphsASCII], cursor: -1, now: scriptStart}, script: s}
}

func (x *told) event(e engine.Event, flags engine.EventFlags) {
	e.Generation, e.Turn, e.Flags = x.feed.generation, x.turn, e.Flags|flags
	x.feed.take(&e)
}

func (x *told) start(r engine.RunStart) { x.event(r.Event(), 0) }

// launch is a launch of a number of steps and the compaction behind it, which runs when somebody finished.
func (x *told) launch(word, live, newly uint32) {
	x.turn++
	done := word
	if last := x.feed.records.last(); last != nil {
		done += last.launch.Done
	}
	x.event(engine.Launch{
		Number: uint32(x.turn), Word: word, Live: live, Newly: newly, Done: done, SampleSteps: uint64(word) * uint64(live),
		Wall: time.Duration(word) * time.Duration(live) * time.Nanosecond,
	}.Event(), 0)
	var flags engine.EventFlags
	if newly == 0 {
		flags = engine.FlagSkipped
	}
	x.event(engine.Compaction{Before: live, After: live - newly, Groups: (live - newly + 31) / 32, Wall: 12 * time.Microsecond}.Event(), flags)
}

func (x *told) end(status engine.Status, wall time.Duration) {
	x.event(engine.RunEnd{Status: status, Wall: wall, Launches: uint32(x.turn)}.Event(), 0)
}

var banded = engine.RunStart{N: 1000, MaxSteps: 10_000, StepsMax: 64, Policy: engine.PolicyBand, R: 0.5, Active: true, Entry: engine.EntryFused}

// An account by hand: R = 0.5 steps. 100 of 1,000 lanes are freed, then 4 and 2 launches of 2 steps follow, in
// which nobody finishes: 0.2 steps gained in each.
func TestCompactionsAreSettled(t *testing.T) {
	x := tell(1000)
	x.start(banded)
	x.launch(16, 1000, 100)
	x.launch(2, 900, 0)
	x.launch(2, 900, 0)
	first := x.feed.books.settled.at(0)
	if first.freed != 100 || first.paidAt != 0 || first.over || math.Abs(first.gain-0.4) > 1e-12 {
		t.Errorf("after two launches: %+v", first)
	}
	if text := first.words(x.feed); !strings.Contains(text, "100 of 1,000 lanes freed for R = 0.5 steps (12 us): 0.4 steps gained in 2 launches so far, not paid back yet") {
		t.Errorf("after two launches: %s", text)
	}
	x.launch(2, 900, 0)
	x.launch(2, 900, 1)
	if !first.over || first.paidAt != 3 || first.launches != 4 || math.Abs(first.gain-0.8) > 1e-12 {
		t.Errorf("after four launches: %+v", first)
	}
	if text := first.words(x.feed); !strings.Contains(text, "paid back after 3 launches; 0.8 steps gained in 4 launches") {
		t.Errorf("after four launches: %s", text)
	}
	x.launch(8, 899, 10)
	second := x.feed.books.settled.at(1)
	if text := second.words(x.feed); !second.over || !strings.Contains(text, "0.008 steps gained in 1 launch until the next one: did not pay") {
		t.Errorf("one lane for one launch: %s", text)
	}
	x.end(engine.StatusCancelled, time.Second)
	if third := x.feed.books.settled.at(2); third.over {
		t.Error("a run that was stopped may go on: its last compaction is not settled")
	}
	x.end(engine.StatusFinished, time.Second)
	third := x.feed.books.settled.at(2)
	if text := third.words(x.feed); !strings.Contains(text, "the run was over, nothing could be gained") {
		t.Errorf("at the end: %s", text)
	}
	if b := &x.feed.books.totals; b.paid != 1 || b.unpaid != 2 || b.cost != 1.5 || math.Abs(b.gain-0.808) > 1e-12 {
		t.Errorf("totals %+v", b)
	}
}

// Where no R is known the cost is what the compaction took, in steps of the whole batch as the launch took them.
func TestACompactionWithoutRIsMeasured(t *testing.T) {
	x := tell(1000)
	start := banded
	start.Policy, start.R = engine.PolicyDoubling, 0
	x.start(start)
	x.launch(16, 500, 100) // 1 ns a sample-step: a full-live step takes 1 us, 12 us are 12 of them
	if c := x.feed.books.settled.last(); math.Abs(c.cost-12) > 1e-9 {
		t.Errorf("cost %v steps, want 12", c.cost)
	}
	if text := x.feed.books.settled.last().words(x.feed); !strings.Contains(text, "12 steps as measured") {
		t.Error(text)
	}
}

// The gains of all compactions sum to what the runs' lanes would have been held for more, and what is settled
// is in the totals once.
func TestTheBooksBalance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := tell(1000)
		x.start(banded)
		live := uint32(1000)
		for range rapid.IntRange(1, 60).Draw(t, "launches") {
			word := rapid.SampledFrom([]uint32{1, 8, 16, 64}).Draw(t, "word")
			newly := min(live, rapid.SampledFrom([]uint32{0, 0, 1, 30}).Draw(t, "newly"))
			x.launch(word, live, newly)
			live -= newly
		}
		x.end(engine.StatusMaxSteps, time.Second)
		b := &x.feed.books
		sum, cost, paid := 0.0, 0.0, 0
		each(&b.settled, func(c *settlement) {
			sum, cost = sum+c.gain, cost+c.cost
			if c.paidAt > 0 {
				paid++
			}
			if !c.over || (c.paidAt > 0) != (c.gain >= c.cost) {
				t.Fatalf("%+v", c)
			}
		})
		if math.Abs(sum-b.totals.gain) > 1e-9 || cost != b.totals.cost || paid != b.totals.paid || paid+b.totals.unpaid != b.settled.total {
			t.Fatalf("totals %+v; summed: cost %v, gain %v, %d paid of %d", b.totals, cost, sum, paid, b.settled.total)
		}
	})
}

func TestRunsAreRememberedByBatch(t *testing.T) {
	x := tell(1000)
	x.start(banded)
	x.launch(16, 1000, 1000)
	x.end(engine.StatusFinished, 16*time.Microsecond)
	x.feed.follow(2)
	x.start(engine.RunStart{N: 1000, MaxSteps: 100, StepsMax: 64, Policy: engine.PolicyTiled, Entry: engine.EntryPersistent, Chunk: 32})
	x.turn = 0
	x.launch(16, 1000, 1000)
	x.event(engine.LaneRefill{Chunk: 32, LaneChunks: 1000, SampleSteps: 16_000}.Event(), 0)
	x.end(engine.StatusCancelled, time.Microsecond)
	resumed := engine.RunStart{N: 1000, MaxSteps: 100, StepsMax: 64, Resumed: true, Entry: engine.EntryPersistent, Chunk: 32}
	x.start(resumed)
	x.end(engine.StatusFinished, 8*time.Microsecond)
	other := *x.state
	other.N = 500
	x.feed.follow(3)
	x.feed.books.belongs(3, batchName(&other))
	x.start(banded)
	x.end(engine.StatusFinished, time.Second)

	x.state.Generation = 2
	runs := pickRuns(x.scene)
	if len(runs) != 2 || runs[0].entry() != engine.EntryFused || runs[1].entry() != engine.EntryPersistent {
		t.Fatalf("runs of the batch: %+v", runs)
	}
	if runs[0].perStep() != 1 || runs[1].perStep() != 0.5 || runs[1].slotFill != 0.5 || runs[1].end.Status != engine.StatusFinished {
		t.Errorf("walls %v and %v ns, slot fill %v", runs[0].perStep(), runs[1].perStep(), runs[1].slotFill)
	}
	if r := x.feed.books.knownR(batchName(x.state)); r != 0.5 {
		t.Errorf("R of the batch %v", r)
	}
	x.state = &other
	x.state.Generation = 3
	if runs := pickRuns(x.scene); len(runs) != 1 || runs[0].serial != 3 {
		t.Errorf("runs of the other batch: %+v", runs)
	}
	for g := range uint32(3 * keptRuns) {
		x.feed.follow(10 + g)
		x.start(banded)
	}
	if b := &x.feed.books; len(b.runs) != keptRuns || b.count != 3+3*keptRuns {
		t.Errorf("%d runs are kept of %d", len(b.runs), b.count)
	}
}

func TestCompactionPaneSaysWhyThereIsNone(t *testing.T) {
	for _, c := range []struct {
		name, says string
		make       func() *told
	}{
		{"no run", "is drawn here", func() *told { return tell(10) }},
		{"no active set", "no active set", func() *told { x := tell(10); s := banded; s.Active = false; x.start(s); return x }},
		{"the persistent entry", "compacts nothing", func() *told { x := tell(10); s := banded; s.Entry = engine.EntryPersistent; x.start(s); return x }},
		{"one pass", "no boundaries", func() *told {
			x := tell(10)
			x.start(banded)
			x.event(engine.Launch{Number: 1, Word: 64, Live: 10}.Event(), engine.FlagDerived)
			return x
		}},
		{"one wave", "fits one wave", func() *told {
			x := tell(10)
			x.start(banded)
			x.turn = 1
			x.event(engine.Launch{Number: 1, Word: 64, Live: 10}.Event(), 0)
			x.event(engine.PolicyDecision{N: 10, Word: 64, K: 64, StepsMax: 64}.Event(), engine.FlagResident)
			return x
		}},
		{"nobody finished", "nobody has finished", func() *told { x := tell(10); x.start(banded); x.launch(16, 10, 0); return x }},
		{"nothing is loaded", "load a kernel", func() *told { x := tell(10); x.state = &session.State{}; return x }},
	} {
		x := c.make()
		if text := view(compactPane{}, x.scene, 100, 8); !strings.Contains(strings.Join(strings.Fields(text), " "), c.says) {
			t.Errorf("%s: the pane does not say %q:\n%s", c.name, c.says, text)
		}
	}
}

func TestReordersAreShownWithTheirReason(t *testing.T) {
	x := tell(8192)
	start := banded
	start.N = 8192
	x.state.Launching.Reorder = 0.5
	x.start(start)
	x.launch(16, 8192, 8000)
	x.event(engine.Reorder{Count: 192, Live32: 150, Span: 8192, Theta: 0.5, Wall: time.Microsecond}.Event(), 0)
	x.launch(16, 192, 2)
	x.event(engine.Reorder{Count: 190, Live32: 6, Span: 192, Theta: 0.5}.Event(), engine.FlagSkipped)
	x.launch(16, 190, 1)
	text := view(compactPane{}, x.scene, 110, 12)
	if !strings.Contains(text, "R") || !strings.Contains(text, "after launch 2, no reorder: live samples lie within 192 slots") {
		t.Errorf("the newest offer:\n%s", text)
	}
	x.cursor = 0
	if text := view(compactPane{}, x.scene, 110, 12); !strings.Contains(text, "after launch 1, reorder: 192 live samples moved to the front of 8,192 slots") {
		t.Errorf("the offer under the cursor:\n%s", text)
	}
	if x.feed.books.totals.fired != 1 {
		t.Errorf("%d reorders fired", x.feed.books.totals.fired)
	}
	var kinds []string
	for i := range x.feed.log.total {
		kinds = append(kinds, fmt.Sprint(x.feed.log.at(i).Kind))
	}
	if got := strings.Join(kinds, " "); got != "1 3 5 11 3 5 11" { // the third launch waits for its policy
		t.Errorf("the log holds the kinds %s", got)
	}
}

// More compactions than are drawn one by one are drawn in short: over the same columns, nothing that did not
// pay is lost, and the extremes are those of all.
func TestManyCompactionsAreDrawnInShort(t *testing.T) {
	x := tell(1_000_000)
	start := banded
	start.N = 1_000_000
	x.start(start)
	live := uint32(1_000_000)
	for i := range uint32(3 * exactSettled) {
		newly := uint32(60_000)
		if i%1000 != 7 {
			newly = 90
		}
		newly = min(newly, live)
		x.launch(8+8*(i%1000/500), live, newly)
		live -= newly
	}
	x.end(engine.StatusFinished, time.Second)
	unpaid := 0
	each(&x.feed.books.settled, func(c *settlement) {
		if c.paidAt == 0 {
			unpaid++
		}
	})
	for unit := range axisUnits {
		x.axis.unit = unit
		v := x.shows()
		var last, least, most float64 = 0, math.Inf(1), 0
		calls, bad := 0, 0
		eachSettled(x.scene, v, func(x0, x1, low, high float64, mark rune) {
			calls++
			if x0 > x1 || x0 < last-1e-9 || x1 > v.to*(1+1e-9) {
				t.Fatalf("%s: from %v to %v after %v, the axis ends at %v", unit, x0, x1, last, v.to)
			}
			last = x0
			if low > 0 {
				least, most = min(least, low), max(most, high)
			}
			if mark == markUnpaid {
				bad++
			}
		})
		if b := &x.feed.books.totals; calls > keptBuckets+64 || least != b.least || most != b.most || (bad == 0) != (unpaid == 0) {
			t.Errorf("%s: %d pieces, gain over cost %v..%v and %d marks of what did not pay; want %v..%v and %d", unit, calls, least, most, bad, b.least, b.most, unpaid)
		}
	}
	x.axis = timeline{unit: axisStep, zoom: 5}
	calls := 0
	eachSettled(x.scene, x.shows(), func(x0, x1, _, _ float64, _ rune) {
		calls++
		if x0 != x1 {
			t.Fatal("in a part of the run they are drawn one by one")
		}
	})
	if calls == 0 || calls > exactSettled {
		t.Errorf("%d compactions in a part of the run", calls)
	}
}

func TestCursorGoesToWhatDidNotPay(t *testing.T) {
	m := newTestModel(over(), 120, 40, GlyphsBraille).typed("3", "{")
	if last := m.feed.records.total - 1; m.cursor != last {
		t.Errorf("{ moves the cursor to %d; the last compaction, behind launch %d, could gain nothing", m.cursor, last+1)
	}
	m.typed("{")
	if text := m.screen().String(nil); !strings.Contains(text, "no such compaction further that way") {
		t.Errorf("there is but one:\n%s", text)
	}
	m.typed("g", "}")
	if last := m.feed.records.total - 1; m.cursor != last {
		t.Errorf("} moves the cursor to %d", m.cursor)
	}
	m = newTestModel(after(3), 120, 40, GlyphsBraille).typed("3", "{")
	if text := m.screen().String(nil); !strings.Contains(text, "{: no compaction has failed to pay") {
		t.Errorf("none did not pay:\n%s", text)
	}
}

func TestPickScrollsByKeysOfItsOwn(t *testing.T) {
	s := over()
	s.change(func(x *session.State) {
		x.Entries = []engine.EntryReport{{Entry: "fused", Code: "avx2", Registers: 16}, {Entry: "persistent", Code: "interpreter: there is no machine code for this processor"}}
	})
	m := newTestModel(s, 80, 24, GlyphsBraille).typed("3")
	p := m.panes[panePick].(*pickPane)
	if m.typed("J"); p.top != 1 {
		t.Errorf("J scrolls the pick to line %d", p.top)
	}
	if m.typed("K"); p.top != 0 {
		t.Errorf("K scrolls the pick to line %d", p.top)
	}
}
