package engine

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Errors that callers decide upon.
var (
	ErrBusy       = errors.New("a run is already on, and one batch has one run at a time: wait for its end, or stop it first")
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
	// StepsTaken is one element per sample: the steps of this run. Shared; valid between calls. Nil where they
	// are not kept, see [Tracker].
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

// Tracker is what a Bound offers that can do without steps taken, which cost a plane and a store per sample and
// launch.
type Tracker interface {
	// Track says whether the runs that begin from now on need their steps taken; they do until told otherwise.
	// For one that does not the engine may leave them out: StepsTaken is nil, every live sample is taken to be
	// where the last call was to end, and a call that a stop has cut cannot be gone on with.
	Track(on bool)
}

// Observer is what a Bound offers that can evaluate observables: Observe fills dst (n elements) with
// observable fn of the kernel for every sample, as float64; a bool gives 0 or 1.
type Observer interface {
	Observe(fn int, dst []float64) error
}

// Reorderer is what a Bound offers that can permute its batch (runner.md, section 3). Only the runner
// calls it, between a compaction and the next launch.
type Reorderer interface {
	// Reorder applies the trigger rule itself, [ReorderFires] on the map as the last compaction left it.
	// When it fires it is a stable partition of every per-sample plane, the mask, the steps taken and the
	// permutation over [0, span): live samples first; then map = identity on [0, count), span = count.
	// Params stay where they are. theta is in [0.25, 0.75].
	Reorder(theta float32) (ReorderStats, error)
	// Restore puts every plane, the mask and the steps taken back in sample order; called by the runner at
	// the end of a reordering run, also after a stop. The active map then lists the same samples at their own
	// slots, ascending, the span is the whole batch, and the compaction snapshot stays, so that the run can
	// go on. Nothing to do is no error.
	Restore() error
	// Places is by sample the slot in which it lies; nil while every sample lies at its own. Shared; valid between
	// calls.
	Places() []uint32
}

// ReorderStats is what one offer of a reorder came to.
type ReorderStats struct {
	Fired  bool
	Count  uint32 // live slots: the length of the map
	Live32 uint32 // aligned 32-slot groups with a live slot, before
	Span   uint32 // slots over which live samples were spread, before
	Theta  float32
	Wall   time.Duration
}

// Persister is what a Bound offers with a persistent entry: one launch whose lanes claim samples until
// none is left (runner.md, section 6).
type Persister interface {
	// Persist runs every unfinished sample until its steps taken reach upto. A lane looks for a new sample
	// every chunk steps. progress is that of [Passer].
	Persist(stop *Stop, upto uint32, chunk uint32, progress func(finished, steps uint64)) (PersistStats, error)
	// Resident is the number of resident persistent threads (host: lanes per worker * workers).
	Resident() uint32
}

// Blocker is what a Persister offers whose lanes come in blocks. The first size is the one that launches have
// until UseBlock says otherwise; where there are several, the pick between the entries times each.
type Blocker interface {
	// Blocks lists the sizes worth trying, one or more: a device's threads per block, a host's lanes per worker.
	Blocks() []int
	// Grid is the number of blocks of a size that a persistent launch has; on a host the workers.
	Grid(block int) int
	// UseBlock sets the size, one of Blocks, of the persistent launches that follow.
	UseBlock(block int)
}

// PersistStats is what one launch of the persistent entry did.
type PersistStats struct {
	LaunchStats
	LaneChunks uint64 // chunks issued, summed over lanes
	Refills    uint64 // samples that a lane took after its first one
}

// EntryReporter is what a Bound offers that knows what its entries cost.
type EntryReporter interface {
	EntryReports() []EntryReport
}

// EntryReport is what the compiler made of one entry. A figure that the engine does not have is 0.
type EntryReport struct {
	Entry      string `json:"entry"`          // fused, persistent
	Code       string `json:"code,omitempty"` // host: avx512, or interpreter and why no machine code
	Registers  int    `json:"registers"`      // per thread, or vector registers per group of lanes
	LocalBytes int    `json:"local_bytes"`    // memory per thread for what did not fit registers
	TextBytes  int    `json:"text_bytes"`     // code size
	Demand     int    `json:"demand"`         // threads per multiprocessor that a launch asks for
	Lanes      int    `json:"lanes"`          // host: samples that a worker advances at a time
	Unroll     int    `json:"unroll"`         // host: interleaved groups of lanes
	Spills     int    `json:"spills"`         // values that did not fit registers
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
