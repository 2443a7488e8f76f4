package host

import (
	"errors"
	"fmt"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// Init runs the kernel's Init method on every sample; nothing when it has none. Samples on which it faults
// keep their values, and the error names the first of them.
func (b *bound) Init(stop *engine.Stop) error {
	f := b.code.init()
	if f == nil {
		return nil
	}
	n := b.planes.N
	size := b.funcWorkers(stop, n)
	b.cursor.Reset(0, n)
	faults := make([]interp.FaultList, size)
	stopped := make([]bool, size)
	err := b.team.do(size, "init", b.kernel, func(worker int) {
		list, done := f.NewMachine().Store(b.planes.All(), n, &b.cursor, b.team.stop)
		for _, fault := range list {
			faults[worker].Add(fault)
		}
		stopped[worker] = !done
	})
	if err != nil {
		return err
	}
	var all interp.FaultList
	for i := range faults {
		for _, fault := range faults[i].All() {
			all.Add(fault)
		}
	}
	if list := all.All(); len(list) > 0 {
		return fmt.Errorf("host: init of kernel %s: sample %d: %v at %s: change the values it is derived from, or guard the expression",
			b.kernel.Name, b.sampleIn(list[0].Sample), list[0].Kind, where(b.kernel, list[0].Pos))
	}
	for _, s := range stopped {
		if s {
			return fmt.Errorf("host: init of kernel %s: %w", b.kernel.Name, errStopped)
		}
	}
	return nil
}

var errStopped = errors.New("stopped before every sample was done: run it again")

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
		return fmt.Errorf("host: kernel %s has %d observables, there is no number %d", b.kernel.Name, len(b.kernel.Observables), fn)
	}
	if len(dst) != n {
		return fmt.Errorf("host: observable %s: %d places for %d samples, want one for each", b.kernel.Observables[fn].Name, len(dst), n)
	}
	f := b.code.observable(fn)
	size := b.funcWorkers(nil, n)
	bySlot := dst
	if b.order.displaced {
		bySlot = make([]float64, n)
	}
	err := b.team.do(size, "observe", b.kernel, func(worker int) {
		lo, hi := n*worker/size, n*(worker+1)/size
		f.NewMachine().Float64(0, b.planes.All(), n, lo, bySlot[lo:hi], b.team.stop)
	})
	if b.order.displaced {
		for sample, slot := range b.order.inv {
			dst[sample] = bySlot[slot]
		}
	}
	return err
}

// funcWorkers readies the team for a func and says how many workers are worth starting.
func (b *bound) funcWorkers(stop *engine.Stop, n int) int {
	const worth = 4096 // samples; a func is a few operations, once
	b.team.stop.begin(stop)
	return b.team.size(n, worth)
}
