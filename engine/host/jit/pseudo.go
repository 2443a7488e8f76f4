package jit

import "github.com/eaglet-workbench/eaglet/kernels/ir"

// value names what an instruction makes: a vector of eight elements, or a mask. 0 is none. Most are made
// once; a variable is set again and again (carried cells, masks of loops, results of branches).
type value int32

type class uint8

const (
	vector class = iota
	mask
)

// info is what is known about a value.
type info struct {
	class    class
	size     uint8 // bytes of an element of a vector: 4 or 8
	uniform  bool  // slot holds one element for all lanes, for good
	resident bool  // slot holds the value when the code is entered, and must hold it when it returns
	variable bool
	slot     int32 // offset in the frame; none: -1
}

const none = -1

// inst is an instruction on values.
type inst struct {
	op        op
	dst, a, b value
	mask      value // lanes to work on; 0: all. Lanes left out keep dst, or become 0
	zero      bool
	imm       uint8
	scale     uint8
	index     value // gather and scatter
	base      int32 // gather and scatter: where in the frame the address of the memory is; 0: the frame itself
	disp      int32 // memory: offset in the frame
	n         int32 // see the op
	wide      uint64
	pos       ir.Pos
	from      *ir.Instr // what of the kernel it was made of; nil: nothing
	group     int32     // of lanes that it is for; -1: all
}

// Instructions of the allocator's own.
const (
	opUndefined op = firstPseudo + iota // dst exists from here on, with any lanes
	opSkip                              // to label n if mask a has no lane
	opLabel                             // n
	opLoop                              // head of loop n
	opAgain                             // end of loop n: to its head while mask a has a lane (0: no such condition) and the counter at disp, decremented, is not 0
	opCounter                           // the counter at disp becomes wide
	opYield                             // n instructions are taken off the budget; if it is used up, the call ends, and the next goes on here
	opFault                             // the lanes of mask a have faulted at site n; disp is their row
	opBytes                             // dst is the bytes, as 64-bit elements, at the offsets b of the memory whose address the frame holds at base
	opScatter                           // elements of scale bytes of b go to elements index of the frame's memory at disp, in the lanes of mask
	opDivide                            // dst = a / b or a % b on 64-bit integers; imm says which
	opLook                              // end of a chunk: if mask a has a lane, this was the last chunk
	opChunk                             // a chunk begins
	opMaskStore                         // the byte at disp becomes mask a
	opLoadRows                          // the call begins: rows of samples go to the frame, see frameLoad
	opReturn                            // it ends: variables go to the frame, rows of samples to their planes
	opRowLoad                           // dst becomes the row of cell n
	opRowStore                          // the row of cell n becomes b
	opRowGone                           // the row and its lanes of mask a go into the log, if there are any
	opRowNext                           // the next row
	opRowReturn                         // the code of a step of rows ends
	numOps
)

// What opDivide does.
const (
	divideSigned = 1 << iota
	divideRest
)
