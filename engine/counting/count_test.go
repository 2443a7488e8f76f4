package counting_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaglet-workbench/eaglet/engine"
	. "github.com/eaglet-workbench/eaglet/engine/counting"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// told is what the runner itself said about a run.
type told struct {
	engine.Report
	launches []Launch
	reorders map[int]engine.Reorder // by launch: offers, Live32 as it is behind a reorder that fired
}

// ran runs stops on the real runner, over an engine that steps sample by sample.
func ran(t interface{ Fatal(...any) }, stops []uint32, r Rule, theta float64) told {
	script := enginetest.Script{Stops: make([]uint32, len(stops)), Reorders: true}
	mask := make([]byte, len(stops))
	for i, stop := range stops {
		switch stop {
		case 0:
			mask[i], script.Stops[i] = 1, 1
		case Never:
		default:
			script.Stops[i] = stop
		}
	}
	w := enginetest.CountWorkload().With(func(k *ir.Kernel) {
		k.StepsMax = int(r.StepsMax)
		if r.Policy == engine.PolicyFixed {
			k.Steps, k.StepsMax = int(r.K), 0
		}
		if !r.Active {
			k.Guard = ir.GuardMask
		}
	})
	planes := engine.NewPlanes(w.Kernel.Planes, len(stops))
	w.Fill(planes, enginetest.Never, 1, 1)
	b, err := w.Bind(enginetest.NewScripted(script), planes, mask)
	if err != nil {
		t.Fatal(err)
	}
	o := engine.RunOptions{MaxSteps: int(r.Cap), Policy: r.Policy, R: r.R, Every: int(r.Every), Trace: engine.NewTrace(1 << 14)}
	if r.Policy == engine.PolicyFixed {
		o.Policy = engine.PolicyAuto
	}
	if r.Resident {
		o.Wave = len(stops)
	}
	if r.Active {
		o.Reorder = theta
	}
	rep, err := b.Run(nil, o)
	if err != nil {
		t.Fatal(err)
	}
	out := told{Report: rep, reorders: map[int]engine.Reorder{}}
	out.join(o.Trace)
	return out
}

// join joins the events of a run's launches.
func (x *told) join(trace *engine.Trace) {
	events := make([]engine.Event, trace.Written())
	count, _ := trace.Read(0, events)
	for _, e := range events[:count] {
		at := len(x.launches) - 1
		switch e.Kind {
		case engine.EventLaunch:
			l := e.Launch()
			x.launches = append(x.launches, Launch{Word: l.Word, Times: 1, Live: l.Live, Newly: l.Newly, Done: l.Done})
		case engine.EventCompaction:
			x.launches[at].Compacted = e.Flags&engine.FlagSkipped == 0
		case engine.EventReorder:
			r := e.Reorder()
			if e.Flags&engine.FlagSkipped == 0 {
				r.Live32 = (r.Count + 31) / 32
			}
			x.reorders[at] = r
		case engine.EventPolicy:
			p := e.Policy()
			l := &x.launches[at]
			l.H, l.KStar, l.K = p.H, p.KStar, p.K
		}
	}
}

// one expands launches that are alike.
func one(l Launch) (out []Launch) {
	for left := l.Times; left > 0; left-- {
		x := l
		x.Times, x.Done = 1, l.Done-(left-1)*l.Word
		x.Compacted = l.Compacted && left == 1
		out = append(out, x)
	}
	return out
}

// drawStops is a batch of any shape.
func drawStops(t *rapid.T) []uint32 {
	s := Shaping{
		Shape:    Shape(rapid.IntRange(0, int(Shapes)-1).Draw(t, "shape")),
		N:        rapid.SampledFrom([]int{1, 2, 31, 32, 33, 64, 100, 300}).Draw(t, "n"),
		Shortest: rapid.Uint32Range(1, 200).Draw(t, "shortest"), Longest: rapid.Uint32Range(1, 700).Draw(t, "longest"),
		Share: rapid.Float64Range(0, 1).Draw(t, "share"), Seed: rapid.Uint64().Draw(t, "seed"),
	}
	stops := s.Stops()
	if rapid.Bool().Draw(t, "some are finished before") {
		for i := range stops {
			if i%7 == 3 {
				stops[i] = 0
			}
		}
	}
	return stops
}

