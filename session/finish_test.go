package session

import (
	"context"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/host"
)

// diagnosed runs a bundled kernel for some steps and looks at what is left.
func diagnosed(t *testing.T, kernel string, n, steps int) *State {
	t.Helper()
	s := New([]engine.Engine{host.New()}, Options{})
	t.Cleanup(func() { s.Close() })
	for _, c := range []Command{SetBatch{N: n, Seed: 1}, LoadKernel{Path: kernel}, Configure{MaxSteps: &steps}, Run{}, Diagnose{}} {
		if err := s.Do(context.Background(), c); err != nil {
			t.Fatalf("%T: %v", c, err)
		}
		if err := s.Wait(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	st := s.State()
	if st.Finish == nil {
		t.Fatalf("%s: no picture", kernel)
	}
	return st
}

// TestTeachingBugsAreNamed asks why the batches of the teaching bugs never end.
func TestTeachingBugsAreNamed(t *testing.T) {
	for _, c := range []struct {
		kernel string
		want   map[Lint]bool // what live samples may be called; every one is one of them
		text   string        // in the first proof's sentence
	}{
		{"bugnan", map[Lint]bool{LintNaN: true}, "NaN"},
		{"bugmargin", map[Lint]bool{LintToAndFro: true, LintConstant: true}, "margin"},
		{"bugequal", map[Lint]bool{LintPasses: true, LintAway: true}, "=="},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			st := diagnosed(t, c.kernel, 200, 10_000)
			f := st.Finish
			if f.Live == 0 || f.Looked != f.Live {
				t.Fatalf("live %d, looked at %d", f.Live, f.Looked)
			}
			for l, n := range f.Count {
				if n > 0 && !c.want[Lint(l)] {
					t.Errorf("%d of %d samples: %s", n, f.Looked, Lint(l))
				}
			}
			if len(f.Proofs) == 0 || !strings.Contains(f.Proofs[0].Sentence(f), c.text) {
				t.Errorf("proofs %+v", f.Proofs)
			} else {
				t.Log(f.Proofs[0].Sentence(f))
			}
		})
	}
}

// TestHealthySamplesAreOnTheirWay looks at oscillators whose steps to go are known exactly.
func TestHealthySamplesAreOnTheirWay(t *testing.T) {
	st := diagnosed(t, "oscillator", 2000, 100)
	f := st.Finish
	if f.Looked != finishSamples || f.Live <= f.Looked {
		t.Fatalf("live %d, looked at %d, want %d", f.Live, f.Looked, finishSamples)
	}
	// Each run may take 100 steps; whoever needs more from here is late.
	if f.Count[LintNone]+f.Count[LintLate] != f.Looked || f.Count[LintLate] == 0 || f.Soon == 0 {
		t.Errorf("counts %v of %d, soon %d", f.Count, f.Looked, f.Soon)
	}
	for _, p := range f.Proofs {
		// k >= nstop with k one more each step: the margin after one step more is k+1-nstop.
		if p.Rate != 1 || p.LHS != 101 || p.Margin != p.LHS-p.RHS {
			t.Errorf("%+v", p)
		}
		// Left counts from the last step that was made on the copy.
		if want := p.RHS - 101 - (finishSteps - 1); math.Abs(p.Left-want) > 1e-9 {
			t.Errorf("sample %d: %v steps to go, want %v", p.Sample, p.Left, want)
		}
	}
}

// TestPickIsEvenAndExact is of the choice of samples.
func TestPickIsEvenAndExact(t *testing.T) {
	mask := make([]byte, 1000)
	for i := range mask {
		if i%3 == 0 {
			mask[i] = 1
		}
	}
	for _, most := range []int{1, 7, 100, 665, 666, 5000} {
		live := 0
		got := pick(mask, most, &live)
		if live != 666 || len(got) != min(most, 666) {
			t.Errorf("most %d: %d of %d live", most, len(got), live)
		}
		for _, i := range got {
			if mask[i] != 0 {
				t.Errorf("sample %d is finished", i)
			}
		}
	}
}

