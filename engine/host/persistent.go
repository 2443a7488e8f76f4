package host

import (
	"errors"
	"fmt"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
)

// Persist is the persistent entry: one launch over the batch whose lanes claim samples from a shared
// counter until none is left. It differs from Pass in when a worker looks for new samples: every chunk
// steps, for whatever lanes are free then, and it claims no more than it has lanes for.
//
// Lanes whose samples are done in between are closed up, so that an idle lane costs the interpreter next
// to nothing; LaneChunks counts it all the same, as a device would: SampleSteps / (chunk * LaneChunks) is
// the share of lane-steps that did work.
func (b *bound) Persist(stop *engine.Stop, upto, chunk uint32, progress func(finished, steps uint64)) (engine.PersistStats, error) {
	start := time.Now()
	if chunk == 0 {
		return engine.PersistStats{}, fmt.Errorf("host: persist kernel %s: %w", b.kernel.Name, errNoChunk)
	}
	b.prepare(stop, upto, b.planes.N)
	b.work.Chunk = chunk
	err := b.runWatched("persist", progress)
	var s engine.PersistStats
	for _, r := range b.team.results {
		if r != nil {
			s.LaneChunks += r.LaneChunks
			s.Refills += r.Refills
		}
	}
	s.LaunchStats, err = b.finishLaunch(start, err)
	return s, err
}

var errNoChunk = errors.New("the chunk is 0 steps: give 1 or more")

// Resident is the number of samples that the workers' lanes hold at a time.
func (b *bound) Resident() uint32 { return uint32(len(b.team.machines) * b.code.width()) }

// Blocks: the lanes of a worker are the only size.
func (b *bound) Blocks() []int { return []int{b.code.width()} }

// Grid is the number of workers.
func (b *bound) Grid(int) int { return len(b.team.machines) }

// UseBlock has nothing to choose from.
func (b *bound) UseBlock(int) {}
