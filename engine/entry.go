package engine

import "math"

// Entry names a compiled form of a kernel (runner.md, section 6).
type Entry uint8

// The entries. Numbers are part of the recording format.
const (
	EntryAuto       Entry = iota // the pick decides; only asked for, never reported
	EntryFused                   // a launch per turn of the loop, or one pass over the batch
	EntryPersistent              // one launch whose lanes claim samples until none is left
)

var entryNames = [...]string{"auto", "fused", "persistent"}

// String gives the name used on the command line and in reports.
func (e Entry) String() string {
	if int(e) >= len(entryNames) {
		return "unknown"
	}
	return entryNames[e]
}

// EntryNamed returns the entry with the given name.
func EntryNamed(name string) (Entry, bool) {
	for i, s := range entryNames {
		if s == name {
			return Entry(i), true
		}
	}
	return 0, false
}

// other is the other one of two.
func (e Entry) other() Entry { return EntryFused + EntryPersistent - e }

// Constants of the chunk of a persistent lane.
const (
	chunkDefault = 32
	chunkMin     = 8
)

// ChooseChunk is how many steps a persistent lane runs between two looks for a new sample: the power of two
// nearest to mean/16 on the logarithmic scale, in [8, 32], where mean is the mean number of steps of a
// sample in the run before; 0, not known, gives 32. A chunk wastes half of itself at each sample's end on
// average, 1/32 of a sample of 16 chunks; measured, 16 was best for a mean of 215. Pure.
func ChooseChunk(mean float64) uint32 {
	if !(mean > 0) {
		return chunkDefault
	}
	chunk := uint32(chunkMin)
	for chunk < chunkDefault && mean/16 >= math.Sqrt2*float64(chunk) {
		chunk *= 2
	}
	return chunk
}

// LaunchPolicy is how a runner launches now, for display (runner.md, section 6).
type LaunchPolicy struct {
	Block int     `json:"block,omitempty"` // persistent launch: threads of a block; on a host lanes of a worker
	Grid  int     `json:"grid,omitempty"`  // persistent launch: blocks; on a host workers
	Chunk int     `json:"chunk"`           // steps of a persistent lane between two looks for samples
	Fill  float64 `json:"fill"`            // the last observed step fill: sum of steps / (n * longest)
	Rate  float64 `json:"rate"`            // sample-steps per second of the last timed run
	K     int     `json:"k"`               // the policy's current word
}

// LaunchPolicy says how the runner would launch now. Between calls only. Block and Grid are 0 where the
// engine has no persistent entry.
func (r *Runner) LaunchPolicy() LaunchPolicy {
	p := LaunchPolicy{Chunk: int(r.chunk(&r.run.options)), Fill: r.pick.fill, Rate: r.pick.rate, K: int(r.run.word)}
	if b, ok := r.bound.(Blocker); ok {
		if p.Block = r.pick.arm.block; p.Block == 0 {
			p.Block = b.Blocks()[0]
		}
		p.Grid = b.Grid(p.Block)
	}
	return p
}

// chunk is the chunk of a persistent launch under options o.
func (r *Runner) chunk(o *RunOptions) uint32 {
	if o.Chunk > 0 {
		return uint32(o.Chunk)
	}
	return ChooseChunk(r.pick.mean)
}

// EntryReports is what the compiler made of each entry, nil when the engine does not say.
func (r *Runner) EntryReports() []EntryReport {
	if e, ok := r.bound.(EntryReporter); ok {
		return e.EntryReports()
	}
	return nil
}
