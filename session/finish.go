package session

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Bounds of a look at the finish condition.
const (
	finishSamples = 512 // live samples that are looked at, evenly spread over the batch
	finishSteps   = 32  // steps that each of them makes, on a copy
	finishProofs  = 8   // samples that are shown for each lint
)

// Lint names why a live sample may never finish.
type Lint uint8

// The lints, the worst first.
const (
	LintNaN      Lint = iota // an operand is NaN, which never compares true
	LintPasses               // both sides of == pass each other without being equal
	LintConstant             // the operands do not change at all
	LintAway                 // the margin grows
	LintToAndFro             // the margin goes to and fro and gets nowhere
	LintLate                 // at this pace it finishes only after max_steps
	LintNone                 // it is on its way
)

// String says the lint in a few words.
func (l Lint) String() string {
	return [...]string{
		"NaN never compares true", "passes by without being equal", "the margin does not move",
		"the margin moves away", "the margin goes to and fro", "would finish only after max_steps", "on its way",
	}[l]
}

// FinishPicture is what the live samples say about the finish condition (design: the finish debugger). It
// comes from a copy of some of them that makes a few more steps on the interpreter.
type FinishPicture struct {
	Done        int           // steps of the run at this picture
	Took        time.Duration // to make it
	Live        int           // samples not finished
	Looked      int           // of those, the ones that were looked at
	Steps       int           // that each made
	Soon        int           // of those looked at, the ones that finish within Steps
	Comparisons []kernels.Comparison
	Any, Opaque bool
	Count       [LintNone + 1]int
	Proofs      []FinishProof // the worst first, at most 8 of each lint
	AtOnce      int           // samples of the batch that finished on the first step of this run
	First       int           // one of them
}

// FinishProof is one live sample: the comparison that decides, its operands in the next step, how they
// move, and what that means.
type FinishProof struct {
	Sample     int
	Label      string
	Lint       Lint
	Comparison int     // index into FinishPicture.Comparisons
	LHS, RHS   float64 // in the next step
	Margin     float64 // below 0: short of finishing by that much
	Rate       float64 // change of the margin per step
	Left       float64 // estimated steps to go, +Inf when never
}

// AtOnceSentence says that samples finished on the first step, "" when none did.
func (f *FinishPicture) AtOnceSentence() string {
	if f.AtOnce == 0 {
		return ""
	}
	return fmt.Sprintf("%s finished on the first step, sample %s among them: the condition holds at the start",
		engine.Counted(f.AtOnce, "sample"), engine.Grouped(f.First))
}

// Sentence says the proof with its figures.
func (p *FinishProof) Sentence(pic *FinishPicture) string {
	name := "sample " + engine.Grouped(p.Sample)
	if p.Label != "" {
		name += " (" + p.Label + ")"
	}
	c := &pic.Comparisons[p.Comparison]
	s := fmt.Sprintf("%s: %s is %s against %s", name, c.Text(), figure(p.LHS), figure(p.RHS))
	switch p.Lint {
	case LintNaN:
		return s + ": " + p.Lint.String()
	case LintNone, LintLate:
		return s + fmt.Sprintf("; the margin %s changes by %s a step, about %s steps to go", figure(p.Margin), figure(p.Rate), figure(math.Ceil(p.Left)))
	case LintConstant:
		return s + ": " + p.Lint.String() + fmt.Sprintf(" in %d steps", pic.Steps)
	case LintAway:
		s += fmt.Sprintf(": the margin %s moves away by %s a step", figure(p.Margin), figure(math.Abs(p.Rate)))
		if c.Op == ir.OpEq && !c.Negated {
			s += "; it went past, and == holds at one value only"
		}
		return s
	}
	return s + ": " + p.Lint.String()
}

