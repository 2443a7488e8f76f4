package engine_test

import (
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
)

// twoEntries is a batch on an engine with two entries whose walls a test sets.
type twoEntries struct {
	*enginetest.Batch
	fused, persistent time.Duration // of the runs that follow
	trace             *engine.Trace
	o                 engine.RunOptions
}

// process makes names of engines that no other test, nor another -count, has: picks are kept per process.
var process atomic.Int64

func engineName() string { return fmt.Sprint("scripted-", time.Now().UnixNano(), "-", process.Add(1)) }

func newTwoEntries(t *testing.T, name string, lanes, n int) *twoEntries {
	t.Helper()
	x := &twoEntries{trace: engine.NewTrace(1 << 10)}
	var now time.Duration
	s := enginetest.Script{Name: name, Passes: true, Lanes: lanes, Tick: func(e engine.Entry, _ engine.LaunchStats) {
		if e == engine.EntryPersistent {
			now += x.persistent
		} else {
			now += x.fused
		}
	}}
	x.Batch = batch(t, s, n)
	x.o = engine.RunOptions{MaxSteps: 1000, Clock: func() time.Duration { return now }, Trace: x.trace}
	return x
}

// restart runs the batch from its start, with everybody's stop at stops.
func (x *twoEntries) restart(t *testing.T, stops int32) (engine.Report, engine.Pick) {
	t.Helper()
	if err := x.Reset(); err != nil {
		t.Fatal(err)
	}
	x.Workload.Fill(x.Planes, enginetest.Uniform, stops, 1)
	from := x.trace.Written()
	rep := must(t)(x.Run(nil, x.o))
	buf := make([]engine.Event, 1<<10)
	n, _ := x.trace.Read(from, buf)
	for _, e := range buf[:n] {
		if e.Kind == engine.EventPick {
			return rep, e.Pick()
		}
	}
	return rep, engine.Pick{}
}

// expect runs once and checks what was picked.
func (x *twoEntries) expect(t *testing.T, what string, stops int32, entry engine.Entry, reason engine.PickReason, timed bool) {
	t.Helper()
	rep, p := x.restart(t, stops)
	if rep.Entry != entry.String() || p.Entry != entry || p.Reason != reason || rep.Timed != timed || p.Timed != timed || rep.Probe != (reason == engine.PickProbe) {
		t.Errorf("%s: entry %s, timed %v, probe %v, reason %d, want %v, %v, reason %d", what, rep.Entry, rep.Timed, rep.Probe, p.Reason, entry, timed, reason)
	}
	if !rep.Done || rep.Longest != int(stops) {
		t.Errorf("%s: %+v", what, rep)
	}
}

const (
	fused      = engine.EntryFused
	persistent = engine.EntryPersistent
)

func TestPickSizeRules(t *testing.T) {
	for _, c := range []struct {
		name           string
		n, lanes, wave int
		entry          engine.Entry
		reason         engine.PickReason
		timed          bool
	}{
		{"8 times the resident lanes: persistent, untimed", 80, 10, 0, persistent, engine.PickLarge, false},
		{"one sample less is timed", 79, 10, 0, persistent, engine.PickFirst, true},
		{"a quarter of a wave: fused, untimed", 25, 100, 100, fused, engine.PickSmall, false},
		{"one sample more is timed, fused as it fits the wave", 26, 100, 100, fused, engine.PickFirst, true},
		{"a whole wave still fits", 100, 100, 100, fused, engine.PickFirst, true},
		{"more than a wave begins persistent", 101, 100, 100, persistent, engine.PickFirst, true},
		{"where both rules hold, lanes that are refilled win", 80, 10, 1000, persistent, engine.PickLarge, false},
	} {
		x := newTwoEntries(t, engineName(), c.lanes, c.n)
		x.o.Wave = c.wave
		x.expect(t, c.name, 20, c.entry, c.reason, c.timed)
		if !c.timed { // and so it stays
			x.expect(t, c.name+", again", 20, c.entry, c.reason, false)
		}
	}
}

