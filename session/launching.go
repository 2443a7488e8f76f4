package session

import (
	"errors"
	"fmt"

	"github.com/eaglet-workbench/eaglet/engine"
)

// Launching are the run options about entry, compaction and lanes; the zero value leaves all to the runner.
type Launching struct {
	Entry   engine.Entry
	Chunk   int     // steps of a persistent lane between two looks for samples; 0: chosen
	Reorder float64 // theta of a run that may reorder; 0: it may not
	Every   int     // steps between two compactions of a fixed-K kernel; 0: K*ceil(16/K)
	Wave    int     // samples of one resident wave of a device; 0: unknown
}

// check says what is wrong for every kernel; the runner knows what does not fit the one that is run.
func (l *Launching) check() error {
	var problems []error
	if l.Entry > engine.EntryPersistent {
		problems = append(problems, errors.New("the entry is auto, fused or persistent"))
	}
	for _, x := range []struct {
		name  string
		value int
	}{{"chunk", l.Chunk}, {"every", l.Every}, {"wave", l.Wave}} {
		if x.value < 0 || x.value > maxN {
			problems = append(problems, fmt.Errorf("%s is a whole number from 1 to %s, or 0 to leave it to the runner, not %s",
				x.name, engine.Grouped(maxN), engine.Grouped(x.value)))
		}
	}
	if !(l.Reorder >= 0 && l.Reorder <= 1) {
		problems = append(problems, fmt.Errorf("reorder is a theta from 0.25 to 0.75, or 0 to leave it out, not %v", l.Reorder))
	}
	return errors.Join(problems...)
}

// set gives l what c asks for.
func (l *Launching) set(c *Configure) {
	assign(&l.Entry, c.Entry)
	assign(&l.Chunk, c.Chunk)
	assign(&l.Reorder, c.Reorder)
	assign(&l.Every, c.Every)
	assign(&l.Wave, c.Wave)
}

func assign[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}
