package engine

import (
	"encoding/binary"
	"fmt"
)

// The 96 bytes of an event are the same in memory words, in a device's ring and in a recording.

// words are the 12 words of an event; see [Event] for the layout.
func (e *Event) words() (w [12]uint64) {
	w[0] = uint64(e.Kind) | uint64(e.Flags)<<16 | uint64(e.Generation)<<32
	w[1] = e.Turn
	w[2] = durationWord(e.Time)
	copy(w[3:], e.Payload[:])
	return w
}

// setWords is the inverse of words.
func (e *Event) setWords(w *[12]uint64) {
	e.Kind, e.Flags, e.Generation = EventKind(w[0]), EventFlags(w[0]>>16), uint32(w[0]>>32)
	e.Turn = w[1]
	e.Time = duration(w[2])
	copy(e.Payload[:], w[3:])
}

// AppendBinary appends the event's EventBytes bytes to b. The error is always nil.
func (e Event) AppendBinary(b []byte) ([]byte, error) {
	w := e.words()
	for _, x := range w {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return b, nil
}

// MarshalBinary gives the event's EventBytes bytes. The error is always nil.
func (e Event) MarshalBinary() ([]byte, error) { return e.AppendBinary(make([]byte, 0, EventBytes)) }

// UnmarshalBinary reads an event back. b must hold EventBytes bytes; what they mean is not checked, a
// kind of a later version is kept as it is.
func (e *Event) UnmarshalBinary(b []byte) error {
	if len(b) != EventBytes {
		return fmt.Errorf("an event is %d bytes, not %d", EventBytes, len(b))
	}
	var w [12]uint64
	for i := range w {
		w[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	e.setWords(&w)
	return nil
}
