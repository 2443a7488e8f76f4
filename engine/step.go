package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// StepKernel is one kernel of a step of several.
type StepKernel struct {
	Program Program
	// Primal names the kernel of the step whose derivative this one is; "" for a kernel of its own right.
	// Derived kernels come before their primal, so that they read the mask as it was when the step began.
	Primal string
}

// NewStep makes one program of several kernels that share planes by name: one step of a sample is one step
// of each, in order, for example propagate, diagnose, event. The sample's state goes through memory between
// them, so a launch takes one step; whichever kernel finishes a sample, the ones after it leave it alone.
//
// The program's kernel is named after its parts ("propagate+event") and has the planes of all of them, each
// name once: state where any of them has state. It is a fixed-K kernel with K = 1, with an active set where
// any has one, and with the first finish declaration of any. It is for a [Runner] like every other program;
// it offers launches and compactions, nothing else.
//
// Refused, all problems together: a fixed K other than 1, planes of one name with different type or width
// or of which one is a param and the other is not, a derived kernel after its primal or without it, one that
// finishes samples, and less than one kernel.
func NewStep(kernels ...StepKernel) (Program, error) {
	var bad refusal
	if len(kernels) == 0 {
		bad.add("step", "made of one kernel or more", "none", "give the kernels in the order in which a step runs them")
	}
	s := &step{merged: &ir.Kernel{Steps: 1, Precision: ir.F64}}
	names := make([]string, len(kernels))
	for i, k := range kernels {
		names[i] = k.Program.Kernel().Name
	}
	for i, k := range kernels {
		part := k.Program.Kernel()
		if part.Steps > 1 {
			bad.add("kernel "+part.Name, "one with steps=auto or steps=1 in a step of several kernels", fmt.Sprintf("steps=%d", part.Steps),
				"the kernels of a step take turns, so each takes one step per launch; change its directive")
		}
		bad.checkDerived(k, part, names, i)
		bad.merge(s.merged, part)
		s.programs = append(s.programs, k.Program)
	}
	s.merged.Name = strings.Join(names, "+")
	if err := bad.err(); err != nil {
		return nil, err
	}
	return s, nil
}

// checkDerived holds the rules on derived kernels; kernel i of names is the derived one.
func (r *refusal) checkDerived(k StepKernel, part *ir.Kernel, names []string, i int) {
	if k.Primal == "" {
		return
	}
	at := slices.Index(names, k.Primal)
	switch {
	case at < 0:
		r.add("kernel "+part.Name, "in a step with its primal "+k.Primal, "a step of "+strings.Join(names, ", "), "add the primal after it")
	case at < i:
		r.add("kernel "+part.Name, "before its primal "+k.Primal+" in the step", "after it",
			"put it first: it reads the mask as it was when the step began")
	}
	if part.Finish != nil {
		r.add("kernel "+part.Name, "without a finish declaration, for it is derived", "one", "leave finishing to the primal "+k.Primal)
	}
}

// merge takes part's planes, files and finish declaration into m.
func (r *refusal) merge(m, part *ir.Kernel) {
	if part.Guard == ir.GuardActiveSet {
		m.Guard = ir.GuardActiveSet
	}
	if m.Finish == nil && part.Finish != nil {
		f := *part.Finish
		f.Pos.File += int32(len(m.Files))
		m.Finish = &f
	}
	m.Files = append(m.Files, part.Files...)
	for i := range part.Planes {
		p := part.Planes[i]
		at := m.Plane(p.Name)
		if at < 0 {
			m.Planes = append(m.Planes, p)
			continue
		}
		had := &m.Planes[at]
		if had.Type != p.Type || had.Width() != p.Width() || perBatch(had.Role) != perBatch(p.Role) {
			r.add("plane "+p.Name+" of kernel "+part.Name, "the same as in the kernels before it, "+shapeWords(had), shapeWords(&p),
				"rename one of them, or give both the same type")
			continue
		}
		had.Role = mergedRole(had.Role, p.Role)
	}
}

// perBatch says whether a plane has one value for the batch.
func perBatch(r ir.Role) bool { return r == ir.RoleParam || r == ir.RoleTable }

// mergedRole is the role of a plane that two kernels use: whoever writes it decides.
func mergedRole(a, b ir.Role) ir.Role {
	for _, r := range []ir.Role{ir.RoleState, ir.RoleOutput, ir.RoleInput} {
		if a == r || b == r {
			return r
		}
	}
	return a
}

func shapeWords(p *ir.Plane) string {
	return fmt.Sprintf("%s %s of width %d", p.Role, p.Type.GoName(), p.Width())
}

// step is a Program of several.
type step struct {
	merged   *ir.Kernel
	programs []Program
}

func (s *step) Kernel() *ir.Kernel { return s.merged }

// BuildTime is the sum over the kernels.
func (s *step) BuildTime() (sum time.Duration) {
	for _, p := range s.programs {
		sum += p.BuildTime()
	}
	return sum
}

