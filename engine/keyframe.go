package engine

import (
	"maps"
	"slices"
	"sort"
	"time"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Keyframes are copies of a batch at boundaries of its run, from which the run can go on: what a step writes, the mask,
// the steps taken, and where the runner stood. Going back to a step is a copy and the launches from the keyframe
// before it.
//
// They lie about evenly over the work of the run. When as many are kept as Bytes allow, or mostFrames, every second one
// is dropped and the distance doubles. So a run whose budget holds m keyframes has at least m/2 of them, and a step
// is at most 2/m of the run's sample-steps behind one, plus a launch; the memory is taken once and used again.
// Copying takes a hundredth of the run's time at most: a run that is too short for that has fewer.
//
// They are of one batch, and of the run that began last.
type Keyframes struct {
	Bytes int64 // that they may take; where two do not fit none is kept
	Eager bool  // whatever copying takes; for tests

	list   []*keyframe // in the order of the run
	spare  []*keyframe // memory to be used again
	most   int         // 0: not known yet
	every  uint64      // sample-steps between two
	due    uint64      // sample-steps of the run from which on one is wanted
	rested time.Duration
}

const (
	mostFrames  = 64
	firstFrames = 16  // full-live steps between the first ones
	frameShare  = 100 // of the run's time, one part is for copying
)

// keyframe is one of them.
type keyframe struct {
	run    run    // with maps and policy of its own
	turns  [2]int // of its loop: made, and the most
	done   uint32
	work   uint64 // sample-steps of the run
	planes [][]byte
	mask   []byte
	taken  []uint32
	faults []Fault
}

// Resumer is what a Bound offers that can be put back to where it was in the run.
type Resumer interface {
	// Resume goes on from planes and mask that the caller has put back, in sample order, at a boundary where live
	// samples had taken done steps: as Begin(true), with taken as the steps taken and faults as the faults of the run.
	Resume(done uint32, taken []uint32, faults []Fault) (Counters, error)
}

// begin forgets the keyframes of another run.
func (k *Keyframes) begin(n int) {
	if k == nil {
		return
	}
	k.spare = append(k.spare, k.list...)
	k.list = k.list[:0]
	k.every, k.due, k.rested = firstFrames*uint64(max(n, 1)), firstFrames*uint64(max(n, 1)), 0
}

// cut forgets those beyond a step of the run.
func (k *Keyframes) cut(done uint32) {
	if k == nil {
		return
	}
	for len(k.list) > 0 && k.list[len(k.list)-1].done > done {
		k.spare = append(k.spare, k.list[len(k.list)-1])
		k.list = k.list[:len(k.list)-1]
	}
}

// before is the last keyframe at or before a step of the run, nil when there is none.
func (k *Keyframes) before(step uint32) *keyframe {
	if k == nil {
		return nil
	}
	i := sort.Search(len(k.list), func(i int) bool { return k.list[i].done > step })
	if i == 0 {
		return nil
	}
	return k.list[i-1]
}

// Steps lists the steps of the run at which a keyframe is kept. Between calls of the runner only.
func (k *Keyframes) Steps() []int {
	steps := make([]int, len(k.list))
	for i, f := range k.list {
		steps[i] = int(f.done)
	}
	return steps
}

// Taken is the memory that the keyframes take, in bytes. Between calls of the runner only.
func (k *Keyframes) Taken() (bytes int64) {
	for _, f := range slices.Concat(k.list, k.spare) {
		bytes += f.bytes()
	}
	return bytes
}

func (f *keyframe) bytes() int64 {
	bytes := int64(len(f.mask)) + 4*int64(len(f.taken))
	for _, p := range f.planes {
		bytes += int64(len(p))
	}
	return bytes
}

// keep takes a keyframe before a turn, if one is due.
func (r *Runner) keep() {
	c := &r.run
	k := c.course.frames
	if k == nil || c.steps < k.due || c.untracked || c.inside.parts() > 0 {
		return
	}
	start := c.clock()
	defer func() { c.looked += c.clock() - start }()
	if start < k.rested && !k.Eager {
		return
	}
	if _, ok := r.bound.(Resumer); !ok || !k.room(r) {
		c.course.frames = nil
		return
	}
	i := sort.Search(len(k.list), func(i int) bool { return k.list[i].work >= c.steps })
	switch { // one is kept near by, from when the run was here before
	case i > 0 && c.steps-k.list[i-1].work < k.every:
		k.due = k.list[i-1].work + k.every
		return
	case i < len(k.list) && k.list[i].work-c.steps < k.every:
		k.due = k.list[i].work + k.every
		return
	}
	if len(k.list) == k.most {
		k.thin()
		k.due = c.steps - c.steps%k.every + k.every
		if len(k.list) > 0 && c.steps-min(k.list[len(k.list)-1].work, c.steps) < k.every {
			return
		}
		i = sort.Search(len(k.list), func(i int) bool { return k.list[i].work >= c.steps })
	}
	if r.fetch() != nil {
		return // the launch that follows meets the same, and reports it
	}
	k.list = slices.Insert(k.list, i, r.frame(k.memory()))
	k.due = c.steps + k.every
	now := c.clock()
	k.rested = now + frameShare*(now-start)
}

// room counts how many keyframes of r's batch there may be, and says whether there may be any.
func (k *Keyframes) room(r *Runner) bool {
	if k.most == 0 {
		one := int64(r.planes.N) * 5
		for i := range r.planes.Spec {
			if written(&r.planes.Spec[i]) {
				one += int64(len(r.planes.Bytes(i)))
			}
		}
		k.most = int(min(k.Bytes/max(one, 1), mostFrames))
	}
	return k.most >= 2
}

// thin drops every second keyframe.
func (k *Keyframes) thin() {
	left := k.list[:0]
	for i, f := range k.list {
		if i%2 == 1 {
			left = append(left, f)
		} else {
			k.spare = append(k.spare, f)
		}
	}
	k.list, k.every = left, 2*k.every
}

func (k *Keyframes) memory() *keyframe {
	last := len(k.spare) - 1
	if last < 0 {
		return &keyframe{}
	}
	f := k.spare[last]
	k.spare = k.spare[:last]
	return f
}

// written says whether a step writes a plane.
func written(p *ir.Plane) bool { return p.Role == ir.RoleState || p.Role == ir.RoleOutput }

// frame copies where the run stands into f.
func (r *Runner) frame(f *keyframe) *keyframe {
	c := &r.run
	var places []uint32
	if c.permuted {
		places = r.bound.(Reorderer).Places()
	}
	f.run, f.done, f.work = *c, c.done, c.steps
	f.turns = [2]int{c.loop.ran, c.loop.MaxIters}
	f.run.byWord, f.run.policy = maps.Clone(c.byWord), c.policy.clone()
	f.run.permuted, f.run.asked, f.run.stopAt = false, 0, 0
	n := r.planes.N
	if f.planes == nil {
		f.planes = make([][]byte, len(r.planes.Spec))
	}
	for i := range r.planes.Spec {
		if p := &r.planes.Spec[i]; written(p) {
			f.planes[i] = rowsInOrder(f.planes[i], r.planes.Bytes(i), n, p.Type.Bytes(), places)
		}
	}
	f.mask = rowsInOrder(f.mask, r.mask, n, 1, places)
	taken := r.bound.StepsTaken()
	f.taken = slices.Grow(f.taken[:0], n)[:n]
	if places == nil {
		copy(f.taken, taken)
	} else {
		for sample, slot := range places {
			f.taken[sample] = taken[slot]
		}
	}
	f.faults = r.bound.Faults()
	return f
}

// rowsInOrder copies rows of n elements of size bytes into out, by sample.
func rowsInOrder(out, from []byte, n, size int, places []uint32) []byte {
	out = slices.Grow(out[:0], len(from))[:len(from)]
	if places == nil {
		copy(out, from)
		return out
	}
	for row := 0; row < len(from); row += n * size {
		for sample, slot := range places {
			copy(out[row+sample*size:][:size], from[row+int(slot)*size:][:size])
		}
	}
	return out
}

// restoreFrame puts batch and run back to where f was taken.
func (r *Runner) restoreFrame(f *keyframe) error {
	c := &r.run
	for i, p := range f.planes {
		if p != nil {
			copy(r.planes.Bytes(i), p)
		}
	}
	copy(r.mask, f.mask)
	now := *c
	*c = f.run
	c.byWord, c.policy = maps.Clone(f.run.byWord), f.run.policy.clone()
	c.options, c.clock, c.loop, c.course, c.open = now.options, now.clock, now.loop, now.course, now.open
	c.looked, c.interrupted = now.looked, true
	c.loop.ran, c.loop.MaxIters, c.loop.at = f.turns[0], f.turns[1], 0
	if k := c.course.frames; k != nil {
		k.due = f.work + k.every
	}
	if _, err := r.bound.(Resumer).Resume(f.done, f.taken, f.faults); err != nil {
		c.broken = true
		return err
	}
	if r.kernel.Guard == ir.GuardActiveSet && !c.resident {
		// The map as the last compaction left it, and the counter that it looked at: the next one decides as it did.
		if _, err := r.bound.Compact(); err != nil {
			c.broken = true
			return err
		}
	}
	return nil
}
