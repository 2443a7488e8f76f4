package host

import (
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// Launch runs every unfinished sample of the active map until its steps taken reach upto.
func (b *bound) Launch(stop *engine.Stop, upto uint32) (engine.LaunchStats, error) {
	start := time.Now()
	positions := int(b.counters.Active)
	b.prepare(stop, upto, positions)
	if b.active != nil {
		b.work.Map = b.active[:positions]
	}
	return b.finishLaunch(start, b.runTeam("launch"))
}

// Pass runs every unfinished sample until its steps taken reach upto, without a boundary between launches:
// a worker goes on with new samples where others are done.
func (b *bound) Pass(stop *engine.Stop, upto uint32, progress func(finished, steps uint64)) (engine.LaunchStats, error) {
	start := time.Now()
	b.prepare(stop, upto, b.planes.N)
	return b.finishLaunch(start, b.runWatched("pass", progress))
}

// runWatched is runTeam, and calls progress, if not nil, now and then meanwhile, from another goroutine.
func (b *bound) runWatched(phase string, progress func(finished, steps uint64)) error {
	if progress != nil {
		b.watch.begin(b.team, b.size, progress)
		defer b.watch.end()
	}
	return b.runTeam(phase)
}

// prepare makes the work that the team shares.
func (b *bound) prepare(stop *engine.Stop, upto uint32, positions int) {
	lanes, size := b.team.begin(stop, b.code, positions, b.cost.alone(positions, upto-min(b.from, upto)))
	b.size, b.positions = size, positions
	b.cursor.Reset(0, positions)
	b.work = interp.Work{
		Planes: b.planes.All(), N: b.planes.N, Mask: b.mask, Taken: b.taken, From: b.from,
		Next: &b.cursor, Upto: upto, Lanes: lanes, Stop: b.team.stop,
	}
}

// runTeam runs the prepared work.
func (b *bound) runTeam(phase string) error {
	if b.step == nil { // made once, since a function value is an allocation
		b.step = func(worker int) { b.team.results[worker] = b.team.machines[worker].run(&b.work) }
	}
	return b.team.do(b.size, phase, b.kernel, b.step)
}

// finishLaunch adds up what the workers did. In the slots that a launch runs samples ascend, whatever
// reorders there were, so that the first faults by slot are the first by sample.
func (b *bound) finishLaunch(start time.Time, err error) (engine.LaunchStats, error) {
	var sum interp.Result
	for _, r := range b.team.results {
		if r != nil {
			sum.Merge(r)
		}
	}
	if !sum.Stopped {
		b.from = b.work.Upto
	}
	b.counters.Finished += sum.Newly
	b.counters.Faulted += sum.Faulted
	for _, f := range sum.Faults.All() {
		f.Sample = b.sampleIn(f.Sample)
		b.faults.Add(f)
	}
	wall := time.Since(start)
	b.cost.learn(wall, b.size, b.positions, sum.SampleSteps, int64(b.counters.Finished) == int64(b.planes.N))
	return engine.LaunchStats{
		Newly: sum.Newly, Faulted: sum.Faulted, SampleSteps: sum.SampleSteps,
		Longest: sum.Longest, LastStop: sum.LastStop, Stopped: sum.Stopped, Wall: wall,
	}, err
}
