package ptx_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/cuda/ptx"
	"github.com/eaglet-workbench/eaglet/engine/cuda/ptx/ptxtest"
	"github.com/eaglet-workbench/eaglet/engine/host"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// tick is a kernel that costs nothing and has planes of every size of element.
const tick = `package tick

//eaglet:kernel OPTIONS
type Tick struct {
	Nstop int32
	Bad   int32
	X     float64
	B     bool
	K     int32
}

func (s *Tick) Step() (terminated bool) {
	s.K++
	s.X += 100 / float64(s.K)
	s.B = !s.B
	s.Nstop += 0 / (s.K - s.Bad)
	return s.K >= s.Nstop
}
`

func tickKernel(t *testing.T, options string) *ir.Kernel {
	t.Helper()
	text := strings.Replace(tick, "OPTIONS", options, 1)
	k, ds := kernels.LoadSource([]kernels.SourceFile{{Name: "tick.go", Text: []byte(text)}}, "tick")
	if k == nil {
		t.Fatal(ds)
	}
	return k.IR
}

// onHost runs a batch with the host's loop, and gives its report and its events of the kinds that a device
// tells, without times.
func onHost(t *testing.T, b *ptxtest.Batch, o engine.RunOptions) (*engine.Report, []engine.Event) {
	t.Helper()
	program, err := host.New().Compile(b.Kernel)
	if err != nil {
		t.Fatal(err)
	}
	planes := engine.NewPlanes(b.Kernel.Planes, b.N)
	for i, p := range b.Planes {
		copy(planes.Bytes(i), p)
	}
	bound, err := program.Bind(planes, b.Mask)
	if err != nil {
		t.Fatal(err)
	}
	defer bound.Close()
	o.Trace = engine.NewTrace(1 << 14)
	report, err := engine.NewRunner(program, bound, planes, b.Mask, "host", "").Run(new(engine.Stop), o)
	if err != nil {
		t.Fatal(err)
	}
	copy(b.Taken, bound.StepsTaken())
	for i := range b.Planes {
		copy(b.Planes[i], planes.Bytes(i))
	}
	all := make([]engine.Event, 1<<14)
	n, _ := o.Trace.Read(0, all)
	return &report, told(all[:n])
}

// told are the events that a device tells, without what only a clock says.
func told(all []engine.Event) []engine.Event {
	var list []engine.Event
	for _, e := range all {
		e.Time = 0
		switch e.Kind {
		case engine.EventLaunch:
			e.Payload[4] = 0
		case engine.EventCompaction, engine.EventReorder:
			e.Payload[2] = 0
		case engine.EventPolicy:
		default:
			continue
		}
		list = append(list, e)
	}
	return list
}

// TestTheDevicesLoopDecidesAsTheHosts runs batches with the device's own kernels and with the host's loop:
// the same launches, compactions, reorders and words, told by the same events, and the same planes.
func TestTheDevicesLoopDecidesAsTheHosts(t *testing.T) {
	faulted := uint32(0)
	for _, c := range []struct {
		name     string
		kernel   string
		n, stops int
		options  engine.RunOptions
		resident bool
	}{
		{"band, cheap compactions", "steps=auto guard=active_set", 700, 300, engine.RunOptions{Policy: engine.PolicyBand, R: 0.02, MaxSteps: 1000}, false},
		{"band, dear compactions", "steps=auto guard=active_set", 700, 300, engine.RunOptions{Policy: engine.PolicyBand, R: 16, MaxSteps: 1000}, false},
		{"band, cut by the cap", "steps=auto guard=active_set", 300, 500, engine.RunOptions{Policy: engine.PolicyBand, R: 0.3, MaxSteps: 101}, false},
		{"band, without an active set", "steps=auto", 300, 200, engine.RunOptions{Policy: engine.PolicyBand, R: 0.3, MaxSteps: 1000}, false},
		{"band, one wave", "steps=auto guard=active_set", 300, 200, engine.RunOptions{Policy: engine.PolicyBand, R: 0.3, MaxSteps: 1000, Wave: 1000}, true},
		{"doubling", "steps=auto guard=active_set", 700, 300, engine.RunOptions{Policy: engine.PolicyDoubling, MaxSteps: 1000}, false},
		{"band with reorders", "steps=auto guard=active_set", 4500, 60, engine.RunOptions{Policy: engine.PolicyBand, R: 0.01, MaxSteps: 1000, Reorder: 0.75}, false},
		{"fixed, several launches a turn", "steps=3 guard=active_set", 300, 50, engine.RunOptions{MaxSteps: 40, Every: 12}, false},
		{"nobody is left", "steps=auto guard=active_set", 40, 0, engine.RunOptions{Policy: engine.PolicyBand, R: 1, MaxSteps: 10}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := tickKernel(t, c.kernel)
			got := tickBatch(k, c.n, c.stops)
			want := got.Clone()
			report, events := onHost(t, want, c.options)
			loop := &ptxtest.Loop{Batch: got, Capacity: 1 << 12, Control: controlOf(k, c.options)}
			if loop.PerTurn = 1; !k.Auto() {
				loop.PerTurn = c.options.Every / k.Steps
			}
			if c.stops < 300 { // a short ring, and somebody who reads it
				loop.Capacity, loop.Follow = 8, true
			}
			if c.resident {
				loop.Control.Resident, loop.Control.Flags = 1, 0
			}
			if err := loop.Run(newEmulated()); err != nil {
				t.Fatal(err)
			}
			if err := got.Difference(want); err != nil {
				t.Error(err)
			}
			compareLoop(t, loop, report, events)
			faulted += loop.Control.Faulted
			if c.options.Reorder != 0 && loop.Control.Reorders == 0 {
				t.Error("nothing was reordered")
			}
		})
	}
	if faulted == 0 {
		t.Error("no sample has faulted")
	}
}

