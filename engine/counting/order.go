package counting

import (
	"math/rand/v2"
	"slices"

	"github.com/eaglet-workbench/eaglet/engine"
)

// Order is what the order of the samples in memory makes of a run. The decisions are the same in every order
// but for the reorders; what differs is how many groups of 32 neighbours the live samples keep busy.
type Order struct {
	Run

	Groups uint64 // lane-steps of groups that leave with their last sample: paid without an active set
	// Lane-steps of the groups of 32 slots in which a live sample lies, launch by launch: with an active set
	// lanes are dense, but their memory is spread over these. Moved is with reorders, equal without.
	Touched, Moved uint64
	Reorders       int
}

// Fill is the share of the lanes of the groups that samples use while the group is held, in (0,1].
func (o *Order) Fill() float64 { return fraction(o.Useful, o.Groups) }

// TouchedFill and MovedFill are the share of the slots of touched groups that held live samples, in (0,1].
func (o *Order) TouchedFill() float64 { return fraction(o.Paid, o.Touched) }

// MovedFill is TouchedFill with reorders.
func (o *Order) MovedFill() float64 { return fraction(o.Paid, o.Moved) }

// Gain is how many times fewer slots a run touches that may reorder; 1 when it gains nothing.
func (o *Order) Gain() float64 {
	if o.Moved == 0 {
		return 1
	}
	return float64(o.Touched) / float64(o.Moved)
}

func fraction(part, whole uint64) float64 {
	if whole == 0 {
		return 1
	}
	return min(float64(part)/float64(whole), 1)
}

// OrderOf counts the run of a rule on samples that stop in the order given (see [NewProfile]), and what a
// run that may reorder at theta does, 0 for one that may not.
func OrderOf(stops []uint32, r Rule, theta float64) (Order, error) {
	p := NewProfile(stops)
	s := sorting{slots: stops, span: uint32(len(stops)), groups: p.groups, theta: float32(theta)}
	o := Order{}
	still, moved := s.busy(0), s.busy(0)
	run, err := Count(p, r, func(l Launch) {
		steps := uint64(l.Word) * uint64(l.Times)
		o.Touched += steps * still
		o.Moved += steps * moved
		if !l.Compacted {
			return
		}
		if theta > 0 && s.offer(l.Done, l.Live-l.Newly) {
			o.Reorders++
		}
		still, moved = groupSize*(p.groups.total-p.groups.gone(p.groups.index(l.Done))), s.busy(l.Done)
	})
	if err != nil {
		return Order{}, err
	}
	o.Run, o.Groups = run, p.grouped(run.Steps)
	if !r.frees() {
		o.Touched, o.Moved = o.Groups, o.Groups
	}
	return o, nil
}

// sorting is a batch that may be reordered.
type sorting struct {
	slots  []uint32 // stops by slot, over span
	span   uint32
	groups curve // of slots
	theta  float32
}

// busy is the slots of the groups in which a live sample lies after done steps.
func (s *sorting) busy(done uint32) uint64 {
	return groupSize * (s.groups.total - s.groups.gone(s.groups.index(done)))
}

// offer is a reorder after a compaction that left count live samples: a stable partition, live ones first.
// The span shrinks by a quarter at least each time it fires, so all of them take time in proportion to n.
func (s *sorting) offer(done, count uint32) bool {
	if !engine.ReorderFires(count, uint32(s.busy(done)/groupSize), s.span, s.theta) {
		return false
	}
	live := make([]uint32, 0, count)
	for _, stop := range s.slots {
		if stop > done {
			live = append(live, stop)
		}
	}
	s.slots, s.span = live, count
	s.groups = newCurve(groupLasts(live))
	return true
}

// Arrangement is an order of samples to try.
type Arrangement uint8

// The arrangements.
const (
	AsIs        Arrangement = iota
	Sorted                  // by stop: neighbours finish together
	Shuffled                // no order
	Interleaved             // dealt out like cards, sorted: each group of 32 has early and late ones
	Arrangements
)

// String names the arrangement.
func (a Arrangement) String() string {
	return [...]string{"as is", "sorted", "shuffled", "interleaved"}[a]
}

// Arrange gives the stops in another order; stops stays as it is.
func Arrange(stops []uint32, a Arrangement, seed uint64) []uint32 {
	out := slices.Clone(stops)
	switch a {
	case Sorted:
		slices.Sort(out)
	case Shuffled:
		rng := rand.New(rand.NewPCG(seed, 2))
		rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	case Interleaved:
		slices.Sort(out)
		return dealt(out)
	}
	return out
}

// dealt gives one element of each pile in turn: piles are as many as make a group of 32 hold the whole range.
func dealt(sorted []uint32) []uint32 {
	out := make([]uint32, 0, len(sorted))
	groups := max((len(sorted)+groupSize-1)/groupSize, 1)
	for g := range groups {
		for i := g; i < len(sorted); i += groups {
			out = append(out, sorted[i])
		}
	}
	return out
}
