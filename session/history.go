package session

import (
	"slices"

	"github.com/eaglet-workbench/eaglet/engine"
)

// Segment is a part of a batch's history in which kernel and values stay the same: what is needed to go
// through it again. The first begins at the batch's start, each further one with an edit.
type Segment struct {
	Kernel string // its name
	Digest string
	N      int
	Seed   uint64
	Params []Param // at the segment's start
	Edits  []Edit  // made at its start
	Runs   []SegmentRun
}

// Edit is one value that was set.
type Edit struct {
	Name  string
	Value float64
}

// SegmentRun is one command that ran steps, and where the run stood after it. Launches and Steps are of
// the whole run, as in its report: those of a Continue include what came before it.
type SegmentRun struct {
	Command  Command
	MaxSteps int
	Policy   engine.Policy
	R        float64
	Status   string
	Steps    int
	Launches map[int]int // by word
}

// history is a list of segments; what it has handed out is never changed.
type history struct{ segments []Segment }

// begin starts a segment.
func (h *history) begin(s Segment) { h.segments = append(slices.Clone(h.segments), s) }

// ran adds a run to the last segment. The arrays behind Runs are shared with pictures handed out before,
// which end where they ended.
func (h *history) ran(r SegmentRun) {
	h.segments = slices.Clone(h.segments)
	last := &h.segments[len(h.segments)-1]
	last.Runs = append(last.Runs, r)
}