func figure(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// diagnose looks at the finish condition of the live samples.
func (o *owner) diagnose(c Diagnose) error {
	b := o.batch
	if b == nil {
		return errNoKernel
	}
	if b.kernel.IR.Finish == nil {
		return fmt.Errorf("kernel %s declares no finish, so there is nothing to look at", b.kernel.IR.Name)
	}
	at := &still{batch: b, generation: o.generation, most: o.max}
	if o.phase == Paused {
		at.done = o.steps
	}
	o.start(c, "looking at the finish condition", false, func(stop *engine.Stop) (func(), error) {
		pic := at.liveOnes().look(stop)
		if stop.IsSet() {
			return nil, ErrCancelled
		}
		return func() { o.finish = pic }, nil
	})
	return nil
}

// FinishQuery asks what the live samples say about the finish condition: *FinishPicture. Also during a run, which
// waits for a copy of a few hundred samples only.
type FinishQuery struct{}

func (FinishQuery) isQuery() {}

func (FinishQuery) glance(s *still) (rest, error) {
	if s.kernel.IR.Finish == nil {
		return nil, fmt.Errorf("kernel %s declares no finish, so there is nothing to look at", s.kernel.IR.Name)
	}
	x := s.liveOnes()
	return func(stop *engine.Stop) (any, error) {
		pic := x.look(stop)
		if stop.IsSet() {
			return nil, ErrCancelled
		}
		return pic, nil
	}, nil
}

// liveOnes is a copy of some of the live samples of a batch.
type liveOnes struct {
	kernel  *kernels.Kernel
	labels  []string // of the batch
	live    int      // samples of the batch that are not finished
	samples []int    // that were copied
	planes  *engine.Planes
	steps   int // of the run, that they have made
	left    int // and may still make
	atOnce  int // samples of the batch that finished on the first step
	first   int // one of them
	took    time.Duration
}

// liveOnes copies live samples, evenly spread.
func (s *still) liveOnes() *liveOnes {
	began := time.Now()
	x := &liveOnes{kernel: s.kernel, labels: s.labels, steps: s.done, left: s.most - s.done}
	mask := s.mask
	if s.places != nil {
		mask = s.copyMask()
	}
	x.samples = pick(mask, finishSamples, &x.live)
	slots := x.samples
	if s.places != nil {
		slots = make([]int, len(x.samples))
		for i, sample := range x.samples {
			slots[i] = int(s.places[sample])
		}
	}
	x.planes = excerpt(s.planes, slots)
	x.atOnce, x.first = s.atOnce()
	x.took = time.Since(began)
	return x
}

// atOnce counts the samples that finished, and did not fault, on the first step of the run, and names one. Where the
// engine keeps no steps taken there is nothing to count.
func (s *still) atOnce() (count, sample int) {
	if s.bound == nil {
		return 0, 0
	}
	taken := s.bound.StepsTaken()
	if len(taken) != s.n {
		return 0, 0
	}
	slot := -1
	for i, m := range s.mask {
		if m == 1 && taken[i] == 1 {
			count++
			if slot < 0 {
				slot = i
			}
		}
	}
	if count > 0 && s.places != nil {
		return count, slices.Index(s.places, uint32(slot))
	}
	return count, max(slot, 0)
}

// look lets them make steps.
func (x *liveOnes) look(stop *engine.Stop) *FinishPicture {
	began := time.Now()
	probe := kernels.NewFinishProbe(x.kernel)
	pic := &FinishPicture{Comparisons: probe.Comparisons, Any: probe.Any, Opaque: probe.Opaque, Steps: finishSteps, Done: x.steps, Live: x.live, Looked: len(x.samples), AtOnce: x.atOnce, First: x.first}
	defer func() { pic.Took = x.took + time.Since(began) }()
	if len(x.samples) == 0 {
		return pic
	}
	n, planes := len(x.samples), x.planes
	tracks := make([]track, n*len(probe.Comparisons))
	done := make([]bool, n)
	for step := range finishSteps {
		if stop.IsSet() {
			return pic
		}
		exits, lhs, rhs := probe.Look(planes.All(), n)
		for i := range n {
			if done[i] {
				continue
			}
			done[i] = exits[i]
			for j := range probe.Comparisons {
				tracks[i*len(probe.Comparisons)+j].add(step, &probe.Comparisons[j], lhs[j][i], rhs[j][i])
			}
		}
		probe.Step(planes.All(), n)
	}
	for i, sample := range x.samples {
		if done[i] {
			pic.Soon++
			pic.Count[LintNone]++
			continue
		}
		if len(probe.Comparisons) == 0 {
			continue
		}
		p := decide(tracks[i*len(probe.Comparisons):(i+1)*len(probe.Comparisons)], probe, float64(x.left))
		p.Sample = sample
		if x.labels != nil {
			p.Label = x.labels[sample]
		}
		if pic.Count[p.Lint]++; pic.Count[p.Lint] <= finishProofs {
			pic.Proofs = append(pic.Proofs, p)
		}
	}
	slices.SortStableFunc(pic.Proofs, func(x, y FinishProof) int { return int(x.Lint) - int(y.Lint) })
	return pic
}

// pick gives at most most of the live samples, evenly spread, ascending, and counts all of them.
func pick(mask []byte, most int, live *int) []int {
	for _, m := range mask {
		if m == 0 {
			*live++
		}
	}
	var out []int
	seen := 0
	for i, m := range mask {
		if m != 0 {
			continue
		}
		// The k-th of count is taken when its share passes a whole number: exactly min(count, most) are.
		if *live <= most || (seen+1)*most / *live > seen*most / *live {
			out = append(out, i)
		}
		seen++
	}
	return out
}

// excerpt copies some samples of the planes.
func excerpt(p *engine.Planes, samples []int) *engine.Planes {
	out := engine.NewPlanes(p.Spec, len(samples))
	for i := range p.Spec {
		if role := p.Spec[i].Role; role != ir.RoleState && role != ir.RoleInput && role != ir.RoleOutput { // one for the batch
			copy(out.Bytes(i), p.Bytes(i))
			continue
		}
		size := p.Spec[i].Type.Bytes()
		for c := range p.Spec[i].Width() {
			for k, s := range samples {
				copy(out.Bytes(i)[(c*len(samples)+k)*size:][:size], p.Bytes(i)[(c*p.N+s)*size:][:size])
			}
		}
	}
	return out
}

// track is how one comparison of one sample went.
type track struct {
	lhs, rhs    float64 // at first
	first, last float64 // margins
	steps       int     // between them
	up, down    int     // steps in which the margin grew and fell
	moved, nan  bool
	crossed     bool    // the sides of == changed places
	before      float64 // the last difference of the sides that was not 0
}

func (t *track) add(step int, c *kernels.Comparison, lhs, rhs float64) {
	m := c.Margin(lhs, rhs)
	d := lhs - rhs
	if step == 0 {
		t.lhs, t.rhs, t.first, t.last, t.before = lhs, rhs, m, m, d
	}
	t.nan = t.nan || math.IsNaN(m) && (math.IsNaN(lhs) || math.IsNaN(rhs))
	t.moved = t.moved || lhs != t.lhs || rhs != t.rhs
	switch {
	case m > t.last:
		t.up++
	case m < t.last:
		t.down++
	}
	if d*t.before < 0 {
		t.crossed = true
	}
	if d != 0 {
		t.before = d
	}
	t.last, t.steps = m, step
}

// lint says what the track means for one comparison, with the steps left by its pace.
func (t *track) lint(c *kernels.Comparison, rest float64) (Lint, float64) {
	rate := t.rate()
	equal := c.Op == ir.OpEq && !c.Negated || c.Op == ir.OpNe && c.Negated
	switch {
	case t.nan:
		return LintNaN, math.Inf(1)
	case equal && t.crossed:
		return LintPasses, math.Inf(1)
	case t.last > 0 || t.last == 0 && c.Op != ir.OpLt && c.Op != ir.OpGt:
		return LintNone, 0 // this one holds
	case !t.moved || t.up == 0 && t.down == 0: // also where a side is infinite, or takes the other one with it
		return LintConstant, math.Inf(1)
	case t.up == 0:
		return LintAway, math.Inf(1)
	case t.down >= t.up/2 && rate <= 0:
		return LintToAndFro, math.Inf(1)
	case rate <= 0:
		return LintAway, math.Inf(1)
	}
	left := -t.last / rate
	if left > rest {
		return LintLate, left
	}
	return LintNone, left
}

// rate is the change of the margin per step; a margin that stays infinite does not change.
func (t *track) rate() float64 {
	if t.last == t.first {
		return 0
	}
	return (t.last - t.first) / float64(max(1, t.steps))
}

// decide chooses the comparison that decides when a sample finishes: of an or the one that holds first, of
// an and the one that holds last.
func decide(tracks []track, probe *kernels.FinishProbe, rest float64) FinishProof {
	best := FinishProof{Comparison: -1}
	for j := range tracks {
		t := &tracks[j]
		lint, left := t.lint(&probe.Comparisons[j], rest)
		p := FinishProof{Lint: lint, Comparison: j, LHS: t.lhs, RHS: t.rhs, Margin: t.first, Rate: t.rate(), Left: left}
		better := left < best.Left || left == best.Left && lint > best.Lint
		if !probe.Any {
			better = left > best.Left || left == best.Left && lint < best.Lint
		}
		if best.Comparison < 0 || better {
			best = p
		}
	}
	return best
}
