package engine

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Errors that callers decide upon.
var (
	ErrBusy       = errors.New("a run is already on")
	ErrNoDevice   = errors.New("no such device")
	ErrDeviceLost = errors.New("device lost")
)

// Engine compiles kernels for one kind of machine.
type Engine interface {
	// Name is what the user chooses it by: "host", "cuda", "vulkan".
	Name() string
	// Devices lists what the engine could run on, the default first. An error says what to install.
	Devices() ([]Device, error)
	// Compile makes a program of a verified kernel. It may keep k.
	Compile(k *ir.Kernel) (Program, error)
}

// Device is one device of an engine, in the words of its maker.
type Device struct {
	Name    string // "AMD EPYC 9B45, 2 cores, interpreter"
	Workers int
}

// Program is a compiled kernel. It is safe for concurrent use.
type Program interface {
	Kernel() *ir.Kernel
	BuildTime() time.Duration
	// Bind attaches the program to planes; mask has one byte per sample, non-zero = finished, and is
	// written. The caller must not touch planes or mask while a method of the Bound runs.
	Bind(p *Planes, mask []byte) (Bound, error)
}

// Bound is a program on a batch: the primitives that the Runner is written in. Only one method runs at
// a time. Methods that take a stop return soon (within 1 ms on the host) after it is set, with every
// sample at a step boundary; what they return covers what was done until then.
type Bound interface {
	// Init runs the kernel's Init method on every sample; nothing when it has none.
	Init(stop *Stop) error
	// Begin starts a run: counter = number of set mask bytes (any non-zero byte becomes 1, a faulted 2
	// stays), active map = identity, compaction snapshot = 0; steps taken = 0 for every sample unless keep.
	Begin(keep bool) (Counters, error)
	// Launch runs every unfinished sample of the active map until its steps taken reach upto, or it
	// finishes or faults. In an undisturbed run all live samples have taken the same number of steps, so
	// upto is that number plus the word.
	Launch(stop *Stop, upto uint32) (LaunchStats, error)
	// Compact rebuilds the active map if the counter has moved since the last time (runner.md, section 3).
	Compact() (CompactStats, error)
	// Counters reads the run's counters.
	Counters() Counters
	// StepsTaken is one element per sample: the steps of this run. Shared; valid between calls.
	StepsTaken() []uint32
	// Faults returns the first faulted samples of the run, at most 16, by sample.
	Faults() []Fault
	// Close frees what the engine holds; planes and mask stay the caller's.
	Close() error
}

// Passer is what a Bound offers that can run the whole batch in one pass (the host's tiles): every
// unfinished sample runs until its steps taken reach upto. progress, if not nil, is called now and then
// from any goroutine with the number of samples finished so far in this call and the sample-steps run.
type Passer interface {
	Pass(stop *Stop, upto uint32, progress func(finished, steps uint64)) (LaunchStats, error)
}

// Calibrator is what a Bound offers that can time R: the wall of one compaction of the mask and of one
// full-live step of the whole batch. Planes and mask are as before afterwards.
type Calibrator interface {
	Calibrate() (compaction, step time.Duration, err error)
}

// Observer is what a Bound offers that can evaluate observables: Observe fills dst (n elements) with
// observable fn of the kernel for every sample, as float64; a bool gives 0 or 1.
type Observer interface {
	Observe(fn int, dst []float64) error
}

// Stop asks a running call to return soon. The zero value is not set. Safe for concurrent use.
type Stop struct{ flag atomic.Bool }

// Set asks; Clear takes it back; IsSet tells.
func (s *Stop) Set()        { s.flag.Store(true) }
func (s *Stop) Clear()      { s.flag.Store(false) }
func (s *Stop) IsSet() bool { return s != nil && s.flag.Load() }

// Counters are a run's counters between two calls.
type Counters struct {
	Finished uint32 // set mask bytes (finished_count)
	Faulted  uint32 // of those, the ones with mask byte 2
	Active   uint32 // length of the active map (n for a kernel without an active set)
}

// LaunchStats is what one launch did.
type LaunchStats struct {
	Newly       uint32        // samples that finished in it, faulted ones included
	Faulted     uint32        // of those, the ones that faulted
	SampleSteps uint64        // steps run, summed over samples
	Longest     uint32        // most steps one sample took in it
	LastStop    uint32        // steps taken of the sample that finished last, 0 when none did
	Stopped     bool          // the stop was seen; some samples have not reached upto
	Wall        time.Duration // from call to return
}

// CompactStats is what one compaction did.
type CompactStats struct {
	Ran    bool // false: the counter had not moved, or the kernel has no active set
	Active uint32
	Groups uint32 // aligned 32-slot groups of [0, n) with a live sample
	Wall   time.Duration
}

// Fault is one faulted sample.
type Fault struct {
	Sample uint32
	Step   uint32 // steps taken before the step that faulted
	Kind   ir.FaultKind
	Pos    ir.Pos
}
