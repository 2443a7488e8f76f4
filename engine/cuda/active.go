package cuda

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/cuda/driver"
	"github.com/eaglet-workbench/eaglet/engine/cuda/ptx"
)

// The active set: compaction, reorder and restore (runner.md, section 3), by the kernels that a graph uses too.

// tiles is the grid of a compaction of n slots.
func tiles(n int) int { return (n + ptx.TileSlots - 1) / ptx.TileSlots }

// groupsOf is the number of aligned groups of 32 slots that so many slots from 0 on take.
func groupsOf(count int) uint32 { return uint32((count + 31) / 32) }

// Compact rebuilds the active map if the counter has moved since the last compaction.
func (b *bound) Compact() (engine.CompactStats, error) {
	start := time.Now()
	s := engine.CompactStats{Active: b.counters.Active, Groups: b.control.Groups}
	if b.mapA == 0 || b.control.Finished == b.control.Snapshot {
		s.Wall = time.Since(start)
		return s, nil
	}
	err := b.device.do(func() error {
		if err := b.enter(); err != nil {
			return err
		}
		b.control.Ran, b.control.Fired = 0, 0
		err := b.turn(nil, func() error { return b.compact(b.ctrlA, b.maskA, b.mapA, b.deadA, b.tilesA, int(b.control.Span)) })
		b.counters.Active = b.control.Count
		return err
	})
	s = engine.CompactStats{Ran: true, Active: b.counters.Active, Groups: b.control.Groups, Wall: time.Since(start)}
	if err != nil {
		err = fmt.Errorf("cuda: compaction of kernel %s: %w", b.kernel.Name, err)
	}
	return s, err
}

// compact launches a compaction of [0, span).
func (b *bound) compact(control, mask, list, dead, counts driver.Address, span int) error {
	grid := max(tiles(span), 1)
	return steps(
		func() error {
			return b.device.callLoop("compact_count", grid, 1, uint64(control), uint64(mask), uint64(counts))
		},
		func() error {
			return b.device.callLoop("compact_write", grid, 1, uint64(control), uint64(mask), uint64(counts), uint64(list), uint64(dead))
		},
	)
}

// order is where the samples of a batch lie. perm and rows are 0 until the first reorder of the batch.
type order struct {
	displaced bool // perm is not the identity
	stale     bool // perm must be made the identity before it is used
	perm, inv driver.Address
	rows      driver.Address
	height    int
	places    []uint32 // by sample, of the caller
}

// Reorder moves the samples of the active map to the front, if that is worth it.
func (b *bound) Reorder(theta float32) (engine.ReorderStats, error) {
	start := time.Now()
	s := engine.ReorderStats{Count: b.counters.Active, Live32: b.control.Groups, Span: b.control.Span, Theta: theta}
	var err error
	if b.mapA != 0 && engine.ReorderFires(s.Count, s.Live32, s.Span, theta) {
		s.Fired = true
		err = b.device.do(func() error { return steps(b.enter, func() error { return b.partition(theta) }, b.leave) })
	}
	s.Wall = time.Since(start)
	if err != nil {
		err = fmt.Errorf("cuda: reorder of kernel %s: %w", b.kernel.Name, err)
	}
	return s, err
}

// partition is the reorder itself.
func (b *bound) partition(theta float32) error {
	if err := b.keepOrder(); err != nil {
		return err
	}
	o, d := &b.order, b.device
	c := &b.control
	c.Theta, c.Ran, c.Fired = theta, 1, 0
	grid := d.spread(int(c.Span))
	ctrl, list := uint64(b.ctrlA), uint64(b.mapA)
	err := b.turn(nil, func() error {
		return steps(
			func() error {
				return d.callLoop("reorder_gather", grid, o.height, ctrl, uint64(o.rows), list, uint64(b.deadA))
			},
			func() error { return d.callLoop("reorder_copy", grid, o.height, ctrl, uint64(o.rows)) },
			func() error { return d.callLoop("reorder_finish", grid, 1, ctrl, list, uint64(o.perm), uint64(o.inv)) },
		)
	})
	if err == nil && c.Fired == 0 {
		return fmt.Errorf("the device did not move the samples, though %d live ones of %d lie in %d groups", c.Count, c.Span, c.Groups)
	}
	o.displaced, o.places, b.behind, b.fewer = true, nil, true, true
	c.Theta = 0
	return err
}

