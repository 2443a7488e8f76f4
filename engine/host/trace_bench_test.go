//go:build unix

package host

import (
	"fmt"
	"math"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
)

// BenchmarkTraced runs the same batch plainly, with a trace, and with a trace that a recorder drains, in turns, and
// reports what the trace adds in per cent: the median of the ratios within a turn with a 95 % interval, of
// walls and, since a busy machine moves walls by more than a trace does, of the processor time of the process,
// the recorder's included. Who goes first changes from turn to turn. A wall below 1 is the promise. Compiling,
// binding and filling are outside. The kernel is the library's oscillator (workload O of runner.md, S = 1000).
func BenchmarkTraced(b *testing.B) {
	w, err := enginetest.OscillatorWorkload()
	if err != nil {
		b.Fatal(err)
	}
	w = w.With(enginetest.WithActiveSet)
	for _, c := range []struct {
		n      int
		policy engine.Policy
		r      float64
	}{
		{2_000, engine.PolicyBand, 0.25},
		{10_000, engine.PolicyBand, 0.001}, // 8 steps per launch wherever somebody finishes
		{10_000, engine.PolicyTiled, 1},
	} {
		b.Run(fmt.Sprintf("kernel=oscillator/n=%d/policy=%v/r=%g", c.n, c.policy, c.r), func(b *testing.B) {
			batch, err := w.NewBatch(New(WithWorkers(1)), c.n, enginetest.Spread, 1000, 1)
			if err != nil {
				b.Fatal(err)
			}
			x := &traced{b: b, batch: batch, start: batch.Planes.Clone(), trace: engine.NewTrace(1 << 14)}
			x.o = engine.RunOptions{MaxSteps: 1000, Policy: c.policy, R: c.r}
			var walls, cpus [3][]float64
			before := x.trace.Written()
			for i := 0; b.Loop(); i++ {
				var wall, cpu [3]time.Duration
				for j := range 3 {
					arm := (i + j) % 3
					wall[arm], cpu[arm] = x.run(arm > 0, arm > 1)
				}
				for arm := 1; arm < 3; arm++ {
					walls[arm] = append(walls[arm], 100*(float64(wall[arm])/float64(wall[0])-1))
					cpus[arm] = append(cpus[arm], 100*(float64(cpu[arm])/float64(cpu[0])-1))
				}
			}
			b.ReportMetric(float64(x.trace.Written()-before)/float64(2*b.N), "events/run")
			median(b, "trace-wall", walls[1])
			median(b, "trace-cpu", cpus[1])
			median(b, "recorded-wall", walls[2])
			median(b, "recorded-cpu", cpus[2])
		})
	}
}

// traced is a batch that is run again and again.
type traced struct {
	b     *testing.B
	batch *enginetest.Batch
	start *engine.Planes
	trace *engine.Trace
	o     engine.RunOptions
}

func (x *traced) run(trace, record bool) (wall, cpu time.Duration) {
	x.batch.Planes.CopyFrom(x.start)
	if err := x.batch.Reset(); err != nil {
		x.b.Fatal(err)
	}
	o := x.o
	if trace {
		o.Trace = x.trace
	}
	var rec *engine.Recorder
	if record {
		var err error
		if rec, err = engine.NewRecorder(discard{}, x.batch.RecordingHeader(o), o.Trace); err != nil {
			x.b.Fatal(err)
		}
	}
	from := cpuTime(x.b)
	rep, err := x.batch.Run(nil, o)
	if err != nil || !rep.Done {
		x.b.Fatal(rep, err)
	}
	if record {
		if _, lost, err := rec.Close(); err != nil || lost > 0 {
			x.b.Fatal(lost, err)
		}
	}
	return rep.Wall, cpuTime(x.b) - from
}

// median reports the median and the order statistics that hold it with 95 %.
func median(b *testing.B, what string, list []float64) {
	slices.Sort(list)
	n := len(list)
	half := 0.98 * math.Sqrt(float64(n)) // 1.96 standard deviations of a binomial count with p = 1/2
	at := func(place float64) float64 { return list[min(max(int(place), 0), n-1)] }
	b.ReportMetric(at(float64(n)/2), what+"-%")
	b.ReportMetric(at(float64(n)/2-half-1), what+"-low-%")
	b.ReportMetric(at(float64(n)/2+half), what+"-high-%")
}

// cpuTime is the time that the process has had, user and system.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
