package engine

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"time"
)

// A recording (.eagrec) is the events of a trace in a file. Everything is little-endian:
//
//	offset  bytes
//	0       8      magic: "eagrec\r\n"; the line end shows a file that was copied as text
//	8       4      version of the format: 1
//	12      4      length of the options, at most 65,536
//	16      8      n, samples of the batch, at most 4,294,967,295
//	24      32     SHA-256 of the kernel's printed IR, without positions
//	56      length of the options: JSON, see RecordingOptions; members that are not known are ignored
//	        96     each event, to the end of the file: the 12 words of Event
//
// Behind the end of a run may stand EventStops: when each sample of the batch stopped, 16 samples an event.
// They tell what the mask was at every step, which the events of the run itself do not.
//
// Kinds and flags may be added within a version; a reader shows what it does not know by its number. What
// changes the place of something known makes a new version. Events that the ring lost are gap events with
// their count.

// recordingMagic begins every recording.
const recordingMagic = "eagrec\r\n"

// RecordingVersion is the version of the format that is written, and the only one that is read.
const RecordingVersion = 1

const (
	recordingFixed      = 56
	recordingMaxOptions = 1 << 16
)

// RecordingHeader says what a recording is of.
type RecordingHeader struct {
	N       int
	Digest  [sha256.Size]byte // of the kernel
	Options RecordingOptions
}

// RecordingOptions are what fixed the decisions of the run, besides kernel and batch. Policy and Entry are
// names. R is the one that was pinned or had been calibrated when the recording began; 0: neither, and the
// start event of a run tells its R. Pinned as RunOptions.R it makes the same decisions again.
type RecordingOptions struct {
	Kernel   string  `json:"kernel"`
	Engine   string  `json:"engine"`
	Device   string  `json:"device"`
	MaxSteps int     `json:"max_steps"`
	Policy   string  `json:"policy"`
	R        float64 `json:"r,omitempty"`
	Wave     int     `json:"wave,omitempty"`
	Every    int     `json:"every,omitempty"`
	Entry    string  `json:"entry"`
	Chunk    int     `json:"chunk,omitempty"`
	Reorder  float64 `json:"reorder,omitempty"`
}

// RecordingHeader is the header of a recording of this runner's runs under o. It may be asked for during a run.
func (r *Runner) RecordingHeader(o RunOptions) RecordingHeader {
	if o.R == 0 {
		o.R, _ = r.knownR()
	}
	return RecordingHeader{
		N: r.planes.N, Digest: r.kernelDigest(),
		Options: RecordingOptions{
			Kernel: r.kernel.Name, Engine: r.engineName, Device: r.device, MaxSteps: o.MaxSteps,
			Policy: o.Policy.String(), R: o.R, Wave: o.Wave, Every: o.Every,
			Entry: o.Entry.String(), Chunk: o.Chunk, Reorder: o.Reorder,
		},
	}
}

// appendHeader writes the header.
func (h *RecordingHeader) appendHeader(b []byte) ([]byte, error) {
	options, err := json.Marshal(h.Options)
	switch {
	case err != nil:
		return nil, fmt.Errorf("recording: options: %w", err)
	case len(options) > recordingMaxOptions:
		return nil, fmt.Errorf("recording: the options take %d bytes, at most %d fit", len(options), recordingMaxOptions)
	case h.N < 0 || uint64(h.N) > maxSamples:
		return nil, fmt.Errorf("recording: a batch of %d samples, at most %d fit", h.N, uint64(maxSamples))
	}
	b = append(b, recordingMagic...)
	b = binary.LittleEndian.AppendUint32(b, RecordingVersion)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(options)))
	b = binary.LittleEndian.AppendUint64(b, uint64(h.N))
	b = append(b, h.Digest[:]...)
	return append(b, options...), nil
}

// Recorder drains a trace into a file while runs go on. It only ever reads the ring, so a slow disk loses
// events, counted in gap events, and never makes a run wait.
type Recorder struct {
	mu     sync.Mutex // guards what follows
	trace  *Trace
	w      *bufio.Writer
	cursor uint64
	events uint64
	lost   uint64
	buf    [256]Event
	bytes  []byte
	err    error

	end  chan struct{}
	done chan struct{}
	once sync.Once
}

// recordEvery is how often a recorder looks at the ring: a run sends some ten thousand events in a second
// at the most, and the smallest ring worth having holds as many.
const recordEvery = 5 * time.Millisecond

// NewRecorder writes a header to w and begins to record what is emitted from now on, on a goroutine of its
// own that ends with Close. It does not close w.
func NewRecorder(w io.Writer, h RecordingHeader, t *Trace) (*Recorder, error) {
	header, err := h.appendHeader(nil)
	if err != nil {
		return nil, err
	}
	r := &Recorder{
		trace: t, w: bufio.NewWriterSize(w, 1<<16), cursor: t.Written(),
		end: make(chan struct{}), done: make(chan struct{}),
	}
	if _, err := r.w.Write(header); err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	go r.follow()
	return r, nil
}

func (r *Recorder) follow() {
	defer close(r.done)
	tick := time.NewTicker(recordEvery)
	defer tick.Stop()
	for {
		select {
		case <-r.end:
			r.drain()
			return
		case <-tick.C:
			r.drain()
		}
	}
}

// maxRecordedStops is the largest batch whose stops are recorded: they take 6 bytes per sample.
const maxRecordedStops = 1 << 20

