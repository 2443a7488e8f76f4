package engine

import (
	"math"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// fill sets every field of a struct to a value of its own, near the type's upper end.
func fill(v reflect.Value, next *uint64) {
	for i := range v.NumField() {
		f := v.Field(i)
		*next++
		switch f.Kind() {
		case reflect.Struct:
			fill(f, next)
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Float32, reflect.Float64:
			f.SetFloat(float64(*next) + 0.5)
		case reflect.Int32, reflect.Int64:
			f.SetInt(math.MaxInt32 - int64(*next))
		case reflect.Uint8:
			f.SetUint(math.MaxUint8 - *next)
		case reflect.Uint32:
			f.SetUint(math.MaxUint32 - *next)
		case reflect.Uint64:
			f.SetUint(math.MaxUint64 - *next)
		default:
			panic("fill: a field of kind " + f.Kind().String())
		}
	}
}

// roundTrip fills a payload, writes it as an event, the event as bytes, and reads both back.
func roundTrip[P interface{ Event() Event }](t *testing.T, kind EventKind, read func(*Event) P) {
	t.Helper()
	var want P
	next := uint64(0)
	fill(reflect.ValueOf(&want).Elem(), &next)
	e := want.Event()
	if e.Kind != kind {
		t.Errorf("%T has kind %d, want %d", want, e.Kind, kind)
	}
	e.Flags, e.Generation, e.Turn, e.Time = 0x8421, 0xFEDCBA98, 1<<63|5, 3*time.Hour+7
	b, err := e.MarshalBinary()
	if err != nil || len(b) != EventBytes {
		t.Fatalf("%T: %d bytes, %v", want, len(b), err)
	}
	var back Event
	if err := back.UnmarshalBinary(b); err != nil || back != e {
		t.Errorf("%T: the bytes read back as %+v (%v), want %+v", want, back, err, e)
	}
	if got := read(&back); !reflect.DeepEqual(got, want) {
		t.Errorf("payload read back as %+v, want %+v", got, want)
	}
}

func TestPayloadsRoundTrip(t *testing.T) {
	roundTrip(t, EventRunStart, (*Event).RunStart)
	roundTrip(t, EventRunEnd, (*Event).RunEnd)
	roundTrip(t, EventLaunch, (*Event).Launch)
	roundTrip(t, EventPolicy, (*Event).Policy)
	roundTrip(t, EventCompaction, (*Event).Compaction)
	roundTrip(t, EventProgress, (*Event).Progress)
	roundTrip(t, EventCancel, (*Event).Cancel)
	roundTrip(t, EventFault, (*Event).Fault)
	roundTrip(t, EventReorder, (*Event).Reorder)
	roundTrip(t, EventPick, (*Event).Pick)
	roundTrip(t, EventProbe, (*Event).Probe)
	roundTrip(t, EventLaneRefill, (*Event).LaneRefill)
	roundTrip(t, EventNonFinite, (*Event).NonFinite)

	stops := Stops{First: 4_000_000_000, Count: 16}
	for i := range stops.Taken {
		stops.Taken[i], stops.Mask[i] = uint32(i)*0x7654321, byte(i%3)
	}
	e := stops.Event()
	if got := e.Stops(); e.Kind != EventStops || got != stops {
		t.Errorf("stops read back as %+v, want %+v", got, stops)
	}
	if e.Payload[0] |= 0xFFFF; e.Stops().Count != 16 {
		t.Error("a count beyond 16 is believed")
	}

	gap := GapEvent(1 << 40)
	if gap.Kind != EventGap || gap.Gap() != 1<<40 {
		t.Errorf("gap reads back as %+v", gap)
	}
	e = CalibrateEvent(250*time.Nanosecond, time.Microsecond, 0.25)
	if c, s, r := e.Calibrate(); e.Kind != EventCalibrate || c != 250*time.Nanosecond || s != time.Microsecond || r != 0.25 {
		t.Errorf("calibration reads back as %v, %v, %g", c, s, r)
	}
}

func TestInfiniteKStarRoundTrips(t *testing.T) {
	e := PolicyDecision{KStar: math.Inf(1)}.Event()
	if k := e.Policy().KStar; !math.IsInf(k, 1) {
		t.Errorf("k* reads back as %g", k)
	}
}

func TestEventSizeAndLayout(t *testing.T) {
	e := Event{Kind: 0x0102, Flags: 0x0304, Generation: 0x05060708, Turn: 0x1112131415161718, Time: 0x21}
	e.Payload[8] = 0x3132333435363738
	b, _ := e.MarshalBinary()
	for at, want := range map[int]byte{
		0: 0x02, 1: 0x01, 2: 0x04, 3: 0x03, 4: 0x08, 7: 0x05, // little-endian: kind, flags, generation
		8: 0x18, 15: 0x11, 16: 0x21, 88: 0x38, 95: 0x31,
	} {
		if b[at] != want {
			t.Errorf("byte %d is %#x, want %#x", at, b[at], want)
		}
	}
	if size := unsafe.Sizeof(e); size != EventBytes {
		t.Errorf("an event takes %d bytes in memory, EventBytes is %d", size, EventBytes)
	}
	if err := e.UnmarshalBinary(b[:95]); err == nil {
		t.Error("95 bytes were read as an event")
	}
}

func TestWhereNamesFileLineAndColumn(t *testing.T) {
	k := &ir.Kernel{Files: []string{"folder/kepler.go"}}
	for want, p := range map[string]ir.Pos{
		"kepler.go:12:3": {Line: 12, Col: 3, End: 9},
		"":               {},
		"?:12:3":         {File: 4, Line: 12, Col: 3},
	} {
		if got := Where(k, p); got != want {
			t.Errorf("Where(%+v) = %q, want %q", p, got, want)
		}
	}
}
