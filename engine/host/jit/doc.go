// Package jit makes AVX-512 machine code of a kernel's step, and runs batches with it: what package interp
// says an operation means, at the speed of hand-written vector code. It knows the IR and the interpreter's
// Work and Result; it knows no planes' owner, no launch policy and no team of workers.
//
// # The way of a kernel
//
//	ir.Step        head, trip, tail
//	lower.go       regions to instructions on values without number (structured control flow under lane masks)
//	select.go      which instructions an operation becomes
//	allocate.go    32 vector registers and 7 mask registers; what does not fit lives in the frame
//	encode.go      bytes, from the table in table.go
//	pages_*.go     bytes to executable memory
//	machine.go     samples in and out of lanes, between bounded calls of the code
//
// # Lanes and groups
//
// A group is eight samples side by side: 64-bit values in a 512-bit register, 32-bit values in a 256-bit
// one, bools in a mask register. A machine advances some groups, one after the other in the code: the
// processor overlaps them, since they do not depend on each other. A lane whose sample is done leaves the
// group's live mask; after some trips the code returns and the lane is stored and filled anew.
//
// # The frame
//
// All memory that the code touches is one block, the frame, which Go fills and reads between calls
// (frame.go), besides constant tables and table planes. The code uses no stack, calls nothing and keeps
// every register of Go's that matters. A call ends after a bounded number of instructions, also inside a
// loop of the kernel: it saves its registers in the frame and goes on with the next call (see yield).
package jit
