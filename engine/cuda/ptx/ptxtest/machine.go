package ptxtest

// Machine runs PTX.
type Machine interface {
	// Load makes a text executable.
	Load(text string) (Program, error)
	// Map gives a buffer an address of the device's. Before every launch the device has the buffer's bytes,
	// and after it the buffer has the device's.
	Map(b []byte) uint64
	// Reset forgets all buffers.
	Reset()
}

// Program is a text that was loaded.
type Program interface {
	// Launch runs an entry to its end. Arguments are those of the entry, in order; one of 32 bits is the low
	// half.
	Launch(l Launch) error
	Close() error
}

// Launch is one launch.
type Launch struct {
	Entry        string
	GridX, GridY int
	Block        int
	Args         []uint64
}
