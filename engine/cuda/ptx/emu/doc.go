// Package emu runs the PTX that eaglet emits, for tests where there is no device: warps of 32 lanes, votes,
// shuffles, atomics, barriers, shared and local memory. It knows the text only, not who wrote it.
//
// It is stricter than a device. [Parse] refuses an instruction or a form that eaglet does not emit, and
// [Module.Verify] a register that is not declared, of another type than its instruction, or read where
// nothing can have written it. A run ends with an error where a thread reads a register that it has not
// written, leaves its memory, waits for lanes that have left, or waits for ever.
//
// Lanes of a warp run in lockstep while they are at one place, the lowest first when they are not; warps take
// turns of a random number of instructions, blocks too, so that what depends on their order shows.
//
// parse.go reads, verify.go checks, ops.go says what instructions mean, warp.go and run.go run them.
package emu
