package host

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
)

// arm is a way to run a batch to its end.
type arm struct {
	name string
	run  func(b *bound) error
}

// benchSteps is more than any sample takes.
const benchSteps = 1024

// arms are the entries, and what a fused run may do between two launches. The first one is what the others
// are measured against.
var arms = []arm{
	{"pass", func(b *bound) error { _, err := b.Pass(nil, benchSteps, nil); return err }},
	{"fused", func(b *bound) error { return b.inLaunches(nil) }},
	{"compact", func(b *bound) error {
		return b.inLaunches(func() error { _, err := b.Compact(); return err })
	}},
	{"reorder", func(b *bound) error {
		err := b.inLaunches(func() error {
			if _, err := b.Compact(); err != nil {
				return err
			}
			_, err := b.Reorder(engine.ThetaDefault)
			return err
		})
		if err != nil {
			return err
		}
		return b.Restore()
	}},
	{"persistent8", func(b *bound) error { _, err := b.Persist(nil, benchSteps, 8, nil); return err }},
	{"persistent16", func(b *bound) error { _, err := b.Persist(nil, benchSteps, 16, nil); return err }},
	{"persistent32", func(b *bound) error { _, err := b.Persist(nil, benchSteps, 32, nil); return err }},
}

// inLaunches runs a batch to its end in launches of 32 steps with between after each.
func (b *bound) inLaunches(between func() error) error {
	for upto := uint32(32); upto <= benchSteps && int(b.counters.Finished) < b.planes.N; upto += 32 {
		if _, err := b.Launch(nil, upto); err != nil {
			return err
		}
		if between != nil {
			if err := between(); err != nil {
				return err
			}
		}
	}
	return nil
}

// BenchmarkEntry runs the library's oscillator to its end (workload O of runner.md, S = 1000) through every
// arm in turn, so that noise meets them alike, and reports the median of each one's time as a multiple of
// the pass's in the same turn. Filling and binding are not in it.
func BenchmarkEntry(b *testing.B) {
	w, err := enginetest.OscillatorWorkload()
	if err != nil {
		b.Fatal(err)
	}
	w = w.With(enginetest.WithActiveSet)
	for _, stops := range []struct {
		name string
		rule enginetest.Stops
	}{{"spread", enginetest.Spread}, {"uniform", enginetest.Uniform}} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("kernel=oscillator/n=10240/stop=%s/workers=%d", stops.name, workers), func(b *testing.B) {
				batch, err := w.NewBatch(New(WithWorkers(workers)), 10240, stops.rule, 1000, 1)
				if err != nil {
					b.Fatal(err)
				}
				benchArms(b, batch)
			})
		}
	}
}

func benchArms(b *testing.B, batch *enginetest.Batch) {
	bd, start := batch.Bound.(*bound), batch.Planes.Clone()
	var steps uint64
	run := func(a arm) time.Duration {
		batch.Planes.CopyFrom(start)
		clear(batch.Mask)
		if _, err := bd.Begin(false); err != nil {
			b.Fatal(err)
		}
		from := time.Now()
		if err := a.run(bd); err != nil {
			b.Fatal(err)
		}
		return time.Since(from)
	}
	var want *engine.Planes
	for _, a := range arms { // equal results first
		run(a)
		if want == nil {
			want = batch.Planes.Clone()
			for _, t := range bd.taken {
				steps += uint64(t)
			}
		}
		for i := range want.Spec {
			if string(batch.Planes.Bytes(i)) != string(want.Bytes(i)) {
				b.Fatalf("%s: plane %s differs", a.name, want.Spec[i].Name)
			}
		}
	}
	ratios := make([][]float64, len(arms))
	var pass time.Duration
	turns := 0
	for b.Loop() {
		first := run(arms[0])
		pass += first
		turns++
		for i, a := range arms[1:] {
			ratios[i+1] = append(ratios[i+1], float64(run(a))/float64(first))
		}
	}
	b.ReportMetric(float64(pass.Nanoseconds())/float64(turns)/float64(steps), "pass-ns/sample-step")
	for i, a := range arms[1:] {
		slices.Sort(ratios[i+1])
		b.ReportMetric(ratios[i+1][len(ratios[i+1])/2], a.name+"/pass")
	}
}
