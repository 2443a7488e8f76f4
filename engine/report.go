package engine

import "time"

// Status is how a run ended. Reaching the cap and being cancelled are results, not errors.
type Status uint8

// The statuses. StatusPaused: the launches that were asked for are done (step mode); Continue goes on.
const (
	StatusFinished Status = iota
	StatusMaxSteps
	StatusCancelled
	StatusPaused
)

// String gives the name used in reports.
func (s Status) String() string {
	names := [...]string{"finished", "max_steps", "cancelled", "paused"}
	if int(s) >= len(names) {
		return "unknown"
	}
	return names[s]
}

// Report is what a run did (runner.md, section 7).
type Report struct {
	Kernel      string        `json:"kernel"`
	N           int           `json:"n"`
	Finished    int           `json:"finished"` // set mask bytes, faulted ones included
	Done        bool          `json:"done"`     // every sample finished
	Status      string        `json:"status"`
	Launches    int           `json:"launches"`
	Steps       int           `json:"steps"`         // sum of the words
	LaunchesByK map[int]int   `json:"launches_by_k"` // sum of k*count is Steps
	ExactSteps  bool          `json:"exact_steps"`   // Steps is the longest sample's own count
	Longest     int           `json:"longest"`       // most steps one sample took
	SampleSteps uint64        `json:"sample_steps"`  // steps run, summed over samples
	Compactions int           `json:"compactions"`
	Reorders    int           `json:"reorders,omitempty"`
	Entry       string        `json:"entry"`               // fused or persistent
	Timed       bool          `json:"timed,omitempty"`     // the wall of this run counts for the pick between the entries
	Probe       bool          `json:"probe,omitempty"`     // this run took the other entry, to time it
	Chunk       int           `json:"chunk,omitempty"`     // persistent: steps between two looks for new samples
	SlotFill    float64       `json:"slot_fill,omitempty"` // persistent: share of the lanes' steps that samples took, in (0,1]
	Policy      string        `json:"policy"`
	R           float64       `json:"r,omitempty"`
	MaxSteps    int           `json:"max_steps"`
	Engine      string        `json:"engine"`
	Device      string        `json:"device"`
	BuildTime   time.Duration `json:"build_ns"`
	Wall        time.Duration `json:"wall_ns"`
	Faulted     int           `json:"faulted"`
	Faults      []ReportFault `json:"faults,omitempty"` // the first 16
	NonFinite   int           `json:"non_finite"`       // samples whose state holds NaN or Inf
}

// ReportFault is one faulted sample in words.
type ReportFault struct {
	Sample int    `json:"sample"`
	Step   int    `json:"step"`
	Cause  string `json:"cause"`
	Where  string `json:"where"` // file:line:col
}
