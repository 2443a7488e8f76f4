package engine

import (
	"math"
	"time"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// EventBytes is the size of an event in memory, in a ring and in a recording.
const EventBytes = 96

// Event is one decision or fact of a run (runner.md, section 9): 12 little-endian 64-bit words. Word 0 is
// kind (bits 0-15), flags (16-31) and generation (32-63), word 1 the turn, word 2 the time in nanoseconds
// since the trace began, words 3-11 the payload by kind. The events of one turn of the run loop share Turn.
// The typed views below are the only places that know a payload's layout.
type Event struct {
	Kind       EventKind
	Flags      EventFlags
	Generation uint32 // of the session: changes with every new kernel, batch or run
	Turn       uint64
	Time       time.Duration
	Payload    [9]uint64
}

// EventKind says what an event is about.
type EventKind uint16

// The kinds. Numbers are part of the recording format: never reused.
const (
	EventNone       EventKind = 0
	EventRunStart   EventKind = 1
	EventRunEnd     EventKind = 2
	EventLaunch     EventKind = 3
	EventPolicy     EventKind = 4
	EventCompaction EventKind = 5
	EventProgress   EventKind = 6
	EventCancel     EventKind = 7
	EventFault      EventKind = 8
	EventGap        EventKind = 9
	EventCalibrate  EventKind = 10
	EventReorder    EventKind = 11
	EventPick       EventKind = 12
	EventProbe      EventKind = 13
	EventLaneRefill EventKind = 14
	EventNonFinite  EventKind = 15
	EventStops      EventKind = 16
)

// EventFlags qualify an event.
type EventFlags uint16

// The flags.
const (
	FlagDerived  EventFlags = 1 << iota // rebuilt after a pass without launch boundaries
	FlagCut                             // the word was cut to the steps that are left
	FlagSkipped                         // compaction: the counter had not moved; reorder: not fired
	FlagStepped                         // the user asked for this launch (step mode)
	FlagResident                        // policy: the batch fits one wave of the device, no boundary pays
)

// RunStart is the payload of EventRunStart.
type RunStart struct {
	N        uint32
	Finished uint32 // at the start
	MaxSteps uint32
	StepsMax uint32
	Policy   Policy
	R        float64 // 0 until calibrated, or when the policy needs none
	Fixed    uint32  // steps per launch of a fixed-K kernel, 0 for auto
	Active   bool    // the kernel compacts
	Resumed  bool    // a Continue
	Entry    Entry   // zero, auto, in events of before there were two
	Chunk    uint32  // of the persistent entry
}

// Launch is the payload of EventLaunch.
type Launch struct {
	Number      uint32 // of this run's launches, from 1
	Word        uint32
	Live        uint32 // before the launch
	Newly       uint32
	Faulted     uint32
	Done        uint32 // steps of this run after the launch
	SampleSteps uint64
	Wall        time.Duration
}

// PolicyDecision is the payload of EventPolicy: how many steps the next launch takes, with the inputs.
type PolicyDecision struct {
	N, Newly, Word uint32  // inputs: newly of N samples finished during Word steps
	R              float64 // input
	H              float64 // newly/(N*Word)
	KStar          float64 // sqrt(2R/H) before rounding; +Inf when Newly is 0
	K              uint32  // power of two in [autoKMin, stepsMax]
	Next           uint32  // min(K, steps left); 0 when the run is over
	StepsMax       uint32
	Live           uint32 // after the launch
	Rule           Policy // doubling, or auto for the band
}

// Compaction is the payload of EventCompaction.
type Compaction struct {
	Before, After uint32 // length of the active map
	Groups        uint32
	Wall          time.Duration
}

// Progress is the payload of EventProgress: a pass without launch boundaries is going on.
type Progress struct {
	Finished    uint32 // of the batch
	SampleSteps uint64 // in this pass so far
}

// RunEnd is the payload of EventRunEnd; the Report travels beside the ring.
type RunEnd struct {
	Status   Status
	Finished uint32
	Faulted  uint32
	Steps    uint32
	Launches uint32
	Wall     time.Duration
}

// Cancel is the payload of EventCancel: the run was asked to stop.
type Cancel struct {
	Finished uint32
	Steps    uint32 // of this run, the launch that was cut included
	Word     uint32 // of the launch that was cut, 0 when none was; Continue finishes it first
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func pack(hi, lo uint32) uint64           { return uint64(hi)<<32 | uint64(lo) }
func unpack(w uint64) (hi, lo uint32)     { return uint32(w >> 32), uint32(w) }
func duration(w uint64) time.Duration     { return time.Duration(int64(w)) }
func durationWord(d time.Duration) uint64 { return uint64(int64(d)) }

// Event gives the payload its place.
func (r RunStart) Event() Event {
	return Event{Kind: EventRunStart, Payload: [9]uint64{
		pack(r.N, r.Finished), pack(r.MaxSteps, r.StepsMax), pack(uint32(r.Policy), r.Fixed),
		math.Float64bits(r.R), b2u(r.Active) | b2u(r.Resumed)<<1 | uint64(r.Entry)<<8, uint64(r.Chunk),
	}}
}

// RunStart reads the payload back; e.Kind must be EventRunStart.
func (e *Event) RunStart() (r RunStart) {
	r.N, r.Finished = unpack(e.Payload[0])
	r.MaxSteps, r.StepsMax = unpack(e.Payload[1])
	p, fixed := unpack(e.Payload[2])
	r.Policy, r.Fixed = Policy(p), fixed
	r.R = math.Float64frombits(e.Payload[3])
	r.Active, r.Resumed, r.Entry = e.Payload[4]&1 != 0, e.Payload[4]&2 != 0, Entry(e.Payload[4]>>8)
	r.Chunk = uint32(e.Payload[5])
	return r
}

// Event gives the payload its place.
func (l Launch) Event() Event {
	return Event{Kind: EventLaunch, Payload: [9]uint64{
		pack(l.Word, l.Live), pack(l.Newly, l.Faulted), pack(l.Number, l.Done), l.SampleSteps, durationWord(l.Wall),
	}}
}

// Launch reads the payload back; e.Kind must be EventLaunch.
func (e *Event) Launch() (l Launch) {
	l.Word, l.Live = unpack(e.Payload[0])
	l.Newly, l.Faulted = unpack(e.Payload[1])
	l.Number, l.Done = unpack(e.Payload[2])
	l.SampleSteps = e.Payload[3]
	l.Wall = duration(e.Payload[4])
	return l
}

// Event gives the payload its place.
func (p PolicyDecision) Event() Event {
	return Event{Kind: EventPolicy, Payload: [9]uint64{
		pack(p.N, p.Newly), pack(p.Word, p.K), pack(p.Next, p.StepsMax),
		math.Float64bits(p.R), math.Float64bits(p.H), math.Float64bits(p.KStar),
		pack(uint32(p.Rule), p.Live),
	}}
}

// Policy reads the payload back; e.Kind must be EventPolicy.
func (e *Event) Policy() (p PolicyDecision) {
	p.N, p.Newly = unpack(e.Payload[0])
	p.Word, p.K = unpack(e.Payload[1])
	p.Next, p.StepsMax = unpack(e.Payload[2])
	p.R = math.Float64frombits(e.Payload[3])
	p.H = math.Float64frombits(e.Payload[4])
	p.KStar = math.Float64frombits(e.Payload[5])
	rule, live := unpack(e.Payload[6])
	p.Rule, p.Live = Policy(rule), live
	return p
}

// Event gives the payload its place.
func (c Compaction) Event() Event {
	return Event{Kind: EventCompaction, Payload: [9]uint64{
		pack(c.Before, c.After), uint64(c.Groups), durationWord(c.Wall),
	}}
}

// Compaction reads the payload back; e.Kind must be EventCompaction.
func (e *Event) Compaction() (c Compaction) {
	c.Before, c.After = unpack(e.Payload[0])
	c.Groups = uint32(e.Payload[1])
	c.Wall = duration(e.Payload[2])
	return c
}

// Event gives the payload its place.
func (p Progress) Event() Event {
	return Event{Kind: EventProgress, Payload: [9]uint64{uint64(p.Finished), p.SampleSteps}}
}

// Progress reads the payload back; e.Kind must be EventProgress.
func (e *Event) Progress() Progress {
	return Progress{Finished: uint32(e.Payload[0]), SampleSteps: e.Payload[1]}
}

// Event gives the payload its place.
func (r RunEnd) Event() Event {
	return Event{Kind: EventRunEnd, Payload: [9]uint64{
		pack(uint32(r.Status), r.Finished), pack(r.Faulted, r.Steps), uint64(r.Launches), durationWord(r.Wall),
	}}
}

// RunEnd reads the payload back; e.Kind must be EventRunEnd.
func (e *Event) RunEnd() (r RunEnd) {
	s, fin := unpack(e.Payload[0])
	r.Status, r.Finished = Status(s), fin
	r.Faulted, r.Steps = unpack(e.Payload[1])
	r.Launches = uint32(e.Payload[2])
	r.Wall = duration(e.Payload[3])
	return r
}

// Event gives the payload its place.
func (c Cancel) Event() Event {
	return Event{Kind: EventCancel, Payload: [9]uint64{pack(c.Finished, c.Steps), uint64(c.Word)}}
}

// Cancel reads the payload back; e.Kind must be EventCancel.
func (e *Event) Cancel() (c Cancel) {
	c.Finished, c.Steps = unpack(e.Payload[0])
	c.Word = uint32(e.Payload[1])
	return c
}

// Event gives a fault its place.
func (f Fault) Event() Event {
	return Event{Kind: EventFault, Payload: [9]uint64{
		pack(f.Sample, f.Step), uint64(f.Kind),
		pack(uint32(f.Pos.File), uint32(f.Pos.Line)), pack(uint32(f.Pos.Col), uint32(f.Pos.End)),
	}}
}

// Fault reads the payload back; e.Kind must be EventFault.
func (e *Event) Fault() (f Fault) {
	f.Sample, f.Step = unpack(e.Payload[0])
	f.Kind = ir.FaultKind(e.Payload[1])
	file, line := unpack(e.Payload[2])
	col, end := unpack(e.Payload[3])
	f.Pos = ir.Pos{File: int32(file), Line: int32(line), Col: int32(col), End: int32(end)}
	return f
}

// GapEvent says that count events were lost before this place.
func GapEvent(count uint64) Event { return Event{Kind: EventGap, Payload: [9]uint64{count}} }

// Gap is the number of events lost; e.Kind must be EventGap.
func (e *Event) Gap() uint64 { return e.Payload[0] }

// CalibrateEvent says what R was measured from.
func CalibrateEvent(compaction, step time.Duration, r float64) Event {
	return Event{Kind: EventCalibrate, Payload: [9]uint64{durationWord(compaction), durationWord(step), math.Float64bits(r)}}
}

// Calibrate reads the payload back; e.Kind must be EventCalibrate.
func (e *Event) Calibrate() (compaction, step time.Duration, r float64) {
	return duration(e.Payload[0]), duration(e.Payload[1]), math.Float64frombits(e.Payload[2])
}
