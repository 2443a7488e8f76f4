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
	return [...]string{"finished", "max_steps", "cancelled", "paused"}[s]
}

// Policy names how the steps per launch are chosen (runner.md, section 5).
type Policy uint8

// The policies.
const (
	PolicyAuto  Policy = iota // the engine's fastest: on the host tiled
	PolicyTiled               // steps_max steps per launch, the last cut
	PolicyBand                // the band of section 4
	PolicyFixed               // a fixed-K kernel: K steps per launch
)

var policyNames = [...]string{"auto", "tiled", "band", "fixed"}

// String gives the name used on the command line and in reports.
func (p Policy) String() string { return policyNames[p] }

// PolicyNamed returns the policy with the given name; fixed cannot be asked for.
func PolicyNamed(name string) (Policy, bool) {
	for i, s := range policyNames[:PolicyFixed] {
		if s == name {
			return Policy(i), true
		}
	}
	return 0, false
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
	Entry       string        `json:"entry"` // fused
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