func tickBatch(k *ir.Kernel, n, stops int) *ptxtest.Batch {
	b := ptxtest.NewBatch(k, n, 5)
	r := rand.New(rand.NewPCG(9, uint64(n)))
	for i := range n {
		b.Mask[i], b.Taken[i] = 0, 0
		if stops == 0 || r.IntN(50) == 0 {
			b.Mask[i] = 1
		}
	}
	for i, p := range b.Planes {
		clear(p)
		if len(p) < 4*n || i > 1 {
			continue
		}
		words := unsafe.Slice((*int32)(unsafe.Pointer(&p[0])), n)
		for j := range words {
			if words[j] = int32(1 + r.IntN(max(stops, 1))); i == 1 && r.IntN(20) > 0 {
				words[j] = -1 // faults never
			}
		}
	}
	return b
}

// controlOf is what a host writes to the block for a run.
func controlOf(k *ir.Kernel, o engine.RunOptions) ptx.Control {
	c := ptx.Control{
		Theta: float32(o.Reorder), R: o.R, Rule: ptx.RuleBand, StepsMax: uint32(k.StepsMax),
		Limit: uint32(o.MaxSteps), Boundary: uint32(o.MaxSteps),
	}
	switch {
	case !k.Auto():
		c.Rule, c.StepsMax = ptx.RuleFixed, uint32(k.Steps)
		c.Limit = uint32((o.MaxSteps + o.Every - 1) / o.Every * o.Every)
	case o.Policy == engine.PolicyDoubling:
		c.Rule = ptx.RuleDoubling
	}
	if k.Guard == ir.GuardActiveSet {
		c.Flags |= ptx.FlagActive
	}
	if o.Reorder != 0 {
		c.Flags |= ptx.FlagReorder
	}
	return c
}

func compareLoop(t *testing.T, loop *ptxtest.Loop, report *engine.Report, events []engine.Event) {
	t.Helper()
	c := &loop.Control
	words := map[int]int{}
	for i, n := range c.ByLog {
		if n > 0 && i == ptx.OddWord {
			words[int(c.StepsMax)] += int(n)
		} else if n > 0 {
			words[1<<i] += int(n)
		}
	}
	if c.CutWord > 0 {
		words[int(c.CutWord)]++
	}
	for k, n := range report.LaunchesByK {
		if words[k] != n {
			t.Errorf("launches by word: %v, want %v", words, report.LaunchesByK)
			break
		}
	}
	for _, f := range []struct {
		name      string
		got, want int
	}{
		{"launches", int(c.Launches), report.Launches},
		{"steps", int(c.Done), report.Steps},
		{"compactions", int(c.Compactions), report.Compactions},
		{"reorders", int(c.Reorders), report.Reorders},
		{"finished", int(c.Finished), report.Finished},
		{"faulted", int(c.Faulted), report.Faulted},
		{"events lost", int(loop.Lost), 0},
	} {
		if f.got != f.want {
			t.Errorf("%s: %d, want %d", f.name, f.got, f.want)
		}
	}
	got := told(loop.Events)
	for i := range max(len(got), len(events)) {
		if i >= len(got) || i >= len(events) || got[i] != events[i] {
			t.Fatalf("event %d of %d is not that of the host's %d:\n%+v", i, len(got), len(events), around(got, events, i))
		}
	}
}

func around(got, want []engine.Event, i int) (pair [2]engine.Event) {
	if i < len(got) {
		pair[0] = got[i]
	}
	if i < len(want) {
		pair[1] = want[i]
	}
	return pair
}

// TestAFullRingLosesEventsAndCountsThem lets nobody read.
func TestAFullRingLosesEventsAndCountsThem(t *testing.T) {
	k := tickKernel(t, "steps=auto guard=active_set")
	loop := &ptxtest.Loop{Batch: tickBatch(k, 100, 60), Capacity: 4}
	loop.Control = controlOf(k, engine.RunOptions{R: 0.1, MaxSteps: 100})
	if err := loop.Run(newEmulated()); err != nil {
		t.Fatal(err)
	}
	if want := 3*loop.Control.Launches - 4; len(loop.Events) != 4 || loop.Lost != uint64(want) {
		t.Errorf("%d events and %d lost, want 4 and %d", len(loop.Events), loop.Lost, want)
	}
}

// TestTheConditionFollowsTheGuard answers the call that sets the condition of a WHILE node.
func TestTheConditionFollowsTheGuard(t *testing.T) {
	k := tickKernel(t, "steps=auto guard=active_set")
	var values []byte
	m := newEmulated()
	m.extern = func(name string, args []uint64) error {
		if name != "cudaGraphSetConditional" || len(args) != 2 || args[0] != 7 {
			t.Errorf("call of %s with %v", name, args)
		}
		values = append(values, byte(args[1]))
		return nil
	}
	loop := &ptxtest.Loop{Batch: tickBatch(k, 100, 60), Capacity: 64, While: true}
	loop.Control = controlOf(k, engine.RunOptions{R: 0.1, MaxSteps: 100})
	if err := loop.Run(m); err != nil {
		t.Fatal(err)
	}
	want := append(bytes.Repeat([]byte{1}, int(loop.Control.Launches)), 0)
	if !bytes.Equal(values, want) {
		t.Errorf("the condition was set to %v, want %v", values, want)
	}
}