func TestPickProbesOnceAndSettles(t *testing.T) {
	for _, c := range []struct {
		name          string
		current, wall time.Duration // of the persistent entry, which begins, and of the fused one
		want          engine.Entry
	}{
		{"0.979 of the current wall changes the pick", 1000, 979, fused},
		{"0.981 does not", 1000, 981, persistent},
		{"0.98 exactly does not", 1000, 980, persistent},
		{"a slower one does not", 1000, 5000, persistent},
	} {
		x := newTwoEntries(t, engineName(), 100, 100)
		x.persistent, x.fused = c.current*time.Microsecond, c.wall*time.Microsecond
		x.expect(t, c.name+": run 1", 20, persistent, engine.PickFirst, true)
		x.expect(t, c.name+": run 2", 20, fused, engine.PickProbe, true)
		x.persistent, x.fused = 1, 1 // settled runs carry no timing: what they take is not looked at
		for run := 3; run <= 5; run++ {
			x.expect(t, fmt.Sprintf("%s: run %d", c.name, run), 20, c.want, engine.PickSettled, false)
		}
	}
}

func TestPickSaysWhatTheProbeFound(t *testing.T) {
	x := newTwoEntries(t, engineName(), 100, 100)
	x.persistent, x.fused = time.Millisecond, 979*time.Microsecond
	x.restart(t, 20)
	x.restart(t, 20)
	x.restart(t, 20)
	var said []string
	for _, e := range events(x.trace) {
		if e.Kind == engine.EventPick || e.Kind == engine.EventProbe {
			said = append(said, engine.Sentence(e))
		}
	}
	want := []string{
		"entry persistent: the first run of this batch, timed, lanes look for new samples every 32 steps",
		"entry fused: a probe, to have its time (longest in 16..31, fill 1.0)",
		"pick: fused took 979µs, persistent 1ms, 0.979 times as long: below 0.98, so fused it is from now on (longest in 16..31, fill 1.0)",
		"entry fused: the faster one when both were timed (longest in 16..31, fill 1.0)",
	}
	if fmt.Sprint(said) != fmt.Sprint(want) {
		t.Errorf("got\n%q\nwant\n%q", said, want)
	}
}

func TestAChangedBucketIsTimedAgain(t *testing.T) {
	x := newTwoEntries(t, engineName(), 100, 100)
	x.persistent, x.fused = 1000, 500
	x.expect(t, "run 1", 20, persistent, engine.PickFirst, true)
	x.expect(t, "the probe", 20, fused, engine.PickProbe, true)
	x.expect(t, "settled", 31, fused, engine.PickSettled, false) // 20 and 31 lie in 16..31
	x.persistent, x.fused = 100, 500
	x.expect(t, "32 steps are another bucket, seen at the end of the run", 32, fused, engine.PickSettled, false)
	x.expect(t, "so the other entry is timed", 32, persistent, engine.PickProbe, true)
	x.expect(t, "and wins", 32, persistent, engine.PickSettled, false)
	x.expect(t, "back in the old bucket", 20, persistent, engine.PickSettled, false)
	x.expect(t, "which the process remembers", 20, fused, engine.PickCached, false)
}

func TestAProbeInAnotherBucketBeginsAnew(t *testing.T) {
	x := newTwoEntries(t, engineName(), 100, 100)
	x.persistent, x.fused = 1000, 500
	x.expect(t, "run 1", 20, persistent, engine.PickFirst, true)
	x.expect(t, "a probe of another batch", 200, fused, engine.PickProbe, true)
	x.expect(t, "is compared with nothing but its like", 200, persistent, engine.PickProbe, true)
	x.expect(t, "then", 200, fused, engine.PickSettled, false)
}

