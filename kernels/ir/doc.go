// Package ir is the floor of eaglet: the form of a kernel that every engine agrees on.
// It knows no Go source, no engine and no terminal; it imports the standard library only.
//
// # The form
//
// A [Kernel] holds the planes of one sample type and the code of its step as structured SSA: every
// [Value] is defined once, by one [Instr], in a [Region]; control flow is an instruction with regions of
// its own (if, loop) whose results are what the regions yield. Expressions are total and free of
// effects: x/0 of integers is 0, a table read out of range gives cell 0. What would panic in Go is the
// one ordered statement, [OpFault].
//
// The step is in three parts, and every entry of every engine is a thin shell round them:
//
//	head   loads, and values that do not change from step to step
//	trip   one step over the carried cells: takes their values at entry, yields the exit flag and the new values
//	tail   Kernel.Carry as a list of stores: carried cell i goes to Carry[i]; then the mask and the counter
//
// Read in this order: type.go, op.go (what each operation means in one line; package interp says it in
// full), kernel.go, verify.go, print.go and read.go (the text form, which reads back).
package ir
