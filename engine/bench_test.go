package engine_test

import (
	"math"
	"testing"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
)

// BenchmarkTrace runs the same batch with and without a trace that is being recorded, in turns, and reports
// the ratio of the shortest walls, since a busy machine only ever adds time; below 1.01 is the promise. As a busy
// machine moves that ratio by more, the share of the wall that Emit takes is reported too: events of a run
// times the cost of one, both of this run. Compile time and filling the planes are outside.
func BenchmarkTrace(b *testing.B) {
	const n = 10_000
	x, err := enginetest.CountWorkload().NewBatch(enginetest.NewScripted(enginetest.Script{}), n, enginetest.Spread, 1000, 1)
	if err != nil {
		b.Fatal(err)
	}
	start := x.Planes.Clone()
	trace := engine.NewTrace(1 << 14)
	rec, err := engine.NewRecorder(discard{}, x.RecordingHeader(engine.RunOptions{}), trace)
	if err != nil {
		b.Fatal(err)
	}
	run := func(t *engine.Trace) time.Duration {
		x.Planes.CopyFrom(start)
		if err := x.Reset(); err != nil {
			b.Fatal(err)
		}
		rep, err := x.Run(nil, engine.RunOptions{MaxSteps: 1000, Policy: engine.PolicyBand, R: 0.25, Trace: t})
		if err != nil || !rep.Done {
			b.Fatal(rep, err)
		}
		return rep.Wall
	}
	run(nil)
	on, off := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	written := trace.Written()
	for i := 0; b.Loop(); i++ {
		if i%2 == 0 { // whoever runs second finds warm caches: take turns
			on = min(on, run(trace))
			off = min(off, run(nil))
		} else {
			off = min(off, run(nil))
			on = min(on, run(trace))
		}
	}
	events := float64(trace.Written()-written) / float64(b.N)
	b.ReportMetric(float64(on)/float64(off), "on/off")
	b.ReportMetric(events, "events/run")
	b.ReportMetric(100*events*float64(emitCost())/float64(off), "%-of-wall-in-Emit")
	if _, _, err := rec.Close(); err != nil {
		b.Fatal(err)
	}
}

// emitCost is what one event costs, from many.
func emitCost() time.Duration {
	const count = 100_000
	trace, e := engine.NewTrace(1<<12), engine.Launch{Number: 1, Word: 16}.Event()
	start := time.Now()
	for range count {
		trace.Emit(e)
	}
	return time.Since(start) / count
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }

// BenchmarkEmit is what one event costs.
func BenchmarkEmit(b *testing.B) {
	trace := engine.NewTrace(1 << 12)
	e := engine.Launch{Number: 1, Word: 16}.Event()
	for b.Loop() {
		trace.Emit(e)
	}
}
