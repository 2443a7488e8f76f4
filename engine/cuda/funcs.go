package cuda

import (
	"errors"
	"fmt"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/cuda/ptx"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// tableCells are the numbers of cells of the table planes, in the kernel's order.
func tableCells(p *engine.Planes) []uint64 {
	var cells []uint64
	for i := range p.Spec {
		if p.Spec[i].Role == ir.RoleTable {
			cells = append(cells, uint64(p.Spec[i].Len))
		}
	}
	return cells
}

// Init runs the kernel's Init method on every sample; nothing when it has none. Samples on which it faults keep their
// values, and the error names the first of them.
func (b *bound) Init(stop *engine.Stop) error {
	f, ok := b.entries[ptx.Init]
	if !ok || b.planes.N == 0 {
		return nil
	}
	kept := b.control
	defer func() { b.control = kept }()
	var first *interp.Fault
	var stopped bool
	err := b.device.do(func() error {
		if err := steps(b.enter, b.clearNotes); err != nil {
			return err
		}
		b.clearLaunch()
		b.control.Faulted = 0
		args := b.arguments(0, b.planes.N)
		b.behind = true
		err := b.turn(stop, func() error {
			return b.device.lib.CuLaunchKernel(f, (b.planes.N+fusedBlock-1)/fusedBlock, 1, fusedBlock, b.device.stream, args.params)
		})
		if err != nil {
			return err
		}
		stopped = b.control.Stopped > 0
		if b.control.Faulted > 0 && b.faultsA != 0 {
			if first, err = b.firstNote(); err != nil {
				return err
			}
		}
		return steps(b.clearNotes, b.leave)
	})
	switch {
	case err != nil:
		return fmt.Errorf("cuda: init of kernel %s: %w", b.kernel.Name, err)
	case first != nil:
		return fmt.Errorf("cuda: init of kernel %s: sample %d: %v at %s: change the values it is derived from, or guard the expression",
			b.kernel.Name, first.Sample, first.Kind, where(b.kernel, first.Pos))
	case stopped:
		return fmt.Errorf("cuda: init of kernel %s: %w", b.kernel.Name, errStopped)
	}
	return nil
}

var errStopped = errors.New("stopped before every sample was done: run it again")

// clearNotes forgets where samples faulted.
func (b *bound) clearNotes() error {
	if b.faultsA == 0 {
		return nil
	}
	return b.device.lib.CuMemsetD8(b.faultsA, 0, 8*b.planes.N)
}

// firstNote is the fault of the first sample that has one.
func (b *bound) firstNote() (*interp.Fault, error) {
	notes, err := b.notes()
	if err != nil {
		return nil, err
	}
	places, err := b.samples()
	if err != nil {
		return nil, err
	}
	var list interp.FaultList
	for slot, note := range notes {
		if note != 0 {
			f := b.fault(slot, note)
			if places != nil {
				f.Sample = places[slot]
			}
			list.Add(f)
		}
	}
	if all := list.All(); len(all) > 0 {
		return &all[0], nil
	}
	return nil, nil
}

// where is p as a user reads it.
func where(k *ir.Kernel, p ir.Pos) string {
	if p.Line == 0 || int(p.File) >= len(k.Files) {
		return "an unknown place"
	}
	return fmt.Sprintf("%s:%d:%d", k.Files[p.File], p.Line, p.Col)
}

// Observe evaluates observable fn for every sample; dst has n elements.
func (b *bound) Observe(fn int, dst []float64) error {
	n := b.planes.N
	if fn < 0 || fn >= len(b.kernel.Observables) {
		return fmt.Errorf("cuda: kernel %s has %d observables, there is no number %d", b.kernel.Name, len(b.kernel.Observables), fn)
	}
	if len(dst) != n {
		return fmt.Errorf("cuda: observable %s: %d places for %d samples, want one for each", b.kernel.Observables[fn].Name, len(dst), n)
	}
	if n == 0 {
		return nil
	}
	bySlot := make([]float64, n)
	var samples []uint32
	err := b.device.do(func() (err error) {
		if err = b.enter(); err != nil {
			return err
		}
		if b.outA == 0 {
			if b.outA, err = b.heap.alloc(b.device, 8*n); err != nil {
				return err
			}
		}
		args := b.arguments(0, n)
		if samples, err = b.samples(); err != nil {
			return err
		}
		return steps(
			func() error {
				return b.turn(nil, func() error {
					return b.device.lib.CuLaunchKernel(b.observe[fn], (n+fusedBlock-1)/fusedBlock, 1, fusedBlock, b.device.stream, args.params)
				})
			},
			func() error { return b.device.lib.CuMemcpyDtoH(bytesOf(bySlot), b.outA) },
		)
	})
	if err != nil {
		return fmt.Errorf("cuda: observable %s of kernel %s: %w", b.kernel.Observables[fn].Name, b.kernel.Name, err)
	}
	if samples == nil {
		copy(dst, bySlot)
		return nil
	}
	for slot, sample := range samples {
		dst[sample] = bySlot[slot]
	}
	return nil
}
