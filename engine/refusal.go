package engine

import (
	"fmt"
	"math"
	"strings"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Refusal is a call that the runner does not carry out, with everything that is wrong with it
// (runner.md, section 10).
type Refusal struct {
	Kernel   string // "" for what concerns no kernel
	Problems []Problem
}

// Problem is one thing that is wrong: clauses without a final stop.
type Problem struct {
	Argument string // max_steps, every, plane x; "run" for the call itself
	Expected string
	Given    string
	Fix      string
}

// String is the problem as one sentence without a final stop.
func (p Problem) String() string {
	return fmt.Sprintf("%s must be %s, given %s: %s", p.Argument, p.Expected, p.Given, p.Fix)
}

// Error is one sentence for one problem, and a list, a line each, for several.
func (r *Refusal) Error() string {
	where := ""
	if r.Kernel != "" {
		where = "kernel " + r.Kernel + ": "
	}
	if len(r.Problems) == 1 {
		return where + r.Problems[0].String()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s%d problems", where, len(r.Problems))
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "\n  %s", p)
	}
	return b.String()
}

// refusal collects problems.
type refusal struct{ Refusal }

func (r *refusal) add(argument, expected, given, fix string) {
	r.Problems = append(r.Problems, Problem{argument, expected, given, fix})
}

// err is nil when there is no problem.
func (r *refusal) err() error {
	if len(r.Problems) == 0 {
		return nil
	}
	return &r.Refusal
}

// maxStepCount keeps steps taken, which may overshoot by a launch, within 32 bits.
const maxStepCount = math.MaxInt32

// reservedPlanes are the runner's own (runner.md, section 1).
var reservedPlanes = [...]string{"finished_count", "active_map", "active_count", "fused_steps", "steps_taken"}

// noFinish is the problem of a call that runs until done on a kernel that never is.
func (r *refusal) noFinish() {
	r.add("run", "called on a kernel with a finish declaration", "a Step without a result, which never finishes a sample",
		"run a number of steps instead (--steps N, RunSteps), write the loop by hand with a guard of your own (NewRepeatWhile), "+
			"or declare a finish: func (s *T) Step() (terminated bool)")
}

// checkOptions adds what is wrong with o; steps says that a number of steps is given instead of MaxSteps.
func (r *refusal) checkOptions(k *ir.Kernel, o *RunOptions, steps bool) {
	if (!steps || o.MaxSteps != 0) && (o.MaxSteps < 1 || o.MaxSteps > maxStepCount) {
		r.add("max_steps", fmt.Sprintf("a whole number from 1 to %d", maxStepCount), fmt.Sprint(o.MaxSteps),
			"give the most steps that a sample may take")
	}
	switch {
	case o.Policy < PolicyFixed:
	case o.Policy > PolicyFixed:
		r.add("policy", PolicyNames(), fmt.Sprint(uint8(o.Policy)), "choose one of them")
	case k.Auto():
		r.add("policy", PolicyNames(), "fixed",
			"a number of steps per launch is the kernel's: write steps=K in its directive")
	}
	if o.R != 0 && !(o.R > 0 && !math.IsInf(o.R, 0)) {
		r.add("R", "a positive finite number of steps", fmt.Sprint(o.R), "leave it out to have it calibrated")
	}
	if o.Wave < 0 || uint64(o.Wave) > maxSamples {
		r.add("wave", fmt.Sprintf("0 to %d samples", uint64(maxSamples)), fmt.Sprint(o.Wave), "0 means unknown")
	}
	r.checkEvery(k, o.Every)
	r.checkEntry(k, o)
	r.checkReorder(k, o)
}

// checkEntry holds the rules on the entry and the chunk of a persistent lane (runner.md, section 6), as
// far as the kernel goes; what the engine offers is checkOffers' matter.
func (r *refusal) checkEntry(k *ir.Kernel, o *RunOptions) {
	switch {
	case o.Entry > EntryPersistent:
		r.add("entry", orList(entryNames[:]), fmt.Sprint(uint8(o.Entry)), "choose one of them")
	case o.Entry == EntryPersistent && !k.Auto():
		r.add("entry", "fused for a kernel with a fixed number of steps per launch", "persistent",
			"write steps=auto in the kernel's directive")
	case o.Entry == EntryPersistent && o.Policy != PolicyAuto && o.Policy < PolicyFixed:
		r.add("policy", "auto for the persistent entry, which makes one launch", o.Policy.String(),
			"leave the policy out, or choose entry fused")
	}
	switch {
	case o.Chunk == 0:
	case o.Chunk < 0 || o.Chunk > maxStepCount:
		r.add("chunk", fmt.Sprintf("a whole number of steps from 1 to %d", maxStepCount), fmt.Sprint(o.Chunk),
			"leave it out to have it chosen")
	case o.Entry == EntryFused:
		r.add("chunk", "left out for the fused entry", fmt.Sprint(o.Chunk),
			"only lanes of the persistent entry look for new samples every so many steps")
	}
}

