package host

import (
	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// code is what a back end gives: a compiled kernel. It is safe for concurrent use.
type code interface {
	// newMachine makes the scratch of one worker.
	newMachine() machine
	// width is the number of samples that a machine works on at a time.
	width() int
	// report says what was made of the kernel, but for the entry.
	report() engine.EntryReport
	// init and observable are the kernel's funcs; init is nil when it has none. They run once now and then,
	// so a back end may leave them to the interpreter.
	init() *interp.Func
	observable(i int) *interp.Func
}

// machine runs the step for one worker. What run must keep is said at interp.Machine.Run: the rules of a
// Work and of its Result are those of every back end.
type machine interface {
	run(w *interp.Work) *interp.Result
	// progress is what the run that is going on has done so far; any goroutine may ask.
	progress() (finished, steps uint64)
}

// rowBytes is what a row of the interpreter takes of memory per lane.
const rowBytes = 8

// interpreted is the interpreter as a back end. Its registers are the rows of a strip; all of them are
// memory, and none is spilled.
type interpreted struct {
	c       *interp.Code
	why     string // not machine code
	refused bool   // a target has no code for this kernel
}

func (i interpreted) newMachine() machine { return interpretedMachine{i.c.NewMachine()} }
func (i interpreted) width() int          { return i.c.Width() }
func (i interpreted) report() engine.EntryReport {
	rows := i.c.Rows()
	return engine.EntryReport{Code: "interpreter: " + i.why, Registers: rows, LocalBytes: rows * rowBytes, Lanes: i.c.Width(), Unroll: 1}
}
func (i interpreted) init() *interp.Func             { return i.c.Init() }
func (i interpreted) observable(fn int) *interp.Func { return i.c.Observable(fn) }

type interpretedMachine struct{ m *interp.Machine }

func (i interpretedMachine) run(w *interp.Work) *interp.Result  { return i.m.Run(w) }
func (i interpretedMachine) progress() (finished, steps uint64) { return i.m.Progress() }
