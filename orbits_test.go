package eaglet_test

import (
	"context"
	"math"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/host"
	"github.com/eaglet-workbench/eaglet/session"
	"github.com/eaglet-workbench/eaglet/snapshots"
)

// propagate runs the kepler kernel over a file of orbital elements until every body is done.
func propagate(t *testing.T, file string, columns map[string]string, values map[string]float64) (*session.Results, *engine.Report) {
	t.Helper()
	s := session.New([]engine.Engine{host.New()}, session.Options{})
	defer s.Close()
	batch := session.SetBatch{Seed: session.DefaultSeed, Values: values, Labels: &snapshots.Column{File: file, Name: "name"}}
	for plane, column := range columns {
		batch.Mappings = append(batch.Mappings, snapshots.Mapping{Plane: plane, Column: snapshots.Column{File: file, Name: column}})
	}
	ctx := context.Background()
	for _, c := range []session.Command{batch, session.LoadKernel{Path: "kepler"}, session.Run{}} {
		if err := s.Do(ctx, c); err != nil {
			t.Fatalf("%T: %v", c, err)
		}
		if err := s.Wait(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if s.State().Report == nil {
		t.Fatalf("no report; phase %s", s.State().Phase)
	}
	results, err := s.Results()
	if err != nil {
		t.Fatal(err)
	}
	return results, s.State().Report
}

func observable(t *testing.T, r *session.Results, name string) []float64 {
	t.Helper()
	for _, o := range r.Observables {
		if o.Name == name {
			return o.Values
		}
	}
	t.Fatalf("no observable %s", name)
	return nil
}

// everybodyIsDone checks what holds of any kepler run that ends by itself: final times are exact, and every
// attempt was either accepted or rejected.
func everybodyIsDone(t *testing.T, r *session.Results, report *engine.Report) {
	t.Helper()
	if !report.Done || report.Finished != report.N || report.Faulted != 0 || report.NonFinite != 0 {
		t.Errorf("finished %d of %d, faulted %d, non-finite %d; want all finished and nothing else",
			report.Finished, report.N, report.Faulted, report.NonFinite)
	}
	p := r.Planes
	end, now := engine.View[float64](p, p.Index("t_end")), engine.View[float64](p, p.Index("t"))
	accepted, rejected := engine.View[int32](p, p.Index("accepted")), engine.View[int32](p, p.Index("rejected"))
	var sumAccepted, sumRejected int64
	for i := range p.N {
		if now[i] != end[i] || !(end[i] > 0) {
			t.Errorf("%s: t = %v, t_end = %v; want the same, above 0", r.Labels[i], now[i], end[i])
		}
		if uint32(accepted[i]+rejected[i]) != r.StepsTaken[i] {
			t.Errorf("%s: %d accepted + %d rejected in %d steps", r.Labels[i], accepted[i], rejected[i], r.StepsTaken[i])
		}
		sumAccepted += int64(accepted[i])
		sumRejected += int64(rejected[i])
	}
	t.Logf("%d bodies, %d attempts accepted, %d rejected, at most %d for one body", p.N, sumAccepted, sumRejected, report.Longest)
}

// TestAsteroidsReturn runs real bodies for exactly one of their own periods. Each must be back where it
// started within the bound that Kepler.MissBound derives from the tolerance and the number of steps, and
// have the energy it started with: one step changes it by less than 7.2 tol mu/q (the same derivation).
func TestAsteroidsReturn(t *testing.T) {
	r, report := propagate(t, "testdata/asteroids.csv", map[string]string{
		"a": "a_au", "e": "e", "i": "i_deg", "node": "node_deg", "peri": "peri_deg", "m0": "mean_anomaly_deg",
	}, nil)
	everybodyIsDone(t, r, report)
	p := r.Planes
	miss, bound := observable(t, r, "miss"), observable(t, r, "miss_bound")
	energy := observable(t, r, "energy")
	a, scale := engine.View[float64](p, p.Index("a")), engine.View[float64](p, p.Index("scale"))
	mu, tol := p.Float(p.Index("mu"), 0), p.Float(p.Index("tol"), 0)
	accepted := engine.View[int32](p, p.Index("accepted"))
	worst := 0.0
	for i := range p.N {
		if !(miss[i] <= bound[i]) || !(miss[i] > 0) {
			t.Errorf("%s is %.3g au from its start, the bound is %.3g au", r.Labels[i], miss[i], bound[i])
		}
		drift := math.Abs(energy[i] + mu/(2*a[i]))
		limit := 7.2 * float64(accepted[i]+1) * (tol + 0x1p-50) * mu / scale[i]
		if !(drift <= limit) {
			t.Errorf("%s: energy is off by %.3g au^2/d^2, the bound is %.3g", r.Labels[i], drift, limit)
		}
		worst = math.Max(worst, miss[i]/bound[i])
	}
	t.Logf("the worst miss is %.2g of its bound", worst)
}

// TestLooseToleranceBreaksTheBound is the red case of TestAsteroidsReturn: bodies run at a loose tolerance
// miss the bound that holds for the default one.
func TestLooseToleranceBreaksTheBound(t *testing.T) {
	const loose, asked = 1e-5, 1e-10
	r, _ := propagate(t, "testdata/asteroids.csv", map[string]string{
		"a": "a_au", "e": "e", "i": "i_deg", "node": "node_deg", "peri": "peri_deg", "m0": "mean_anomaly_deg",
	}, map[string]float64{"tol": loose})
	broken := 0
	miss, bound := observable(t, r, "miss"), observable(t, r, "miss_bound")
	for i := range r.Planes.N {
		if miss[i] > bound[i]*asked/loose {
			broken++
		}
	}
	if broken == 0 {
		t.Errorf("no body of %d breaks the bound for %g at a tolerance of %g", r.Planes.N, asked, loose)
	}
}

// TestCometsAllFinish runs comets by their perihelion distance: ellipses for one period, parabolas and
// hyperbolas, which never return, to a final time of their own.
func TestCometsAllFinish(t *testing.T) {
	r, report := propagate(t, "testdata/comets.csv", map[string]string{
		"q": "q_au", "e": "e", "i": "i_deg", "node": "node_deg", "peri": "peri_deg",
	}, nil)
	everybodyIsDone(t, r, report)
	p := r.Planes
	q, e := engine.View[float64](p, p.Index("q")), engine.View[float64](p, p.Index("e"))
	radius, miss, bound := observable(t, r, "radius"), observable(t, r, "miss"), observable(t, r, "miss_bound")
	open := 0
	for i := range p.N {
		if e[i] >= 1 { // an open orbit ends far out: ten perihelion distances, or more the larger e is
			open++
			if radius[i] < 9.999*q[i] {
				t.Errorf("%s: e = %v ends %.4g au out, want at least 10 q = %.4g au", r.Labels[i], e[i], radius[i], 10*q[i])
			}
		} else if !(miss[i] <= bound[i]) {
			t.Errorf("%s is %.3g au from its perihelion, the bound is %.3g au", r.Labels[i], miss[i], bound[i])
		}
	}
	if open == 0 || open == p.N {
		t.Errorf("%d of %d orbits are open; the excerpt has both kinds", open, p.N)
	}
}