// checkReorder holds the rules on reorder (runner.md, section 3), as far as the kernel goes.
func (r *refusal) checkReorder(k *ir.Kernel, o *RunOptions) {
	if o.Reorder == 0 {
		return
	}
	if !(o.Reorder >= thetaMin && o.Reorder <= thetaMax) {
		r.add("reorder", fmt.Sprintf("a theta from %g to %g", thetaMin, thetaMax), fmt.Sprint(o.Reorder),
			fmt.Sprintf("give %g, the usual one, or leave it out", thetaDefault))
	}
	if k.Guard != ir.GuardActiveSet {
		r.add("reorder", "left out for a kernel without an active set", fmt.Sprint(o.Reorder),
			"write guard=active_set in the kernel's directive to have it compact")
	}
	if o.Entry == EntryPersistent {
		r.add("reorder", "left out for the persistent entry, which has no boundaries", fmt.Sprint(o.Reorder),
			"choose entry fused")
	}
}

// checkOffers adds what the engine would have to offer for o and does not.
func (r *refusal) checkOffers(b Bound, engine string, o *RunOptions) {
	if _, ok := b.(Persister); !ok && o.Entry == EntryPersistent {
		r.add("entry", "fused on engine "+engine+", which has no persistent entry", "persistent", "leave it out, or choose another engine")
	} else if !ok && o.Chunk != 0 {
		r.add("chunk", "left out on engine "+engine+", which has no persistent entry", fmt.Sprint(o.Chunk), "leave it out, or choose another engine")
	}
	if _, ok := b.(Reorderer); !ok && o.Reorder != 0 {
		r.add("reorder", "left out on engine "+engine+", which cannot reorder", fmt.Sprint(o.Reorder), "leave it out, or choose another engine")
	}
}

// checkEvery holds the rules on `every` (runner.md, section 2).
func (r *refusal) checkEvery(k *ir.Kernel, every int) {
	switch {
	case every == 0:
	case k.Auto():
		r.add("every", "left out for a kernel with steps=auto", fmt.Sprint(every),
			"such a kernel compacts after every launch in which a sample finished")
	case k.Guard != ir.GuardActiveSet:
		r.add("every", "left out for a kernel without an active set", fmt.Sprint(every),
			"write guard=active_set in the kernel's directive to have it compact")
	case every < everyMin || every > maxStepCount || every%k.Steps != 0:
		least := k.Steps * ((everyMin + k.Steps - 1) / k.Steps)
		r.add("every", fmt.Sprintf("a multiple of the kernel's %d steps per launch and at least %d", k.Steps, everyMin),
			fmt.Sprint(every), fmt.Sprintf("give %d or another multiple of %d", least, k.Steps))
	}
}

// checkPlanes adds what is wrong with the batch: reserved, missing and unknown planes, another type or
// width, a mask of another length.
func (r *refusal) checkPlanes(k *ir.Kernel, p *Planes, mask []byte) {
	for _, name := range reservedPlanes {
		if p.Index(name) >= 0 {
			r.add("plane "+name, "left to the runner", "a plane of that name", "rename the field in the kernel")
		}
	}
	for i := range k.Planes {
		want := &k.Planes[i]
		at := p.Index(want.Name)
		if at < 0 {
			r.add("plane "+want.Name, "given, for the kernel declares it", "none", "the kernel's planes are "+planeNames(k.Planes))
			continue
		}
		if got := &p.Spec[at]; got.Type != want.Type || got.Width() != want.Width() || at != i {
			r.add("plane "+want.Name, fmt.Sprintf("plane %d, %s of width %d", i, want.Type.GoName(), want.Width()),
				fmt.Sprintf("plane %d, %s of width %d", at, got.Type.GoName(), got.Width()), "make the planes from the kernel's own list")
		}
	}
	for i := range p.Spec {
		if k.Plane(p.Spec[i].Name) < 0 {
			r.add("plane "+p.Spec[i].Name, "left out, for the kernel has no such plane", "a plane of that name",
				"the kernel's planes are "+planeNames(k.Planes))
		}
	}
	if len(mask) != p.N {
		r.add("mask", fmt.Sprintf("one byte per sample, %d bytes", p.N), fmt.Sprintf("%d bytes", len(mask)),
			"make it as long as the batch")
	}
	if p.N < 0 || uint64(p.N) > maxSamples {
		r.add("n", fmt.Sprintf("at most %d samples", uint64(maxSamples)), fmt.Sprint(p.N), "cut the batch into shards")
	}
}

// maxSamples keeps sample numbers and counts within 32 bits.
const maxSamples = math.MaxUint32

func planeNames(planes []ir.Plane) string {
	names := make([]string, len(planes))
	for i := range planes {
		names[i] = planes[i].Name
	}
	return strings.Join(names, ", ")
}
