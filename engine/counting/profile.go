package counting

import (
	"math"
	"slices"
)

// Never is the stop of a sample that does not finish, whatever the cap.
const Never = math.MaxUint32

// groupSize is how many neighbours leave together where there is no active set: a warp of a device.
const groupSize = 32

// Profile is when the samples of a batch stop: all that decisions depend on. It is never changed.
type Profile struct {
	n       int
	samples curve
	groups  curve  // of 32 neighbours, by the last stop of each
	short   uint32 // lanes that the last group lacks to 32
	last    uint32 // the last stop of the last group
}

// NewProfile counts the stops of a batch in the order of its samples: stops[i] is the steps of the run after
// which sample i is finished, 0 when it was so before, Never or anything beyond the cap when it is not. A
// sample that faults in a step counts as finished with that step. stops is not kept.
func NewProfile(stops []uint32) *Profile {
	p := &Profile{n: len(stops), samples: newCurve(stops)}
	lasts := groupLasts(stops)
	p.groups = newCurve(lasts)
	if k := len(lasts); k > 0 {
		p.short, p.last = uint32(k*groupSize-len(stops)), lasts[k-1]
	}
	return p
}

// N is the size of the batch.
func (p *Profile) N() int { return p.n }

// Finished is the number of samples that are finished after step.
func (p *Profile) Finished(step uint32) uint32 {
	return uint32(p.samples.gone(p.samples.index(step)))
}

// Longest is the last stop of a sample that finishes within limit steps; 0 when none does.
func (p *Profile) Longest(limit uint32) uint32 {
	if i := p.samples.index(limit); i > 0 {
		return p.samples.at[i-1]
	}
	return 0
}

// Useful is the lane-steps that samples take in steps steps: each its own, up to its stop.
func (p *Profile) Useful(steps uint32) uint64 { return p.samples.held(steps) }

// grouped is the lane-steps that are paid in steps steps when 32 neighbours leave with the last of them.
func (p *Profile) grouped(steps uint32) uint64 {
	return groupSize*p.groups.held(steps) - uint64(p.short)*uint64(min(p.last, steps))
}

// groupLasts is the last stop of each group of 32.
func groupLasts(stops []uint32) []uint32 {
	lasts := make([]uint32, 0, (len(stops)+groupSize-1)/groupSize)
	for g := range slices.Chunk(stops, groupSize) {
		lasts = append(lasts, slices.Max(g))
	}
	return lasts
}

// curve is how many of some things are over after each step at which one of them is.
type curve struct {
	total uint64
	at    []uint32 // ascending, each once, without Never
	count []uint64 // over after at[i]
	sum   []uint64 // of the steps of those
}

// histogramRoom is the longest histogram that is made of few steps: more is sorted instead.
const histogramRoom = 1 << 16

// newCurve counts steps.
func newCurve(steps []uint32) curve {
	c := curve{total: uint64(len(steps))}
	most := uint32(0)
	for _, s := range steps {
		if s != Never {
			most = max(most, s)
		}
	}
	if uint64(most) <= max(4*uint64(len(steps)), histogramRoom) {
		by := make([]uint32, uint64(most)+1)
		for _, s := range steps {
			if s != Never {
				by[s]++
			}
		}
		for s, count := range by {
			if count > 0 {
				c.add(uint32(s), uint64(count))
			}
		}
		return c
	}
	sorted := slices.Clone(steps)
	slices.Sort(sorted)
	for len(sorted) > 0 && sorted[0] != Never {
		i := 1
		for i < len(sorted) && sorted[i] == sorted[0] {
			i++
		}
		c.add(sorted[0], uint64(i))
		sorted = sorted[i:]
	}
	return c
}

// add appends count things that are over after step, which is later than all before.
func (c *curve) add(step uint32, count uint64) {
	over, sum := count, count*uint64(step)
	if k := len(c.at); k > 0 {
		over, sum = over+c.count[k-1], sum+c.sum[k-1]
	}
	c.at, c.count, c.sum = append(c.at, step), append(c.count, over), append(c.sum, sum)
}

// index is how many entries lie at or before step.
func (c *curve) index(step uint32) int {
	i, found := slices.BinarySearch(c.at, step)
	if found {
		i++
	}
	return i
}

// advance is index, from an earlier one on: entries lie at least a step apart, so the way is short.
func (c *curve) advance(i int, step uint32) int {
	for i < len(c.at) && c.at[i] <= step {
		i++
	}
	return i
}

// gone is how many things are over with entry i-1.
func (c *curve) gone(i int) uint64 {
	if i == 0 {
		return 0
	}
	return c.count[i-1]
}

// next is the step of entry i, Never beyond the last.
func (c *curve) next(i int) uint32 {
	if i < len(c.at) {
		return c.at[i]
	}
	return Never
}

// held sums over all things the steps that they take until they are over, at most limit each.
func (c *curve) held(limit uint32) uint64 {
	i := c.index(limit)
	held := (c.total - c.gone(i)) * uint64(limit)
	if i > 0 {
		held += c.sum[i-1]
	}
	return held
}
