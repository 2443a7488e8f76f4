package tui

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"sync/atomic"
	"time"
)

// meter says what the workbench itself costs: the time of Update and View, and what is written to the
// terminal. An observer that hides its own cost is not to be believed.
type meter struct {
	since   time.Time     // of the second that is being measured
	busy    time.Duration // in it
	written uint64        // bytes at its start

	share float64 // of one core, in the last whole second
	rate  uint64  // bytes a second in it
	known bool
}

// meterTime is how long a cost is added up before it is shown.
const meterTime = time.Second

// spent adds the time of one Update or View.
func (x *meter) spent(d time.Duration) { x.busy += max(d, 0) }

// read closes a second when it is over; written is the bytes ever written.
func (x *meter) read(now time.Time, written uint64) {
	switch passed := now.Sub(x.since); {
	case x.since.IsZero() || passed > 5*meterTime: // the clock was parked
		x.since, x.busy, x.written = now, 0, written
	case passed >= meterTime:
		x.share = float64(x.busy) / float64(passed)
		x.rate = uint64(float64(written-x.written) / passed.Seconds())
		x.since, x.busy, x.written, x.known = now, 0, written, true
	}
}

// String is the cost in words, "" before it is known.
func (x *meter) String() string {
	if !x.known {
		return ""
	}
	return fmt.Sprintf("ui %s %%, %s B/s", strconv.FormatFloat(100*x.share, 'g', 2, 64), short(x.rate))
}

// observer is what the workbench saw of the run, and what that cost.
func (m *model) observerInWords() string {
	cost := m.meter.String()
	if cost == "" || !m.feed.started {
		return ""
	}
	saw := fmt.Sprintf("saw every one of %s", counted(m.feed.launches(), "launch", "launches"))
	if lost := m.feed.launches() - m.feed.records.total; lost > 0 || m.feed.lost > 0 {
		saw = fmt.Sprintf("missed %s and %s", counted(max(lost, 0), "launch", "launches"), counted(m.feed.lost, "event", "events"))
	}
	return saw + "; " + cost + " of drawing"
}

// countedFile is a terminal that counts what is written to it.
type countedFile struct {
	*os.File
	bytes atomic.Uint64
}

func (c *countedFile) Write(p []byte) (int, error) {
	n, err := c.File.Write(p)
	c.bytes.Add(uint64(n))
	return n, err
}

// countedWriter is countedFile for what is no file.
type countedWriter struct {
	io.Writer
	bytes atomic.Uint64
}

func (c *countedWriter) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.bytes.Add(uint64(n))
	return n, err
}