// Stops records when each sample stopped in the run that has just ended, behind all its events: taken and
// mask have one element per sample. It says whether they were recorded: they are not for a batch beyond
// 1,048,576 samples, whose recording would be mostly stops.
func (r *Recorder) Stops(generation uint32, taken []uint32, mask []byte) bool {
	if len(taken) > maxRecordedStops || len(taken) != len(mask) {
		return false
	}
	r.drain()
	r.mu.Lock()
	defer r.mu.Unlock()
	for first := 0; first < len(taken) && r.err == nil; first += stopsPerEvent {
		s := Stops{First: uint32(first)}
		s.Count = uint32(copy(s.Taken[:], taken[first:]))
		copy(s.Mask[:], mask[first:])
		e := s.Event()
		e.Generation = generation
		r.bytes, _ = e.AppendBinary(r.bytes[:0])
		_, r.err = r.w.Write(r.bytes)
		r.events++
	}
	return true
}

// drain writes what the ring holds.
func (r *Recorder) drain() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.err == nil {
		n, next := r.trace.Read(r.cursor, r.buf[:])
		r.cursor = next
		if n == 0 {
			return
		}
		r.bytes = r.bytes[:0]
		for i := range r.buf[:n] {
			if e := &r.buf[i]; e.Kind == EventGap {
				r.lost += e.Gap()
			}
			r.bytes, _ = r.buf[i].AppendBinary(r.bytes)
		}
		r.events += uint64(n)
		_, r.err = r.w.Write(r.bytes)
	}
}

// Close records what has been emitted until now, ends the goroutine and says how many events were written,
// gaps included, how many the ring lost, and the first error of writing. Further calls say the same.
func (r *Recorder) Close() (events, lost uint64, err error) {
	r.once.Do(func() {
		close(r.end)
		<-r.done
		if flushed := r.w.Flush(); r.err == nil {
			r.err = flushed
		}
		if r.err != nil {
			r.err = fmt.Errorf("recording: %w", r.err)
		}
	})
	return r.events, r.lost, r.err
}

// RecordingReader reads a recording, event by event, in a few kilobytes of memory however long it is.
type RecordingReader struct {
	Header RecordingHeader

	r      *bufio.Reader
	events uint64
	err    error
}

// OpenRecording reads the header. A file that is no recording, of another version, or cut off is refused
// with one sentence.
func OpenRecording(r io.Reader) (*RecordingReader, error) {
	b := bufio.NewReaderSize(r, 1<<14)
	var fixed [recordingFixed]byte
	if n, err := io.ReadFull(b, fixed[:]); err != nil {
		if !bytes.HasPrefix([]byte(recordingMagic), fixed[:min(n, len(recordingMagic))]) && n > 0 {
			return nil, errNoRecording
		}
		return nil, cutOff("its header", err)
	}
	if string(fixed[:8]) != recordingMagic {
		return nil, errNoRecording
	}
	version, length := binary.LittleEndian.Uint32(fixed[8:]), binary.LittleEndian.Uint32(fixed[12:])
	if version != RecordingVersion {
		return nil, fmt.Errorf("the recording has format version %d, this eaglet reads version %d: use the eaglet that wrote it", version, RecordingVersion)
	}
	if length > recordingMaxOptions {
		return nil, fmt.Errorf("the recording is damaged: its options would take %d bytes, at most %d are allowed", length, recordingMaxOptions)
	}
	n := binary.LittleEndian.Uint64(fixed[16:])
	if n > maxSamples || n > math.MaxInt {
		return nil, fmt.Errorf("the recording is damaged: it says that its batch has %d samples, at most %d are possible", n, uint64(maxSamples))
	}
	rec := &RecordingReader{r: b, Header: RecordingHeader{N: int(n), Digest: [sha256.Size]byte(fixed[24:recordingFixed])}}
	options := make([]byte, length)
	if _, err := io.ReadFull(b, options); err != nil {
		return nil, cutOff("its options", err)
	}
	if err := json.Unmarshal(options, &rec.Header.Options); err != nil {
		return nil, fmt.Errorf("the recording is damaged: its options are no JSON that fits: %w", err)
	}
	return rec, nil
}

var errNoRecording = errors.New("this is no eaglet recording: it does not begin with \"eagrec\"; give a file that eaglet has recorded (.eagrec)")

func cutOff(where string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the recording is cut off within %s: copy it again: %w", where, io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("recording: %w", err)
}

// Next reads the next event; io.EOF after the last. A file that ends within an event gives
// io.ErrUnexpectedEOF in a sentence that says how many events came before. Errors stay.
func (r *RecordingReader) Next() (Event, error) {
	var e Event
	if r.err != nil {
		return e, r.err
	}
	var b [EventBytes]byte
	switch n, err := io.ReadFull(r.r, b[:]); {
	case err == io.EOF && n == 0:
		r.err = io.EOF
	case err != nil:
		r.err = cutOff(fmt.Sprintf("event %d", r.events+1), err)
	}
	if r.err != nil {
		return e, r.err
	}
	if err := e.UnmarshalBinary(b[:]); err != nil {
		r.err = err
		return e, err
	}
	if e.Kind == EventNone {
		r.err = fmt.Errorf("the recording is damaged: event %d has no kind", r.events+1)
		return Event{}, r.err
	}
	r.events++
	return e, nil
}

// Events is the number of events read so far.
func (r *RecordingReader) Events() uint64 { return r.events }
