package tui

import (
	"math"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
)

// keptRecords is how many launches are kept in detail, and how many sentences the log keeps.
const keptRecords = 65_536

// record is one launch, joined from the events of its turn.
type record struct {
	launch     engine.Launch
	policy     engine.PolicyDecision // what was decided after the launch; see hasPolicy
	compaction engine.Compaction     // see compacted
	turn       uint64
	began      time.Duration     // wall of the launches before it
	flags      engine.EventFlags // of the launch
	hasPolicy  bool
	compacted  bool
	resident   bool // the policy found that no boundary pays
	nextCut    bool // the word that was decided was cut to the steps left
}

// after is the number of samples that were live after the launch.
func (r *record) after() uint32 { return r.launch.Live - min(r.launch.Newly, r.launch.Live) }

// ring keeps the last keptRecords of what was added, and counts all.
type ring[T any] struct {
	items []T
	total int
}

func (r *ring[T]) reset() { r.items, r.total = r.items[:0], 0 }

// add appends x and returns where it lies until the next add.
func (r *ring[T]) add(x T) *T {
	at := r.total % keptRecords
	r.total++
	if at == len(r.items) {
		r.items = append(r.items, x)
	} else {
		r.items[at] = x
	}
	return &r.items[at]
}

// first and total bound what is kept: at takes first <= i < total.
func (r *ring[T]) first() int     { return r.total - len(r.items) }
func (r *ring[T]) at(i int) *T    { return &r.items[i%keptRecords] }
func (r *ring[T]) has(i int) bool { return i >= r.first() && i < r.total }

// last is the newest, nil when there is none.
func (r *ring[T]) last() *T {
	if r.total == 0 {
		return nil
	}
	return r.at(r.total - 1)
}

// extent is what a number did over some launches; NaN where it was not known.
type extent struct{ least, most, last float64 }

func only(v float64) extent { return extent{v, v, v} }

// join is e followed by f.
func (e extent) join(f extent) extent {
	switch {
	case math.IsNaN(e.last):
		return f
	case math.IsNaN(f.last):
		return e
	}
	return extent{min(e.least, f.least), max(e.most, f.most), f.last}
}

// bucket is some consecutive launches in short.
type bucket struct {
	launches   int
	done       uint32 // steps of the run after the last of them
	live       uint32 // samples that were live then
	word       extent // steps per launch
	h          extent // share of the batch that finished per step
	kStar      extent // steps before rounding; +Inf where nobody finished
	compaction bool
	wall       time.Duration
}

func (b bucket) join(c bucket) bucket {
	return bucket{
		b.launches + c.launches, c.done, c.live, b.word.join(c.word), b.h.join(c.h), b.kStar.join(c.kStar),
		b.compaction || c.compaction, b.wall + c.wall,
	}
}

// keptBuckets is how many buckets each level of a pyramid keeps; several per column of a wide plot.
const keptBuckets = 1024

// pyramid keeps a run of any length in bounded memory, so that a plot of all of it costs no more than its
// width: level j holds the last keptBuckets buckets of 2^j launches each.
type pyramid struct {
	levels []level
	total  int // launches
}

type level struct {
	ring    []bucket
	count   int // complete buckets ever
	pending bucket
}

func (p *pyramid) reset() { p.levels, p.total = p.levels[:0], 0 }

// add appends one launch.
func (p *pyramid) add(b bucket) {
	p.total++
	for j := 0; ; j++ {
		if j == len(p.levels) {
			p.levels = append(p.levels, level{})
		}
		l := &p.levels[j]
		if l.count < keptBuckets {
			l.ring = append(l.ring, b)
		} else {
			l.ring[l.count%keptBuckets] = b
		}
		l.count++
		if l.pending.launches == 0 {
			l.pending = b
			return
		}
		b = l.pending.join(b)
		l.pending = bucket{}
	}
}

// amend replaces what was said about the newest launch, whose events come one after the other.
func (p *pyramid) amend(f func(*bucket)) {
	if p.total == 0 {
		return
	}
	l := &p.levels[0]
	f(&l.ring[(l.count-1)%keptBuckets])
	if l.pending.launches > 0 {
		f(&l.pending)
		return
	}
	// The newest launch has been joined into buckets above: join them again.
	for j := 1; j < len(p.levels); j++ {
		below, above := &p.levels[j-1], &p.levels[j]
		joined := below.ring[(below.count-2)%keptBuckets].join(below.ring[(below.count-1)%keptBuckets])
		above.ring[(above.count-1)%keptBuckets] = joined
		if above.pending.launches > 0 {
			above.pending = joined
			return
		}
	}
}

// each calls f with buckets that together are the whole run, in order; at most keptBuckets + 64 of them.
func (p *pyramid) each(f func(bucket)) {
	if p.total == 0 {
		return
	}
	j := 0
	for p.levels[j].count > keptBuckets {
		j++
	}
	for _, b := range p.levels[j].ring[:p.levels[j].count] {
		f(b)
	}
	for j--; j >= 0; j-- { // what is not yet joined, largest first
		if p.levels[j].pending.launches > 0 {
			f(p.levels[j].pending)
		}
	}
}
