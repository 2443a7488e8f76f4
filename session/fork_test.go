package session

import (
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels"
)

func forked(t *testing.T, s *Session, c ForkRun) *Fork {
	t.Helper()
	do(t, s, c)
	f := s.State().Fork
	if f == nil {
		t.Fatalf("%+v: there is no fork", c)
	}
	return f
}

func TestAForkChangesDecisionsAndNoBit(t *testing.T) {
	s := onHost(t, Options{Observe: true}, SetBatch{N: 3000, Seed: 1}, LoadKernel{"oscillator"}, Configure{R: ptr(0.25)}, Run{})
	before, generation, report := results(t, s), s.State().Generation, *s.State().Report
	for name, c := range map[string]ForkRun{
		"another R":            {R: ptr(4.0)},
		"another policy":       {Policy: ptr(engine.PolicyTiled)},
		"the persistent entry": {Policy: ptr(engine.PolicyAuto), Entry: ptr(engine.EntryPersistent), Chunk: ptr(8)},
		"fixed steps":          {Policy: ptr(engine.PolicyAuto), Compile: kernels.Options{StepsPerLaunch: "64"}},
	} {
		f := forked(t, s, c)
		if !f.Equal.Known || f.Equal.Samples != 0 || f.Report.Finished != 3000 {
			t.Errorf("%s: %+v, %d finished", name, f.Equal, f.Report.Finished)
		}
		if len(f.Changes) == 0 || f.Report.Launches == report.Launches || len(f.Events) == 0 {
			t.Errorf("%s: %v, %d launches as before, %d events", name, f.Changes, f.Report.Launches, len(f.Events))
		}
	}
	sameResults(t, "the batch after its forks", results(t, s), before)
	if st := s.State(); st.Generation != generation || st.Phase != Ended || st.Report.Launches != report.Launches {
		t.Errorf("the run is another one: generation %d, %v", st.Generation, st.Phase)
	}
	do(t, s, DropFork{})
	if s.State().Fork != nil {
		t.Error("the fork is still there")
	}
}

func TestAForkThatChangesValuesDiffers(t *testing.T) {
	s := onHost(t, Options{Observe: true}, SetBatch{N: 500, Seed: 1}, LoadKernel{"oscillator"}, Configure{R: ptr(0.25)}, Run{})
	f := forked(t, s, ForkRun{Values: map[string]float64{"dt": 0.02}})
	if !f.Equal.Known || f.Equal.Samples != 500 || f.Equal.First != 0 || strings.Join(f.Equal.Planes, " ") != "x v" {
		t.Errorf("%+v", f.Equal)
	}
	if f := forked(t, s, ForkRun{MaxSteps: ptr(50)}); f.Equal.Samples == 0 || f.Report.Status != "max_steps" {
		t.Errorf("%+v, %s", f.Equal, f.Report.Status)
	}
	if f := forked(t, s, ForkRun{Compile: kernels.Options{Precision: "f32"}}); f.Equal.Known || f.Report.Finished != 500 {
		t.Errorf("another precision: %+v, %d finished", f.Equal, f.Report.Finished)
	}
}

func TestForkRefusals(t *testing.T) {
	s := onHost(t, Options{})
	for _, c := range []struct {
		before  []Command
		command ForkRun
		want    string
	}{
		{nil, ForkRun{R: ptr(1.0)}, "no kernel is loaded"},
		{[]Command{LoadKernel{"oscillator"}}, ForkRun{}, "nothing is changed"},
		{nil, ForkRun{R: ptr(-1.0), MaxSteps: ptr(0), Values: map[string]float64{"q": 1}}, "positive number of steps"},
		{nil, ForkRun{Values: map[string]float64{"q": 1}}, `no plane or param "q"`},
		{nil, ForkRun{Policy: ptr(engine.PolicyFixed)}, "the policy is auto"},
	} {
		do(t, s, c.before...)
		if err := s.Do(ctx, c.command); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v gives %v, want %q", c.command, err, c.want)
		}
	}
}

// Another order of the samples changes what launches cost, and no bit of any sample.
func TestAForkInAnotherOrder(t *testing.T) {
	s := onHost(t, Options{Observe: true}, SetBatch{N: 3000, Seed: 1}, LoadKernel{"oscillator"}, Configure{R: ptr(0.25)}, Run{})
	want, own := results(t, s), *s.State().Report
	for a := ArrangeByStops; a < arranges; a++ {
		f := forked(t, s, ForkRun{Order: a})
		if !f.Equal.Known || f.Equal.Samples != 0 {
			t.Errorf("%s: %s", a, f.Equal.Sentence())
		}
		for i, taken := range f.Stops.Taken {
			if taken != want.StepsTaken[i] || f.Stops.Mask[i] != want.Mask[i] {
				t.Fatalf("%s: sample %d took %d steps, want %d", a, i, taken, want.StepsTaken[i])
			}
		}
		if f.Report.Steps != own.Steps || f.Changes[0] != "samples in the order "+a.String() {
			t.Errorf("%s: %d steps, %v", a, f.Report.Steps, f.Changes)
		}
	}
	// A sample whose value differs is told by its own number.
	f := forked(t, s, ForkRun{Order: ArrangeReversed, MaxSteps: ptr(500)})
	first := 0
	for want.StepsTaken[first] <= 500 {
		first++
	}
	if f.Equal.First != first {
		t.Errorf("the first that differs is %d, want %d", f.Equal.First, first)
	}
	for name, want := range map[string]Arrange{"stops": ArrangeByStops, "reversed": ArrangeReversed, "shuffled": ArrangeShuffled, "same": ArrangeSame} {
		if got, err := ArrangeNamed(name); err != nil || got != want {
			t.Errorf("%s is %v, %v", name, got, err)
		}
	}
	if _, err := ArrangeNamed("best"); err == nil {
		t.Error("there is an order called best")
	}
}

func TestSamplesLieByTheirStops(t *testing.T) {
	s := onHost(t, Options{}, SetBatch{N: 50, Seed: 1}, LoadKernel{"oscillator"}, RunSteps{N: 60})
	r := results(t, s)
	b := &batch{n: 50, mask: r.Mask, seed: 1}
	b.bound = fixedTaken{taken: r.StepsTaken}
	seen := map[int]bool{}
	before := uint32(0)
	live := false
	for _, sample := range b.arrangement(ArrangeByStops) {
		seen[sample] = true
		if r.Mask[sample] == 0 {
			live = true
			continue
		}
		if live || r.StepsTaken[sample] < before {
			t.Errorf("sample %d with stop %d lies behind one that stops later", sample, r.StepsTaken[sample])
		}
		before = r.StepsTaken[sample]
	}
	if len(seen) != 50 {
		t.Errorf("%d samples", len(seen))
	}
}

// fixedTaken is an engine's memory of which only the steps are asked for.
type fixedTaken struct {
	engine.Bound
	taken []uint32
}

func (f fixedTaken) StepsTaken() []uint32 { return f.taken }