// While a run is on, a question gets the picture of a boundary of it; at rest it gets what Diagnose tells.
func TestTheFinishConditionIsLookedAtDuringARun(t *testing.T) {
	s := startOn(t, Options{}, host.New(host.WithWorkers(2)))
	do(t, s, SetBatch{N: 200, Seed: 1}, LoadKernel{"bugequal"}, Configure{MaxSteps: ptr(maxN), Policy: ptr(engine.PolicyBand), R: ptr(0.25)})
	must(t, s.Do(ctx, Run{}))
	last := -1
	for range 20 {
		answer, err := s.Look(ctx, FinishQuery{})
		must(t, err)
		f := answer.(*FinishPicture)
		if f.Done < last || f.Live == 0 || f.Looked != f.Live {
			t.Fatalf("at step %d after %d: %d live, looked at %d", f.Done, last, f.Live, f.Looked)
		}
		last = f.Done
	}
	do(t, s, Cancel{})
	if last == 0 {
		t.Error("every picture is of the start")
	}
	answer, err := s.Look(ctx, FinishQuery{})
	must(t, err)
	do(t, s, Diagnose{})
	asked, told := *answer.(*FinishPicture), *s.State().Finish
	asked.Took, told.Took = 0, 0
	if !reflect.DeepEqual(asked, told) {
		t.Errorf("asked %+v\ntold  %+v", asked, told)
	}
}

// suspect is a kernel with one finish rule.
const suspect = `package suspect

//eaglet:kernel steps=auto guard=active_set
type Suspect struct {
	X    float64
	End  float64 ` + "`init:\"choice(1, 5, 90000)\"`" + `
	Dead float64
	Gone float64 ` + "`init:\"1e300\"`" + `
}

func (s *Suspect) Step() (terminated bool) {
	s.X++
	s.Dead -= 0.5
	s.Gone *= s.Gone // infinite after the first step
	terminated = FINISH
	return
}
`

// suspected runs the kernel with a rule for 50 steps.
func suspected(t *testing.T, rule string) *FinishPicture {
	t.Helper()
	path := t.TempDir() + "/suspect.go"
	writeFile(t, path, strings.Replace(suspect, "FINISH", rule, 1))
	return diagnosed(t, path, 300, 50).Finish
}

// TestEverySuspicionHasItsKernel gives each named suspicion a rule that earns it, and no other.
func TestEverySuspicionHasItsKernel(t *testing.T) {
	for _, c := range []struct {
		rule string
		want Lint
	}{
		{"s.Gone-s.Gone >= s.End", LintNaN},
		{"s.X == 60.5", LintPasses},
		{"s.End >= 1e6", LintConstant},
		{"s.X >= s.Gone", LintConstant}, // what it is compared with is infinite
		{"s.Dead >= s.End", LintAway},
		{"s.X >= s.End+1e9", LintLate},
		{"s.X >= s.End+55", LintNone},
	} {
		f := suspected(t, c.rule)
		if f.Count[c.want] == 0 || len(f.Proofs) == 0 && c.want != LintNone {
			t.Errorf("%s: counts %v, want %s", c.rule, f.Count, c.want)
		}
		for i := range f.Proofs {
			if p := &f.Proofs[i]; strings.Contains(p.Sentence(f), "NaN") && p.Lint != LintNaN {
				t.Errorf("%s: a figure that is none: %s", c.rule, p.Sentence(f))
			}
		}
	}
	if f := suspected(t, "s.X >= s.End"); f.AtOnce == 0 || f.AtOnce >= 300 || !strings.Contains(f.AtOnceSentence(), "finished on the first step") {
		t.Errorf("finished at once: %d, %q", f.AtOnce, f.AtOnceSentence())
	}
	if f := suspected(t, "s.X >= s.End+1"); f.AtOnce != 0 || f.AtOnceSentence() != "" {
		t.Errorf("finished on the second step, and counted as the first: %d", f.AtOnce)
	}
}

// TestSamplesFinishedAtOnceAreCounted compares with the values that decide, at rest.
func TestSamplesFinishedAtOnceAreCounted(t *testing.T) {
	path := t.TempDir() + "/suspect.go"
	writeFile(t, path, strings.Replace(suspect, "FINISH", "s.X >= s.End", 1))
	s := onHost(t, Options{}, SetBatch{N: 300, Seed: 1}, LoadKernel{path}, RunSteps{N: 3}, Diagnose{})
	r, err := s.Results()
	must(t, err)
	ends := engine.View[float64](r.Planes, r.Planes.Index("end"))
	want, first := 0, -1
	for i, e := range ends {
		if e == 1 {
			if want++; first < 0 {
				first = i
			}
		}
	}
	if f := s.State().Finish; f.AtOnce != want || f.First != first {
		t.Errorf("%d, sample %d; want %d, sample %d", f.AtOnce, f.First, want, first)
	}
}
