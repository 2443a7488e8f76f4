package session

import (
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels"
)

// Defaults of a session, shown to the user.
const (
	DefaultN        = 10_000
	DefaultMaxSteps = 10_000
	DefaultSeed     = 1
)

// Phase is what a session is doing.
type Phase uint8

// The phases.
const (
	Empty   Phase = iota // no kernel
	Working              // loading, filling planes, writing a file: State.Activity says which
	Ready                // a batch at its start
	Running
	Paused // between launches or cancelled: Continue goes on
	Ended  // finished or max_steps: Run starts a new budget, Rewind goes back
)

// String gives the word shown on screen.
func (p Phase) String() string {
	return [...]string{"empty", "working", "ready", "running", "paused", "ended"}[p]
}

// State is an immutable picture of a session. Slices and pointers in it are never changed afterwards.
type State struct {
	Generation  uint32 // of events: changes with every kernel, batch, rewind and new run
	Phase       Phase
	Activity    string    // Working, Running: what it waits for, "loading kepler.go"
	Since       time.Time // when the phase began
	Kernel      *kernels.Kernel
	Diagnostics kernels.Diagnostics // of the last load, also when it failed and the kernel before it stays
	Engine      string
	Device      string
	Policy      engine.Policy // asked for
	R           float64       // pinned; 0: calibrated when a run needs it
	MaxSteps    int
	Launching   Launching // asked for, besides the policy
	N           int
	Seed        uint64
	Params      []Param
	Fork        *Fork                // of the last ForkRun; nil after DropFork or another kernel or batch
	Recording   string               // the file that is being recorded, "" for none
	Notes       []string             // how the planes were filled, units converted: one sentence each
	Entries     []engine.EntryReport // what the compiler made of each entry; nil when the engine does not say
	Report      *engine.Report       // of the last run or launch of this batch
	Finished    int                  // mask bytes set at the last boundary; the trace has it live
	StepsDone   int                  // steps of the current run at the last boundary
	Furthest    int                  // steps of the run that were made; more than StepsDone when the batch has gone back (Seek)
	LabelName   string               // the column that the labels came from
	Labels      []string             // one per sample, nil without
	Reloaded    *Reloaded            // of the last reload of this kernel, nil before one
	Finish      *FinishPicture       // of the last Diagnose; nil when something has been done since
	History     []Segment            // of this batch, the oldest first
}

// Param is one param plane with its first value.
type Param struct {
	Name, Unit, Doc string
	Value           float64
}

// Notification is what a session tells its subscribers.
type Notification interface{ isNotification() }

type (
	// Changed: Session.State has a new value. Sent at least once after any change; several may be merged.
	Changed struct{}
	// Failed: a command was accepted and then could not be carried out. The session stays as it was.
	Failed struct {
		Command Command
		Err     error
	}
	// RunEnded: a run, launch or number of steps is over.
	RunEnded struct{ Report engine.Report }
	// Exported: the file is complete.
	Exported struct {
		Path  string
		Bytes int64
	}
)

func (Changed) isNotification()  {}
func (Failed) isNotification()   {}
func (RunEnded) isNotification() {}
func (Exported) isNotification() {}
