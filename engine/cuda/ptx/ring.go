package ptx

// Ring is the head of a ring of events in memory that the host can read while kernels run; its slots follow,
// [RingSlots] bytes after its beginning, Control.Capacity of them, 96 bytes each as engine.Event has them. A
// reader copies slots from Tail up to Head and then moves Tail. A device never waits: an event that finds the
// ring full is counted in Lost.
//
// Reading the host's memory, and waiting until it has what was written, take a device longer than a decision.
// So the counts are kept in Control, Tail is looked at only when the ring seems full, and a kernel gives Head
// what the kernels before it had written: the events of a turn come with the next one, and those of the last
// with Control.Told and Control.Lost when the run has ended.
type Ring struct {
	Head uint64 // events that can be read, ever
	Lost uint64 // of those that found no room, as many as Head tells of
	Tail uint64 // events read, ever; the reader's to write
}

// TurnEvents is the most events that one kernel appends.
const TurnEvents = 4

// RingSlots is where the slots of a [Ring] begin.
const RingSlots = 64

// Row is one element per sample of something that a reorder moves.
type Row struct {
	Address uint64
	Scratch uint64 // room for the row
	Size    uint64 // bytes of an element: 1, 2, 4, 8 or 16
}

// RunnerBlock is the number of threads of a block of the run loop's kernels; TileSlots is the number of slots
// that a block of a compaction looks at.
const (
	RunnerBlock = 256
	TileSlots   = 16 * RunnerBlock
)
