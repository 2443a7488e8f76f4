// Package interp says what every operation of the IR means, once, and executes kernels with it: it is
// the oracle that every engine is compared with, and the engine where there is no other. It knows the
// IR only: no planes' owner, no launch policy, no team of workers.
//
// # How it executes
//
// Samples are worked on in strips: a strip is some 32 to 512 samples side by side, and every value of the
// kernel is a row of memory with one lane per sample, in blocks of eight lanes. An operation is one plain
// loop over the blocks of its rows, so the price of looking up what to do is paid once per strip, and a
// strip is as wide as lets its rows stay near the processor (width.go).
//
//	blocks      0               1               2
//	lanes       0 1 2 3 4 5 6 7 8 ...                         live lanes are dense: [0, n)
//	value x     * * * * * * * * * * * * * * * * * * - - - -   row: 8 lanes of its type per block
//	value 2.0   * * * * * * * *                               uniform: one block, stride 0
//
// A lane whose sample finishes, faults or reaches the launch's last step is stored, and the last live lane
// moves into its place; free lanes are refilled with the next unfinished samples. So the lanes of the trip
// are always dense, and lane masks are needed inside ifs and loops only.
//
// Read in this order: ops.go and floats.go (the meaning of the operations), table.go (which loop belongs
// to which operation and type), eval.go, liveness.go, compile.go and width.go (values to rows), machine.go
// (control flow under masks), run.go, retire.go and memory.go (samples in and out of lanes), func.go (Init
// and observables).
package interp
