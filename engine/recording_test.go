package engine

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

var recorded = RecordingHeader{
	N: 10_000, Digest: [32]byte{1, 2, 3, 31: 9},
	Options: RecordingOptions{Kernel: "count", Engine: "host", Device: "2 cores", MaxSteps: 1000, Policy: "band", R: 0.25, Entry: "auto"},
}

// record is a recording of the events, as bytes.
func record(t testing.TB, events ...Event) []byte {
	t.Helper()
	var b bytes.Buffer
	trace := NewTrace(1 << 10)
	trace.Emit(Launch{Number: 99}.Event()) // before the recording: not in it
	rec, err := NewRecorder(&b, recorded, trace)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		trace.Emit(e)
	}
	n, lost, err := rec.Close()
	if err != nil || n != uint64(len(events)) || lost != 0 {
		t.Fatalf("%d events written, %d lost, %v, want %d", n, lost, err, len(events))
	}
	return b.Bytes()
}

func readAll(b []byte) (h RecordingHeader, events []Event, err error) {
	r, err := OpenRecording(bytes.NewReader(b))
	if err != nil {
		return h, nil, err
	}
	for {
		e, err := r.Next()
		if err == io.EOF {
			return r.Header, events, nil
		}
		if err != nil {
			return r.Header, events, err
		}
		events = append(events, e)
	}
}

func TestStopsLieBehindTheRun(t *testing.T) {
	var b bytes.Buffer
	trace := NewTrace(16)
	rec, err := NewRecorder(&b, recorded, trace)
	if err != nil {
		t.Fatal(err)
	}
	trace.Emit(Launch{Number: 1}.Event())
	taken, mask := make([]uint32, 37), make([]byte, 37)
	for i := range taken {
		taken[i], mask[i] = uint32(i*i), byte(i%3)
	}
	if !rec.Stops(7, taken, mask) || rec.Stops(7, make([]uint32, maxRecordedStops+1), make([]byte, maxRecordedStops+1)) {
		t.Error("the bound on the batch is not kept")
	}
	trace.Emit(Launch{Number: 2}.Event())
	if n, _, err := rec.Close(); n != 5 || err != nil {
		t.Fatalf("%d events, %v", n, err)
	}
	_, events, err := readAll(b.Bytes())
	if err != nil || len(events) != 5 || events[0].Kind != EventLaunch || events[4].Kind != EventLaunch {
		t.Fatalf("%d events read, %v", len(events), err)
	}
	at := 0
	for _, e := range events[1:4] {
		s := e.Stops()
		for k := range s.Count {
			if s.Taken[k] != taken[at] || s.Mask[k] != mask[at] || e.Generation != 7 {
				t.Fatalf("sample %d reads back as %d, %d", at, s.Taken[k], s.Mask[k])
			}
			at++
		}
	}
	if at != len(taken) {
		t.Errorf("%d stops", at)
	}
}

// Every kind has a name in JSON, its payload by name, and no infinity in it.
func TestEventsAsJSON(t *testing.T) {
	for kind := EventRunStart; kind <= EventStops; kind++ {
		e := Event{Kind: kind}
		if kind == EventPolicy {
			e = PolicyDecision{KStar: math.Inf(1)}.Event()
		}
		b, err := json.Marshal(JSONEvent(e))
		if err != nil || !strings.Contains(string(b), `"payload":{`) || strings.Contains(string(b), fmt.Sprintf(`"kind":"%d"`, kind)) {
			t.Errorf("kind %d: %s, %v", kind, b, err)
		}
	}
	if b, _ := json.Marshal(JSONEvent(Event{Kind: 4711})); !strings.Contains(string(b), `"kind":"4711"`) || !strings.Contains(string(b), `"payload":[0,0,0,0,0,0,0,0,0]`) {
		t.Errorf("an unknown kind is %s", b)
	}
}

func TestARecordingReadsBack(t *testing.T) {
	sent := []Event{
		RunStart{N: 10_000, MaxSteps: 1000, Policy: PolicyBand}.Event(),
		Launch{Number: 1, Word: 16, Live: 10_000}.Event(),
		{Kind: 4711, Generation: 3, Turn: 1 << 60, Payload: [9]uint64{8: 7}}, // of a later version
	}
	h, got, err := readAll(record(t, sent...))
	if err != nil || h != recorded {
		t.Fatalf("header %+v, %v", h, err)
	}
	for i := range got {
		if got[i].Time <= 0 {
			t.Errorf("event %d has no time", i)
		}
		got[i].Time = 0
	}
	if !slices.Equal(got, sent) {
		t.Errorf("got %+v\nwant %+v", got, sent)
	}
}