// TestEverySizeOfBlocksIsTried: on a device the probe times both sizes of blocks.
func TestEverySizeOfBlocksIsTried(t *testing.T) {
	for _, c := range []struct {
		name      string
		fused     time.Duration
		blocks    map[int]time.Duration // walls
		wave      int
		runs      []string // "fused", or the size of the blocks; the last one holds
		said      string
		policyNow int // LaunchPolicy.Block in the end
	}{
		{
			"the small one wins", 1000,
			map[int]time.Duration{128: 900, 32: 700},
			0,
			[]string{"128", "fused", "32", "32", "32"},
			"pick: persistent in blocks of 32 took 700ns, persistent in blocks of 128 900ns, 0.778 times as long: below 0.98, so persistent in blocks of 32 it is from now on", 32,
		},
		{
			"the first one is kept", 1000,
			map[int]time.Duration{128: 700, 32: 690},
			0,
			[]string{"128", "fused", "32", "128", "128"},
			"pick: persistent in blocks of 32 took 690ns, persistent in blocks of 128 700ns, 0.986 times as long: not below 0.98, so persistent in blocks of 128 stays", 128,
		},
		{
			"fused wins over both", 500,
			map[int]time.Duration{128: 700, 32: 690},
			0,
			[]string{"128", "fused", "32", "fused"},
			"pick: fused took 500ns, persistent in blocks of 128 700ns, 0.714 times as long: below 0.98, so fused it is from now on", 128,
		},
		{
			"a batch of one wave begins fused", 1000,
			map[int]time.Duration{128: 900, 32: 990},
			100,
			[]string{"fused", "128", "32", "128"},
			"pick: persistent in blocks of 128 took 900ns, fused 1µs, 0.900 times as long: below 0.98, so persistent in blocks of 128 it is from now on", 128,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var now time.Duration
			block := 0
			name := engineName()
			newBatch := func() (*enginetest.Batch, engine.RunOptions, *engine.Trace) {
				trace := engine.NewTrace(1 << 10)
				s := enginetest.Script{
					Name: name, Passes: true, Lanes: 100, Blocks: []int{128, 32}, Block: func(size int) { block = size },
					Tick: func(e engine.Entry, _ engine.LaunchStats) {
						if e == engine.EntryPersistent {
							now += c.blocks[block]
						} else {
							now += c.fused
						}
					},
				}
				return batch(t, s, 100), engine.RunOptions{MaxSteps: 1000, Wave: c.wave, Clock: func() time.Duration { return now }, Trace: trace}, trace
			}
			way := func(b *enginetest.Batch, o engine.RunOptions) string {
				must(t)(engine.Report{}, b.Reset())
				b.Workload.Fill(b.Planes, enginetest.Uniform, 20, 1)
				block = 0
				if rep := must(t)(b.Run(nil, o)); rep.Entry == "fused" {
					return "fused"
				}
				return fmt.Sprint(block)
			}
			b, o, trace := newBatch()
			var ran []string
			for range c.runs {
				ran = append(ran, way(b, o))
			}
			if !slices.Equal(ran, c.runs) {
				t.Errorf("runs %v, want %v", ran, c.runs)
			}
			if p := b.LaunchPolicy(); p.Block != c.policyNow || p.Grid != max(100/c.policyNow, 1) {
				t.Errorf("launch policy %+v, want blocks of %d", p, c.policyNow)
			}
			said := ""
			for _, e := range events(trace) {
				if e.Kind == engine.EventProbe {
					said += engine.Sentence(e)
				}
			}
			if want := c.said + " (longest in 16..31, fill 1.0)"; said != want {
				t.Errorf("said\n%s\nwant\n%s", said, want)
			}
			if b, o, _ := newBatch(); way(b, o) != c.runs[len(c.runs)-1] {
				t.Errorf("another runner does not begin with %s", c.runs[len(c.runs)-1])
			}
		})
	}
}

func TestASecondRunnerFindsThePickInTheCache(t *testing.T) {
	name := engineName()
	x := newTwoEntries(t, name, 100, 100)
	x.persistent, x.fused = 1000, 500
	x.restart(t, 20)
	x.restart(t, 20)
	y := newTwoEntries(t, name, 100, 100)
	y.expect(t, "the second runner's first run is untimed", 20, fused, engine.PickCached, false)
	y.expect(t, "and its second", 20, fused, engine.PickCached, false)
	for what, z := range map[string]*twoEntries{
		"another n": newTwoEntries(t, name, 100, 99), "another engine": newTwoEntries(t, engineName(), 100, 100),
	} {
		z.expect(t, what, 20, persistent, engine.PickFirst, true)
	}
}

