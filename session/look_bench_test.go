package session

import (
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/host"
)

// What a run waits for when stops of a million samples are asked for at one of its boundaries.
func BenchmarkStopsAtABoundary(b *testing.B) {
	s := New([]engine.Engine{host.New()}, Options{})
	defer s.Close()
	for _, c := range []Command{SetBatch{N: 1_000_000, Seed: 1}, LoadKernel{"bugmargin"}, Configure{MaxSteps: ptr(maxN), Policy: ptr(engine.PolicyBand), R: ptr(0.25)}, Run{}} {
		if err := s.Do(ctx, c); err != nil {
			b.Fatal(err)
		}
	}
	held := 0.0
	for b.Loop() {
		answer, err := s.Look(ctx, StopsQuery{})
		if err != nil {
			b.Fatal(err)
		}
		held += answer.(*Stops).Held.Seconds()
	}
	b.ReportMetric(held/float64(b.N)*1e3, "held-ms/op")
	if err := s.Do(ctx, Cancel{}); err != nil {
		b.Fatal(err)
	}
}
