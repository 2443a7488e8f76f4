package engine

import (
	"crypto/sha256"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"
	"time"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// The pick between the two entries of a kernel (runner.md, section 6). Which one is faster depends on how
// the samples' steps are spread, on the size of the batch and on the machine, and no formula is as good as
// a run that is made anyhow:
//
//	n >= 8 * resident     persistent, untimed: every lane is refilled often enough
//	n <= wave / 4         fused, untimed: the lanes would mostly stand idle
//	between               run 1 takes one entry, run 2 the other (the probe), later runs the faster one
//
// Where an engine has several sizes of blocks for its persistent entry, each is one more thing to time, in a
// probe of its own.
//
// A pick holds for batches that look alike, which is what a Bucket says.

// Constants of the pick.
const (
	pickPersistMultiple = 8
	pickFusedDivisor    = 4
	pickHysteresis      = 0.98 // a challenger must be faster than this share of the current wall
)

// PickHysteresis is the share of the current entry's wall that the other one must stay below, for display.
const PickHysteresis = pickHysteresis

// Bucket says which runs look alike: the magnitude of the longest sample and how well the steps fill it.
type Bucket struct {
	Log2Longest uint8 // floor(log2 longest)
	FillTenths  uint8 // step fill, sum of steps / (n * longest), rounded to tenths: 0 to 10
}

// BucketOf is the bucket of a run over n samples whose steps sum to sampleSteps and go up to longest. A run
// without steps has the zero bucket.
func BucketOf(n, longest int, sampleSteps uint64) Bucket {
	if longest <= 0 || n <= 0 {
		return Bucket{}
	}
	return Bucket{uint8(bits.Len(uint(longest)) - 1), uint8(math.Round(10 * stepFill(n, longest, sampleSteps)))}
}

func stepFill(n, longest int, sampleSteps uint64) float64 {
	if longest <= 0 || n <= 0 {
		return 0
	}
	return float64(sampleSteps) / (float64(n) * float64(longest))
}

// String is the bucket as a reader sees it.
func (b Bucket) String() string {
	low := uint64(1) << min(b.Log2Longest, 62)
	return fmt.Sprintf("longest in %s..%s, fill %d.%d", Grouped(low), Grouped(2*low-1), b.FillTenths/10, b.FillTenths%10)
}

// PickReason says why a run takes its entry.
type PickReason uint8

// The reasons. Numbers are part of the recording format.
const (
	PickAsked      PickReason = iota // the caller named the entry
	PickLarge                        // n >= 8 * resident threads
	PickSmall                        // n <= wave / 4
	PickFirst                        // nothing is known yet: fused when the batch fits a wave, else persistent
	PickProbe                        // the other entry, to time it
	PickSettled                      // both were timed
	PickCached                       // another runner of the process timed both
	PickReordering                   // reorder was asked for: only the fused entry has boundaries
)

// Pick is the payload of EventPick: which entry a run takes, and why.
type Pick struct {
	Entry    Entry
	Reason   PickReason
	Timed    bool // the wall of the run will count
	N        uint32
	Resident uint32 // persistent threads
	Wave     uint32 // samples of one wave, 0: unknown
	Chunk    uint32 // of a persistent launch, else 0
	Block    uint32 // of a persistent launch where there are several sizes of blocks, else 0
	Bucket   Bucket // that the pick rests upon, zero when nothing is known
}

// ProbeKind says what was timed against what.
type ProbeKind uint8

// The kinds. Numbers are part of the recording format.
const (
	ProbeEntry ProbeKind = iota // the other entry against the current one
	ProbeFused                  // policy measured: a fused launch against one step per launch
)

// Probe is the payload of EventProbe: two walls that were compared, and what came of it. Walls are compared
// per unit of work: sample-steps of a run, steps of a launch.
type Probe struct {
	What                   ProbeKind
	Current, Other         Entry // of ProbeEntry: before, and what was timed against it
	CurrentBlock           uint32
	OtherBlock             uint32 // sizes of blocks of persistent entries, where there are several
	Changed                bool   // the other one is cheaper by enough
	Bucket                 Bucket
	CurrentWall, OtherWall time.Duration
	CurrentWork, OtherWork uint64
}

// cheaper says whether the other one costs less than share of the current one, per unit of work. Nothing
// is cheaper than a current one without a measured wall.
func (p *Probe) cheaper(share float64) bool {
	return float64(p.OtherWall)*float64(p.CurrentWork) < share*float64(p.CurrentWall)*float64(p.OtherWork)
}

// arm is one way to run a batch: an entry, and the size of its blocks where there are several.
type arm struct {
	entry Entry
	block int // 0: the only one there is
}

// arms are the ways that the pick chooses from, in the order in which they are timed after current: the other
// entry, then other blocks.
func (r *Runner) arms(current arm) []arm {
	list := []arm{{entry: EntryFused}}
	blocks := r.blocks()
	if len(blocks) == 0 {
		blocks = []int{0}
	}
	for _, b := range blocks {
		list = append(list, arm{EntryPersistent, b})
	}
	slices.SortStableFunc(list, func(a, b arm) int { return int(b2u(a.entry == current.entry)) - int(b2u(b.entry == current.entry)) })
	return list
}

// blocks are the sizes of blocks to choose from, none where there is no choice.
func (r *Runner) blocks() []int {
	if b, ok := r.bound.(Blocker); ok {
		if sizes := b.Blocks(); len(sizes) > 1 {
			return sizes
		}
	}
	return nil
}

// firstArm is entry e in the blocks that the engine would take by itself.
func (r *Runner) firstArm(e Entry) arm {
	if blocks := r.blocks(); e == EntryPersistent && len(blocks) > 0 {
		return arm{e, blocks[0]}
	}
	return arm{entry: e}
}

// timing is what a timed run of an arm took.
type timing struct {
	wall  time.Duration
	steps uint64 // sample-steps
}

// picker is a runner's memory of its runs.
type picker struct {
	begun   bool // bucket and what follows are known
	settled bool
	cached  bool // settled by the cache
	arm     arm  // the current one
	bucket  Bucket
	timings map[arm]timing

	mean, fill, rate float64 // of the last whole run
}

// pickKey says for what a pick was made, but for the bucket.
type pickKey struct {
	engine, device string
	kernel         [sha256.Size]byte
	precision      ir.Type
	n              int
}

// picks keeps what runners found, for the process; nothing is kept on disk. last is the bucket that was
// settled last: what a new runner takes its batch for until it has run.
var picks = struct {
	sync.Mutex
	arm  map[pickKey]map[Bucket]arm
	last map[pickKey]Bucket
}{arm: map[pickKey]map[Bucket]arm{}, last: map[pickKey]Bucket{}}

func (r *Runner) pickKey() pickKey {
	return pickKey{r.engineName, r.device, r.kernelDigest(), r.kernel.Precision, r.planes.N}
}

// knownPick looks a bucket up.
func knownPick(key pickKey, b Bucket) (arm, bool) {
	picks.Lock()
	defer picks.Unlock()
	a, ok := picks.arm[key][b]
	return a, ok
}

func keepPick(key pickKey, b Bucket, a arm) {
	picks.Lock()
	defer picks.Unlock()
	if picks.arm[key] == nil {
		picks.arm[key] = map[Bucket]arm{}
	}
	picks.arm[key][b] = a
	picks.last[key] = b
}

// lastPick is what the last runner with this key settled upon.
func lastPick(key pickKey) (Bucket, arm, bool) {
	picks.Lock()
	defer picks.Unlock()
	b, ok := picks.last[key]
	return b, picks.arm[key][b], ok
}

// choosePick says which arm a run takes. It changes nothing but what the cache can tell.
func (r *Runner) choosePick(o *RunOptions, resident uint32) Pick {
	p := Pick{N: uint32(r.planes.N), Resident: resident, Wave: uint32(min(o.Wave, math.MaxUint32))}
	k := &r.pick
	var a arm
	switch n, wave := uint64(p.N), uint64(p.Wave); {
	case o.Reorder != 0:
		a, p.Reason = r.firstArm(EntryFused), PickReordering
	case n >= pickPersistMultiple*uint64(resident):
		a, p.Reason = r.firstArm(EntryPersistent), PickLarge
	case n*pickFusedDivisor <= wave:
		a, p.Reason = r.firstArm(EntryFused), PickSmall
	default:
		if !k.begun {
			if b, a, ok := lastPick(r.pickKey()); ok {
				*k = picker{begun: true, settled: true, cached: true, bucket: b, arm: a}
			}
		}
		p.Bucket = k.bucket
		switch {
		case k.settled && k.cached:
			a, p.Reason = k.arm, PickCached
		case k.settled:
			a, p.Reason = k.arm, PickSettled
		case k.begun && k.timings[k.arm].steps > 0:
			a, p.Reason, p.Timed = r.untimed(), PickProbe, true
		default:
			a, p.Reason, p.Timed = r.firstArm(EntryPersistent), PickFirst, true
			if n <= wave {
				a = r.firstArm(EntryFused)
			}
			k.arm = a
		}
	}
	p.Entry, p.Block = a.entry, uint32(a.block)
	return p
}

// untimed is the next arm to time against the current one.
func (r *Runner) untimed() arm {
	k := &r.pick
	for _, a := range r.arms(k.arm) {
		if k.timings[a].steps == 0 {
			return a
		}
	}
	return k.arm // not reached: with all of them timed the pick is settled
}

// learn takes in a whole run. It returns the comparison that the run completed, if any: the best of the
// others against the current one.
//
// A settled runner whose bucket changes keeps its arm and has that arm's wall already: the next run is
// a probe. A probe that falls into another bucket than the run before it starts the comparison anew.
func (r *Runner) learn(p *Pick, t timing, b Bucket) (probe Probe, compared bool) {
	k := &r.pick
	if p.Reason != PickFirst && p.Reason != PickProbe && p.Reason != PickSettled && p.Reason != PickCached {
		return Probe{}, false
	}
	if !k.begun || b != k.bucket {
		k.begun, k.settled, k.cached, k.bucket = true, false, false, b
		k.timings = map[arm]timing{}
		if a, ok := knownPick(r.pickKey(), b); ok {
			k.arm, k.settled, k.cached = a, true, true
		}
	}
	if k.settled {
		return Probe{}, false
	}
	ran := arm{p.Entry, int(p.Block)}
	k.timings[ran] = t
	now := k.timings[k.arm]
	if now.steps == 0 {
		k.arm = ran // a probe in a new bucket: it is the current one there
		return Probe{}, false
	}
	best, found := arm{}, false
	for _, a := range r.arms(k.arm) {
		other := k.timings[a]
		switch {
		case other.steps == 0:
			return Probe{}, false
		case a != k.arm && (!found || other.less(k.timings[best])):
			best, found = a, true
		}
	}
	other := k.timings[best]
	probe = Probe{
		What: ProbeEntry, Current: k.arm.entry, Other: best.entry, CurrentBlock: uint32(k.arm.block), OtherBlock: uint32(best.block),
		Bucket: b, CurrentWall: now.wall, CurrentWork: now.steps, OtherWall: other.wall, OtherWork: other.steps,
	}
	if probe.Changed = probe.cheaper(pickHysteresis); probe.Changed {
		k.arm = best
	}
	k.settled = true
	keepPick(r.pickKey(), b, k.arm)
	return probe, true
}

// less says whether t took less wall per sample-step than u.
func (t timing) less(u timing) bool {
	return float64(t.wall)*float64(u.steps) < float64(u.wall)*float64(t.steps)
}
