package engine_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// looking is a batch of which somebody asks for every look that can be had, and what was decided meanwhile.
type looking struct {
	*enginetest.Batch
	trace     *engine.Trace
	clock     func() time.Duration
	onlooker  *engine.Onlooker
	seen      []engine.Boundary
	displaced int // looks at a batch in another order
	wrong     []string
}

// newLooking makes the batch; its clock tells the steps that launches have run, so that walls repeat. A look takes
// an hour, which nothing may notice.
func newLooking(t *testing.T, s enginetest.Script, n int, watched bool, change ...func(*ir.Kernel)) *looking {
	t.Helper()
	l := &looking{trace: engine.NewTrace(1 << 13)}
	var now time.Duration
	l.clock = func() time.Duration { return now }
	s.Tick = func(_ engine.Entry, did engine.LaunchStats) { now += 10 + time.Duration(did.SampleSteps) }
	l.Batch = batch(t, s, n, change...)
	if watched {
		l.onlooker = engine.NewOnlooker(func(at engine.Boundary) {
			now += time.Hour
			l.see(at, s.Stops)
			l.onlooker.Ask()
		})
		l.onlooker.Ask()
	}
	return l
}

// see holds what lies in the batch against what the script says must.
func (l *looking) see(at engine.Boundary, stops []uint32) {
	places := at.Places
	at.Places = nil
	l.seen = append(l.seen, at)
	if at.Pass {
		return
	}
	if places != nil {
		l.displaced++
	}
	taken, k := l.Bound.StepsTaken(), engine.View[int32](l.Planes, l.Planes.Index("k"))
	for i := range l.Planes.N {
		slot := i
		if places != nil {
			slot = int(places[i])
		}
		stop := stops[i%len(stops)]
		want := min(stop, at.Done)
		if finished := l.Mask[slot] != 0; finished != (stop <= at.Done) || taken[slot] != want || k[slot] != int32(want) {
			l.wrong = append(l.wrong, fmt.Sprintf("at step %d sample %d: finished %v, %d steps taken, k %d, want %d", at.Done, i, finished, taken[slot], k[slot], want))
			return
		}
	}
}

// decided is everything that the events say but for the walls of whole runs.
func (l *looking) decided() []string {
	var out []string
	for _, e := range events(l.trace) {
		if e.Kind != engine.EventRunEnd {
			out = append(out, engine.Sentence(e))
		}
	}
	return out
}

// Whatever the policy and the order of the batch, a look at every boundary sees every sample at the step of the
// boundary, and the run decides, ends and counts its walls as the one that nobody looks at.
func TestALookChangesNoDecision(t *testing.T) {
	stops := []uint32{5, 90, 5, 300, 17, 5, 120}
	for _, c := range []struct {
		name    string
		script  enginetest.Script
		n       int
		o       engine.RunOptions
		change  []func(*ir.Kernel)
		reorder bool
	}{
		{"band", enginetest.Script{}, 100, engine.RunOptions{Policy: engine.PolicyBand, R: 0.25}, nil, false},
		{"doubling", enginetest.Script{}, 100, engine.RunOptions{Policy: engine.PolicyDoubling}, nil, false},
		{"measured", enginetest.Script{}, 100, engine.RunOptions{Policy: engine.PolicyMeasured, R: 0.25}, nil, false},
		{"reordering", enginetest.Script{Reorders: true}, 6000, engine.RunOptions{Policy: engine.PolicyBand, R: 0.25, Reorder: 0.5}, nil, true},
		{"fixed K, several launches in a turn", enginetest.Script{}, 100, engine.RunOptions{Every: 12}, []func(*ir.Kernel){enginetest.WithSteps(3)}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var runs [2]*looking
			var reports [2]engine.Report
			for i := range runs {
				c.script.Stops = stops
				l := newLooking(t, c.script, c.n, i == 1, c.change...)
				o := c.o
				o.MaxSteps, o.Trace, o.Clock, o.Onlooker = 250, l.trace, l.clock, l.onlooker
				runs[i], reports[i] = l, must(t)(l.Run(nil, o))
			}
			plain, watched := runs[0], runs[1]
			if watched.wrong != nil {
				t.Error(watched.wrong)
			}
			if len(watched.seen) != reports[1].Launches || len(watched.seen) < 5 {
				t.Errorf("%d looks in %d launches", len(watched.seen), reports[1].Launches)
			}
			if (watched.displaced > 0) != c.reorder {
				t.Errorf("%d looks at a batch in another order", watched.displaced)
			}
			if !slices.Equal(plain.decided(), watched.decided()) {
				t.Errorf("decisions\n got %q\nwant %q", watched.decided(), plain.decided())
			}
			if !reflect.DeepEqual(reports[0], reports[1]) {
				t.Errorf("reports\n got %+v\nwant %+v", reports[1], reports[0])
			}
			for i := range plain.Planes.Spec {
				if !slices.Equal(plain.Planes.Bytes(i), watched.Planes.Bytes(i)) {
					t.Errorf("plane %s differs", plain.Planes.Spec[i].Name)
				}
			}
		})
	}
}

// A pass has no boundary but its beginning: who asks meanwhile is told so, at once.
func TestNobodyLooksIntoAPass(t *testing.T) {
	for _, s := range []enginetest.Script{{Passes: true}, {Lanes: 4}} {
		s.Stops = []uint32{50, 90}
		var l *looking
		comes := true
		s.Poll = func(steps uint64) {
			if steps == 100 {
				comes = l.onlooker.Ask()
			}
		}
		l = newLooking(t, s, 10, true)
		o := engine.RunOptions{MaxSteps: 1000, Clock: l.clock, Onlooker: l.onlooker}
		if s.Lanes > 0 {
			o.Entry = persistent
		}
		var stop engine.Stop
		must(t)(l.Run(&stop, o))
		if want := []engine.Boundary{{MaxSteps: 1000}, {MaxSteps: 1000, Pass: true}}; !slices.EqualFunc(l.seen, want, func(a, b engine.Boundary) bool { return reflect.DeepEqual(a, b) }) {
			t.Errorf("looks %+v, want %+v", l.seen, want)
		}
		if comes {
			t.Error("a boundary is promised within a pass")
		}
		if !l.onlooker.Ask() {
			t.Error("after the pass there is no boundary to come")
		}
	}
}

// A launch that a stop has cut is no boundary: samples stand at steps of their own.
func TestNobodyLooksIntoALaunchThatWasCut(t *testing.T) {
	var stop engine.Stop
	l := newLooking(t, enginetest.Script{Stops: []uint32{90}, Poll: stopAt(&stop, 25)}, 10, true)
	o := band
	o.Clock, o.Onlooker = l.clock, l.onlooker
	must(t)(l.Run(&stop, o))
	if len(l.seen) != 1 {
		t.Fatalf("%d looks before the first launch", len(l.seen))
	}
	stop.Clear()
	must(t)(l.Continue(&stop))
	if got := l.seen[1]; got.Launches != 1 || got.Done != 16 || l.wrong != nil {
		t.Errorf("the first look after going on is at %+v, %v", got, l.wrong)
	}
}
