package session

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/host"
	"github.com/eaglet-workbench/eaglet/snapshots"
)

// drift has what a rewind can get wrong: state that Init derives from an input and a param, state that is
// its own start, an output, and a counter.
const drift = `// Package drift lets samples drift apart.
package drift

// Drift is one sample.
//
//eaglet:kernel steps=auto guard=active_set
type Drift struct {
	Speed float64 ` + "`init:\"uniform(0.5, 2)\"`" + `
	Dt    float64 ` + "`plane:\"param\" init:\"0.125\"`" + `
	X     float64 ` + "`init:\"uniform(-1, 1)\"`" + `
	V     float64
	K     int32
	Last  float64
}

// Init derives the velocity.
func (s *Drift) Init() {
	s.V = s.Speed * s.Dt
}

// Step moves a sample until it is 10 away.
func (s *Drift) Step() (terminated bool) {
	s.X += s.V * s.Dt
	s.V += s.Dt
	s.K++
	s.Last = s.V
	terminated = s.X >= 10
	return
}

// Twice is an observable.
func (s *Drift) Twice() float64 { return 2 * s.X }
`

func driftFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "drift.go")
	if err := os.WriteFile(file, []byte(drift), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Rewind gives the bits of the start, whether there is a copy of it or it is made again, and the run after
// it is the run before it.
func TestRewindGivesTheSameBits(t *testing.T) {
	file := driftFile(t)
	t.Chdir(t.TempDir())
	var table strings.Builder
	table.WriteString("x,speed\n")
	for i := range 300 {
		table.WriteString(floatText(float64(i%17)/4-2) + "," + floatText(1+float64(i%13)/8) + "\n")
	}
	writeFile(t, "f.csv", table.String())
	for name, batch := range map[string]SetBatch{
		"planes that are generated":      {N: 300, Seed: 5},
		"a state plane from a column":    {Seed: 5, Mappings: []snapshots.Mapping{mapping("x", "f.csv", "x")}},
		"an input plane from a column":   {Seed: 5, Mappings: []snapshots.Mapping{mapping("speed", "f.csv", "speed")}},
		"a value for a state plane":      {N: 300, Seed: 5, Values: map[string]float64{"x": 0.25, "dt": 0.0625}},
		"both columns and another param": {Seed: 5, Mappings: []snapshots.Mapping{mapping("x", "f.csv", "x"), mapping("speed", "f.csv", "speed")}, Values: map[string]float64{"dt": 0.25}},
	} {
		t.Run(name, func(t *testing.T) {
			var starts, ends []*Results
			for _, limit := range []int64{0, 300 * 80} { // the second is too small for a copy
				s := startOn(t, Options{MemoryBytes: limit}, host.New(host.WithWorkers(2)))
				do(t, s, batch, LoadKernel{file})
				start := results(t, s)
				do(t, s, Run{})
				end := results(t, s)
				if st := s.State(); st.Finished != 300 || bytes.Equal(start.Planes.Bytes(2), end.Planes.Bytes(2)) {
					t.Fatalf("the run did nothing: %+v", st.Report)
				}
				// The files may change or go: they are not read again.
				os.Rename("f.csv", "gone.csv")
				for range 2 {
					do(t, s, Rewind{})
					wantPhase(t, s, Ready)
					sameResults(t, "rewound", results(t, s), start)
					do(t, s, Run{})
					sameResults(t, "run again", results(t, s), end)
				}
				os.Rename("gone.csv", "f.csv")
				starts, ends = append(starts, start), append(ends, end)
			}
			sameResults(t, "the start without a copy", starts[1], starts[0])
			sameResults(t, "the end without a copy", ends[1], ends[0])
		})
	}
}

func floatText(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// A param that is set after the start holds from there on, and for the start of the next run: that is the
// batch which had the value from the beginning.
func TestAParamThatIsSetOnTheWay(t *testing.T) {
	file := driftFile(t)
	for _, limit := range []int64{0, 300 * 80} {
		s := startOn(t, Options{MemoryBytes: limit}, host.New(host.WithWorkers(2)))
		do(t, s, SetBatch{N: 300, Seed: 5}, LoadKernel{file}, RunSteps{N: 10}, SetParam{"dt", 0.5}, RunSteps{N: 1})
		st := s.State()
		if len(st.History) != 2 || st.History[0].Params[0].Value != 0.125 || st.History[1].Params[0].Value != 0.5 || st.Params[0].Value != 0.5 {
			t.Errorf("history %+v", st.History)
		}
		r := results(t, s)
		// Sample 0 by hand: ten steps of an eighth, one of a half.
		fresh := startOn(t, Options{}, host.New(host.WithWorkers(1)))
		do(t, fresh, SetBatch{N: 300, Seed: 5}, LoadKernel{file})
		p := results(t, fresh).Planes
		x, v := p.Float(2, 0), p.Float(0, 0)*0.125
		for i := range 11 {
			dt := 0.125
			if i == 10 {
				dt = 0.5
			}
			x += v * dt
			v += dt
		}
		if got := r.Planes.Float(2, 0); got != x {
			t.Errorf("x of sample 0 is %v, want %v", got, x)
		}
		do(t, s, Rewind{}, Run{})
		do(t, fresh, SetBatch{N: 300, Seed: 5, Values: map[string]float64{"dt": 0.5}}, Run{})
		sameResults(t, "after a rewind", results(t, s), results(t, fresh))
		do(t, s, Rewind{}, Run{})
		sameResults(t, "after another rewind", results(t, s), results(t, fresh))
		// At the start a value makes the start anew, Init and all.
		do(t, s, Rewind{}, SetParam{"dt", 0.25}, Run{})
		do(t, fresh, Rewind{}, SetBatch{N: 300, Seed: 5, Values: map[string]float64{"dt": 0.25}}, Run{})
		sameResults(t, "set at the start", results(t, s), results(t, fresh))
	}
}

// A state plane that is set on the way is an edit of this run only.
func TestAStatePlaneThatIsSetOnTheWay(t *testing.T) {
	s := startOn(t, Options{}, host.New(host.WithWorkers(2)))
	do(t, s, SetBatch{N: 300, Seed: 5}, LoadKernel{driftFile(t)})
	start := results(t, s)
	do(t, s, RunSteps{N: 3}, SetParam{"x", 0})
	if r := results(t, s); r.Planes.Float(2, 7) != 0 {
		t.Errorf("x = %v after it was set to 0", r.Planes.Float(2, 7))
	}
	do(t, s, Rewind{})
	sameResults(t, "rewound", results(t, s), start)
}

func TestObservablesAndNotes(t *testing.T) {
	t.Chdir(t.TempDir())
	s := startOn(t, Options{}, host.New(host.WithWorkers(2)))
	do(t, s, SetBatch{N: 30, Seed: 5}, LoadKernel{driftFile(t)}, Run{}, Export{"out.csv"})
	r := results(t, s)
	if len(r.Observables) != 1 || r.Observables[0].Name != "twice" {
		t.Fatalf("observables %+v", r.Observables)
	}
	for i, v := range r.Observables[0].Values {
		if v != 2*r.Planes.Float(2, i) {
			t.Errorf("twice of sample %d is %v, x is %v", i, v, r.Planes.Float(2, i))
		}
	}
	text, err := os.ReadFile("out.csv")
	if err != nil || !strings.HasPrefix(string(text), "speed,x,v,k,last,twice,terminated,steps_taken\n") {
		t.Errorf("%.100s, %v", text, err)
	}
	want := []string{"plane speed: uniform(0.5, 2), seed 5", "param dt: 0.125", "plane x: uniform(-1, 1), seed 5", "plane k: 0", "computed by Init: v"}
	if got := s.State().Notes; !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
}

// The bundled oscillator, on the real engine, in both modes: interrupted at some time, the end is the same.
func TestOscillatorOnTheHost(t *testing.T) {
	var want *Results
	for _, observe := range []bool{false, true} {
		s := startOn(t, Options{Observe: observe}, host.New(host.WithWorkers(2)))
		told := record(t, s)
		do(t, s, SetBatch{N: 1_000, Seed: 11}, LoadKernel{"oscillator"})
		if st := s.State(); st.Kernel == nil || st.Kernel.IR.Name != "oscillator" || (st.Policy == engine.PolicyBand) != observe || len(st.Params) == 0 {
			t.Fatalf("%+v", st)
		}
		do(t, s, Run{})
		st := s.State()
		if st.Finished != 1_000 || st.Report.Status != "finished" || st.Report.NonFinite != 0 {
			t.Fatalf("report %+v", st.Report)
		}
		policy := map[bool]string{false: "tiled", true: "band"}[observe]
		if st.Report.Entry == "persistent" && !observe {
			policy = "auto" // one launch, no policy
		}
		if st.Report.Policy != policy {
			t.Errorf("policy %s, want %s", st.Report.Policy, policy)
		}
		end := results(t, s)
		if want == nil {
			want = end
		}
		sameResults(t, "the other mode", end, want)
		take[RunEnded](t, told, 1)

		do(t, s, Rewind{})
		must(t, s.Do(ctx, Run{}))
		time.Sleep(time.Millisecond)
		must(t, s.Do(ctx, Cancel{}))
		must(t, s.Wait(ctx))
		for s.State().Phase == Paused {
			do(t, s, Continue{})
		}
		sameResults(t, "interrupted", results(t, s), want)
	}
}

func TestSecondsOfWallAreThere(t *testing.T) {
	s := startOn(t, Options{}, host.New())
	do(t, s, SetBatch{N: 100}, LoadKernel{"oscillator"}, Run{})
	st := s.State()
	if st.Since.IsZero() || time.Since(st.Since) > time.Minute || st.Report.Wall <= 0 || math.IsNaN(st.Report.R) {
		t.Errorf("since %v, wall %v", st.Since, st.Report.Wall)
	}
}
