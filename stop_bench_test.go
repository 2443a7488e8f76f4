package eaglet_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/host"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/generate"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// bundled is n samples of a bundled kernel on the host engine, made and initialised as a session would.
func bundled(b *testing.B, name string, n int) (*engine.Runner, *engine.Planes) {
	b.Helper()
	k, ds := kernels.Load(name)
	if k == nil {
		b.Fatal(ds)
	}
	program, err := host.New().Compile(k.IR)
	if err != nil {
		b.Fatal(err)
	}
	planes, mask := engine.NewPlanes(k.IR.Planes, n), make([]byte, n)
	for i := range planes.Spec {
		rows := uint64(n)
		if planes.Spec[i].Role == ir.RoleParam {
			rows = 1
		}
		if err := generate.Fill(&planes.Spec[i], planes.Bytes(i), 1, 0, rows, rows); err != nil {
			b.Fatal(err)
		}
	}
	bound, err := program.Bind(planes, mask)
	if err != nil {
		b.Fatal(err)
	}
	if err := bound.Init(nil); err != nil {
		b.Fatal(err)
	}
	return engine.NewRunner(program, bound, planes, mask, "host", ""), planes
}

// BenchmarkStop sets the stop of a run at a random moment in its first 20 ms and reports how long it takes
// until Run returns, in milliseconds: from the flag to the end of the call, whose report looks at the whole
// batch, and of that what passes until the engine has stopped (the cancel event). Compile time is outside.
func BenchmarkStop(b *testing.B) {
	for _, name := range []string{"oscillator", "lorenz", "kepler"} {
		for _, way := range []struct {
			name string
			o    engine.RunOptions
		}{
			{"tiled", engine.RunOptions{Policy: engine.PolicyTiled}},
			{"band", engine.RunOptions{Policy: engine.PolicyBand, R: 0.25}},
			{"persistent", engine.RunOptions{Entry: engine.EntryPersistent}},
		} {
			b.Run("kernel="+name+"/n=200000/way="+way.name, func(b *testing.B) {
				r, planes := bundled(b, name, 200_000)
				start := planes.Clone()
				way.o.MaxSteps = 1 << 20
				var returned, stopped []time.Duration
				for b.Loop() {
					planes.CopyFrom(start)
					if err := r.Reset(); err != nil {
						b.Fatal(err)
					}
					var stop engine.Stop
					began := time.Now() // the trace's clock starts here too
					trace := engine.NewTrace(1 << 12)
					way.o.Trace = trace
					var flag time.Time
					timer := time.AfterFunc(time.Duration(rand.IntN(20_000))*time.Microsecond, func() {
						flag = time.Now()
						stop.Set()
					})
					rep, err := r.Run(&stop, way.o)
					end := time.Now()
					if err != nil {
						b.Fatal(err)
					}
					if timer.Stop() || rep.Status != engine.StatusCancelled.String() {
						continue // it was over before
					}
					returned = append(returned, end.Sub(flag))
					if at, ok := cancelledAt(trace); ok {
						stopped = append(stopped, began.Add(at).Sub(flag))
					}
				}
				report(b, "returned", returned)
				report(b, "stopped", stopped)
			})
		}
	}
}

// cancelledAt is when the trace says that the run was stopped.
func cancelledAt(trace *engine.Trace) (time.Duration, bool) {
	buf := make([]engine.Event, 1<<12)
	n, _ := trace.Read(0, buf)
	for _, e := range buf[:n] {
		if e.Kind == engine.EventCancel {
			return e.Time, true
		}
	}
	return 0, false
}

// report gives mean and 99th percentile in milliseconds.
func report(b *testing.B, what string, list []time.Duration) {
	if len(list) == 0 {
		return
	}
	slices.Sort(list)
	var sum time.Duration
	for _, d := range list {
		sum += d
	}
	b.ReportMetric(float64(sum)/float64(len(list))/1e6, what+"-mean-ms")
	b.ReportMetric(float64(list[len(list)*99/100])/1e6, what+"-p99-ms")
}
