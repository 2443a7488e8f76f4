package tui

import (
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
)

func never() bool { return false }

// emit sends an event of a generation and turn.
func emit(t *engine.Trace, generation uint32, turn uint64, flags engine.EventFlags, e engine.Event) {
	e.Generation, e.Turn = generation, turn
	e.Flags |= flags
	t.Emit(e)
}

func newFeed(capacity int) *feed {
	f := &feed{trace: engine.NewTrace(capacity)}
	f.begin(1)
	return f
}

func TestFeedJoinsTheEventsOfATurn(t *testing.T) {
	s := newScript(1000)
	s.start(false)
	for range 5 {
		s.launch(0)
	}
	f := &feed{trace: s.trace}
	f.begin(1)
	if changed, more := f.pull(never); !changed || more {
		t.Fatalf("changed %v, more %v", changed, more)
	}
	if f.records.total != 5 {
		t.Fatalf("%d launches", f.records.total)
	}
	var steps, newly uint32
	for i := range 5 {
		r := f.records.at(i)
		steps += r.launch.Word
		newly += r.launch.Newly
		if !r.hasPolicy || r.policy.Newly != r.launch.Newly || r.policy.Word != r.launch.Word {
			t.Errorf("launch %d: its decision is of another launch: %+v", i+1, r)
		}
		if r.compacted != (r.launch.Newly > 0) {
			t.Errorf("launch %d: compacted %v with %d newly finished", i+1, r.compacted, r.launch.Newly)
		}
		if i > 0 && f.records.at(i-1).policy.Next != r.launch.Word {
			t.Errorf("launch %d takes %d steps, decided were %d", i+1, r.launch.Word, f.records.at(i-1).policy.Next)
		}
	}
	if f.steps != uint64(steps) || f.finished() != newly {
		t.Errorf("steps %d, want %d; finished %d, want %d", f.steps, steps, f.finished(), newly)
	}
	sum := 0
	for w, n := range f.byWord {
		sum += int(w) * n
	}
	if sum != int(steps) {
		t.Errorf("words sum to %d, steps are %d", sum, steps)
	}
	for i := range f.log.total {
		if f.log.at(i).Kind == engine.EventLaunch {
			t.Error("the log says a launch twice: its policy has said it")
		}
	}
}

func TestFeedLogsLaunchesThatNobodyDecided(t *testing.T) {
	f := newFeed(64)
	emit(f.trace, 1, 0, 0, engine.RunStart{N: 10, StepsMax: 64, Policy: engine.PolicyTiled}.Event())
	emit(f.trace, 1, 1, engine.FlagDerived, engine.Launch{Number: 1, Word: 64, Live: 10, Done: 64}.Event())
	emit(f.trace, 1, 2, engine.FlagDerived, engine.Launch{Number: 2, Word: 64, Live: 10, Newly: 10, Done: 128}.Event())
	emit(f.trace, 1, 2, 0, engine.RunEnd{Finished: 10}.Event())
	f.pull(never)
	kinds := ""
	for i := range f.log.total {
		kinds += string(rune('0' + f.log.at(i).Kind))
	}
	if kinds != "1332" {
		t.Errorf("logged kinds %s, want start, launch, launch, end", kinds)
	}
}

func TestFeedDropsOlderGenerations(t *testing.T) {
	f := newFeed(64)
	f.follow(3)
	emit(f.trace, 2, 1, 0, engine.Launch{Number: 1, Word: 16, Done: 16}.Event())
	f.pull(never)
	if f.records.total != 0 || f.staled != 1 {
		t.Errorf("a launch of an older generation was taken: %d launches, %d dropped", f.records.total, f.staled)
	}
	emit(f.trace, 3, 1, 0, engine.Launch{Number: 1, Word: 16, Done: 16}.Event())
	f.pull(never)
	if f.records.total != 1 {
		t.Error("a launch of this generation was not taken")
	}
	emit(f.trace, 4, 1, 0, engine.Launch{Number: 1, Word: 8, Done: 8}.Event())
	f.pull(never)
	if f.records.total != 1 || f.records.at(0).launch.Word != 8 || f.generation != 4 {
		t.Error("a newer generation begins anew")
	}
	if !newer(1, 0xffff_ffff) || newer(0xffff_ffff, 1) {
		t.Error("generations wrap")
	}
}

func TestFeedCountsWhatTheRingLost(t *testing.T) {
	f := newFeed(16)
	for i := range 100 {
		emit(f.trace, 1, uint64(i+1), 0, engine.Launch{Number: uint32(i + 1), Word: 8, Done: uint32(8 * (i + 1))}.Event())
	}
	f.pull(never)
	if f.lost != 84 || f.records.total != 16 {
		t.Errorf("lost %d, kept %d launches, want 84 and 16", f.lost, f.records.total)
	}
	if f.records.last().launch.Number != 100 {
		t.Errorf("the newest launch is %d", f.records.last().launch.Number)
	}
	if text := keptInWords(f); !strings.Contains(text, "84 events lost") {
		t.Errorf("the status line says %q", text)
	}
}

func TestFeedTakesPortions(t *testing.T) {
	f := newFeed(1 << 15)
	for i := range 20_000 {
		emit(f.trace, 1, uint64(i+1), 0, engine.Launch{Number: uint32(i + 1), Word: 8, Done: uint32(i)}.Event())
	}
	if _, more := f.pull(never); !more || f.records.total > portionEvents {
		t.Errorf("one portion holds %d events", f.records.total)
	}
	taken := f.records.total
	f.pull(func() bool { return true })
	if got := f.records.total - taken; got > len(f.buf) {
		t.Errorf("after the time was up %d more events were taken", got)
	}
	for more := true; more; {
		_, more = f.pull(never)
	}
	if f.records.total != 20_000 {
		t.Errorf("in all %d launches", f.records.total)
	}
}

func TestFeedGoesOnAfterAPause(t *testing.T) {
	s := newScript(100)
	s.start(false)
	s.launch(0)
	s.launch(1)
	s.start(true)
	s.launch(0)
	f := &feed{trace: s.trace}
	f.begin(1)
	f.pull(never)
	if f.records.total != 3 || f.records.at(1).flags&engine.FlagStepped == 0 {
		t.Errorf("a resumed run begins anew: %d launches", f.records.total)
	}
	s.start(false)
	f.pull(never)
	if f.records.total != 0 {
		t.Error("a new run does not begin anew")
	}
}

func TestALongRunSaysWhatIsKept(t *testing.T) {
	m := newTestModel(newScript(10), 120, 40, GlyphsBraille)
	fill(m.feed, keptRecords+1000)
	text := m.screen().String(nil)
	if !strings.Contains(text, "detail: last 65,536 of 66.5k launches") {
		t.Errorf("the status line does not say so:\n%s", text)
	}
	if m.typed("g"); m.cursor != 1000 || m.selected().launch.Number != 1001 {
		t.Errorf("the first launch kept is %d", m.cursor)
	}
	if !strings.Contains(m.screen().String(nil), "launch 1,001 of 66,536") {
		t.Error("the cursor does not reach the first launch that is kept")
	}
}