// Bind binds every kernel to its share of the planes, and all of them to the mask.
func (s *step) Bind(p *Planes, mask []byte) (Bound, error) {
	b := &stepBound{mask: mask, taken: make([]uint32, len(mask))}
	files := int32(0)
	for _, program := range s.programs {
		k := program.Kernel()
		share, err := p.Share(k.Planes)
		var bound Bound
		if err == nil {
			bound, err = program.Bind(share, mask)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("kernel %s of a step: %w", k.Name, err), b.Close())
		}
		b.parts = append(b.parts, stepPart{bound, k.Name, files, k.Guard == ir.GuardActiveSet})
		files += int32(len(k.Files))
	}
	_, err := b.Begin(false)
	return b, err
}

// stepBound is a step of several kernels on a batch. What each part has run is kept by the part itself, in
// its steps taken, so that a step that was cut is simply run again: parts that are through do nothing.
type stepBound struct {
	parts    []stepPart
	mask     []byte
	taken    []uint32 // see StepsTaken
	done     uint32   // steps that every live sample has taken in every part
	counters Counters
	snapshot uint32 // finished at the last compaction
}

type stepPart struct {
	Bound
	name   string
	files  int32 // of the merged kernel's list of files, where its own begin
	active bool
}

func (b *stepBound) Init(stop *Stop) error {
	for _, p := range b.parts {
		if err := p.Init(stop); err != nil {
			return fmt.Errorf("kernel %s of a step: %w", p.name, err)
		}
	}
	return nil
}

func (b *stepBound) Begin(keep bool) (Counters, error) {
	for _, p := range b.parts {
		c, err := p.Begin(keep)
		if err != nil {
			return b.counters, fmt.Errorf("kernel %s of a step: %w", p.name, err)
		}
		b.counters = c
	}
	b.counters.Active = uint32(len(b.mask))
	b.snapshot = 0
	b.done = 0
	if keep {
		b.done = b.leastTaken()
	}
	return b.counters, nil
}

// leastTaken is where the live sample that is furthest behind stands: after an edit of the mask, a sample
// that was taken back goes on with its own next step, part after part.
func (b *stepBound) leastTaken() uint32 {
	least := ^uint32(0)
	for _, p := range b.parts {
		for i, t := range p.StepsTaken() {
			if b.mask[i] == 0 {
				least = min(least, t)
			}
		}
	}
	if least == ^uint32(0) {
		return 0
	}
	return least
}

func (b *stepBound) Launch(stop *Stop, upto uint32) (LaunchStats, error) {
	start := time.Now()
	var sum LaunchStats
	for b.done < upto && !sum.Stopped {
		steps, longest := uint64(0), uint32(0) // of the step: each part's share is at most as many
		for _, p := range b.parts {
			s, err := p.Launch(stop, b.done+1)
			if err != nil {
				return sum, fmt.Errorf("kernel %s of a step: %w", p.name, err)
			}
			steps, longest = max(steps, s.SampleSteps), max(longest, s.Longest)
			sum.Newly += s.Newly
			sum.Faulted += s.Faulted
			sum.LastStop = max(sum.LastStop, s.LastStop)
			b.counters.Finished += s.Newly
			b.counters.Faulted += s.Faulted
			if s.Stopped {
				sum.Stopped = true
				break
			}
		}
		sum.SampleSteps += steps
		sum.Longest += longest
		if !sum.Stopped {
			b.done++
		}
	}
	sum.Wall = time.Since(start)
	return sum, nil
}

// Compact has every part with an active set count the mask, which other parts have written, and rebuild
// its map.
func (b *stepBound) Compact() (CompactStats, error) {
	start := time.Now()
	s := CompactStats{Active: b.counters.Active}
	if b.counters.Finished == b.snapshot {
		return s, nil
	}
	for _, p := range b.parts {
		if !p.active {
			continue
		}
		if _, err := p.Begin(true); err != nil {
			return s, fmt.Errorf("kernel %s of a step: %w", p.name, err)
		}
		part, err := p.Compact()
		if err != nil {
			return s, fmt.Errorf("kernel %s of a step: %w", p.name, err)
		}
		s = part
	}
	if s.Ran {
		b.snapshot = b.counters.Finished
		b.counters.Active = s.Active
	}
	s.Wall = time.Since(start)
	return s, nil
}

func (b *stepBound) Counters() Counters { return b.counters }

// StepsTaken is the most that a part has taken: the part that finishes a sample has its last step.
func (b *stepBound) StepsTaken() []uint32 {
	clear(b.taken)
	for _, p := range b.parts {
		for i, t := range p.StepsTaken() {
			b.taken[i] = max(b.taken[i], t)
		}
	}
	return b.taken
}

// Faults are those of all parts, their positions in the merged kernel's files.
func (b *stepBound) Faults() []Fault {
	var all []Fault
	for _, p := range b.parts {
		for _, f := range p.Faults() {
			f.Pos.File += p.files
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b Fault) int { return int(int64(a.Sample) - int64(b.Sample)) })
	const most = 16
	return all[:min(len(all), most)]
}

func (b *stepBound) Close() error {
	var errs []error
	for _, p := range b.parts {
		errs = append(errs, p.Close())
	}
	return errors.Join(errs...)
}
