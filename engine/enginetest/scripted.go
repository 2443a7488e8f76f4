package enginetest

import (
	"math"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Script says what a scripted engine does; the zero value is a host-like engine that is done at once.
type Script struct {
	// Name and Device are what the engine calls itself: "scripted" and "scripted, 1 worker" when empty.
	Name, Device string
	// Stops: sample i finishes at its step Stops[i%len(Stops)], 0 is never. Nil: at the value of the kernel's
	// i32 plane nstop, and never when it has none. Steps are counted over the sample's life when the kernel
	// has an i32 state plane k, else over the run.
	Stops []uint32
	// Faults: sample i faults in the step after that many; added to those that an i32 plane bad asks for.
	Faults map[int]uint32
	// NaNs: the step after that many makes sample i's first float64 state plane NaN.
	NaNs map[int]uint32
	// Delay is how long a launch takes at the least; it is waited for first, in slices of at most a quarter of
	// a millisecond between two looks at the stop. A pass waits once per 256 samples.
	Delay time.Duration
	// Poll, if not nil, is called before every sample-step with the sample-steps since Bind; it may set the
	// stop of the run, which is looked at right after: exact cancel points for tests.
	Poll func(sampleSteps uint64)
	// Passes makes every Bound an engine.Passer, Reorders an engine.Reorderer, and Lanes, when not 0, an
	// engine.Persister with that many persistent lanes.
	Passes, Reorders bool
	Lanes            int
	// Blocks are the sizes of blocks of persistent lanes, see engine.Blocker; nil: one, of all lanes.
	Blocks []int
	// Tick, if not nil, is called at the end of every Launch, Pass and Persist with the entry it is of and what
	// it did: a test's clock can go on by what it makes of that.
	Tick func(e engine.Entry, s engine.LaunchStats)
	// Block, if not nil, is told every size of blocks that is asked for.
	Block func(size int)
	// Compaction and Step are what Calibrate answers; 0, 0 means 250 ns and 1 µs, so R = 0.25.
	Compaction, Step time.Duration
	// CompileErr, BindErr, LaunchErr are returned by the calls they are called after, when not nil.
	CompileErr, BindErr, LaunchErr error
}

// Scripted is an engine in plain Go without interpreter or compiler: it takes any kernel, looks at its
// planes and guard, never at its code, and steps sample by sample. It is deterministic and safe for
// concurrent use as far as engine.Engine asks. It runs [CountKernel] as an engine would; every other
// kernel gets x = x*0.5 + float64(step) in its first float64 state plane.
type Scripted struct{ script Script }

// NewScripted makes a scripted engine.
func NewScripted(s Script) *Scripted {
	if s.Name == "" {
		s.Name = "scripted"
	}
	if s.Device == "" {
		s.Device = "scripted, 1 worker"
	}
	if s.Compaction == 0 && s.Step == 0 {
		s.Compaction, s.Step = 250*time.Nanosecond, time.Microsecond
	}
	return &Scripted{s}
}

// Name is Script.Name.
func (e *Scripted) Name() string { return e.script.Name }

// Devices is one device of one worker.
func (e *Scripted) Devices() ([]engine.Device, error) {
	return []engine.Device{{Name: e.script.Device, Workers: 1}}, nil
}

// Compile takes any kernel.
func (e *Scripted) Compile(k *ir.Kernel) (engine.Program, error) {
	if e.script.CompileErr != nil {
		return nil, e.script.CompileErr
	}
	return &scriptedProgram{script: &e.script, kernel: k}, nil
}

type scriptedProgram struct {
	script *Script
	kernel *ir.Kernel
}

func (p *scriptedProgram) Kernel() *ir.Kernel       { return p.kernel }
func (p *scriptedProgram) BuildTime() time.Duration { return time.Millisecond }

func (p *scriptedProgram) Bind(planes *engine.Planes, mask []byte) (engine.Bound, error) {
	if p.script.BindErr != nil {
		return nil, p.script.BindErr
	}
	b := &scriptedBound{script: p.script, kernel: p.kernel, planes: planes, mask: mask, taken: make([]uint32, planes.N)}
	for i := range p.kernel.Planes {
		s := &p.kernel.Planes[i]
		switch {
		case s.Role == ir.RoleState && s.Type == ir.F64 && b.x == nil:
			b.x = engine.View[float64](planes, i)[:planes.N]
		case s.Role == ir.RoleState && s.Type == ir.I32 && s.Name == "k" && s.Width() == 1:
			b.k = engine.View[int32](planes, i)
		case s.Role == ir.RoleInput && s.Type == ir.I32 && s.Name == "nstop" && s.Width() == 1:
			b.nstop = engine.View[int32](planes, i)
		case s.Role == ir.RoleInput && s.Type == ir.I32 && s.Name == "bad" && s.Width() == 1:
			b.bad = engine.View[int32](planes, i)
		}
	}
	if _, err := b.Begin(false); err != nil {
		return nil, err
	}
	var offers offers
	if p.script.Passes {
		offers.Passer = scriptedPasser{b}
	}
	if p.script.Lanes > 0 {
		offers.Persister = scriptedPersister{b}
	}
	if p.script.Reorders {
		offers.Reorderer = &scriptedOrder{b: b}
	}
	return offers.of(b), nil
}

// scriptedBound is the reference Bound: one sample after the other, one step after the other.
type scriptedBound struct {
	script        *Script
	kernel        *ir.Kernel
	planes        *engine.Planes
	mask          []byte
	perm          []uint32 // slot -> sample while the batch is reordered, else nil
	span, live32  uint32
	x             []float64
	k, nstop, bad []int32 // nil when the kernel has no such plane
	taken         []uint32
	counters      engine.Counters
	active        []uint32
	snapshot      uint32
	faults        []engine.Fault
	steps         uint64 // sample-steps since Bind
}

func (b *scriptedBound) Init(*engine.Stop) error { return nil }

func (b *scriptedBound) Begin(keep bool) (engine.Counters, error) {
	b.counters = engine.Counters{Active: uint32(len(b.mask))}
	for i, m := range b.mask {
		switch {
		case m == 2:
			b.counters.Faulted++
			b.counters.Finished++
		case m != 0:
			b.mask[i] = 1
			b.counters.Finished++
		}
	}
	if !keep {
		clear(b.taken)
		b.faults = nil
	}
	b.active = b.active[:0]
	for i := range b.mask {
		b.active = append(b.active, uint32(i))
	}
	b.snapshot = 0
	b.span, b.live32 = uint32(len(b.mask)), groups32(b.active)
	return b.counters, nil
}

func (b *scriptedBound) Launch(stop *engine.Stop, upto uint32) (engine.LaunchStats, error) {
	if b.script.LaunchErr != nil {
		return engine.LaunchStats{}, b.script.LaunchErr
	}
	start := time.Now()
	var s engine.LaunchStats
	if !b.wait(stop) {
		s.Stopped = true
	}
	for _, i := range b.active {
		if s.Stopped {
			break
		}
		b.run(int(i), stop, upto, &s)
	}
	s.Wall = time.Since(start)
	b.tick(engine.EntryFused, s)
	return s, nil
}

func (b *scriptedBound) tick(e engine.Entry, s engine.LaunchStats) {
	if b.script.Tick != nil {
		b.script.Tick(e, s)
	}
}

// sample is the sample in a slot.
func (b *scriptedBound) sample(slot int) int {
	if b.perm == nil {
		return slot
	}
	return int(b.perm[slot])
}

// run takes sample i to upto, its stop or its fault, and adds to s.
func (b *scriptedBound) run(i int, stop *engine.Stop, upto uint32, s *engine.LaunchStats) {
	if b.mask[i] != 0 {
		return
	}
	var ran uint32
	for b.taken[i] < upto && b.mask[i] == 0 {
		if b.script.Poll != nil {
			b.script.Poll(b.steps)
		}
		if stop.IsSet() {
			s.Stopped = true
			break
		}
		if b.step(i) {
			ran++
			b.steps++
		}
	}
	s.SampleSteps += uint64(ran)
	s.Longest = max(s.Longest, ran)
	if b.mask[i] == 0 {
		return
	}
	s.Newly++
	b.counters.Finished++
	s.LastStop = max(s.LastStop, b.taken[i])
	if b.mask[i] == 2 {
		s.Faulted++
		b.counters.Faulted++
	}
}

// step makes one step of sample i; false when it faulted and the step was not taken.
func (b *scriptedBound) step(i int) bool {
	t := b.taken[i]
	if b.k != nil {
		t = uint32(b.k[i])
	}
	at, asked := b.script.Faults[b.sample(i)]
	if (asked && at == t) || (b.bad != nil && b.bad[i] == int32(t)) {
		b.mask[i] = 2
		b.addFault(engine.Fault{
			Sample: uint32(b.sample(i)), Step: b.taken[i], Kind: ir.FaultDivide,
			Pos: ir.Pos{Line: 7, Col: 2, End: 9},
		})
		return false
	}
	if b.x != nil {
		b.x[i] = float64(b.x[i]*0.5) + float64(int32(t))
		if at, asked := b.script.NaNs[b.sample(i)]; asked && at == t {
			b.x[i] = math.Float64frombits(ir.NaN64)
		}
	}
	if b.k != nil {
		b.k[i]++
	}
	b.taken[i]++
	if b.finishes(i, t+1) {
		b.mask[i] = 1
	}
	return true
}

func (b *scriptedBound) finishes(i int, t uint32) bool {
	switch {
	case b.kernel.Finish == nil:
		return false
	case len(b.script.Stops) > 0:
		stop := b.script.Stops[b.sample(i)%len(b.script.Stops)]
		return stop != 0 && t >= stop
	case b.nstop != nil:
		return int32(t) >= b.nstop[i]
	}
	return false
}

// addFault keeps the 16 faults with the smallest sample numbers, sorted.
func (b *scriptedBound) addFault(f engine.Fault) {
	at := len(b.faults)
	for at > 0 && b.faults[at-1].Sample > f.Sample {
		at--
	}
	b.faults = append(b.faults, engine.Fault{})
	copy(b.faults[at+1:], b.faults[at:])
	b.faults[at] = f
	b.faults = b.faults[:min(len(b.faults), 16)]
}

// wait lets Delay pass; false when the stop was set meanwhile or before.
func (b *scriptedBound) wait(stop *engine.Stop) bool {
	for end := time.Now().Add(b.script.Delay); ; {
		if stop.IsSet() {
			return false
		}
		left := time.Until(end)
		if left <= 0 {
			return true
		}
		time.Sleep(min(left, 250*time.Microsecond))
	}
}

func (b *scriptedBound) Compact() (engine.CompactStats, error) {
	s := engine.CompactStats{Active: b.counters.Active}
	if b.kernel.Guard != ir.GuardActiveSet || b.counters.Finished == b.snapshot {
		return s, nil
	}
	start := time.Now()
	b.active = b.active[:0]
	for i, m := range b.mask[:b.span] {
		if m == 0 {
			b.active = append(b.active, uint32(i))
		}
	}
	b.live32 = groups32(b.active)
	s.Groups = b.live32
	b.snapshot = b.counters.Finished
	b.counters.Active = uint32(len(b.active))
	s.Ran, s.Active, s.Wall = true, b.counters.Active, time.Since(start)
	return s, nil
}

func (b *scriptedBound) Counters() engine.Counters { return b.counters }
func (b *scriptedBound) StepsTaken() []uint32      { return b.taken }
func (b *scriptedBound) Faults() []engine.Fault    { return b.faults }

// Resume takes the steps taken and the faults that it is given.
func (b *scriptedBound) Resume(_ uint32, taken []uint32, faults []engine.Fault) (engine.Counters, error) {
	c, err := b.Begin(true)
	copy(b.taken, taken)
	b.faults = append([]engine.Fault(nil), faults...)
	return c, err
}

func (b *scriptedBound) Close() error { return nil }

// Track changes nothing: steps taken are always kept.
func (b *scriptedBound) Track(bool) {}

// Calibrate answers what the script says.
func (b *scriptedBound) Calibrate() (compaction, step time.Duration, err error) {
	return b.script.Compaction, b.script.Step, nil
}

// ActiveMap is map[0, count) of the active set, for the oracle on compaction.
func (b *scriptedBound) ActiveMap() []uint32 { return b.active }

// groups32 is how many aligned groups of 32 slots hold one of the slots, which ascend.
func groups32(slots []uint32) (count uint32) {
	last := ^uint32(0)
	for _, slot := range slots {
		if slot/32 != last {
			last = slot / 32
			count++
		}
	}
	return count
}
