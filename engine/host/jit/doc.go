// Package jit makes machine code of a kernel's step, for AVX-512 or AVX2, and runs batches with it: what
// package interp says an operation means, at the speed of hand-written vector code. It knows the IR and the
// interpreter's Work and Result; it knows no planes' owner, no launch policy and no team of workers.
//
// # How it is used
//
//	Supported(AVX2)            nil, or why this machine runs no code of the target
//	Compile(kernel, AVX2)      *Code: immutable, for any number of workers; the kernel is verified
//	code.NewMachine()          *Machine: one worker's scratch
//	machine.Run(*interp.Work)  *interp.Result, by the rules of interp.Machine.Run
//	machine.Progress()         samples finished and steps run so far, for other goroutines
//
// Run is every entry: what differs is the Work. A single step, or a launch of some steps, is an Upto that is
// so much higher; a range or an active map are Next and Map; persistent lanes are a Chunk, the steps between
// two looks for new samples. The stop is looked at between calls of the code, which take some 50
// microseconds at most, also in a loop of the kernel that runs for long.
//
// Code.Target, Width, Unroll, Registers, Spills, Bytes and FrameBytes are what a report says of it.
//
// # The way of a kernel
//
//	ir.Step        head, trip, tail
//	lower.go       regions to instructions on values without number; control.go: control flow under lane masks
//	select.go      which instructions an operation becomes; select_avx512.go and select_avx2.go where they differ
//	schedule.go    instructions earlier, so that fewer values are alive at a time
//	allocate*.go   registers; what does not fit lives in the frame
//	encode.go      bytes, from table_avx512.go and table_avx2.go
//	pages_*.go     bytes to executable memory
//	machine.go     bounded calls of the code; claim.go, retire.go and rows.go: samples in and out of lanes between them
//	stream.go      launches of few steps over whole rows of samples, many rows a call
//	refill.go      samples in line: the code refills lanes by itself
//	listing.go     the code as text, for a reader
//
// What a target is stands in target.go: one table each, and a selector of the instructions that only it has.
//
// # Lanes and groups
//
// A group is a vector register's 64-bit elements of samples side by side: eight with AVX-512, four with
// AVX2. 32-bit values take half a register. Bools are in mask registers with AVX-512; with AVX2 they are
// vectors, all bits of a lane alike. A machine advances some groups, one after the other in the code or in
// turns of a few instructions: the processor overlaps them, since they do not depend on each other. A lane
// whose sample is done leaves the group's live mask; after some trips the code stores the lane and takes
// up a sample that waits in line, or returns, so that Go does both.
//
// # The frame
//
// All memory that the code touches is one block, the frame, which Go fills and reads between calls
// (frame.go), besides constant tables and table planes. The code uses no stack, calls nothing and keeps
// every register of Go's that matters. A call ends after a bounded number of instructions, also inside a
// loop of the kernel: it saves its registers in the frame and goes on with the next call (see yield).
package jit
