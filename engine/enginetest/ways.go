package enginetest

import (
	"fmt"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// The ways in which a batch may be run without a bit being different: kernel variants and options.

// way is a kernel variant with options: a way to run a workload.
type way struct {
	name    string
	change  []func(*ir.Kernel)
	options engine.RunOptions
}

// ways are the ways in which the bits must not differ.
func ways(maxSteps int) []way {
	o := engine.RunOptions{MaxSteps: maxSteps, R: pinnedR}
	band, tiled, every := o, o, o
	band.Policy, tiled.Policy, every.Every = engine.PolicyBand, engine.PolicyTiled, 6
	o.Clock = ticking()
	return []way{
		{"auto", nil, o},
		{"tiled", nil, tiled},
		{"band", nil, band},
		{"band, guard=mask", []func(*ir.Kernel){WithMask}, band},
		{"one step per launch", []func(*ir.Kernel){WithMask, WithSteps(1)}, o},
		{"5 steps per launch", []func(*ir.Kernel){WithMask, WithSteps(5)}, o},
		{"3 steps per launch, compacting every 6", []func(*ir.Kernel){WithActiveSet, WithSteps(3)}, every},
	}
}

// offeredWays are further ways of an engine that offers more: both entries by name, small and large chunks,
// and a reorder as often as its rule lets it.
func offeredWays(e engine.Engine, w *Workload, maxSteps int) ([]way, error) {
	b, err := w.NewBatch(e, 1, Uniform, 1, seed)
	if err != nil {
		return nil, err
	}
	o := engine.RunOptions{MaxSteps: maxSteps, R: pinnedR, Clock: ticking()}
	measured, doubling := o, o
	measured.Policy, doubling.Policy = engine.PolicyMeasured, engine.PolicyDoubling
	list := []way{{"measured", nil, measured}, {"doubling", nil, doubling}}
	has := offersOf(b.Bound)
	if has.Persister != nil {
		for _, chunk := range []int{0, 1, 7, 400} {
			o := o
			o.Entry, o.Chunk = engine.EntryPersistent, chunk
			list = append(list, way{fmt.Sprintf("persistent, chunk %d", chunk), nil, o})
		}
	}
	if has.Reorderer != nil {
		o.Policy, o.Reorder = engine.PolicyBand, 0.75
		list = append(list, way{"band, reordering", []func(*ir.Kernel){WithActiveSet}, o})
	}
	return list, b.Bound.Close()
}

// ticking is a clock that goes on by a microsecond each time somebody looks: a launch is as dear as another,
// so the measured policy finds longer ones cheaper.
func ticking() func() time.Duration {
	var now time.Duration
	return func() time.Duration {
		now += time.Microsecond
		return now
	}
}
