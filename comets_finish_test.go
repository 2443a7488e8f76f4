package eaglet_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/host"
	"github.com/eaglet-workbench/eaglet/session"
	"github.com/eaglet-workbench/eaglet/snapshots"
)

// cometKernel moves comets away from their perihelion along the radius, r” = q(1+e) mu/r^3 - mu/r^2, by leapfrog; FINISH is
// the rule that a test puts in, which a hyperbola never meets. A step is a day.
const cometKernel = `// Package comet lets comets leave their perihelion.
package comet

import "math"

//eaglet:kernel steps=auto guard=active_set
type Comet struct {
	Q      float64 ` + "`unit:\"au\"`" + `
	E      float64
	R, V   float64
	T      float64
	Period float64
}

const mu = 0.00029591220828559104

// Init begins at perihelion. The period of a parabola is infinite, that of a hyperbola no number.
func (s *Comet) Init() {
	s.R = s.Q
	a := s.Q / (1 - s.E)
	s.Period = 2 * math.Pi * math.Sqrt(a*a*a/mu)
}

func force(q, e, r float64) float64 { return mu * (q*(1+e)/r - 1) / (r * r) }

func (s *Comet) Step() (terminated bool) {
	v := s.V + 0.5*force(s.Q, s.E, s.R)
	s.R += v
	s.V = v + 0.5*force(s.Q, s.E, s.R)
	s.T++
	terminated = FINISH
	return
}
`

// comets runs the kernel with a rule on real comets until days have passed, and looks at those that are left. It gives the
// eccentricities, by sample.
func comets(t *testing.T, rule string, days int) (*session.Session, []float64) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "comet.go")
	if err := os.WriteFile(path, []byte(strings.Replace(cometKernel, "FINISH", rule, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	s := session.New([]engine.Engine{host.New()}, session.Options{})
	t.Cleanup(func() { s.Close() })
	const file = "testdata/comets.csv"
	batch := session.SetBatch{Seed: session.DefaultSeed, Labels: &snapshots.Column{File: file, Name: "name"}}
	for plane, column := range map[string]string{"q": "q_au", "e": "e"} {
		batch.Mappings = append(batch.Mappings, snapshots.Mapping{Plane: plane, Column: snapshots.Column{File: file, Name: column}})
	}
	ctx := context.Background()
	for _, c := range []session.Command{batch, session.LoadKernel{Path: path}, session.Configure{MaxSteps: &days}, session.Run{}, session.Diagnose{}} {
		if err := s.Do(ctx, c); err != nil {
			t.Fatalf("%T: %v", c, err)
		}
		if err := s.Wait(ctx); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Results()
	if err != nil {
		t.Fatal(err)
	}
	return s, engine.View[float64](r.Planes, r.Planes.Index("e"))
}

// TestCometsThatNeverCome names why: by a period that is no number or infinite, by a distance that only grows, and by a
// speed that does not turn round in the time there is. Each proof is of a comet of the kind that the lint says, and its figures
// are those of the sample followed from its perihelion.
func TestCometsThatNeverCome(t *testing.T) {
	const days = 40_000 // 110 years
	hyperbola := func(e float64) bool { return e > 1 }
	for _, c := range []struct {
		rule string
		want func(e float64) map[session.Lint]bool // what a comet that is left may be called
		must session.Lint                          // is there
	}{
		{"s.T >= s.Period", func(e float64) map[session.Lint]bool {
			switch {
			case e > 1:
				return map[session.Lint]bool{session.LintNaN: true}
			case e == 1:
				return map[session.Lint]bool{session.LintConstant: true}
			}
			return map[session.Lint]bool{session.LintLate: true, session.LintNone: true}
		}, session.LintNaN},
		{"s.V < 0 && s.R <= 1.01*s.Q", func(e float64) map[session.Lint]bool {
			if hyperbola(e) { // it only goes away
				return map[session.Lint]bool{session.LintAway: true}
			}
			return map[session.Lint]bool{session.LintAway: true, session.LintLate: true, session.LintNone: true}
		}, session.LintAway},
		{"s.V < 0", func(e float64) map[session.Lint]bool {
			if hyperbola(e) { // it slows down all the time, and less and less
				return map[session.Lint]bool{session.LintLate: true}
			}
			return map[session.Lint]bool{session.LintLate: true, session.LintNone: true}
		}, session.LintLate},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s, e := comets(t, c.rule, days)
			f := s.State().Finish
			open := 0
			for _, e := range e {
				if hyperbola(e) {
					open++
				}
			}
			if open == 0 || f.Live < open || f.Looked != f.Live {
				t.Fatalf("%d hyperbolas, %d live, %d looked at", open, f.Live, f.Looked)
			}
			if n := f.Count[c.must]; n < open || c.must == session.LintNaN && n != open {
				t.Errorf("%s: %d samples, %d hyperbolas", c.must, f.Count[c.must], open)
			}
			proofs := 0
			for i := range f.Proofs {
				p := &f.Proofs[i]
				if !c.want(e[p.Sample])[p.Lint] {
					t.Errorf("e = %v: %s", e[p.Sample], p.Sentence(f))
				}
				if p.Lint == c.must {
					proofs++
				}
				answer, err := s.Look(context.Background(), session.FollowQuery{Samples: []int{p.Sample}, From: days, To: days, Points: 1, Names: []string{"e", "t"}})
				if err != nil {
					t.Fatal(err)
				}
				way := answer.(*session.Trajectory)
				lhs, rhs := way.LHS[p.Comparison][0][0], way.RHS[p.Comparison][0][0]
				if math.Float64bits(lhs) != math.Float64bits(p.LHS) || math.Float64bits(rhs) != math.Float64bits(p.RHS) || way.Stop[0] != -1 {
					t.Errorf("%s; followed, the operands are %v and %v, stop %d", p.Sentence(f), lhs, rhs, way.Stop[0])
				}
			}
			if proofs == 0 {
				t.Errorf("no proof of %q", c.must)
			}
		})
	}
}
