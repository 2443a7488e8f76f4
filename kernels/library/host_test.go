package library_test

import (
	"context"
	"testing"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/host"
	"github.com/eaglet-workbench/eaglet/kernels/library"
	"github.com/eaglet-workbench/eaglet/session"
)

// TestRunsUntilDone runs every bundled kernel as a user does, by its bare name with the default options, on
// the host engine, and checks how it ends.
func TestRunsUntilDone(t *testing.T) {
	const n = 200
	for _, name := range library.Names() {
		t.Run(name, func(t *testing.T) {
			r := untilDone(t, name, n)
			finished, status := n-lostCount[name], engine.StatusFinished
			if lostCount[name] > 0 {
				status = engine.StatusMaxSteps
			}
			if r.Finished != finished || r.Done != (finished == n) || r.Status != status.String() {
				t.Errorf("%d of %d samples finished, done %v, status %s; want %d, %s", r.Finished, r.N, r.Done, r.Status, finished, status)
			}
			if r.Faulted != 0 {
				t.Errorf("%d samples faulted: %v", r.Faulted, r.Faults)
			}
			nonFinite := 0
			if name == "bugnan" { // a sample that it loses ends as NaN; those of the other bugs are finite
				nonFinite = lostCount[name]
			}
			if r.NonFinite != nonFinite {
				t.Errorf("%d samples with NaN or Inf in their state, want %d", r.NonFinite, nonFinite)
			}
			if most := session.DefaultMaxSteps; (r.Longest == most) != (finished < n) {
				t.Errorf("the longest sample took %d steps", r.Longest)
			}
			t.Logf("%.1f steps a sample, %d at most", float64(r.SampleSteps)/n, r.Longest)
		})
	}
}

// untilDone loads a bundled kernel, fills n samples by its init tags and runs them.
func untilDone(t *testing.T, name string, n int) engine.Report {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s := session.New([]engine.Engine{host.New()}, session.Options{})
	defer s.Close()
	notes, leave := s.Subscribe()
	defer leave()
	for _, c := range []session.Command{session.SetBatch{N: n, Seed: session.DefaultSeed}, session.LoadKernel{Path: name}, session.Run{}} {
		if err := s.Do(ctx, c); err != nil {
			t.Fatal(err)
		}
		if err := s.Wait(ctx); err != nil {
			t.Fatal(err)
		}
	}
	for {
		select {
		case note := <-notes:
			switch note := note.(type) {
			case session.RunEnded:
				return note.Report
			case session.Failed:
				t.Fatal(note.Err)
			}
		case <-ctx.Done():
			t.Fatal(ctx.Err())
		}
	}
}
