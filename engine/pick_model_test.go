package engine_test

import (
	"fmt"
	"math/bits"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/eaglet-workbench/eaglet/engine"
)

// pickModel is the pick between two entries said again, for batches whose samples all take as long: what
// runs take which entry, and which of them are timed. Its fields make the mutants that walls must tell apart.
type pickModel struct {
	hysteresis float64
	buckets    bool // a change of bucket is noticed
	cached     bool // settled picks are found by other runners

	cache map[int]engine.Entry // by bucket
	last  int                  // bucket settled last, -1: none
	modelRunner
}

// modelRunner is what one runner knows.
type modelRunner struct {
	known, settled bool
	entry          engine.Entry
	bucket         int
	wall, steps    [3]float64 // by entry
}

func newPickModel(hysteresis float64, buckets, cached bool) *pickModel {
	return &pickModel{hysteresis: hysteresis, buckets: buckets, cached: cached, cache: map[int]engine.Entry{}, last: -1}
}

// choice is what a run does.
type choice struct {
	entry        engine.Entry
	timed, probe bool
}

// run is a run of stops steps for everybody in which the entries would take so long.
func (m *pickModel) run(stops int, walls [3]time.Duration) choice {
	if !m.known && m.last >= 0 && m.cached {
		m.known, m.settled, m.bucket, m.entry = true, true, m.last, m.cache[m.last]
	}
	c := choice{entry: persistent, timed: true}
	switch {
	case m.settled:
		c = choice{entry: m.entry}
	case m.known && m.steps[m.entry] > 0:
		c = choice{entry: fused + persistent - m.entry, timed: true, probe: true}
	default:
		m.entry = persistent
	}
	if b := bits.Len(uint(stops)) - 1; !m.known || (m.buckets && b != m.bucket) {
		m.known, m.settled, m.bucket = true, false, b
		m.wall, m.steps = [3]float64{}, [3]float64{}
		if e, ok := m.cache[b]; ok && m.cached {
			m.settled, m.entry = true, e
		}
	}
	if m.settled {
		return c
	}
	m.wall[c.entry], m.steps[c.entry] = float64(walls[c.entry]), float64(100*stops)
	other := fused + persistent - m.entry
	switch {
	case m.steps[m.entry] == 0:
		m.entry = c.entry
	case m.steps[other] > 0:
		if m.wall[other]*m.steps[m.entry] < m.hysteresis*m.wall[m.entry]*m.steps[other] {
			m.entry = other
		}
		m.settled, m.cache[m.bucket], m.last = true, m.entry, m.bucket
	}
	return c
}

// aRun is one of a sequence.
type aRun struct {
	another bool // made by another runner than the run before
	stops   int32
	fused   time.Duration // the persistent entry takes 1000
}

func drawRuns(t *rapid.T) []aRun {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) aRun {
		return aRun{
			another: rapid.IntRange(0, 5).Draw(t, "another runner at 5") == 5,
			stops:   rapid.SampledFrom([]int32{16, 20, 31, 32, 200}).Draw(t, "stops"),
			fused:   rapid.SampledFrom([]time.Duration{500, 970, 979, 980, 981, 990, 1000, 1500}).Draw(t, "wall"),
		}
	}), 1, 20).Draw(t, "runs")
}

// asModelled makes the runs and says where they differ from the model.
func asModelled(t *testing.T, m *pickModel, runs []aRun) error {
	name := engineName()
	x := newTwoEntries(t, name, 100, 100)
	for i, r := range runs {
		if r.another {
			x = newTwoEntries(t, name, 100, 100)
			m.modelRunner = modelRunner{}
		}
		x.fused, x.persistent = r.fused, 1000
		rep, _ := x.restart(t, r.stops)
		want := m.run(int(r.stops), [3]time.Duration{fused: r.fused, persistent: 1000})
		if rep.Entry != want.entry.String() || rep.Timed != want.timed || rep.Probe != want.probe {
			return fmt.Errorf("run %d of %+v: entry %s, timed %v, probe %v, want %+v", i, runs, rep.Entry, rep.Timed, rep.Probe, want)
		}
	}
	return nil
}

// TestThePickFollowsItsRuleInAnyOrderOfRuns is oracle 8 over any sequence of walls, and its red cases.
func TestThePickFollowsItsRuleInAnyOrderOfRuns(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		if err := asModelled(t, newPickModel(0.98, true, true), drawRuns(r)); err != nil {
			r.Fatal(err)
		}
	})
	runs := rapid.Custom(drawRuns)
	for mutant, model := range map[string]func() *pickModel{
		"no hysteresis":                  func() *pickModel { return newPickModel(1, true, true) },
		"too much hysteresis":            func() *pickModel { return newPickModel(0.975, true, true) },
		"a bucket that is never left":    func() *pickModel { return newPickModel(0.98, false, true) },
		"runners that forget each other": func() *pickModel { return newPickModel(0.98, true, false) },
	} {
		var err error
		for i := 0; i < 200 && err == nil; i++ {
			err = asModelled(t, model(), runs.Example(i))
		}
		if err == nil {
			t.Errorf("the runner follows a rule that is none: %s", mutant)
		}
	}
}
