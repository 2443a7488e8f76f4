package ptx

// Ring is the head of a ring of events; its slots follow, [RingSlots] bytes after its beginning, Capacity of
// them, 96 bytes each as engine.Event has them. A device writes a slot and then Head; a reader copies slots
// from Tail on and then moves Tail. A device never waits: when the ring is full the event is counted in Lost.
type Ring struct {
	Head     uint64 // events written, ever
	Tail     uint64 // events read, ever
	Lost     uint64 // events that found no room, ever
	Capacity uint64 // slots, a power of two
}

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
