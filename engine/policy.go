package engine

import "strings"

// Policy names how the steps per launch are chosen (runner.md, section 5).
type Policy uint8

// The policies. Numbers are part of the recording format.
const (
	PolicyAuto     Policy = iota // the engine's fastest: on the host tiled
	PolicyTiled                  // steps_max steps per launch, the last cut
	PolicyBand                   // the band of section 4
	PolicyMeasured               // one step per launch until a timed launch of several is cheaper, then the band
	PolicyDoubling               // doubles or halves by the share of live samples that finished
	PolicyFixed                  // a fixed-K kernel: K steps per launch
)

var policyNames = [...]string{"auto", "tiled", "band", "measured", "doubling", "fixed"}

// String gives the name used on the command line and in reports.
func (p Policy) String() string {
	if int(p) >= len(policyNames) {
		return "unknown"
	}
	return policyNames[p]
}

// Policies are those that can be asked for, in the order of their numbers; fixed is the kernel's own.
func Policies() []Policy {
	list := make([]Policy, PolicyFixed)
	for i := range list {
		list[i] = Policy(i)
	}
	return list
}

// PolicyNamed returns the policy with the given name; fixed cannot be asked for.
func PolicyNamed(name string) (Policy, bool) {
	for _, p := range Policies() {
		if p.String() == name {
			return p, true
		}
	}
	return 0, false
}

// PolicyNames lists what PolicyNamed takes, for help and refusals: "auto, tiled, band, measured or doubling".
func PolicyNames() string { return orList(policyNames[:PolicyFixed]) }

// orList joins names with commas and a final "or".
func orList(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// policy says how many steps the next launch takes, before the word is cut to the steps that are left.
type policy interface {
	first() uint32
	// next decides after launch l, which left live samples; l.Wall is that of the run's clock where the
	// policy asked for it (see [run.timed]).
	next(l *Launch, live uint32) uint32
	// clone is a copy that decides on its own.
	clone() policy
}
