package host

import (
	"errors"
	"fmt"
	"math"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// bound is a program on a batch. Its methods run one at a time; workers live inside a method only.
type bound struct {
	*program
	planes *engine.Planes
	mask   []byte
	taken  []uint32 // by sample: steps of this run; nil when not kept
	from   uint32   // steps that a live sample has taken, of this run, when nobody stopped a call
	keeps  bool     // what Track asked for last

	// The active set; nil for a kernel without one, whose launches test the mask.
	active   []uint32 // [0, counters.Active): slots in ascending order
	snapshot uint32   // counters.Finished at the last compaction
	groups   uint32   // aligned groups with a slot of the map
	order    order    // see Reorder

	counters engine.Counters
	faults   interp.FaultList

	team      *team
	cursor    interp.Cursor
	work      interp.Work
	size      int              // workers of the call
	positions int              // and its samples
	step      func(worker int) // a worker's part of it, see runTeam
	cost      cost
	watch     watch
}

// Bind attaches the program to planes and mask, which stay the caller's.
func (p *program) Bind(planes *engine.Planes, mask []byte) (engine.Bound, error) {
	if err := p.check(planes, mask); err != nil {
		return nil, fmt.Errorf("host: bind kernel %s: %w", p.kernel.Name, err)
	}
	b := &bound{
		program: p, planes: planes, mask: mask,
		keeps: true,
		team:  newTeam(p.workers),
	}
	if p.kernel.Guard == ir.GuardActiveSet {
		b.active = make([]uint32, planes.N)
	}
	_, err := b.Begin(false)
	return b, err
}

// check makes sure that workers can take sizes for granted.
func (p *program) check(planes *engine.Planes, mask []byte) error {
	if planes == nil {
		return errors.New("there are no planes")
	}
	if planes.N < 0 || int64(planes.N) > math.MaxInt32 {
		return fmt.Errorf("the batch has %d samples, want 0 to %d", planes.N, math.MaxInt32)
	}
	if len(mask) != planes.N {
		return fmt.Errorf("the mask has %d bytes for %d samples, want one for each", len(mask), planes.N)
	}
	if len(planes.Spec) != len(p.kernel.Planes) {
		return fmt.Errorf("the batch has %d planes, the kernel %d: make them from the kernel's planes", len(planes.Spec), len(p.kernel.Planes))
	}
	for i := range p.kernel.Planes {
		want, got := &p.kernel.Planes[i], &planes.Spec[i]
		if got.Type != want.Type || got.Width() != want.Width() || (got.Role == ir.RoleParam) != (want.Role == ir.RoleParam) || (got.Role == ir.RoleTable) != (want.Role == ir.RoleTable) {
			return fmt.Errorf("plane %d is %q (%v, width %d, %v), the kernel's is %q (%v, width %d, %v): make them from the kernel's planes",
				i, got.Name, got.Type, got.Width(), got.Role, want.Name, want.Type, want.Width(), want.Role)
		}
		if got, want := len(planes.Bytes(i)), planes.Elements(i)*want.Type.Bytes(); got != want {
			return fmt.Errorf("plane %q has %d bytes, want %d", planes.Spec[i].Name, got, want)
		}
	}
	return nil
}

// Begin starts a run from the mask as it is (runner.md, sections 2 and 3), in sample order.
func (b *bound) Begin(keep bool) (engine.Counters, error) {
	if err := b.Restore(); err != nil {
		return b.counters, err
	}
	c := engine.Counters{Active: uint32(b.planes.N)}
	for i, m := range b.mask {
		switch m {
		case 0:
			continue
		case faulted:
			c.Faulted++
		default:
			b.mask[i] = finished
		}
		c.Finished++
	}
	if !keep {
		b.from = 0
		b.resetTaken()
	}
	b.keepFaults(keep)
	for i := range b.active {
		b.active[i] = uint32(i)
	}
	b.snapshot, b.groups = 0, groupsOf(b.planes.N)
	b.order.span = uint32(b.planes.N)
	b.counters = c
	return c, nil
}

// Resume goes on from planes and mask that were put back, see engine.Resumer.
func (b *bound) Resume(done uint32, taken []uint32, faults []engine.Fault) (engine.Counters, error) {
	c, err := b.Begin(true)
	if err != nil {
		return c, err
	}
	copy(b.taken, taken)
	b.from = done
	b.faults = interp.FaultList{}
	for _, f := range faults {
		b.faults.Add(interp.Fault(f))
	}
	return c, nil
}

// Track says whether the runs that follow keep the steps taken. Only the interpreter can do without.
func (b *bound) Track(on bool) {
	_, can := b.code.(interpreted)
	b.keeps = on || !can
}

// resetTaken begins to count the steps taken, if they are to be kept.
func (b *bound) resetTaken() {
	switch {
	case !b.keeps:
		b.taken, b.order = nil, order{}
	case b.taken == nil:
		b.taken, b.order = make([]uint32, b.planes.N), order{}
	default:
		clear(b.taken)
	}
}

// Mask bytes of finished samples.
const (
	finished = 1
	faulted  = 2
)

// keepFaults forgets the faults of samples that are no longer marked as faulted, or all of them.
func (b *bound) keepFaults(keep bool) {
	old := b.faults
	b.faults = interp.FaultList{}
	if !keep {
		return
	}
	for _, f := range old.All() {
		if b.mask[f.Sample] == faulted {
			b.faults.Add(f)
		}
	}
}

func (b *bound) Counters() engine.Counters { return b.counters }

// StepsTaken is by sample, as promised; by slot between a reorder and the next Restore.
func (b *bound) StepsTaken() []uint32 { return b.taken }

// ActiveMap is the slots that launches go through; nil for a kernel without an active set. It is shared.
func (b *bound) ActiveMap() []uint32 {
	if b.active == nil {
		return nil
	}
	return b.active[:b.counters.Active]
}

// Faults are the first faulted samples of the run, by sample, also between a reorder and a Restore.
func (b *bound) Faults() []engine.Fault {
	list := make([]engine.Fault, 0, interp.MaxFaults)
	for _, f := range b.faults.All() {
		list = append(list, engine.Fault(f))
	}
	return list
}

// Close gives planes and mask back in sample order and lets the memory go; no worker outlives the method
// that started it.
func (b *bound) Close() error {
	err := b.Restore()
	b.planes, b.mask, b.taken, b.active, b.team = &engine.Planes{}, nil, nil, nil, newTeam(0)
	b.counters, b.order = engine.Counters{}, order{}
	return err
}
