package host

import (
	"time"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Reorder moves the live samples to the front (runner.md, section 3):
//
//	slots    0 1 2 3 4 5 6 7 8 9            0 1 2 3 4 5 6 7 8 9
//	samples  a b C d E f g H i j   -->      C E H a b d f g i j
//	map      2 4 7                          0 1 2
//	span     ..................10           .....3
//
// From then on a slot is not its sample's number: perm says which sample lies in a slot, inv in which slot
// a sample lies. Later reorders work on [0, span) only; what lies behind has finished.

// order is where the samples of a batch lie. perm, inv and rows are nil until the first reorder of the
// batch; most batches never have one.
type order struct {
	span      uint32 // slots over which the live samples are spread
	displaced bool   // perm is not the identity

	perm, inv []uint32 // slot -> sample, sample -> slot
	rows      []row    // everything that has one element per sample: planes, mask, steps taken, perm
	dead      []uint32 // scratch: the slots of [0, span) that are not in the map
	scratch   [][]uint64
}

// Reorder moves the samples of the active map to the front, if that is worth it.
func (b *bound) Reorder(theta float32) (engine.ReorderStats, error) {
	start := time.Now()
	s := engine.ReorderStats{Count: b.counters.Active, Live32: b.groups, Span: b.order.span, Theta: theta}
	var err error
	if b.active != nil && engine.ReorderFires(s.Count, s.Live32, s.Span, theta) {
		s.Fired = true
		err = b.partition()
	}
	s.Wall = time.Since(start)
	return s, err
}

// partition is the reorder itself.
func (b *bound) partition() error {
	o := &b.order
	if o.perm == nil {
		b.keepOrder()
	}
	live := b.active[:b.counters.Active]
	o.dead = complement(o.dead[:0], live, o.span)
	o.displaced = true
	err := b.eachRow("reorder", func(r row, scratch []uint64) { r.partition(live, o.dead, scratch) })
	if err != nil {
		return err
	}
	for slot, sample := range o.perm[:o.span] {
		o.inv[sample] = uint32(slot)
	}
	for i := range live {
		live[i] = uint32(i)
	}
	o.span = b.counters.Active
	b.groups = groupsOf(len(live))
	return nil
}

// Restore puts every sample back to its own place. The active map lists the same samples as before; they
// are spread over the whole batch again.
func (b *bound) Restore() error {
	o := &b.order
	if !o.displaced {
		return nil
	}
	live := b.active[:b.counters.Active]
	for i, slot := range live {
		live[i] = o.perm[slot]
	}
	if err := b.eachRow("restore", func(r row, scratch []uint64) { r.gather(o.inv, scratch) }); err != nil {
		return err
	}
	for slot, sample := range o.perm { // perm was moved like every other row: it is the identity again
		o.inv[sample] = uint32(slot)
	}
	o.displaced = false
	o.span = uint32(b.planes.N)
	b.groups = groupsIn(live)
	return nil
}

// Places is by sample the slot in which it lies, nil while that is its own.
func (b *bound) Places() []uint32 {
	if !b.order.displaced {
		return nil
	}
	return b.order.inv
}

// sampleIn is the sample that lies in a slot.
func (b *bound) sampleIn(slot uint32) uint32 {
	if !b.order.displaced {
		return slot
	}
	return b.order.perm[slot]
}

// keepOrder readies what a reorder needs.
func (b *bound) keepOrder() {
	n := b.planes.N
	o := &b.order
	o.perm, o.inv = make([]uint32, n), make([]uint32, n)
	for i := range n {
		o.perm[i], o.inv[i] = uint32(i), uint32(i)
	}
	o.dead = make([]uint32, 0, n)
	o.rows = append(sampleRows(b.planes), slots[byte](b.mask), slots[uint32](o.perm))
	if b.taken != nil {
		o.rows = append(o.rows, slots[uint32](b.taken))
	}
	o.scratch = make([][]uint64, len(b.team.machines))
}

// eachRow runs f on every row, shared out to the team; each worker has scratch for the widest row.
func (b *bound) eachRow(phase string, f func(r row, scratch []uint64)) error {
	o := &b.order
	words := 0
	for _, r := range o.rows {
		words = max(words, r.words())
	}
	size := min(len(b.team.machines), len(o.rows))
	b.team.stop.begin(nil) // half a reorder is worth nothing
	return b.team.do(size, phase, b.kernel, func(worker int) {
		if o.scratch[worker] == nil {
			o.scratch[worker] = make([]uint64, words)
		}
		for i := worker; i < len(o.rows); i += size {
			f(o.rows[i], o.scratch[worker])
		}
	})
}

// complement appends to list the slots of [0, span) that live, which ascends, does not hold.
func complement(list, live []uint32, span uint32) []uint32 {
	next := uint32(0)
	for _, s := range live {
		for ; next < s; next++ {
			list = append(list, next)
		}
		next++
	}
	for ; next < span; next++ {
		list = append(list, next)
	}
	return list
}

// groupsOf is the number of aligned groups that so many slots from 0 on take.
func groupsOf(count int) uint32 { return uint32((count + groupSlots - 1) / groupSlots) }

// groupsIn is the number of aligned groups that hold one of the slots, which ascend.
func groupsIn(live []uint32) uint32 {
	groups, last := uint32(0), ^uint32(0)
	for _, s := range live {
		if g := s / groupSlots; g != last {
			groups, last = groups+1, g
		}
	}
	return groups
}

// row is one element per sample, of a size that is fixed.
type row interface {
	// partition puts the elements at live first, then those at dead, each in order; both lists ascend, and
	// together they are [0, span). What lies behind stays.
	partition(live, dead []uint32, scratch []uint64)
	// gather puts at place i what was at place from[i]; from is a permutation of the row.
	gather(from []uint32, scratch []uint64)
	// words is the scratch that both need, in 8-byte words.
	words() int
}

// slots is a row of elements of type T.
type slots[T any] []T

func (a slots[T]) partition(live, dead []uint32, scratch []uint64) {
	rest := scratchOf[T](scratch, len(dead))
	for i, s := range dead {
		rest[i] = a[s]
	}
	for i, s := range live { // i <= s: nothing is overwritten before it is read
		a[i] = a[s]
	}
	copy(a[len(live):], rest)
}

func (a slots[T]) gather(from []uint32, scratch []uint64) {
	moved := scratchOf[T](scratch, len(a))
	for i, s := range from {
		moved[i] = a[s]
	}
	copy(a, moved)
}

func (a slots[T]) words() int {
	var zero T
	return (len(a)*int(unsafe.Sizeof(zero)) + 7) / 8
}

// scratchOf is the first n elements of the scratch as T, which needs no more alignment than a word.
func scratchOf[T any](scratch []uint64, n int) []T {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&scratch[0])), n)
}

// sampleRows lists the rows of the planes that have elements per sample.
func sampleRows(p *engine.Planes) []row {
	var rows []row
	for i := range p.Spec {
		if !perSample(&p.Spec[i]) {
			continue
		}
		size := p.N * p.Spec[i].Type.Bytes()
		for comp := range p.Spec[i].Width() {
			rows = append(rows, rowOf(p.Bytes(i)[comp*size:(comp+1)*size], p.Spec[i].Type.Bytes()))
		}
	}
	return rows
}

// perSample says whether a plane has elements for every sample: params and tables belong to the batch.
func perSample(p *ir.Plane) bool { return p.Role != ir.RoleParam && p.Role != ir.RoleTable }

// rowOf is memory as a row of elements of size bytes. It is aligned for them.
func rowOf(b []byte, size int) row {
	switch size {
	case 1:
		return slots[byte](b)
	case 2:
		return slotsOf[uint16](b)
	case 4:
		return slotsOf[uint32](b)
	case 8:
		return slotsOf[uint64](b)
	case 16:
		return slotsOf[[2]uint64](b)
	}
	panic("host: no row of elements of this size")
}

func slotsOf[T any](b []byte) slots[T] {
	var zero T
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/int(unsafe.Sizeof(zero)))
}
