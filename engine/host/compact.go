package host

import (
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
)

// Compact rebuilds the active map if the counter has moved since the last compaction (runner.md, section
// 3): slots of unfinished samples in ascending order. Slots past the map's end are untouched.
func (b *bound) Compact() (engine.CompactStats, error) {
	start := time.Now()
	if b.active == nil || b.counters.Finished == b.snapshot {
		return engine.CompactStats{Active: b.counters.Active, Groups: b.groups, Wall: time.Since(start)}, nil
	}
	b.snapshot = b.counters.Finished
	b.counters.Active, b.groups = compact(b.mask[:b.order.span], b.active)
	return engine.CompactStats{Ran: true, Active: b.counters.Active, Groups: b.groups, Wall: time.Since(start)}, nil
}

// groupSlots is the size of an aligned group of slots: a warp of a device, so that the host counts what a
// device would.
const groupSlots = 32

// compact writes the indices of the zero bytes of mask to slots and returns how many there are, and how
// many aligned groups hold one. slots is at least as long as mask; places from count on are not written.
func compact(mask []byte, slots []uint32) (count, groups uint32) {
	last := len(mask)
	for last > 0 && mask[last-1] != 0 {
		last--
	}
	mask = mask[:last] // its end is a live slot, so that no place past the count is tried
	for from := 0; from < len(mask); from += groupSlots {
		before := count
		for i, m := range mask[from:min(from+groupSlots, len(mask))] {
			slots[count] = uint32(from + i)
			if m == 0 {
				count++
			}
		}
		if count > before {
			groups++
		}
	}
	return count, groups
}
