package engine

import (
	"fmt"
	"path"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// report says where the run stands.
func (r *Runner) report() Report {
	c := &r.run
	if c.entry == EntryAuto { // no run was begun
		c.entry = EntryFused
	}
	c.nonFinite = nonFinite(r.planes)
	counters := r.bound.Counters()
	longest, sampleSteps := r.stepsTaken()
	launches, steps := r.launchesAndSteps(longest)
	rep := Report{
		Kernel: r.kernel.Name, N: r.planes.N,
		Finished: int(counters.Finished), Done: int64(counters.Finished) == int64(r.planes.N),
		Status:   c.status.String(),
		Launches: launches, Steps: int(steps), LaunchesByK: r.launchesByK(longest),
		Longest: longest, SampleSteps: sampleSteps,
		Compactions: c.compacts,
		Reorders:    c.reorders,
		Entry:       c.entry.String(), Timed: c.pick.Timed, Probe: c.pick.Reason == PickProbe && c.picked,
		Chunk: int(c.chunk), SlotFill: c.lanes.slotFill(c.chunk),
		Policy: c.chosen.String(), R: c.r, MaxSteps: int(c.maxSteps),
		Engine: r.engineName, Device: r.device,
		BuildTime: r.program.BuildTime(), Wall: c.wall,
		Faulted: int(counters.Faulted), NonFinite: int(c.nonFinite.Count),
	}
	rep.ExactSteps = r.exactSteps(&rep)
	for _, f := range r.bound.Faults() {
		rep.Faults = append(rep.Faults, ReportFault{
			Sample: int(f.Sample), Step: int(f.Step), Cause: faultName(f.Kind), Where: Where(r.kernel, f.Pos),
		})
	}
	return rep
}

// exactSteps is whether Steps is the longest sample's own count (runner.md, section 4). The rule needs no
// steps taken; the comparison sharpens it where a launch was cut, where a fixed-K kernel went on to the
// end of its turn, and where the last sample faulted, whose last step is not taken.
func (r *Runner) exactSteps(rep *Report) bool {
	if rep.Launches == 0 {
		return true
	}
	one := r.run.entry == EntryPersistent // its launch is as long as its longest sample
	return (one || !rep.Done || r.run.lastWord == 1) && rep.Longest == rep.Steps
}

// stepsTaken is the most steps that one sample took in this run, and their sum.
func (r *Runner) stepsTaken() (longest int, sum uint64) {
	taken := r.bound.StepsTaken()
	if r.run.untracked { // the words are the best that is known
		return int(r.run.done), r.run.steps
	}
	var most uint32
	for _, t := range taken {
		most = max(most, t)
		sum += uint64(t)
	}
	return int(most), sum
}

// passLaunches is how many launches a pass that was cut stands for so far: those that its longest sample
// has begun, longest steps long. 0 when no pass is on.
func (r *Runner) passLaunches(longest int) (launches int, steps uint32) {
	c := &r.run
	if !c.pass.on {
		return 0, 0
	}
	word := uint32(r.kernel.StepsMax)
	beyond := max(uint32(longest), c.pass.from) - c.pass.from
	if c.entry == EntryPersistent {
		return int(min(beyond, 1)), beyond
	}
	launches = int((uint64(beyond) + uint64(word) - 1) / uint64(word))
	return launches, min(uint32(launches)*word, c.limit-c.pass.from)
}

// launchesAndSteps are the launches of the run and the sum of their words.
func (r *Runner) launchesAndSteps(longest int) (int, uint32) {
	launches, steps := r.passLaunches(longest)
	return r.run.launches + launches, r.run.done + steps
}

// launchesByK is a copy that the caller may keep.
func (r *Runner) launchesByK(longest int) map[int]int {
	by := make(map[int]int, len(r.run.byWord)+1)
	for k, n := range r.run.byWord {
		by[int(k)] = n
	}
	if launches, steps := r.passLaunches(longest); launches > 0 {
		word := r.kernel.StepsMax
		if r.run.entry == EntryPersistent {
			word = int(steps)
		}
		full := int(steps) / word
		if full > 0 {
			by[word] += full
		}
		if rest := int(steps) % word; rest > 0 {
			by[rest]++
		}
	}
	return by
}

// Where is a position of a kernel as file:line:col, the file without its folders; "" for none.
func Where(k *ir.Kernel, p ir.Pos) string {
	if p.Line == 0 {
		return ""
	}
	file := "?"
	if p.File >= 0 && int(p.File) < len(k.Files) {
		file = path.Base(k.Files[p.File])
	}
	return fmt.Sprintf("%s:%d:%d", file, p.Line, p.Col)
}

func faultName(k ir.FaultKind) string {
	if k > ir.FaultCap {
		return fmt.Sprintf("fault %d", uint8(k))
	}
	return k.String()
}
