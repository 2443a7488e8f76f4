package ptxtest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/cuda/ptx"
)

// CheckActive compares the kernels of the active set with plain loops: the count of a mask, compaction of
// every size round a tile, guarded by the counter, and reorder and restore of rows of every element size.
// modify changes the text, for mutants; nil: as it is.
func CheckActive(m Machine, modify func(string) string) error {
	text := ptx.Runner()
	if modify != nil {
		text = modify(text)
	}
	p, err := m.Load(text)
	if err != nil {
		return fmt.Errorf("load: %w", err)
	}
	defer p.Close()
	for seed, n := range []int{1, 7, 31, 33, 256, 257, 4095, 4096, 4097, 9000, 20011} {
		for _, live := range []float64{0, 0.03, 0.5, 1} {
			a := newActive(m, p, n, live, uint64(seed))
			if err := a.check(); err != nil {
				return fmt.Errorf("n %d, %g live: %w", n, live, err)
			}
			m.Reset()
		}
	}
	return nil
}

// active is a batch of rows under the active set.
type active struct {
	machine  Machine
	program  Program
	n        int
	control  ptx.Control
	mask     []byte
	slots    []uint32 // the map
	dead     []uint32
	taken    []uint32
	tiles    []uint32
	perm     []uint32
	inv      []uint32
	rows     [][]byte // besides mask and perm
	sizes    []int
	table    []ptx.Row
	random   *rand.Rand
	liveRate float64
}

func newActive(m Machine, p Program, n int, live float64, seed uint64) *active {
	a := &active{machine: m, program: p, n: n, random: rand.New(rand.NewPCG(seed, 0x616374)), liveRate: live}
	a.mask = make([]byte, n, n+16)
	for _, s := range []*[]uint32{&a.slots, &a.dead, &a.taken, &a.perm, &a.inv} {
		*s = make([]uint32, n)
	}
	for i := range n {
		a.taken[i], a.perm[i], a.inv[i] = 9, uint32(i), uint32(i)
		a.slots[i] = 77
		if a.random.Float64() >= live {
			a.mask[i] = []byte{1, 2, 3}[a.random.IntN(3)]
		}
	}
	a.tiles = make([]uint32, (n+ptx.TileSlots-1)/ptx.TileSlots)
	for _, size := range []int{1, 2, 4, 8, 16} {
		row := make([]byte, n*size)
		for i := range row {
			row[i] = byte(a.random.Uint32())
		}
		a.rows, a.sizes = append(a.rows, row), append(a.sizes, size)
	}
	a.control.N = uint32(n)
	return a
}