// keepOrder readies what a reorder needs.
func (b *bound) keepOrder() error {
	o, d, n := &b.order, b.device, b.planes.N
	if o.perm != 0 && !o.stale {
		return nil
	}
	if o.perm == 0 {
		if err := b.allocateOrder(); err != nil {
			return err
		}
	}
	o.stale = false
	identity := make([]uint32, n)
	for i := range identity {
		identity[i] = uint32(i)
	}
	return steps(
		func() error { return d.lib.CuMemcpyHtoD(o.perm, bytesOf(identity)) },
		func() error { return d.lib.CuMemcpyHtoD(o.inv, bytesOf(identity)) },
	)
}

// allocateOrder takes the memory of a reorder: the permutation, its inverse, and room for every row once more.
func (b *bound) allocateOrder() error {
	o, d, n := &b.order, b.device, b.planes.N
	for _, a := range []*driver.Address{&o.perm, &o.inv} {
		var err error
		if *a, err = b.heap.alloc(d, 4*n); err != nil {
			return err
		}
	}
	var rows []ptx.Row
	add := func(at driver.Address, size int) error {
		scratch, err := b.heap.alloc(d, n*size)
		rows = append(rows, ptx.Row{Address: uint64(at), Scratch: uint64(scratch), Size: uint64(size)})
		return err
	}
	for i := range b.planes.Spec {
		p := &b.planes.Spec[i]
		if !perSample(p) {
			continue
		}
		for comp := range p.Width() {
			size := p.Type.Bytes()
			if err := add(b.planesA[i]+driver.Address(comp*n*size), size); err != nil {
				return err
			}
		}
	}
	err := steps(
		func() error { return add(b.maskA, 1) },
		func() error { return add(b.takenA, 4) },
		func() error { return add(o.perm, 4) },
		func() error {
			if b.faultsA == 0 {
				return nil
			}
			return add(b.faultsA, 8)
		},
	)
	if err != nil {
		return err
	}
	o.height = len(rows)
	if o.rows, err = b.heap.alloc(d, len(rows)*int(unsafe.Sizeof(ptx.Row{}))); err != nil {
		return err
	}
	return d.lib.CuMemcpyHtoD(o.rows, bytesOf(rows))
}

// Restore puts every sample back to its own place. The active map lists the same samples as before.
func (b *bound) Restore() error {
	if !b.order.displaced {
		return nil
	}
	err := b.device.do(func() error { return steps(b.enter, b.restore, b.leave) })
	if err != nil {
		err = fmt.Errorf("cuda: restore the order of kernel %s: %w", b.kernel.Name, err)
	}
	return err
}

func (b *bound) restore() error {
	o, d, n := &b.order, b.device, b.planes.N
	if !o.displaced {
		return nil
	}
	grid := d.spread(n)
	ctrl, list, rows, inv := uint64(b.ctrlA), uint64(b.mapA), uint64(o.rows), uint64(o.inv)
	err := b.turn(nil, func() error {
		return steps(
			func() error { return d.callLoop("restore_map", grid, 1, ctrl, list, uint64(o.perm)) },
			func() error { return d.callLoop("restore_gather", grid, o.height, rows, inv, uint64(n)) },
			func() error { return d.callLoop("restore_copy", grid, o.height, rows, uint64(n)) },
			func() error { return d.callLoop("restore_finish", grid, 1, ctrl, list, inv, uint64(n)) },
		)
	})
	o.displaced, o.places, b.behind, b.fewer = false, nil, true, true
	return err
}

// Places is by sample the slot in which it lies, nil while that is its own.
func (b *bound) Places() []uint32 {
	o := &b.order
	if !o.displaced {
		return nil
	}
	if o.places == nil {
		places := make([]uint32, b.planes.N)
		if b.device.do(func() error { return b.device.lib.CuMemcpyDtoH(bytesOf(places), o.inv) }) != nil {
			return nil
		}
		o.places = places
	}
	return o.places
}

// samples is by slot the sample that lies in it, nil while that is its own. The owner calls it.
func (b *bound) samples() ([]uint32, error) {
	if !b.order.displaced {
		return nil, nil
	}
	perm := make([]uint32, b.planes.N)
	return perm, b.device.lib.CuMemcpyDtoH(bytesOf(perm), b.order.perm)
}
