// Package driver is the CUDA driver library as Go functions: C names, C order, no decisions. It opens
// libcuda.so.1 at run time through purego, so that neither cgo nor a toolkit is needed; it must not know kernels,
// batches or engines.
//
// A [Library] is the opened library. Each of its methods is one call; a result that is not 0 becomes a [Result],
// an error that says which call gave what. Handles are uintptr, addresses of device memory [Address].
//
// The current context belongs to the thread of the operating system: a goroutine that calls anything from
// CuCtxSetCurrent on must be locked to its thread.
//
// Read in this order: library.go (opening, the table of symbols), result.go (errors), calls.go (the calls).
package driver