// drawRule is a rule that can be counted.
func drawRule(t *rapid.T) Rule {
	r := Rule{
		Policy:   rapid.SampledFrom([]engine.Policy{engine.PolicyBand, engine.PolicyDoubling, engine.PolicyTiled, engine.PolicyFixed}).Draw(t, "policy"),
		R:        math.Exp2(float64(rapid.IntRange(-8, 6).Draw(t, "log2 R"))),
		StepsMax: rapid.SampledFrom([]uint32{64, 64, 128, 32, 16, 8}).Draw(t, "steps_max"),
		Cap:      rapid.Uint32Range(1, 1000).Draw(t, "cap"), Active: rapid.Bool().Draw(t, "active"),
	}
	if r.Policy == engine.PolicyFixed {
		r.K = rapid.Uint32Range(1, 40).Draw(t, "K")
		if r.Active && rapid.Bool().Draw(t, "every is given") {
			r.Every = r.K * rapid.Uint32Range((3+r.K)/r.K, 5).Draw(t, "every/K")
		}
	}
	r.Resident = r.Policy == engine.PolicyBand && rapid.Bool().Draw(t, "resident")
	return r
}

// differs says where what was counted is not what the runner did, "" for nowhere.
func differs(stops []uint32, r Rule, got told) string {
	var launches []Launch
	run, err := Count(NewProfile(stops), r, func(l Launch) { launches = append(launches, one(l)...) })
	if err != nil {
		return err.Error()
	}
	by := map[int]int{}
	for word, count := range run.ByWord {
		by[int(word)] = count
	}
	switch {
	case !maps.Equal(by, got.LaunchesByK):
		return fmt.Sprintf("launches by word: counted %v, ran %v", by, got.LaunchesByK)
	case run.Launches != got.Launches || int(run.Steps) != got.Steps:
		return fmt.Sprintf("counted %d launches and %d steps, ran %d and %d", run.Launches, run.Steps, got.Launches, got.Steps)
	case run.Compactions != got.Compactions:
		return fmt.Sprintf("counted %d compactions, ran %d", run.Compactions, got.Compactions)
	case int(run.Finished) != got.Finished:
		return fmt.Sprintf("counted %d finished, ran %d", run.Finished, got.Finished)
	case run.Useful != got.SampleSteps:
		return fmt.Sprintf("counted %d useful lane-steps, ran %d", run.Useful, got.SampleSteps)
	}
	for i, l := range launches {
		want := got.launches[i]
		if r.Policy != engine.PolicyBand || r.Resident {
			l.H, l.KStar, l.K = want.H, want.KStar, want.K // the runner does not say
		}
		l.Lanes = 0
		if l != want {
			return fmt.Sprintf("launch %d: counted %+v, ran %+v", i+1, l, want)
		}
	}
	return ""
}

func TestCountIsWhatTheRunnerDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stops, r := drawStops(t), drawRule(t)
		if d := differs(stops, r, ran(t, stops, r, 0)); d != "" {
			t.Fatalf("%+v: %s", r, d)
		}
	})
}

