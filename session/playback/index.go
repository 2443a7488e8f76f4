package playback

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/eaglet-workbench/eaglet/engine"
)

// part is one run of a recording: its events lie from first on, up to the next part's.
type part struct {
	first      int // index of its first event
	generation uint32
	start      engine.RunStart
	launches   int
	passes     int // progress events, of a pass without launches
	end        engine.RunEnd
	ended      bool
	stops      int // index of the first event with stops, 0 for none
	stopped    int // samples that they tell of
}

// index is what one look through a recording finds.
type index struct {
	header engine.RecordingHeader
	parts  []part
	events int
	cut    error // the file ends within an event: it is told up to there
}

// readIndex goes through a recording once.
func readIndex(path string) (*index, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rec, err := engine.OpenRecording(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	x := &index{header: rec.Header}
	for {
		e, err := rec.Next()
		if errors.Is(err, io.ErrUnexpectedEOF) && x.events > 0 {
			x.cut = err
			break
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		x.note(&e)
	}
	if x.events == 0 {
		return nil, fmt.Errorf("%s: nothing was recorded in it; eaglet run KERNEL --record FILE%s records a run", path, ".eagrec")
	}
	return x, nil
}

// note counts one event in. A part begins with the start of a run that is not the rest of one, and with a
// generation.
func (x *index) note(e *engine.Event) {
	at := x.events
	x.events++
	var last *part
	if len(x.parts) > 0 {
		last = &x.parts[len(x.parts)-1]
	}
	begins := last == nil || e.Generation != last.generation && e.Kind != engine.EventGap
	if e.Kind == engine.EventRunStart && last != nil && !e.RunStart().Resumed && (last.launches+last.passes > 0 || last.ended) {
		begins = true
	}
	if begins {
		x.parts = append(x.parts, part{first: at, generation: e.Generation})
		last = &x.parts[len(x.parts)-1]
	}
	switch e.Kind {
	case engine.EventRunStart:
		if last.start = e.RunStart(); !begins {
			last.ended = false
		}
	case engine.EventLaunch:
		last.launches++
	case engine.EventProgress:
		last.passes++
	case engine.EventRunEnd:
		last.end, last.ended = e.RunEnd(), true
	case engine.EventStops:
		s := e.Stops()
		if s.First == 0 {
			last.stops, last.stopped = at, 0
		}
		last.stopped += int(s.Count)
	}
}

// reader reads events from some index on.
type reader struct {
	f    *os.File
	rec  *engine.RecordingReader
	at   int // index of the next event
	path string
}

// from opens the recording so that the next event is number at.
func from(path string, at int) (*reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	rec, err := engine.OpenRecording(f)
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r := &reader{f: f, rec: rec, path: path}
	for r.at < at {
		if _, err := r.next(); err != nil {
			f.Close()
			return nil, err
		}
	}
	return r, nil
}

func (r *reader) next() (engine.Event, error) {
	e, err := r.rec.Next()
	if err != nil {
		return e, fmt.Errorf("%s has changed since it was opened: %w", r.path, err)
	}
	r.at++
	return e, nil
}

func (r *reader) close() { _ = r.f.Close() } // it was only read
