package enginetest

import (
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// base is what every Bound of this package offers.
type base interface {
	engine.Bound
	engine.Calibrator
	engine.Tracker
	engine.Resumer
	ActiveMap() []uint32
}

// offers are what a Bound may offer besides; nil: it does not.
type offers struct {
	Passer    engine.Passer
	Persister engine.Persister
	Reorderer engine.Reorderer
}

// of makes a Bound that offers exactly these: what a type assertion finds must be decided at run time.
func (o offers) of(b base) engine.Bound {
	type (
		pass    = engine.Passer
		persist = persister
		reorder = engine.Reorderer
	)
	o.Persister = inBlocks(o.Persister)
	switch {
	case o.Passer != nil && o.Persister != nil && o.Reorderer != nil:
		return struct {
			base
			pass
			persist
			reorder
		}{b, o.Passer, o.Persister.(persister), o.Reorderer}
	case o.Passer != nil && o.Persister != nil:
		return struct {
			base
			pass
			persist
		}{b, o.Passer, o.Persister.(persister)}
	case o.Passer != nil && o.Reorderer != nil:
		return struct {
			base
			pass
			reorder
		}{b, o.Passer, o.Reorderer}
	case o.Persister != nil && o.Reorderer != nil:
		return struct {
			base
			persist
			reorder
		}{b, o.Persister.(persister), o.Reorderer}
	case o.Passer != nil:
		return struct {
			base
			pass
		}{b, o.Passer}
	case o.Persister != nil:
		return struct {
			base
			persist
		}{b, o.Persister.(persister)}
	case o.Reorderer != nil:
		return struct {
			base
			reorder
		}{b, o.Reorderer}
	}
	return b
}

// persister is a Persister that says what its blocks are.
type persister interface {
	engine.Persister
	engine.Blocker
}

// inBlocks gives a Persister that says nothing of blocks a single one of all lanes; nil stays nil.
func inBlocks(p engine.Persister) engine.Persister {
	if _, ok := p.(engine.Blocker); ok || p == nil {
		return p
	}
	return oneBlock{p}
}

type oneBlock struct{ engine.Persister }

func (o oneBlock) Blocks() []int { return []int{int(o.Resident())} }
func (o oneBlock) Grid(int) int  { return 1 }
func (o oneBlock) UseBlock(int)  {}

// offersOf is what a Bound offers.
func offersOf(b engine.Bound) (o offers) {
	o.Passer, _ = b.(engine.Passer)
	o.Persister, _ = b.(engine.Persister)
	o.Reorderer, _ = b.(engine.Reorderer)
	return o
}

// scriptedPasser makes one pass, sample by sample.
type scriptedPasser struct{ b *scriptedBound }

func (p scriptedPasser) Pass(stop *engine.Stop, upto uint32, progress func(finished, steps uint64)) (engine.LaunchStats, error) {
	b := p.b
	if b.script.LaunchErr != nil {
		return engine.LaunchStats{}, b.script.LaunchErr
	}
	start := time.Now()
	var s engine.LaunchStats
	for i := range b.mask {
		if i%256 == 0 {
			if progress != nil && i > 0 {
				progress(uint64(s.Newly), s.SampleSteps)
			}
			if !b.wait(stop) {
				s.Stopped = true
			}
		}
		if s.Stopped {
			break
		}
		b.run(i, stop, upto, &s)
	}
	if progress != nil {
		progress(uint64(s.Newly), s.SampleSteps)
	}
	s.Wall = time.Since(start)
	b.tick(engine.EntryFused, s)
	return s, nil
}

// scriptedPersister plays persistent lanes one after the other, a chunk each.
type scriptedPersister struct{ b *scriptedBound }

func (p scriptedPersister) Resident() uint32 { return uint32(p.b.script.Lanes) }

// Blocks are those of the script.
func (p scriptedPersister) Blocks() []int {
	if p.b.script.Blocks == nil {
		return []int{p.b.script.Lanes}
	}
	return p.b.script.Blocks
}

// Grid is as many blocks as the lanes fill.
func (p scriptedPersister) Grid(block int) int { return max(p.b.script.Lanes/block, 1) }

// UseBlock tells the script.
func (p scriptedPersister) UseBlock(block int) {
	if p.b.script.Block != nil {
		p.b.script.Block(block)
	}
}

func (p scriptedPersister) Persist(stop *engine.Stop, upto, chunk uint32, progress func(finished, steps uint64)) (engine.PersistStats, error) {
	b := p.b
	if b.script.LaunchErr != nil {
		return engine.PersistStats{}, b.script.LaunchErr
	}
	start := time.Now()
	var s engine.PersistStats
	s.Stopped = !b.wait(stop)
	lanes := make([]scriptedLane, b.script.Lanes)
	next, busy := 0, true
	for busy && !s.Stopped {
		busy = false
		for l := range lanes {
			lane := &lanes[l]
			if !lane.used || b.over(lane.sample, upto) {
				for next < len(b.mask) && b.over(next, upto) {
					next++
				}
				if next == len(b.mask) {
					continue
				}
				if lane.used {
					s.Refills++
				}
				*lane = scriptedLane{sample: next, used: true, from: b.taken[next]}
				next++
			}
			busy = true
			s.LaneChunks++
			b.run(lane.sample, stop, min(upto, b.taken[lane.sample]+chunk), &s.LaunchStats)
			s.Longest = max(s.Longest, b.taken[lane.sample]-lane.from)
			if s.Stopped {
				break
			}
		}
		if progress != nil {
			progress(uint64(s.Newly), s.SampleSteps)
		}
	}
	s.Wall = time.Since(start)
	b.tick(engine.EntryPersistent, s.LaunchStats)
	return s, nil
}

type scriptedLane struct {
	sample int
	used   bool
	from   uint32 // steps taken when the lane took the sample
}

// over says whether nothing is left to do for a sample.
func (b *scriptedBound) over(i int, upto uint32) bool { return b.mask[i] != 0 || b.taken[i] >= upto }

// scriptedOrder permutes the batch, plane by plane, in the plainest way.
type scriptedOrder struct{ b *scriptedBound }

func (o *scriptedOrder) Reorder(theta float32) (engine.ReorderStats, error) {
	b := o.b
	start := time.Now()
	s := engine.ReorderStats{Count: b.counters.Active, Live32: b.live32, Span: b.span, Theta: theta}
	if s.Fired = engine.ReorderFires(s.Count, s.Live32, s.Span, theta); s.Fired {
		if b.perm == nil {
			b.perm = make([]uint32, len(b.mask))
			for i := range b.perm {
				b.perm[i] = uint32(i)
			}
		}
		order := append([]uint32(nil), b.active...) // slots: live ones, the others of the span, the rest
		for i := range b.mask {
			if i >= int(b.span) || b.mask[i] != 0 {
				order = append(order, uint32(i))
			}
		}
		b.arrange(order)
		for i := range b.active {
			b.active[i] = uint32(i)
		}
		b.span, b.live32 = s.Count, groups32(b.active)
	}
	s.Wall = time.Since(start)
	return s, nil
}

func (o *scriptedOrder) Restore() error {
	b := o.b
	if b.perm == nil {
		return nil
	}
	order := make([]uint32, len(b.perm)) // where each sample lies
	for slot, sample := range b.perm {
		order[sample] = uint32(slot)
	}
	for i, slot := range b.active {
		b.active[i] = b.perm[slot]
	}
	b.arrange(order)
	b.perm = nil
	b.span, b.live32 = uint32(len(b.mask)), groups32(b.active)
	return nil
}

// Places is where each sample lies, nil while nothing was moved.
func (o *scriptedOrder) Places() []uint32 {
	if o.b.perm == nil {
		return nil
	}
	places := make([]uint32, len(o.b.perm))
	for slot, sample := range o.b.perm {
		places[sample] = uint32(slot)
	}
	return places
}

// arrange puts what lies in slot order[i] into slot i, for everything that has one element per sample.
func (b *scriptedBound) arrange(order []uint32) {
	n := len(b.mask)
	for i := range b.planes.Spec {
		spec := &b.planes.Spec[i]
		if spec.Role == ir.RoleParam || spec.Role == ir.RoleTable {
			continue
		}
		size := spec.Type.Bytes()
		for c := range spec.Width() {
			gatherRow(b.planes.Bytes(i)[c*n*size:(c+1)*n*size], size, order)
		}
	}
	gatherRow(b.mask, 1, order)
	taken, perm := append([]uint32(nil), b.taken...), append([]uint32(nil), b.perm...)
	for i, slot := range order {
		b.taken[i], b.perm[i] = taken[slot], perm[slot]
	}
}

func gatherRow(row []byte, size int, order []uint32) {
	old := append([]byte(nil), row...)
	for i, slot := range order {
		copy(row[i*size:(i+1)*size], old[int(slot)*size:])
	}
}
