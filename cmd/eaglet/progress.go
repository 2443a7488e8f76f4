package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/eaglet-workbench/eaglet/engine"
)

// progress draws how far a run is on one line of a terminal.
type progress struct {
	w        io.Writer
	name     string
	n        int
	start    time.Time
	trace    *engine.Trace
	cursor   uint64
	finished int
	steps    uint64
	base     uint64
	drawn    bool
}

// isTerminal says whether w is a terminal, and how wide.
func isTerminal(w io.Writer) (width int, ok bool) {
	f, isFile := w.(*os.File)
	if !isFile || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	return width, err == nil
}

// useColor follows the NO_COLOR convention and is off where w is no terminal.
func useColor(w io.Writer) bool {
	_, ok := isTerminal(w)
	return ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// watch redraws until done is closed; where the output is no terminal it draws nothing.
func (p *progress) watch(done <-chan struct{}) {
	width, ok := isTerminal(p.w)
	if !ok {
		<-done
		return
	}
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			p.pull()
			fmt.Fprintf(p.w, "\r%s\x1b[K", p.line(width-1))
			p.drawn = true
		case <-done:
			if p.drawn {
				fmt.Fprint(p.w, "\r\x1b[K")
			}
			return
		}
	}
}

// pull takes the events that have come since the last time.
func (p *progress) pull() {
	var buf [256]engine.Event
	for {
		got, next := p.trace.Read(p.cursor, buf[:])
		p.cursor = next
		for i := range buf[:got] {
			switch e := &buf[i]; e.Kind {
			case engine.EventRunStart:
				p.finished = int(e.RunStart().Finished)
			case engine.EventLaunch:
				if e.Flags&engine.FlagDerived != 0 {
					continue
				}
				l := e.Launch()
				p.finished += int(l.Newly)
				p.base += l.SampleSteps
				p.steps = p.base
			case engine.EventProgress:
				now := e.Progress()
				p.finished = int(now.Finished)
				p.steps = p.base + now.SampleSteps
			}
		}
		if got < len(buf) {
			return
		}
	}
}

// line is the progress in at most width columns: bar, share, counts, rate.
func (p *progress) line(width int) string {
	share := 1.0
	if p.n > 0 {
		share = float64(p.finished) / float64(p.n)
	}
	elapsed := time.Since(p.start)
	text := fmt.Sprintf("%s %3.0f%%  %s of %s finished  %s  %s sample-steps/s",
		p.name, 100*share, engine.Grouped(p.finished), engine.Grouped(p.n), elapsed.Round(100*time.Millisecond),
		siRate(float64(p.steps)/elapsed.Seconds()))
	if room := width - len(text) - 3; room >= 10 {
		full := int(share * float64(room))
		text = "[" + strings.Repeat("#", full) + strings.Repeat("-", room-full) + "] " + text
	}
	if len(text) > width {
		text = text[:max(0, width)]
	}
	return text
}

// siRate is a rate with three digits and an SI prefix: 12.3M.
func siRate(v float64) string {
	for _, p := range []struct {
		at   float64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if v >= p.at {
			return fmt.Sprintf("%.3g%s", v/p.at, p.name)
		}
	}
	return fmt.Sprintf("%.3g", v)
}
