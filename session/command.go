package session

import (
	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/snapshots"
)

// Command is something a user wants; commands are data, so that a session can be scripted and replayed.
// While a run is on only Cancel, Record and StopRecording are accepted, everything else gives engine.ErrBusy.
type Command interface{ isCommand() }

type (
	// LoadKernel loads a kernel file, a folder, or a bundled kernel by its bare name, and makes a batch for
	// it: planes that a mapping or SetValue names, the rest by their init tags.
	LoadKernel struct{ Path string }
	// Reload loads the kernel's file again, and puts it in the place of the one that is loaded when it
	// compiles; a run that is on is stopped at a step, and goes on with the new kernel and a new budget. One
	// that does not compile changes nothing: State.Diagnostics says why.
	Reload struct{ Keep Keep }
	// Diagnose looks at why live samples are not finished: State.Finish. Not during a run; [FinishQuery] asks then.
	Diagnose struct{}
	// SetBatch makes a new batch for the loaded (or next) kernel. N 0: as many samples as the mapped files
	// have rows, else DefaultN. A kernel of the same name that is loaded later gets the same batch.
	SetBatch struct {
		N        int
		Seed     uint64
		Mappings []snapshots.Mapping
		Labels   *snapshots.Column  // a text column kept for display and export; nil: none
		Values   map[string]float64 // plane or param by name: one value for every sample, every component
	}
	// SetParam changes one param (or sets a whole plane to one value). At the start of a batch the start is
	// made anew with it. Later it changes the planes as they are and begins a new history segment; what a
	// step only reads then has the value after a Rewind too, what a step writes does not.
	SetParam struct {
		Name  string
		Value float64
	}
	// SetCell changes one element: Name is a plane, or a component of a wide one ("y_2"), of Sample. At the start of a
	// batch it changes the start. Later it changes the planes as they are and begins a new history segment; what a step
	// only reads then has the value after a Rewind too.
	SetCell struct {
		Name   string
		Sample int
		Value  float64
	}
	// SetMask finishes a sample, or takes one back that is finished; a run that begins or goes on honours it. At the start
	// of a batch it changes the start. Later it begins a new history segment, and a Rewind forgets it.
	SetMask struct {
		Sample   int
		Finished bool
	}
	// Regenerate makes a plane of the start anew by its init tag with another seed, "" every one that has a tag and comes
	// from no file. A value or a column that it had, and elements that were set in it, are gone. Only at the start of a batch.
	Regenerate struct {
		Plane string
		Seed  uint64
	}
	// LoadPlane makes the batch anew, of as many samples, with a column of a file in one plane. A value or a seed that it
	// had, and elements that were set in it, are gone; the other planes keep theirs. Only at the start of a batch.
	LoadPlane struct{ Mapping snapshots.Mapping }
	// Configure changes run options, see engine.RunOptions; a nil field stays as it is. R 0 means calibrate. They hold from the
	// next run on, a paused run keeps its own. The engine can be changed at the start of a batch. Compile
	// takes the place of what directives say, in kernels that are loaded from then on.
	Configure struct {
		Engine   *string
		MaxSteps *int
		Policy   *engine.Policy
		R        *float64
		Entry    *engine.Entry
		Chunk    *int     // steps of a persistent lane between two looks for samples; 0: chosen
		Reorder  *float64 // theta of a run that may reorder; 0: it may not
		Every    *int     // steps between two compactions of a fixed-K kernel; 0: K*ceil(16/K)
		Wave     *int     // samples of one resident wave of a device; 0: unknown
		Compile  *kernels.Options
	}
	// Run starts a new budget of MaxSteps; a batch that is finished is left as it is.
	Run struct{}
	// Continue goes on with a paused or cancelled run, each sample with the rest of its budget.
	Continue struct{}
	// Step makes one launch: of the policy's word when Word is 0, else of Word steps. It starts a run, or
	// goes on with a paused one.
	Step struct{ Word int }
	// RunSteps runs N steps of every unfinished sample, with or without a finish declaration.
	RunSteps struct{ N int }
	// RunUntil makes launches until a condition holds after one of them, see [ParseCondition].
	RunUntil struct{ Until Condition }
	// Seek puts the batch where it was or will be after Step steps of its run, 0 its start: it goes back, and makes
	// the same launches again. Continue goes on from there, and Step too, the way that the run went: State.Furthest
	// tells how far that is. Whoever changes the batch there makes another run of it.
	Seek struct{ Step int }
	// Cancel stops the run within a millisecond of work; Continue goes on.
	Cancel struct{}
	// Rewind puts the batch back to its start: planes, mask, counters.
	Rewind struct{}
	// ForkRun runs a twin of the batch from its start to its end with something changed, and leaves the batch as
	// it is: State.Fork. A nil field stays as it is; Compile takes the place of what directives say; Values gives
	// params and planes one value at the start. R stays what the run before it used. Not during a run; Cancel
	// ends it.
	ForkRun struct {
		Policy   *engine.Policy
		R        *float64
		MaxSteps *int
		Entry    *engine.Entry
		Chunk    *int
		Reorder  *float64
		Every    *int
		Order    Arrange // of the samples at the start; results are compared sample by sample
		Compile  kernels.Options
		Values   map[string]float64
	}
	// DropFork forgets the fork.
	DropFork struct{}
	// Record writes the events of all runs from now on to Path, a .eagrec file (engine.OpenRecording), until
	// StopRecording or the end of the session; and behind the end of each run when its samples stopped. Both
	// are accepted during a run too. The batch that it begins with is the one that its header tells of.
	Record        struct{ Path string }
	StopRecording struct{}
	// Save writes the session to Path, a .toml file: what makes its batch, its options, and the step of its run; see
	// [FromFile]. Atomic. Of a batch that was changed on its way the start is written.
	Save struct{ Path string }
	// Export writes the planes (and mask, steps taken, labels) to Path: .npz or .csv. Atomic.
	Export struct{ Path string }
)

func (LoadKernel) isCommand()    {}
func (Reload) isCommand()        {}
func (Diagnose) isCommand()      {}
func (SetBatch) isCommand()      {}
func (SetParam) isCommand()      {}
func (SetCell) isCommand()       {}
func (SetMask) isCommand()       {}
func (Regenerate) isCommand()    {}
func (LoadPlane) isCommand()     {}
func (Configure) isCommand()     {}
func (Run) isCommand()           {}
func (Continue) isCommand()      {}
func (Step) isCommand()          {}
func (RunSteps) isCommand()      {}
func (RunUntil) isCommand()      {}
func (Seek) isCommand()          {}
func (Cancel) isCommand()        {}
func (Rewind) isCommand()        {}
func (Save) isCommand()          {}
func (Export) isCommand()        {}
func (ForkRun) isCommand()       {}
func (DropFork) isCommand()      {}
func (Record) isCommand()        {}
func (StopRecording) isCommand() {}
