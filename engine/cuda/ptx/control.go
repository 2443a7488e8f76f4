package ptx

import "unsafe"

// Control is the block of device memory that a run's kernels share, little-endian as Go lays it out. The
// generated text takes its offsets from this struct. What a field means to launches is said in the package
// comment; the fields from Snapshot on belong to the kernels of the run loop.
type Control struct {
	// Of the run and the launch at hand.
	Finished uint32 // set mask bytes (finished_count)
	Short    uint32 // samples of this launch that ran fewer steps than full; zeroed before a launch
	Faulted  uint32 // mask bytes 2
	Upto     uint32 // steps taken at which a sample is done with the launch
	Deficit  uint64 // sum of full - steps over the samples of this launch, modulo 2^64; zeroed before a launch
	Longest  uint32 // most steps of one of the short samples, or of a persistent launch; zeroed before a launch
	LastStop uint32 // most steps taken of a sample that finished in this launch; zeroed before a launch
	From     uint32 // steps taken of every live sample before the launch, where nobody cut one
	Count    uint32 // length of the active map

	// Of the persistent entry.
	Next       uint32 // the next slot to claim
	Chunk      uint32 // steps between two looks for new samples
	LaneChunks uint64 // chunks issued, summed over lanes
	Steps      uint64 // steps run, summed over samples
	Refills    uint32 // samples that a lane took after its first one
	Stopped    uint32 // samples that were left before they were done, since cancel was set (every entry). Of a
	// persistent launch also slots that a warp has claimed for later, whatever is in them; those from Next on
	// were not claimed: it was stopped when Stopped is not 0 or Next is below end

	// Of the active set.
	Snapshot uint32  // Finished at the last compaction
	Span     uint32  // slots over which live samples are spread
	Groups   uint32  // aligned 32-slot groups of [0, Span) with a live slot, at the last compaction
	Ran      uint32  // the compaction of this turn ran
	Fired    uint32  // the reorder of this turn fired
	Theta    float32 // of the reorder, 0: none
	Ticket   uint32  // blocks that are through; 0 between kernels
	Before   uint32  // Count before the compaction of this turn

	WasSpan   uint32 // Span and Groups before the reorder of this turn
	WasGroups uint32
	GroupSum  uint32 // 0 between kernels

	// Of the policy, see runner_policy.go.
	R             float64 // cost of one compaction in steps of a full-live launch
	N             uint32  // samples of the batch
	Rule          uint32  // RuleFixed, RuleBand or RuleDoubling
	StepsMax      uint32  // the upper clamp of the word, or the word of RuleFixed
	Resident      uint32  // not 0: the batch fits one wave, every word is StepsMax
	K             uint32  // the rule's last answer, not cut to what is left
	Limit         uint32  // steps of the run at which no launch begins
	Boundary      uint32  // steps of the run at which no turn begins; beyond Limit only where a fixed word may overshoot
	Done          uint32  // sum of the words of the launches that ended
	Go            uint32  // the guard: not 0 while there is something to launch and nobody was stopped
	WasFinished   uint32  // Finished before the launch at hand
	WasFaulted    uint32  // Faulted before the launch at hand
	Launches      uint32
	Compactions   uint32
	Reorders      uint32
	Generation    uint32 // of the events
	Turn          uint64
	SampleSteps   uint64     // of the run, all launches that ended
	RunLongest    uint32     // most steps taken of a sample
	LastStopOfRun uint32     // most steps taken of a sample that finished in the run
	ByLog         [32]uint32 // launches of 1<<i steps; [OddWord]: of a word that is no power of two and not cut
	CutWord       uint32     // the last word, where it was cut to the steps that were left; not in ByLog. 0: none
	Flags         uint32     // FlagActive and FlagReorder: what a turn holds, for its events

	// Of the ring, see ring.go.
	Capacity uint64 // slots, a power of two, at least [TurnEvents]; the host's to fill in
	Told     uint64 // events written, ever
	Tail     uint64 // Ring.Tail as it was last looked at
	Lost     uint64 // events that found no room, ever
}

// OddWord is the place of Control.ByLog for the launches of a word that is no power of two.
const OddWord = 31

// The rules of Control.Rule.
const (
	RuleFixed    = 0
	RuleBand     = 1
	RuleDoubling = 2
)

// The bits of Control.Flags.
const (
	FlagActive  = 1 << 0 // a turn has a compaction
	FlagReorder = 1 << 1 // and a reorder
)

// Launch gives what a launch of a Fused or Single entry did from the block as it was read back: live samples
// were unfinished in the slots that it was for, full is Upto - From or 1.
func (c *Control) Launch(live, full uint32) (sampleSteps uint64, longest uint32) {
	sampleSteps = uint64(live)*uint64(full) - c.Deficit
	longest = c.Longest
	if c.Short < live {
		longest = max(longest, full)
	}
	return sampleSteps, longest
}

// Bytes is the block's own memory, as a device is given it and gives it back.
func (c *Control) Bytes() []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(c)), unsafe.Sizeof(*c))
}
