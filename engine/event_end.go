package engine

// Payloads of the events about what a run leaves behind.

// NonFinite is the payload of EventNonFinite: samples whose state holds a NaN or an infinity when a run ends.
type NonFinite struct {
	Count  uint32 // of samples
	Sample uint32 // the first of them
	Plane  uint32 // the first plane, in the kernel's order, in which that one holds it
}

// Event gives the payload its place.
func (f NonFinite) Event() Event {
	return Event{Kind: EventNonFinite, Payload: [9]uint64{pack(f.Count, f.Sample), uint64(f.Plane)}}
}

// NonFinite reads the payload back; e.Kind must be EventNonFinite.
func (e *Event) NonFinite() (f NonFinite) {
	f.Count, f.Sample = unpack(e.Payload[0])
	f.Plane = uint32(e.Payload[1])
	return f
}

// stopsPerEvent is how many samples one EventStops speaks of.
const stopsPerEvent = 16

// Stops is the payload of EventStops: when consecutive samples stopped. Only recordings hold such events,
// behind the end of a run; they never go through a ring.
type Stops struct {
	First uint32 // the first sample
	Count uint32 // 1 to 16
	Taken [stopsPerEvent]uint32
	Mask  [stopsPerEvent]byte // 0 live, 1 finished, 2 faulted
}

// Event gives the payload its place: in word 0 the first sample, the count and a bit for each faulted
// sample; then 32 bits each of steps taken, the top one set for a live sample.
func (s Stops) Event() Event {
	e := Event{Kind: EventStops}
	faulted := uint32(0)
	for i := range s.Count {
		word := s.Taken[i]
		switch s.Mask[i] {
		case 0:
			word |= 1 << 31
		case 2:
			faulted |= 1 << i
		}
		e.Payload[1+i/2] |= uint64(word) << (32 * (i % 2))
	}
	e.Payload[0] = pack(s.First, s.Count|faulted<<16)
	return e
}

// Stops reads the payload back; e.Kind must be EventStops. A count beyond 16 is cut to it.
func (e *Event) Stops() (s Stops) {
	var rest uint32
	s.First, rest = unpack(e.Payload[0])
	s.Count = min(rest&0xFFFF, stopsPerEvent)
	for i := range s.Count {
		word := uint32(e.Payload[1+i/2] >> (32 * (i % 2)))
		s.Taken[i] = word &^ (1 << 31)
		switch {
		case rest>>16&(1<<i) != 0:
			s.Mask[i] = 2
		case word>>31 == 0:
			s.Mask[i] = 1
		}
	}
	return s
}
