// Package cuda is the engine for NVIDIA GPUs: it needs their driver and nothing else, neither cgo nor a toolkit. It
// knows the primitives of engine.Bound and how to carry them out on a device; how many steps a launch takes and when
// to compact is decided above it.
//
// # A batch on a device
//
//	Bind        takes memory for planes, mask, steps taken, faults and the active map
//	Hold        until it is let go, the device's copy is the one that counts; without it every method brings
//	            the caller's planes and mask to the device, and back
//	Launch      one launch of an entry of package ptx, and a look at the control block
//	Pass        one launch to the end: every thread runs its sample until it stops
//	Persist     one launch whose lanes claim samples
//	Compact, Reorder, Restore   kernels of the run loop, one after the other
//
// One goroutine owns the device (device.go) and makes every call of the driver. A stop is a word in memory of the host
// that lanes look at. An error after which the driver answers nothing any more is engine.ErrDeviceLost; what was in the
// device's memory is gone then, and the caller's planes are as they were when the call began.
//
// Read in this order: cuda.go (the engine), device.go, memory.go, bound.go (a batch), launch.go, active.go,
// calibrate.go, entries.go, funcs.go (Init and observables).
package cuda
