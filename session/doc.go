// Package session holds what is loaded and what happened: a kernel, its batch, an engine, options and the
// history; commands go in, notifications come out. It must not know screens, concrete engines or flags.
//
// # One owner
//
// One goroutine, the owner, holds everything that changes (owner.go). It never runs a kernel and never
// reads a file: a run, a load or an export is a job with a goroutine of its own, and there is one job at
// most. A job may touch the batch while it is on, the owner only between jobs; what a job found out comes
// back as a function that the owner calls.
//
//	Do(command) -> owner: accept or refuse -> job -> owner: apply -> State, then notifications
//
// While a job of [Working] is on, commands wait their turn; while a run is on, they are refused with
// engine.ErrBusy. Cancel is taken at once, always.
//
// A question ([Session.Look]) that needs no more than a copy is answered during a run too, by the run's own goroutine
// at its next boundary between two launches (window.go, still.go).
//
// # The start of a batch
//
// A batch begins with planes made by values, columns and init tags, and by the kernel's Init. Rewind goes
// back there: from a copy when there is memory for one, else by making the planes again, with the same
// bits either way (batch.go).
//
// Read in this order: command.go and state.go (what goes in and comes out), session.go, owner.go, batch.go,
// load.go, edit.go, run.go, export.go (the commands), check.go (what is refused before acceptance),
// history.go, look.go, window.go, still.go (questions), memory.go, subscribe.go.
package session
