// Package host is the CPU engine: it runs kernels on the processor's cores, and needs nothing installed.
// It knows the primitives of engine.Bound and how to carry them out with a team of workers; how many steps
// a launch takes and when to compact is decided above it.
//
// # One launch
//
//	Launch or Pass      makes one interp.Work: planes, mask, the map of live slots, how far to run
//	team                starts workers, each with a machine of its own; a panic of one ends them all
//	machine.run         claims positions from the shared cursor until none is left (interp/run.go, jit/machine.go)
//	Result.Merge        adds up what the workers did; the sums do not depend on who did what
//
// A persistent launch is the same with a look for new samples every so many steps. Between two launches the
// active set may be compacted (a map of live slots) and the batch reordered (the samples themselves move).
//
// Read in this order: host.go (the engine), code.go (what a back end gives), backend.go (which one it is),
// native.go (machine code), bound.go (a batch and its counters), launch.go, team.go, cost.go (when a team is worth
// it), watch.go (progress), persistent.go, compact.go, reorder.go, calibrate.go, entries.go, funcs.go (Init and
// observables).
package host