// TestRecordingLayout holds the documented offsets.
func TestRecordingLayout(t *testing.T) {
	b := record(t, Launch{Number: 5}.Event())
	options := binary.LittleEndian.Uint32(b[12:])
	if string(b[:8]) != "eagrec\r\n" || binary.LittleEndian.Uint32(b[8:]) != 1 || binary.LittleEndian.Uint64(b[16:]) != 10_000 ||
		b[24] != 1 || b[55] != 9 || b[56] != '{' || len(b) != 56+int(options)+EventBytes {
		t.Errorf("%d bytes: % x", len(b), b[:64])
	}
	if kind := binary.LittleEndian.Uint16(b[56+options:]); EventKind(kind) != EventLaunch {
		t.Errorf("the first event has kind %d", kind)
	}
}

func TestDamagedRecordingsAreRefusedWithOneSentence(t *testing.T) {
	good := record(t, Launch{Number: 1}.Event(), Launch{Number: 2}.Event())
	options := int(binary.LittleEndian.Uint32(good[12:]))
	edit := func(at int, b ...byte) []byte {
		c := slices.Clone(good)
		copy(c[at:], b)
		return c
	}
	for _, c := range []struct {
		name   string
		b      []byte
		want   string
		events int
	}{
		{"nothing", nil, "the recording is cut off within its header", 0},
		{"another file", []byte("PK\x03\x04 a zip archive, longer than a header is, much longer"), "this is no eaglet recording", 0},
		{"a short other file", []byte("hello"), "this is no eaglet recording", 0},
		{"line ends were translated", append([]byte("eagrec\n"), good[8:]...), "this is no eaglet recording", 0},
		{"a later version", edit(8, 2), "the recording has format version 2, this eaglet reads version 1", 0},
		{"half a header", good[:30], "the recording is cut off within its header", 0},
		{"options of 4 GB", edit(12, 0xFF, 0xFF, 0xFF, 0xFF), "its options would take 4294967295 bytes, at most 65536 are allowed", 0},
		{"half the options", good[:70], "the recording is cut off within its options", 0},
		{"options that are no JSON", edit(56, 'x'), "its options are no JSON that fits", 0},
		{"options of the wrong type", edit(56+strings.Index(string(good[56:]), `"count"`), []byte(`12345  `)...), "its options are no JSON that fits", 0},
		{"a batch beyond all memory", edit(16, 0, 0, 0, 0, 1), "its batch has 4294967296 samples", 0},
		{"half an event", good[:len(good)-1], "the recording is cut off within event 2", 1},
		{"an event without a kind", edit(56+options+EventBytes, 0, 0), "event 2 has no kind", 1},
	} {
		_, events, err := readAll(c.b)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if len(events) != c.events {
			t.Errorf("%s: %d events were read, want %d", c.name, len(events), c.events)
		}
	}
}

func TestARecorderCountsWhatTheRingLost(t *testing.T) {
	var b bytes.Buffer
	trace := NewTrace(8)
	gate := make(chan struct{})
	rec, err := NewRecorder(&gated{w: &b, gate: gate}, recorded, trace)
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(100) {
		trace.Emit(numbered(1, i))
	}
	close(gate)
	events, lost, err := rec.Close()
	_, got, readErr := readAll(b.Bytes())
	if err != nil || readErr != nil || len(got) != int(events) {
		t.Fatalf("%d events, %v, %v", events, err, readErr)
	}
	sum := uint64(0)
	for i := range got {
		if got[i].Kind == EventGap {
			sum += got[i].Gap()
		} else {
			sum++
		}
	}
	if sum != 100 || lost == 0 {
		t.Errorf("events and gaps add up to %d, %d lost", sum, lost)
	}
}

// gated is a disk that is slow until the gate opens.
type gated struct {
	w    io.Writer
	gate chan struct{}
}

func (g *gated) Write(b []byte) (int, error) {
	<-g.gate
	return g.w.Write(b)
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestAFullDiskIsAnErrorOfCloseAndStopsNobody(t *testing.T) {
	trace := NewTrace(1 << 12)
	rec, err := NewRecorder(fullDisk{}, recorded, trace)
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(3000) {
		trace.Emit(numbered(1, i))
	}
	if _, _, err := rec.Close(); err == nil || err.Error() != "recording: no space left" {
		t.Errorf("Close says %v", err)
	}
	if _, _, err := rec.Close(); err == nil {
		t.Error("the second Close says nothing")
	}
}

func FuzzOpenRecording(f *testing.F) {
	f.Add(record(f))
	f.Add(record(f, RunStart{N: 4, Policy: PolicyBand, Entry: EntryPersistent}.Event(), Pick{Reason: PickProbe}.Event(),
		Probe{}.Event(), Reorder{}.Event(), LaneRefill{}.Event(), RunEnd{Status: 200}.Event(), PolicyDecision{Rule: PolicyDoubling}.Event()))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, events, err := readAll(b)
		for _, e := range events {
			if Sentence(e) == "" {
				t.Errorf("no sentence for %+v", e)
			}
		}
		if err != nil {
			return
		}
		again, err := h.appendHeader(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			again, _ = e.AppendBinary(again)
		}
		h2, events2, err := readAll(again)
		if err != nil || h2 != h || !slices.Equal(events, events2) {
			t.Errorf("written again it reads as %+v, %d events, %v", h2, len(events2), err)
		}
	})
}
