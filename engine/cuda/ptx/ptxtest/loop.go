package ptxtest

import (
	"fmt"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/cuda/ptx"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Loop is a run made of the device's own kernels, launched one after the other as a graph would.
type Loop struct {
	Control  ptx.Control // Theta, R, Rule, StepsMax, Resident, Limit, Boundary, Flags are the caller's
	Batch    *Batch      // Taken is kept; Map gets its room here
	PerTurn  int         // launches of a turn, 0: 1
	Capacity int         // of the ring
	Follow   bool        // the ring is read after every turn, so that it may be shorter than the run
	While    bool        // with the kernels that set a condition; the machine must answer their call

	Events []engine.Event // after Run
	Lost   uint64
}

// Run runs until the guard says that nothing is to be launched, and puts samples back in order.
func (l *Loop) Run(m Machine) error {
	b := l.Batch
	k, n := b.Kernel, b.N
	module, err := ptx.Generate(k, ptx.Options{})
	if err != nil {
		return err
	}
	entries, err := m.Load(module.Text)
	if err != nil {
		return err
	}
	defer entries.Close()
	loop, err := m.Load(ptx.Runner())
	if err != nil {
		return err
	}
	defer loop.Close()
	decide, suffix, handle := loop, "", []uint64(nil)
	if l.While {
		if decide, err = m.Load(ptx.RunnerWhile()); err != nil {
			return err
		}
		defer decide.Close()
		suffix, handle = "_while", []uint64{7}
	}
	defer m.Reset()
	b.Map = make([]uint32, n)
	c := &l.Control
	c.N = uint32(n)
	args := b.args(m, 0, n, c, never)
	control, mask, taken, slots := args[3], args[5], args[6], args[8]
	dead, tiles := m.Map(make([]byte, 4*n)), m.Map(make([]byte, 4*(n/ptx.TileSlots+1)))
	perm, inv := make([]uint32, n), make([]uint32, n)
	for i := range n {
		perm[i], inv[i] = uint32(i), uint32(i)
	}
	permAt, invAt := m.Map(bytesOf(perm)), m.Map(bytesOf(inv))
	table := l.rows(m, args, permAt)
	rows := m.Map(bytesOf(table))
	ring := make([]uint64, ptx.RingSlots/8+l.Capacity*engine.EventBytes/8)
	head := (*ptx.Ring)(unsafe.Pointer(&ring[0]))
	c.Capacity = uint64(l.Capacity)
	ringAt := m.Map(bytesOf(ring))

	call := func(p Program, name string, blocks, height, block int, args ...uint64) {
		if err == nil {
			if err = p.Launch(Launch{Entry: name, GridX: blocks, GridY: height, Block: block, Args: args}); err != nil {
				err = fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	wide, grid := ptx.RunnerBlock, (n+127)/128
	launch := ptx.Fused
	if k.Guard == ir.GuardActiveSet {
		launch = ptx.FusedActive
	}
	call(loop, "begin", 2, 1, wide, control, mask, slots, taken, uint64(n), 0)
	call(decide, "start"+suffix, 1, 1, 32, append([]uint64{control, ringAt, 0}, handle...)...)
	for turns := 0; err == nil && c.Go != 0; turns++ {
		if turns > 1<<16 {
			return fmt.Errorf("the run has no end")
		}
		for j := range max(l.PerTurn, 1) {
			if j > 0 {
				call(loop, "settle", 1, 1, 32, control, ringAt)
			}
			call(entries, module.Entries[launch], grid, 1, 128, args...)
		}
		if c.Flags&ptx.FlagActive != 0 {
			blocks := (n + ptx.TileSlots - 1) / ptx.TileSlots
			call(loop, "compact_count", blocks, 1, wide, control, mask, tiles)
			call(loop, "compact_write", blocks, 1, wide, control, mask, tiles, slots, dead)
		}
		if c.Flags&ptx.FlagReorder != 0 {
			call(loop, "reorder_gather", 2, len(table), wide, control, rows, slots, dead)
			call(loop, "reorder_copy", 2, len(table), wide, control, rows)
			call(loop, "reorder_finish", 2, 1, wide, control, slots, permAt, invAt)
		}
		call(decide, "policy"+suffix, 1, 1, 32, append([]uint64{control, ringAt, 0}, handle...)...)
		if err == nil && l.Follow {
			err = l.read(ring, head, head.Head)
		}
	}
	if c.Reorders > 0 {
		call(loop, "restore_map", 2, 1, wide, control, slots, permAt)
		call(loop, "restore_gather", 2, len(table), wide, rows, invAt, uint64(n))
		call(loop, "restore_copy", 2, len(table), wide, rows, uint64(n))
		call(loop, "restore_finish", 2, 1, wide, control, slots, invAt, uint64(n))
	}
	if err != nil {
		return err
	}
	if head.Head > c.Told || head.Lost > c.Lost {
		return fmt.Errorf("the ring tells of %d events and %d lost, the block of %d and %d", head.Head, head.Lost, c.Told, c.Lost)
	}
	return l.read(ring, head, c.Told)
}

// rows lists everything that a reorder moves.
func (l *Loop) rows(m Machine, args []uint64, perm uint64) []ptx.Row {
	b := l.Batch
	var table []ptx.Row
	add := func(at uint64, size int) {
		table = append(table, ptx.Row{Address: at, Scratch: m.Map(make([]byte, b.N*size)), Size: uint64(size)})
	}
	for i := range b.Kernel.Planes {
		p := &b.Kernel.Planes[i]
		if p.Role == ir.RoleParam || p.Role == ir.RoleTable {
			continue
		}
		size := p.Type.Bytes()
		for comp := range p.Width() {
			add(args[10+i]+uint64(comp*b.N*size), size)
		}
	}
	add(args[5], 1)
	add(args[6], 4)
	add(args[7], 8)
	add(perm, 4)
	return table
}

// read takes the events up to a number off the ring.
func (l *Loop) read(ring []uint64, head *ptx.Ring, upto uint64) error {
	data := bytesOf(ring)[ptx.RingSlots:]
	for ; head.Tail < upto; head.Tail++ {
		var e engine.Event
		at := head.Tail % l.Control.Capacity * engine.EventBytes
		if err := e.UnmarshalBinary(data[at : at+engine.EventBytes]); err != nil {
			return err
		}
		l.Events = append(l.Events, e)
	}
	l.Lost = l.Control.Lost
	return nil
}