// The comparison above would notice another rule: one that compacts though nobody finished, a band that
// forgets the cap, a word that is off by one, stops that are one step late.
func TestAnotherRuleIsNoticed(t *testing.T) {
	s := Shaping{Shape: Spread, N: 300, Shortest: 5, Longest: 400, Seed: 3}
	stops := s.Stops()
	r := Rule{Policy: engine.PolicyBand, R: 0.25, StepsMax: 64, Cap: 350, Active: true}
	got := ran(t, stops, r, 0)
	if d := differs(stops, r, got); d != "" {
		t.Fatal(d)
	}
	late := slices.Clone(stops)
	for i := range late {
		late[i]++
	}
	for name, mutant := range map[string]func() string{
		"another R":         func() string { m := r; m.R = 1; return differs(stops, m, got) },
		"another cap":       func() string { m := r; m.Cap = 351; return differs(stops, m, got) },
		"no compaction":     func() string { m := r; m.Active = false; return differs(stops, m, got) },
		"doubling":          func() string { m := r; m.Policy = engine.PolicyDoubling; return differs(stops, m, got) },
		"a constant word":   func() string { m := r; m.Policy = engine.PolicyTiled; return differs(stops, m, got) },
		"stops that lag":    func() string { return differs(late, r, got) },
		"a smaller maximum": func() string { m := r; m.StepsMax = 32; return differs(stops, m, got) },
	} {
		if mutant() == "" {
			t.Errorf("%s is not noticed", name)
		}
	}
}

// What is paid, by hand: 64 samples, the first half stops after 10 steps, the other after 100.
func TestWhatIsPaid(t *testing.T) {
	stops := make([]uint32, 64)
	for i := range stops {
		stops[i] = 10 + 90*uint32(i/32)
	}
	fixed := Rule{Policy: engine.PolicyTiled, StepsMax: 16, R: 2, Cap: 1000, Active: true}
	for _, c := range []struct {
		name   string
		change func(*Rule)
		stops  []uint32
		paid   uint64
		compac int
		cost   float64
	}{
		// 16 steps of 64 lanes, then 6 launches of 16 steps of 32 lanes; two of them end with a compaction.
		{"with an active set", func(*Rule) {}, stops, 16*64 + 6*16*32, 2, (16*64+6*16*32)/64.0 + 2*2},
		// The first group of 32 leaves after its 10 steps, the second after 100.
		{"without one", func(r *Rule) { r.Active = false }, stops, 10*32 + 100*32, 0, 110 * 32 / 64.0},
		// Every second sample is late: both groups are held to the end.
		{"without one, interleaved", func(r *Rule) { r.Active = false }, Arrange(stops, Interleaved, 0), 100 * 64, 0, 100},
		{"a cap before the end", func(r *Rule) { r.Cap = 20 }, stops, 16*64 + 4*32, 1, (16*64+4*32)/64.0 + 2},
		// Half of them were finished before: nothing is paid for them, but the first boundary compacts.
		{"samples that were finished before", func(*Rule) {}, append(make([]uint32, 32), stops[32:]...), 7 * 16 * 32, 2, 7*16*32/64.0 + 2*2},
		{"a last group of one", func(r *Rule) { r.Active = false }, append(slices.Clone(stops), 7), 110*32 + 7, 0, (110*32 + 7) / 65.0},
	} {
		r := fixed
		c.change(&r)
		run, err := Count(NewProfile(c.stops), r, nil)
		if err != nil {
			t.Fatal(err)
		}
		if run.Paid != c.paid || run.Compactions != c.compac || run.Cost != c.cost {
			t.Errorf("%s: paid %d lane-steps, %d compactions, cost %v; want %d, %d, %v", c.name, run.Paid, run.Compactions, run.Cost, c.paid, c.compac, c.cost)
		}
	}
}

