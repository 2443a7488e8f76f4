package session

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/host"
)

// onHost is a session on the interpreter of the host.
func onHost(t testing.TB, o Options, commands ...Command) *Session {
	t.Helper()
	s := New([]engine.Engine{host.New()}, o)
	t.Cleanup(func() { s.Close() })
	do(t, s, commands...)
	return s
}

func ask[T any](t *testing.T, s *Session, q Query) T {
	t.Helper()
	answer, err := s.Look(ctx, q)
	if err != nil {
		t.Fatalf("%T: %v", q, err)
	}
	return answer.(T)
}

// A followed sample ends where the batch has it, bit for bit, whatever the runs in between were.
func TestFollowingEndsWhereTheBatchStands(t *testing.T) {
	memory := func(bytes int64) Options { return Options{MemoryBytes: bytes} }
	for name, c := range map[string]struct {
		options Options
		runs    []Command
	}{
		"in one run":                  {Options{}, []Command{Run{}}},
		"in pieces":                   {Options{}, []Command{Step{Word: 7}, Step{}, RunSteps{N: 20}, Configure{MaxSteps: ptr(30)}, Run{}, Run{}}},
		"without a copy of the start": {memory(48_000), []Command{RunSteps{N: 100}}},
	} {
		s := onHost(t, c.options, SetBatch{N: 300, Seed: 7, Values: map[string]float64{"dt": 0.02}}, LoadKernel{"oscillator"})
		do(t, s, c.runs...)
		samples := []int{0, 299, 17, 42}
		tr := ask[*Trajectory](t, s, FollowQuery{Samples: samples, Names: []string{"x", "v", "k", "omega", "dt", "energy"}, Points: 5})
		if len(tr.Steps) > 5 || tr.Steps[0] != 0 {
			t.Errorf("%s: steps %v", name, tr.Steps)
		}
		r := results(t, s)
		for k, plane := range []string{"x", "v", "k", "omega"} {
			for i, sample := range samples {
				want := r.Planes.Float(r.Planes.Index(plane), sample)
				if got := tr.Values[k][i][len(tr.Steps)-1]; math.Float64bits(got) != math.Float64bits(want) {
					t.Errorf("%s: %s of sample %d is %v, the batch has %v", name, plane, sample, got, want)
				}
			}
		}
		for i, sample := range samples {
			if got := tr.Values[4][i][0]; got != 0.02 {
				t.Errorf("%s: dt is %v", name, got)
			}
			if got, want := tr.Values[5][i][len(tr.Steps)-1], r.Observables[0].Values[sample]; got != want {
				t.Errorf("%s: energy of sample %d is %v, want %v", name, sample, got, want)
			}
			if (r.Mask[sample] != 0) != (tr.Stop[i] >= 0) {
				t.Errorf("%s: sample %d stopped at %d, its mask is %d", name, sample, tr.Stop[i], r.Mask[sample])
			}
		}
		if len(tr.Comparisons) != 1 || tr.Comparisons[0].Text() != "s.K >= s.Nstop" {
			t.Errorf("comparisons %v", tr.Comparisons)
		}
		if got := tr.LHS[0][0][0]; got != 1 { // the first step makes k 1
			t.Errorf("the first step compares %v", got)
		}
	}
}

func TestFollowingRefusals(t *testing.T) {
	s := onHost(t, Options{}, SetBatch{N: 30}, LoadKernel{"oscillator"}, Configure{MaxSteps: ptr(5)}, Run{})
	for want, q := range map[string]Query{
		"from 1 to 256 samples":           FollowQuery{},
		"there is no sample 30":           FollowQuery{Samples: []int{30}},
		"there is no sample -1":           OriginQuery{Sample: -1},
		"nothing called \"xx\"":           FollowQuery{Samples: []int{1}, Names: []string{"xx"}},
		"steps 9 to 3 cannot be followed": FollowQuery{Samples: []int{1}, From: 9, To: 3},
		"name a folder":                   ReproductionQuery{Sample: 1},
	} {
		if _, err := s.Look(ctx, q); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%T gives %v, want %q", q, err, want)
		}
	}
	do(t, s, SetParam{"dt", 0.5})
	if _, err := s.Look(ctx, FollowQuery{Samples: []int{1}}); err == nil || !strings.Contains(err.Error(), "changed on its way") {
		t.Errorf("after an edit on the way: %v", err)
	}
	do(t, s, Rewind{})
	ask[*Trajectory](t, s, FollowQuery{Samples: []int{1}})
}

const nanKernel = `// Package root takes roots until there are none.
package root

import "math"

// Root is one sample.
//
//eaglet:kernel
type Root struct {
	D float64 ` + "`init:\"linspace(0, 1)\"`" + `
	X float64 ` + "`init:\"10\"`" + `
	Y float64
	Z [2]float64
}

// Step walks down.
func (s *Root) Step() (terminated bool) {
	s.X -= s.D
	y := 1.0
	for i := 0; i < 3; i++ {
		if i == 1 {
			y = math.Sqrt(s.X) + 1/(1/(s.X-s.X))
		}
	}
	s.Y = y * 2
	s.Z[1] += s.Y
	terminated = s.X < -100
	return
}
`

// The origin is the step and the expression that made the NaN, not one that it went through, and not an
// infinity that came and went.
func TestTheOriginOfANaN(t *testing.T) {
	path := filepath.Join(t.TempDir(), "root.go")
	must(t, os.WriteFile(path, []byte(nanKernel), 0o600))
	s := onHost(t, Options{}, SetBatch{N: 3}, LoadKernel{path}, RunSteps{N: 50})
	for sample, want := range map[int]string{
		0: "the state of sample 0 is finite",
		1: "sample 1: NaN came into y in step 21, from math.Sqrt(s.X) at " + path + ":22:8, of -0.5 (s.X -= s.D)",
		2: "sample 2: NaN came into y in step 11, from math.Sqrt(s.X) at " + path + ":22:8, of -1 (s.X -= s.D)",
	} {
		if got := ask[*Origin](t, s, OriginQuery{sample}).Sentence(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// What is written for one sample runs to the same bits as it did in the batch.
func TestAReproductionEndsAsTheSample(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "one")
	s := onHost(t, Options{}, SetBatch{N: 200, Seed: 3}, LoadKernel{"oscillator"}, Run{})
	want := results(t, s)
	r := ask[*Reproduction](t, s, ReproductionQuery{Sample: 123, Dir: dir})
	words := strings.Fields(r.Command)
	at := slices.Index(words, "--from")
	if len(r.Files) != 2 || words[0] != "eaglet" || words[1] != "run" || words[2] != r.Files[0] || words[at+1] != r.Files[1] {
		t.Fatalf("%q with %v", r.Command, r.Files)
	}
	batch := SetBatch{Values: map[string]float64{"dt": 0.01}}
	for i := range words {
		if words[i] == "--plane" {
			plane, name, _ := strings.Cut(words[i+1], "=#")
			batch.Mappings = append(batch.Mappings, mapping(plane, r.Files[1], name))
		}
	}
	one := results(t, onHost(t, Options{}, batch, LoadKernel{words[2]}, Run{}))
	if one.Planes.N != 1 || one.StepsTaken[0] != want.StepsTaken[123] {
		t.Errorf("%d samples, %d steps, want %d", one.Planes.N, one.StepsTaken[0], want.StepsTaken[123])
	}
	for _, plane := range []string{"x", "v"} {
		i := want.Planes.Index(plane)
		if got, want := one.Planes.Float(i, 0), want.Planes.Float(i, 123); got != want {
			t.Errorf("%s is %v, in the batch %v", plane, got, want)
		}
	}
}
