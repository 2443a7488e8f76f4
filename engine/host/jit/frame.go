package jit

import "github.com/eaglet-workbench/eaglet/kernels/ir"

// The frame: the memory that Go and the code share. Its start is fixed; the rest is laid out while a
// kernel is lowered and its registers are given out.
const (
	frameResume = 0   // uint64: address at which the next call goes on, 0: at the start
	frameLeft   = 8   // uint32: trips of the chunk that are left
	frameChunks = 12  // uint32: chunks that are left
	frameChunk  = 16  // uint32: trips of a chunk
	frameDone   = 20  // uint32: chunks done
	frameBudget = 24  // int32: instructions left before the call ends inside a loop
	frameLoad   = 28  // uint8 by group: at the start of the call the lanes become the row of samples at frameRow
	frameRow    = 32  // uint64 by group: the first sample of a row
	frameStore  = 64  // uint8 by group: at its end the row is stored
	frameTiles  = 72  // uint32: tiles that follow, see stream.go
	frameNext   = 80  // uint64: the next sample in line, see refill.go
	frameLog    = 88  // uint64: address of the log, of sample 0
	frameSpare  = 96  // uint32: samples in line
	frameMost   = 100 // uint32: chunks of the call
	frameFrom   = 104 // uint32: steps that the samples in line have taken
	frameSave   = 128 // registers of a call that ended inside a loop: 32 vectors, then 8 masks
	frameStart  = frameSave + 32*64 + 64
)

// layout hands out places of the frame.
type layout struct {
	row        int32 // bytes of a vector
	end        int32 // a multiple of row
	line, left int32 // what is left of a line that scalars are put into
}

func newLayout(row int32) layout { return layout{row: row, end: frameStart} }

// vector is a place for n rows of one vector each.
func (f *layout) vector(n int) int32 {
	at := f.end
	f.end += int32(n) * f.row
	return at
}

// scalar is a place for up to eight bytes.
func (f *layout) scalar() int32 {
	if f.left == 0 {
		f.line, f.left = f.vector(1), f.row
	}
	f.left -= 8
	return f.line + f.row - 8 - f.left
}

// group is where the frame holds the lanes of a group.
type group struct {
	live, held, fresh int32   // masks: steps go on; holds a sample; its head is to be run
	count             int32   // uint64 by lane: steps since it was taken up
	site              int32   // uint32 by lane: where it faulted, 0: nowhere
	sample            int32   // uint64 by lane, 0: not asked for
	who, took         int32   // uint32 by lane: the sample, and its steps when it was taken up
	carry, load       []int32 // by cell: a vector of elements, or for bools a mask
}

// rowCell is a cell that whole rows of samples are loaded of or stored to.
type rowCell struct {
	typ     ir.Type
	address int32   // where the frame holds the address of the component's elements
	slots   []int32 // by group: where it holds the lanes
	stored  bool    // a carried cell
}

// scalarKind is where a value comes from that is the same for all lanes.
type scalarKind uint8

const (
	scalarConst   scalarKind = iota
	scalarParam              // component comp of plane
	scalarLen                // cells of plane
	scalarSamples            // samples of the batch
	scalarOp                 // what op gives for other scalars
	scalarAddress            // of plane
	scalarTable              // address of the cells of table number plane
)

// scalar is a value that is the same for all lanes: Go puts it into the frame before the first call.
type scalar struct {
	kind  scalarKind
	slot  int32
	typ   ir.Type
	bits  uint64
	plane int
	comp  int
	instr *ir.Instr
	args  []int // numbers of scalars
}

// site is a place in the kernel where a sample may fault.
type site struct {
	kind ir.FaultKind
	pos  ir.Pos
}