// call launches a kernel with the arguments that the package comment of ptx lists.
func (a *active) call(name string, blocks, rows int, args ...uint64) error {
	err := a.program.Launch(Launch{Entry: name, GridX: blocks, GridY: max(rows, 1), Block: ptx.RunnerBlock, Args: args})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (a *active) check() error {
	m, n := a.machine, uint64(a.n)
	control, mask := m.Map(a.control.Bytes()), m.Map(a.mask)
	slots, dead, tiles := m.Map(bytesOf(a.slots)), m.Map(bytesOf(a.dead)), m.Map(bytesOf(a.tiles))
	perm, inv := m.Map(bytesOf(a.perm)), m.Map(bytesOf(a.inv))
	taken := m.Map(bytesOf(a.taken))
	if err := a.call("begin", 2, 1, control, mask, slots, taken, n, 0); err != nil {
		return err
	}
	if err := a.checkBegin(); err != nil {
		return err
	}
	// As start leaves it.
	a.control.Count, a.control.Span, a.control.Snapshot = uint32(a.n), uint32(a.n), 0
	a.control.Theta = 0.5
	compact := func() error {
		err := a.call("compact_count", len(a.tiles), 1, control, mask, tiles)
		if err == nil {
			err = a.call("compact_write", len(a.tiles), 1, control, mask, tiles, slots, dead)
		}
		return err
	}
	moved := a.control.Finished != 0
	before := slices.Clone(a.slots)
	if err := compact(); err != nil {
		return err
	}
	if !moved {
		if a.control.Ran != 0 || !slices.Equal(a.slots, before) {
			return fmt.Errorf("a compaction ran though no sample had finished")
		}
		return nil
	}
	if err := a.checkCompact(before); err != nil {
		return err
	}
	a.control.Ran = 0
	a.slots[0] ^= 1
	kept := slices.Clone(a.slots)
	if err := compact(); err != nil {
		return err
	}
	if a.control.Ran != 0 || !slices.Equal(a.slots, kept) {
		return fmt.Errorf("a compaction ran though the counter had not moved")
	}
	a.slots[0] ^= 1
	a.control.Ran = 1

	add := func(address uint64, row []byte) {
		a.table = append(a.table, ptx.Row{Address: address, Scratch: m.Map(make([]byte, len(row))), Size: uint64(len(row) / a.n)})
	}
	for _, r := range a.rows {
		add(m.Map(r), r)
	}
	add(mask, a.mask)
	add(perm, bytesOf(a.perm))
	rows := m.Map(bytesOf(a.table))
	return a.reorder(control, rows, slots, dead, perm, inv)
}

func (a *active) checkBegin() error {
	var finished, faulted uint32
	for i, b := range a.mask {
		if b != 0 {
			finished++
		}
		if b == 2 {
			faulted++
		}
		if b > 2 || a.slots[i] != uint32(i) || a.taken[i] != 0 {
			return fmt.Errorf("begin: slot %d has mask byte %d, map %d, %d steps", i, b, a.slots[i], a.taken[i])
		}
	}
	if a.control.Finished != finished || a.control.Faulted != faulted {
		return fmt.Errorf("begin: %d finished, %d faulted, want %d, %d", a.control.Finished, a.control.Faulted, finished, faulted)
	}
	return nil
}

// checkCompact compares a map with the indices of the zero bytes of the mask; places behind are untouched.
func (a *active) checkCompact(before []uint32) error {
	var live, dead []uint32
	groups := map[int]bool{}
	for i, b := range a.mask {
		if b != 0 {
			dead = append(dead, uint32(i))
			continue
		}
		live = append(live, uint32(i))
		groups[i/32] = true
	}
	c := &a.control
	switch {
	case int(c.Count) != len(live) || !slices.Equal(a.slots[:c.Count], live):
		return fmt.Errorf("compaction: the map is not the live slots: %d of them, want %d", c.Count, len(live))
	case !slices.Equal(a.slots[c.Count:], before[c.Count:]):
		return fmt.Errorf("compaction: places behind the map have changed")
	case !slices.Equal(a.dead[:len(dead)], dead):
		return fmt.Errorf("compaction: the list of dead slots is wrong")
	case int(c.Groups) != len(groups) || c.WasGroups != c.Groups:
		return fmt.Errorf("compaction: %d groups, want %d", c.Groups, len(groups))
	case c.Ran != 1 || c.Snapshot != c.Finished || c.Before != c.N || c.Ticket != 0 || c.GroupSum != 0:
		return fmt.Errorf("compaction: the block is %+v", *c)
	}
	return nil
}

// partition is a row with its live elements first.
func partition(row []byte, size int, mask []byte) []byte {
	var live, dead []byte
	for i, m := range mask {
		if m == 0 {
			live = append(live, row[i*size:(i+1)*size]...)
		} else {
			dead = append(dead, row[i*size:(i+1)*size]...)
		}
	}
	return append(live, dead...)
}

// reorder offers a reorder, and restores the order.
func (a *active) reorder(control, rows, slots, dead, perm, inv uint64) error {
	was := a.control
	fires := engine.ReorderFires(was.Count, was.Groups, was.Span, was.Theta)
	start := append(slices.Clone(a.rows), a.mask)
	for i := range start {
		start[i] = bytes.Clone(start[i])
	}
	live := slices.Clone(a.slots[:was.Count])
	for _, err := range []error{
		a.call("reorder_gather", 2, len(a.table), control, rows, slots, dead),
		a.call("reorder_copy", 3, len(a.table), control, rows),
		a.call("reorder_finish", 2, 1, control, slots, perm, inv),
	} {
		if err != nil {
			return err
		}
	}
	c := &a.control
	if (c.Fired != 0) != fires {
		return fmt.Errorf("reorder: fired is %d of %+v", c.Fired, was)
	}
	for i, row := range append(slices.Clone(a.rows), a.mask) {
		want := start[i]
		if fires {
			want = partition(want, len(row)/a.n, start[len(a.rows)])
		}
		if !bytes.Equal(row, want) {
			return fmt.Errorf("reorder: the row of %d-byte elements is not partitioned", len(row)/a.n)
		}
	}
	if !fires {
		return nil
	}
	for i := range a.n {
		if a.inv[a.perm[i]] != uint32(i) || i < int(c.Count) && (a.slots[i] != uint32(i) || a.perm[i] != live[i]) {
			return fmt.Errorf("reorder: slot %d holds sample %d, whose slot is %d", i, a.perm[i], a.inv[a.perm[i]])
		}
	}
	if c.Span != was.Count || c.Groups != (was.Count+31)/32 || c.WasSpan != was.Span || c.Ticket != 0 {
		return fmt.Errorf("reorder: the block is %+v", *c)
	}
	n := uint64(a.n)
	for _, err := range []error{
		a.call("restore_map", 2, 1, control, slots, perm),
		a.call("restore_gather", 2, len(a.table), rows, inv, n),
		a.call("restore_copy", 1, len(a.table), rows, n),
		a.call("restore_finish", 2, 1, control, slots, inv, n),
	} {
		if err != nil {
			return err
		}
	}
	for i, row := range append(slices.Clone(a.rows), a.mask) {
		if !bytes.Equal(row, start[i]) {
			return fmt.Errorf("restore: the row of %d-byte elements is not as it was", len(row)/a.n)
		}
	}
	for i := range a.n {
		if a.perm[i] != uint32(i) || a.inv[i] != uint32(i) {
			return fmt.Errorf("restore: slot %d holds sample %d", i, a.perm[i])
		}
	}
	if !slices.Equal(a.slots[:c.Count], live) || c.Span != was.Span || c.Groups != was.Groups {
		return fmt.Errorf("restore: the map or the block is wrong: %+v", *c)
	}
	return nil
}