func TestWhatTheCallerNamesIsNotPicked(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(o *engine.RunOptions)
		entry  string
	}{
		{"entry fused", func(o *engine.RunOptions) { o.Entry = fused }, "fused"},
		{"entry persistent", func(o *engine.RunOptions) { o.Entry = persistent }, "persistent"},
		{"a policy", func(o *engine.RunOptions) { o.Policy = engine.PolicyBand; o.R = 1 }, "fused"},
	} {
		x := newTwoEntries(t, engineName(), 10, 100)
		c.change(&x.o)
		if rep, _ := x.restart(t, 20); rep.Entry != c.entry || rep.Timed || rep.Probe {
			t.Errorf("%s: %+v", c.name, rep)
		}
	}
	// A run that was stopped and continued has a wall that says nothing: the next run is the first again.
	var stop engine.Stop
	s := enginetest.Script{Name: engineName(), Passes: true, Lanes: 100, Poll: stopAt(&stop, 500)}
	b := batch(t, s, 100)
	must(t)(b.Run(&stop, engine.RunOptions{MaxSteps: 1000}))
	stop.Clear()
	must(t)(b.Continue(&stop))
	must(t)(engine.Report{}, b.Reset())
	if rep := must(t)(b.Run(nil, engine.RunOptions{MaxSteps: 200})); rep.Entry != "persistent" || rep.Probe || !rep.Timed {
		t.Errorf("after a run in pieces: %+v", rep)
	}
}

func TestAPersistentRunReportsOneLaunch(t *testing.T) {
	trace := engine.NewTrace(256)
	// 3 lanes, 4 samples of 5, 60, 5, 60 steps, chunks of 8: a lane that has done 5 issues one chunk, 60 take 8.
	b := batch(t, enginetest.Script{Lanes: 3, Stops: []uint32{5, 60}}, 4)
	rep := must(t)(b.Run(nil, engine.RunOptions{MaxSteps: 1000, Entry: persistent, Chunk: 8, Trace: trace}))
	if rep.Launches != 1 || rep.Steps != 60 || !maps.Equal(rep.LaunchesByK, map[int]int{60: 1}) || !rep.ExactSteps ||
		rep.Compactions != 0 || rep.Reorders != 0 || rep.Entry != "persistent" || rep.Chunk != 8 || rep.Policy != "auto" {
		t.Errorf("%+v", rep)
	}
	if want := 130.0 / (8 * (1 + 8 + 1 + 8)); rep.SlotFill != want {
		t.Errorf("slot fill %g, want %g", rep.SlotFill, want)
	}
	var said []string
	for _, e := range events(trace) {
		if e.Kind == engine.EventLaunch && e.Flags != engine.FlagDerived {
			t.Errorf("the launch has flags %d", e.Flags)
		}
		if e.Kind == engine.EventLaneRefill || e.Kind == engine.EventLaunch || e.Kind == engine.EventRunStart {
			said = append(said, engine.Sentence(e))
		}
	}
	want := []string{
		"run: 4 samples, at most 1,000 steps, in one persistent launch",
		"launch 1: 60 steps over 4 live samples, 4 finished (derived: one pass ran them all)",
		"lanes: 18 chunks issued in chunks of 8 steps, 1 refill, 0.90 of the slots' steps used",
	}
	if fmt.Sprint(said) != fmt.Sprint(want) {
		t.Errorf("got\n%q\nwant\n%q", said, want)
	}
}

func TestAPersistentRunStopsAtTheCapAndGoesOn(t *testing.T) {
	var stop engine.Stop
	b := batch(t, enginetest.Script{Lanes: 3, Stops: []uint32{0}, Poll: stopAt(&stop, 50)}, 4)
	o := engine.RunOptions{MaxSteps: 37, Entry: persistent, Chunk: 8}
	rep := must(t)(b.Run(&stop, o))
	if rep.Status != "cancelled" || rep.SampleSteps != 50 || rep.Launches != 1 || rep.Steps != rep.Longest {
		t.Errorf("cancelled: %+v", rep)
	}
	stop.Clear()
	rep = must(t)(b.Continue(&stop))
	if rep.Status != "max_steps" || rep.SampleSteps != 4*37 || !maps.Equal(rep.LaunchesByK, map[int]int{37: 1}) {
		t.Errorf("continued: %+v", rep)
	}
	rep = must(t)(b.RunSteps(nil, o, 10))
	if rep.Status != "paused" || rep.Entry != "persistent" || !maps.Equal(rep.LaunchesByK, map[int]int{10: 1}) {
		t.Errorf("10 steps: %+v", rep)
	}
	rep = must(t)(b.Launch(nil, o, 3)) // step mode is the fused entry's
	if rep.Status != "paused" || rep.Steps != 13 || rep.Longest != 13 {
		t.Errorf("a launch after them: %+v", rep)
	}
	rep = must(t)(b.Continue(nil))
	if rep.Status != "max_steps" || rep.Longest != 37 || !rep.ExactSteps || !maps.Equal(rep.LaunchesByK, map[int]int{10: 1, 3: 1, 24: 1}) {
		t.Errorf("and the rest: %+v", rep)
	}
}

