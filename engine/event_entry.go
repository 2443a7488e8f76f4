package engine

import (
	"math"
	"time"
)

// Payloads of the events about reorders and the two entries.

// Reorder is the payload of EventReorder; FlagSkipped says that it did not fire.
type Reorder struct {
	Count  uint32 // live slots
	Live32 uint32 // aligned 32-slot groups with a live slot, before
	Span   uint32 // slots over which live samples were spread, before
	Theta  float32
	Wall   time.Duration
}

// LaneRefill is the payload of EventLaneRefill: what the lanes of a persistent launch did.
type LaneRefill struct {
	Chunk       uint32 // steps between two looks for new samples
	Live        uint32 // samples unfinished before
	LaneChunks  uint64 // chunks issued, summed over lanes
	Refills     uint64 // samples that a lane took after its first one
	SampleSteps uint64
}

// SlotFill is the share of the lanes' steps that samples took, in (0,1]; 0 when no chunk was issued.
func (l *LaneRefill) SlotFill() float64 {
	s := laneStats{chunks: l.LaneChunks, steps: l.SampleSteps}
	return s.slotFill(l.Chunk)
}

// Event gives the payload its place.
func (r Reorder) Event() Event {
	return Event{Kind: EventReorder, Payload: [9]uint64{
		pack(r.Count, r.Live32), pack(r.Span, math.Float32bits(r.Theta)), durationWord(r.Wall),
	}}
}

// Reorder reads the payload back; e.Kind must be EventReorder.
func (e *Event) Reorder() (r Reorder) {
	r.Count, r.Live32 = unpack(e.Payload[0])
	span, theta := unpack(e.Payload[1])
	r.Span, r.Theta = span, math.Float32frombits(theta)
	r.Wall = duration(e.Payload[2])
	return r
}

// Event gives the payload its place.
func (l LaneRefill) Event() Event {
	return Event{Kind: EventLaneRefill, Payload: [9]uint64{pack(l.Chunk, l.Live), l.LaneChunks, l.Refills, l.SampleSteps}}
}

// LaneRefill reads the payload back; e.Kind must be EventLaneRefill.
func (e *Event) LaneRefill() (l LaneRefill) {
	l.Chunk, l.Live = unpack(e.Payload[0])
	l.LaneChunks, l.Refills, l.SampleSteps = e.Payload[1], e.Payload[2], e.Payload[3]
	return l
}

// word packs a bucket into 16 bits.
func (b Bucket) word() uint64 { return uint64(b.Log2Longest)<<8 | uint64(b.FillTenths) }

func bucketOfWord(w uint64) Bucket { return Bucket{Log2Longest: uint8(w >> 8), FillTenths: uint8(w)} }

// Event gives the payload its place.
func (p Pick) Event() Event {
	return Event{Kind: EventPick, Payload: [9]uint64{
		uint64(p.Entry) | uint64(p.Reason)<<8 | b2u(p.Timed)<<16 | p.Bucket.word()<<32,
		pack(p.N, p.Resident), pack(p.Wave, p.Chunk), uint64(p.Block),
	}}
}

// Pick reads the payload back; e.Kind must be EventPick.
func (e *Event) Pick() (p Pick) {
	w := e.Payload[0]
	p.Entry, p.Reason, p.Timed, p.Bucket = Entry(w), PickReason(w>>8), w>>16&1 != 0, bucketOfWord(w>>32)
	p.N, p.Resident = unpack(e.Payload[1])
	p.Wave, p.Chunk = unpack(e.Payload[2])
	p.Block = uint32(e.Payload[3])
	return p
}

// Event gives the payload its place.
func (p Probe) Event() Event {
	return Event{Kind: EventProbe, Payload: [9]uint64{
		uint64(p.What) | uint64(p.Current)<<8 | b2u(p.Changed)<<16 | uint64(p.Other)<<24 | p.Bucket.word()<<32,
		durationWord(p.CurrentWall), durationWord(p.OtherWall), p.CurrentWork, p.OtherWork,
		pack(p.CurrentBlock, p.OtherBlock),
	}}
}

// Probe reads the payload back; e.Kind must be EventProbe.
func (e *Event) Probe() (p Probe) {
	w := e.Payload[0]
	p.What, p.Current, p.Changed, p.Bucket = ProbeKind(w), Entry(w>>8), w>>16&1 != 0, bucketOfWord(w>>32)
	p.CurrentWall, p.OtherWall = duration(e.Payload[1]), duration(e.Payload[2])
	p.CurrentWork, p.OtherWork = e.Payload[3], e.Payload[4]
	if p.Other = Entry(w >> 24); p.What == ProbeEntry && p.Other == EntryAuto { // of before there were several blocks
		p.Other = p.Current.other()
	}
	p.CurrentBlock, p.OtherBlock = unpack(e.Payload[5])
	return p
}
