package session

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Arrange is an order in which a fork's samples lie.
type Arrange uint8

// The orders. Stops are those of the run that the fork is held against: samples that stop together lie together.
const (
	ArrangeSame     Arrange = iota
	ArrangeByStops          // the earliest first; live ones last
	ArrangeReversed         // the last sample first
	ArrangeShuffled         // by the batch's seed
	arranges
)

// String names the order.
func (a Arrange) String() string { return arrangeNames[a] }

var arrangeNames = [...]string{"as it is", "stops", "reversed", "shuffled"}

// ArrangeNamed finds an order by its name; same stands for the one that it is.
func ArrangeNamed(name string) (Arrange, error) {
	for a := ArrangeByStops; a < arranges; a++ {
		if name == a.String() {
			return a, nil
		}
	}
	if name == "same" {
		return ArrangeSame, nil
	}
	return 0, fmt.Errorf("an order is stops (of this run), reversed, shuffled or same, not %q", name)
}

// arrangement gives by slot the sample that lies there, nil for the order that it is.
func (b *batch) arrangement(a Arrange) []int {
	if a == ArrangeSame {
		return nil
	}
	out := make([]int, b.n)
	for i := range out {
		out[i] = i
	}
	switch a {
	case ArrangeByStops:
		taken := b.bound.StepsTaken()
		stop := func(sample int) uint64 {
			switch {
			case b.mask[sample] == 0:
				return 1 << 32 // later than every step
			case len(taken) != b.n:
				return 0
			}
			return uint64(taken[sample])
		}
		slices.SortStableFunc(out, func(x, y int) int { return cmp.Compare(stop(x), stop(y)) })
	case ArrangeReversed:
		slices.Reverse(out)
	case ArrangeShuffled:
		rand.New(rand.NewPCG(b.seed, 0)).Shuffle(b.n, func(i, j int) { out[i], out[j] = out[j], out[i] })
	}
	return out
}

// arrange lets the samples of a batch at its start lie in another order, and says where each lies.
func (b *batch) arrange(order []int) (places []uint32) {
	if order == nil {
		return nil
	}
	moved := excerpt(b.planes, order)
	for i := range b.planes.Spec {
		if role := b.planes.Spec[i].Role; role != ir.RoleParam && role != ir.RoleTable {
			copy(b.planes.Bytes(i), moved.Bytes(i))
		}
	}
	places = make([]uint32, b.n)
	for slot, sample := range order {
		places[sample] = uint32(slot)
	}
	return places
}