func TestChooseChunk(t *testing.T) {
	for _, c := range []struct {
		name string
		mean float64
		want uint32
	}{
		{"nothing is known", 0, 32},
		{"short samples", 3, 8},
		{"mean/16 = 11.3 is nearest to 8", 181, 8},
		{"beyond sqrt(2)*8 it is 16", 181.1, 16},
		{"the mean at which 16 was measured best", 215, 16},
		{"mean/16 = 22.6 is nearest to 16", 362, 16},
		{"beyond sqrt(2)*16 it is 32", 362.1, 32},
		{"never more than 32", 1e9, 32},
	} {
		if got := engine.ChooseChunk(c.mean); got != c.want {
			t.Errorf("%s: ChooseChunk(%g) = %d, want %d", c.name, c.mean, got, c.want)
		}
	}
}

func TestLaunchPolicyAndChunkFollowTheLastRun(t *testing.T) {
	x := newTwoEntries(t, engineName(), 10, 100)
	x.persistent = time.Second
	if p := x.LaunchPolicy(); p.Chunk != 32 || p.Rate != 0 {
		t.Errorf("before a run: %+v", p)
	}
	rep, _ := x.restart(t, 20)
	if rep.Chunk != 32 {
		t.Errorf("the first run has chunk %d", rep.Chunk)
	}
	if p := x.LaunchPolicy(); p.Chunk != 8 || p.Fill != 1 || p.Rate != 2000 {
		t.Errorf("after 100 samples of 20 steps in a second: %+v", p)
	}
	if rep, _ = x.restart(t, 20); rep.Chunk != 8 {
		t.Errorf("the second run has chunk %d", rep.Chunk)
	}
	b := batch(t, enginetest.Script{Stops: []uint32{10, 100}}, 64)
	o := band
	o.R = 1
	must(t)(b.Launch(nil, o, 0))
	if p := b.LaunchPolicy(); p.K != 8 {
		t.Errorf("the band's word is %d, want 8", p.K)
	}
}

type reporting struct{ engine.Bound }

func (reporting) EntryReports() []engine.EntryReport {
	return []engine.EntryReport{{Entry: "fused", Registers: 12}}
}

func TestEntryReportsAreTheEngines(t *testing.T) {
	e := enginetest.Wrapped(enginetest.NewScripted(enginetest.Script{}),
		func(b engine.Bound, _ *engine.Planes, _ []byte) engine.Bound { return reporting{b} })
	b, err := enginetest.CountWorkload().NewBatch(e, 4, enginetest.Uniform, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if r := b.EntryReports(); len(r) != 1 || r[0].Registers != 12 {
		t.Errorf("%+v", r)
	}
	if r := batch(t, enginetest.Script{}, 4).EntryReports(); r != nil {
		t.Errorf("an engine that does not say: %+v", r)
	}
}

func TestBucketOf(t *testing.T) {
	for _, c := range []struct {
		n, longest int
		steps      uint64
		want       engine.Bucket
	}{
		{100, 1, 100, engine.Bucket{Log2Longest: 0, FillTenths: 10}},
		{100, 63, 100 * 63 / 2, engine.Bucket{Log2Longest: 5, FillTenths: 5}},
		{100, 64, 640, engine.Bucket{Log2Longest: 6, FillTenths: 1}},
		{0, 0, 0, engine.Bucket{}},
		{10, 0, 0, engine.Bucket{}},
	} {
		if got := engine.BucketOf(c.n, c.longest, c.steps); got != c.want {
			t.Errorf("BucketOf(%d, %d, %d) = %+v, want %+v", c.n, c.longest, c.steps, got, c.want)
		}
	}
}

func ExampleChooseChunk() {
	fmt.Println(engine.ChooseChunk(0), engine.ChooseChunk(215), engine.ChooseChunk(20))
	// Output: 32 16 8
}

func ExampleBucketOf() {
	fmt.Println(engine.BucketOf(1000, 300, 152_500))
	// Output: longest in 256..511, fill 0.5
}
