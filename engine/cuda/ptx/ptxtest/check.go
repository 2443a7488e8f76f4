package ptxtest

import (
	"fmt"
	"math"

	"github.com/eaglet-workbench/eaglet/engine/cuda/ptx"
	"github.com/eaglet-workbench/eaglet/kernels/generate"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// Case is a kernel with the size of a batch, and how it is run.
type Case struct {
	Name    string
	Kernel  *ir.Kernel
	N       int
	Seed    uint64
	Steps   uint32 // steps of a launch
	Options ptx.Options

	Defaults bool                     // planes as the kernel's init tags fill them, not any values
	Modify   func(text string) string // of mutants; nil: the text as it is
}

// checker is a case while it is checked.
type checker struct {
	Case
	machine Machine
	module  *ptx.Module
	program Program
	code    *interp.Code
}

// Check runs every entry of the case's kernel and compares with the interpreter. Batches are ragged: some
// samples have finished, some have taken steps.
func (c Case) Check(m Machine) error {
	k := &checker{Case: c, machine: m, code: interp.Compile(c.Kernel)}
	var err error
	if k.module, err = ptx.Generate(c.Kernel, c.Options); err != nil {
		return err
	}
	text := k.module.Text
	if c.Modify != nil {
		text = c.Modify(text)
	}
	if k.program, err = m.Load(text); err != nil {
		return fmt.Errorf("load: %w", err)
	}
	defer k.program.Close()
	for _, check := range []func() error{k.entries, k.untracked, k.stops, k.init, k.observables} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// geometry is a grid and a block that a case takes from its seed: launches are right with any.
func (k *checker) geometry(turn int) (grid, block int) {
	i := int(k.Seed) + turn
	return 1 + i%3, []int{32, 128, 64, 256}[i%4]
}

// batch is a batch of the case, another for every number.
func (k *checker) batch(number uint64) *Batch {
	b := NewBatch(k.Kernel, k.N, k.Seed+number)
	for i := range b.Planes {
		if !k.Defaults {
			break
		}
		p := &k.Kernel.Planes[i]
		rows := uint64(k.N)
		switch {
		case p.Role == ir.RoleParam:
			rows = 1
		case p.Role == ir.RoleTable && p.Len == 0:
			continue // only the caller can fill it
		case p.Role == ir.RoleTable:
			rows = uint64(p.Len)
		}
		b.Planes[i] = make([]byte, rows*uint64(p.Width()*p.Type.Bytes()))
		if err := generate.Fill(p, b.Planes[i], k.Seed+number, 0, rows, rows); err != nil {
			panic(err)
		}
	}
	return b
}

// entries runs the entries of a step, from ragged batches.
func (k *checker) entries() error {
	for turn, kind := range []ptx.Kind{ptx.Single, ptx.Fused, ptx.SingleActive, ptx.FusedActive, ptx.Persistent} {
		if k.module.Entries[kind] == "" {
			continue
		}
		b := k.batch(0)
		start, end := k.N/8, k.N-k.N/16
		if turn%2 == 1 {
			start, end = 0, k.N
		}
		if err := k.entry(kind, turn, b, start, end, 3+k.Steps); err != nil {
			return fmt.Errorf("%v: %w", kind, err)
		}
	}
	return nil
}

// untracked runs entries without steps taken and without faults.
func (k *checker) untracked() error {
	for turn, kind := range []ptx.Kind{ptx.Single, ptx.Fused, ptx.Persistent} {
		b := k.batch(1)
		b.Taken, b.From, b.Faults = nil, 2, nil
		if err := k.entry(kind, turn, b, 0, k.N, 2+k.Steps); err != nil {
			return fmt.Errorf("%v, steps not kept: %w", kind, err)
		}
	}
	return nil
}

// entry runs one entry once and compares.
func (k *checker) entry(kind ptx.Kind, turn int, b *Batch, start, end int, upto uint32) error {
	list := slots(start, end)
	if kind == ptx.SingleActive || kind == ptx.FusedActive {
		list = b.Map
	}
	from := uint32(3)
	if b.Taken == nil {
		from = b.From
	}
	one := kind == ptx.Single || kind == ptx.SingleActive
	live := len(b.live(list, upto))
	want := b.Clone()
	r := want.interpret(k.code, list, upto, one)

	control := &ptx.Control{
		Finished: 5, Faulted: 2, Upto: upto, From: from, Count: uint32(len(b.Map)), Next: uint32(start), Chunk: 1 + uint32(k.Seed%5),
	}
	got := b.Clone()
	if err := k.run(kind, turn, got, start, end, control, never); err != nil {
		return err
	}
	if err := got.Difference(want); err != nil {
		return err
	}
	full := upto - from
	if one {
		full = 1
	}
	steps, longest := control.Launch(uint32(live), full)
	if kind == ptx.Persistent {
		steps, longest = control.Steps, control.Longest
		if control.Steps > control.LaneChunks*uint64(control.Chunk) {
			return fmt.Errorf("%d steps in %d chunks of %d", control.Steps, control.LaneChunks, control.Chunk)
		}
	}
	for _, f := range []struct {
		name      string
		got, want uint64
	}{
		{"finished", uint64(control.Finished), uint64(5 + r.Newly)},
		{"faulted", uint64(control.Faulted), uint64(2 + r.Faulted)},
		{"sample-steps", steps, r.SampleSteps},
		{"longest", uint64(longest), uint64(r.Longest)},
		{"last stop", uint64(control.LastStop), uint64(r.LastStop)},
		{"stopped", uint64(control.Stopped), 0},
	} {
		if f.got != f.want {
			return fmt.Errorf("%s is %d, want %d", f.name, f.got, f.want)
		}
	}
	return k.faults(got, r.Faults.All())
}

// run makes one launch.
func (k *checker) run(kind ptx.Kind, turn int, b *Batch, start, end int, control *ptx.Control, when cancelling) error {
	defer k.machine.Reset()
	grid, block := k.geometry(turn)
	return k.program.Launch(Launch{
		Entry: k.module.Entries[kind], GridX: grid, GridY: 1, Block: block,
		Args: b.args(k.machine, start, end, control, when),
	})
}

// faults compares what was noted of faults with the first ones that the interpreter found.
func (k *checker) faults(b *Batch, want []interp.Fault) error {
	if b.Faults == nil {
		return nil
	}
	for _, f := range want {
		note := b.Faults[f.Sample]
		site, step := uint32(note), uint32(note>>32)
		if site == 0 || int(site) > len(k.module.Sites) {
			return fmt.Errorf("sample %d faulted at site %d of %d", f.Sample, site, len(k.module.Sites))
		}
		if s := k.module.Sites[site-1]; s.Kind != f.Kind || s.Pos != f.Pos || step != f.Step {
			return fmt.Errorf("sample %d: fault %v at %v, step %d, want %v at %v, step %d", f.Sample, s.Kind, s.Pos, step, f.Kind, f.Pos, f.Step)
		}
	}
	return nil
}

// stops runs with cancel set before the launch, then in the midst of it, and then goes on to the end, which is
// that of one run.
func (k *checker) stops() error {
	upto := 6 + k.Steps
	for turn, kind := range []ptx.Kind{ptx.Fused, ptx.Persistent} {
		got := k.batch(2)
		want := got.Clone()
		r := want.interpret(k.code, slots(0, k.N), upto, false)
		steps := uint64(0)
		for _, when := range []cancelling{before, inTheMidst, never} {
			control := &ptx.Control{Upto: upto, From: 3, Chunk: 2}
			live := len(got.live(slots(0, k.N), upto))
			if err := k.run(kind, turn, got, 0, k.N, control, when); err != nil {
				return fmt.Errorf("%v, stopped: %w", kind, err)
			}
			n, _ := control.Launch(uint32(live), upto-3)
			if kind == ptx.Persistent {
				n = control.Steps
			}
			steps += n
			if when == before {
				if err := k.inTime(kind, n, upto-3, control); err != nil {
					return fmt.Errorf("%v, stopped: %w", kind, err)
				}
			}
			left, counted := len(got.live(slots(0, k.N), upto)), int(control.Stopped)
			good := left == counted
			if kind == ptx.Persistent { // nobody has looked into the slots that no lane has taken up
				good = left == 0 || counted > 0 || int(control.Next) < k.N
			}
			if !good || when == never && left+counted != 0 {
				return fmt.Errorf("%v, stopped: %d samples are not done, %d were counted", kind, left, counted)
			}
		}
		if err := got.Difference(want); err != nil {
			return fmt.Errorf("%v, stopped: %w", kind, err)
		}
		if steps != r.SampleSteps {
			return fmt.Errorf("%v, stopped: %d sample-steps, want %d", kind, steps, r.SampleSteps)
		}
	}
	return nil
}

// inTime says whether lanes that were told to leave before a launch of full steps did so: at their first look.
func (k *checker) inTime(kind ptx.Kind, steps uint64, full uint32, c *ptx.Control) error {
	look := k.Options.Look
	if kind == ptx.Fused && full >= look && steps > 0 {
		return fmt.Errorf("%d steps were run", steps)
	}
	if kind == ptx.Persistent && c.Longest > look+c.Chunk {
		return fmt.Errorf("a sample took %d steps, between looks are %d", c.Longest, look)
	}
	return nil
}

// init runs Init.
func (k *checker) init() error {
	if k.Kernel.Init == nil {
		return nil
	}
	b := k.batch(3)
	want := b.Clone()
	faults, _ := k.code.Init().NewMachine().Store(want.Planes, k.N, interp.NewCursor(0, k.N), nil)
	control := &ptx.Control{}
	got := b.Clone()
	if err := k.run(ptx.Init, 1, got, 0, k.N, control, never); err != nil {
		return fmt.Errorf("init: %w", err)
	}
	if err := got.Difference(want); err != nil {
		return fmt.Errorf("init: %w", err)
	}
	if n := len(faults); n < interp.MaxFaults && int(control.Faulted) != n {
		return fmt.Errorf("init: %d faults, want %d", control.Faulted, n)
	}
	if err := k.faults(got, faults); err != nil {
		return fmt.Errorf("init: %w", err)
	}
	return nil
}

// observables runs every observable.
func (k *checker) observables() error {
	for i, name := range k.module.Observables {
		b := k.batch(4)
		want := make([]float64, k.N)
		k.code.Observable(i).NewMachine().Float64(0, b.Planes, k.N, 0, want, nil)
		grid, block := k.geometry(i)
		err := k.program.Launch(Launch{Entry: name, GridX: grid, GridY: 1, Block: block, Args: b.args(k.machine, 0, k.N, &ptx.Control{}, never)})
		k.machine.Reset()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		for j := range want {
			if g, w := math.Float64bits(b.Out[j]), math.Float64bits(want[j]); g != w {
				return fmt.Errorf("%s of sample %d: got %x, want %x", name, j, g, w)
			}
		}
	}
	return nil
}
