package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/counting"
	"github.com/eaglet-workbench/eaglet/session"
)

// asked has a pane ask the script and take the answer, as the model does: stops first.
func asked(t *testing.T, p asker, s *scene, from Session) {
	t.Helper()
	if c, ok := p.(stopCounter); ok && c.countsStops(s) {
		s.stops.take(lookAtStops(context.Background(), from, s.stopsMoment()))
	}
	key, ask := p.wants(s)
	if key == "" {
		t.Fatal("the pane wants to know nothing")
	}
	answer, err := ask(context.Background(), from)
	p.answered(key, answer, err)
}

func TestRegretIsCountedFromTheStops(t *testing.T) {
	s := over()
	m := newTestModel(s, 120, 40, GlyphsBraille)
	p := &regretPane{}
	if !p.countsStops(&m.scene) {
		t.Fatal("after a run nothing is asked")
	}
	asked(t, p, &m.scene, s)
	rule := counting.Rule{Policy: engine.PolicyBand, R: 0.125, StepsMax: 64, Cap: 10_000, Active: true}
	w, err := counting.Weigh(counting.NewProfile(s.finish), rule)
	if err != nil {
		t.Fatal(err)
	}
	best := &w.Constants[w.Best]
	want := fmt.Sprintf("Regret: the band cost %s the oracle, %s the best constant (%d)", factor(w.Run.Against(&w.Oracle)), factor(w.Run.Against(&best.Run)), best.K)
	if got := p.title(&m.scene); got != want {
		t.Errorf("title %q, want %q", got, want)
	}
	// The run that is counted is the one that was made.
	if w.Run.Launches != m.feed.launches() || w.Run.Compactions != m.feed.compactions {
		t.Errorf("counted %d launches and %d compactions, made %d and %d", w.Run.Launches, w.Run.Compactions, m.feed.launches(), m.feed.compactions)
	}
	text := flat(view(p, &m.scene, 100, 20))
	for _, want := range []string{"oracle", "the best sequence of words", "this run", "the best constant", "doubling", "above the oracle", "counted from the stops, nothing was run again"} {
		if !strings.Contains(text, want) {
			t.Errorf("the table does not say %q:\n%s", want, text)
		}
	}
	if key, _ := p.wants(&m.scene); key == "" {
		t.Error("the question has gone")
	}
	s.Do(context.Background(), session.Rewind{})
	m.Update(frameMsg{})
	if got := p.title(&m.scene); got != "Regret: no run yet" {
		t.Errorf("after a rewind: %q", got)
	}
}

func TestRegretSoFar(t *testing.T) {
	s := after(41)
	m := newTestModel(s, 120, 40, GlyphsBraille)
	p := &regretPane{}
	asked(t, p, &m.scene, s)
	if got := p.title(&m.scene); !strings.Contains(got, "up to step "+engine.Grouped(s.done)) {
		t.Errorf("during a run: %q", got)
	}
	for _, c := range []struct {
		err  error
		says string
	}{
		{session.ErrOnePass, "counted at its next pause"},
		{errors.New("host: the planes are gone\nand more"), "host: the planes are gone"},
		{nil, "answered int"},
	} {
		p, m.stops = &regretPane{}, stopsBook{}
		s.looks = func(session.Query) (any, error) { return 7, c.err }
		m.stops.take(lookAtStops(context.Background(), s, m.stopsMoment()))
		if text := view(p, &m.scene, 80, 8); !strings.Contains(text, c.says) || strings.Contains(text, "and more") {
			t.Errorf("%v:\n%s", c.err, text)
		}
		if key, _ := p.wants(&m.scene); key != "" {
			t.Errorf("%v: it counts without stops", c.err)
		}
	}
}

func TestRegretOfOtherRuns(t *testing.T) {
	for _, c := range []struct {
		name   string
		words  []uint32
		change func(*engine.RunStart, *session.State)
		says   []string
	}{
		{"without an active set", []uint32{16}, func(r *engine.RunStart, _ *session.State) { r.Active = false }, []string{"none, every word costs the same here", "words make no difference"}},
		{"of fixed steps", []uint32{4, 4, 4, 4}, func(r *engine.RunStart, _ *session.State) { r.Policy, r.Fixed, r.StepsMax = engine.PolicyFixed, 4, 0 }, []string{"the fixed cost", "fixed", "this run"}},
		{"by the clock", []uint32{16}, func(r *engine.RunStart, _ *session.State) { r.Policy = engine.PolicyMeasured }, []string{"the band would cost"}},
		{"with launches that a key asked for", []uint32{1, 15}, func(*engine.RunStart, *session.State) {}, []string{"the run cost", "this run, as it was made"}},
		{"tiled, R unknown", []uint32{64}, func(r *engine.RunStart, _ *session.State) { r.Policy, r.R = engine.PolicyTiled, 0 }, []string{"the tiled cost", "R is not known"}},
		{"tiled, R pinned", []uint32{64}, func(r *engine.RunStart, s *session.State) { r.Policy, r.R, s.R = engine.PolicyTiled, 0, 2 }, []string{"R = 2 for each compaction"}},
		{"persistent", []uint32{16}, func(r *engine.RunStart, _ *session.State) {
			r.Entry, r.Policy, r.Chunk = engine.EntryPersistent, engine.PolicyTiled, 32
		}, []string{"the persistent cost 0.97x", "persistent pays 1 lane-steps per useful one", "lanes that take the next sample themselves pay no R"}},
	} {
		x := tell(500)
		start := banded
		start.N = 500
		c.change(&start, x.state)
		x.start(start)
		for i, word := range c.words {
			newly := uint32(0)
			if i == len(c.words)-1 {
				newly = 500
			}
			x.launch(word, 500, newly)
		}
		if start.Entry == engine.EntryPersistent {
			x.event(engine.LaneRefill{Chunk: 32, LaneChunks: 250, SampleSteps: 8000}.Event(), 0)
		}
		x.end(engine.StatusFinished, 1)
		x.state.Phase = session.Ended
		x.script.looks = func(session.Query) (any, error) {
			out := &session.Stops{Generation: 1, Done: 16, MaxSteps: 10_000, Taken: make([]uint32, 500), Mask: make([]byte, 500)}
			for i := range out.Taken {
				out.Taken[i], out.Mask[i] = 16, 1
			}
			return out, nil
		}
		p := &regretPane{}
		asked(t, p, x.scene, x.script)
		text := p.title(x.scene) + "\n" + view(p, x.scene, 130, 30)
		for _, want := range c.says {
			if !strings.Contains(flat(text), want) {
				t.Errorf("a run %s: %q is not said:\n%s", c.name, want, text)
			}
		}
	}
}

// Samples that were finished before, are live, or faulted, are counted as what they are.
func TestStopsAsTheyAreCounted(t *testing.T) {
	got := stopSteps(&session.Stops{
		Taken: []uint32{0, 7, 7, 100, 0}, Mask: []byte{1, 1, 2, 0, 2},
	})
	want := []uint32{0, 7, 8, counting.Never, 1}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Until the stops can be had, the launches themselves say what was paid.
func TestCostSoFar(t *testing.T) {
	x := tell(1000)
	x.start(banded)
	x.launch(16, 1000, 500)
	x.launch(16, 500, 0)
	p := &regretPane{}
	x.scene.stops.onePass = true
	want := "the run is one pass over the batch: it is counted at its next pause; so far 24.5 steps of the whole batch for 32 steps run: 24 held by lanes, 0.5 for 1 compaction"
	if text := flat(view(p, x.scene, 80, 8)); text != want {
		t.Errorf("got %q, want %q", text, want)
	}
}