// Launches that are alike come as one, and the sum of what is held is what is paid.
func TestLaunchesSumUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stops, r := drawStops(t), drawRule(t)
		var steps, paid uint64
		count, done := 0, uint64(0)
		run, err := Count(NewProfile(stops), r, func(l Launch) {
			if l.Times > 1 && (l.Newly != 0 || l.Compacted) {
				t.Fatalf("launches in which somebody finishes are not alike: %+v", l)
			}
			if free := !r.Active || r.Resident; steps == 0 && (int(l.Lanes) > len(stops) || l.Live == uint32(len(stops)) && int(l.Lanes) != len(stops) || !free && l.Lanes != l.Live) {
				t.Fatalf("the first launch of %d samples holds %d lanes for %d live ones", len(stops), l.Lanes, l.Live)
			}
			steps += uint64(l.Word) * uint64(l.Times)
			paid += uint64(l.Word) * uint64(l.Times) * uint64(l.Lanes)
			count += int(l.Times)
			if done = uint64(l.Done); done != steps {
				t.Fatalf("done %d after words that sum to %d", done, steps)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if count != run.Launches || uint32(steps) != run.Steps {
			t.Fatalf("%d launches of %d steps, in all %d of %d", count, steps, run.Launches, run.Steps)
		}
		frees := r.Active && !r.Resident
		if frees && paid != run.Paid || !frees && paid < run.Paid || run.Paid < run.Useful {
			t.Fatalf("launches hold %d lane-steps, paid are %d, useful %d", paid, run.Paid, run.Useful)
		}
		if run.PaidPerUseful() < 1 {
			t.Fatalf("paid per useful %v", run.PaidPerUseful())
		}
	})
}

func TestWhatCannotBeCountedIsRefused(t *testing.T) {
	good := Rule{Policy: engine.PolicyBand, R: 1, StepsMax: 64, Cap: 100, Active: true}
	for _, c := range []struct {
		name, says string
		change     func(*Rule)
	}{
		{"a policy by the clock", "measured decides by the clock", func(r *Rule) { r.Policy = engine.PolicyMeasured }},
		{"a policy that is not resolved", "auto decides by the clock", func(r *Rule) { r.Policy = engine.PolicyAuto }},
		{"no policy at all", "no such policy", func(r *Rule) { r.Policy = 99 }},
		{"a fixed word of 0", "1 or more, not 0", func(r *Rule) { r.Policy = engine.PolicyFixed }},
		{"compactions out of step", "not a multiple", func(r *Rule) { r.Policy, r.K, r.Every = engine.PolicyFixed, 8, 12 }},
		{"no steps_max", "steps_max is 1 or more", func(r *Rule) { r.StepsMax = 0 }},
		{"no cap", "max_steps is 1 or more", func(r *Rule) { r.Cap = 0 }},
		{"a cost that is none", "R is a number of steps", func(r *Rule) { r.R = math.NaN() }},
	} {
		r := good
		c.change(&r)
		p := NewProfile([]uint32{5})
		_, count := Count(p, r, nil)
		_, weigh := Weigh(p, r)
		_, oracle := Oracle(p, r, nil)
		_, order := OrderOf([]uint32{5}, r, 0)
		for _, err := range []error{count, weigh, oracle, order} {
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s: %v, want it to say %q", c.name, err, c.says)
			}
		}
	}
}

func TestABatchThatIsOver(t *testing.T) {
	r := Rule{Policy: engine.PolicyBand, R: 1, StepsMax: 64, Cap: 100, Active: true}
	for _, stops := range [][]uint32{nil, {0}, make([]uint32, 100)} {
		w, err := Weigh(NewProfile(stops), r)
		if err != nil {
			t.Fatal(err)
		}
		if w.Run.Launches != 0 || w.Oracle.Launches != 0 || w.Run.Against(&w.Oracle) != 1 {
			t.Errorf("%d samples, all finished: %+v", len(stops), w)
		}
	}
}

// A batch that never ends costs as many steps as its cap, however far that is, and is counted at once.
func TestALongRunIsCountedInShort(t *testing.T) {
	stops := []uint32{40, Never, Never}
	calls := 0
	r := Rule{Policy: engine.PolicyBand, R: 1, StepsMax: 64, Cap: 2_000_000_000, Active: true}
	run, err := Count(NewProfile(stops), r, func(Launch) { calls++ })
	if err != nil || run.Steps != r.Cap || calls > 10 {
		t.Errorf("%d steps in %d pieces, %v", run.Steps, calls, err)
	}
	best, err := Oracle(NewProfile(stops), r, nil)
	if err != nil || best.Steps != r.Cap || best.Cost > run.Cost {
		t.Errorf("the oracle: %+v, %v", best, err)
	}
}
