package enginetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// pieces is the property: whatever batch, kernel variant, policy, cap and preset mask, a run that is
// cancelled, paused and stepped through in pieces ends as the run in one: planes, mask, steps taken,
// report and decisions; and at every stop in between planes, mask, counter and report agree.
func pieces(t *testing.T, e engine.Engine, w *Workload) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawCase(t, w)
		if err := c.inPieces(e, Interrupted(e, c.cuts), new(engine.Stop)); err != nil {
			t.Fatal(err)
		}
	})
}

// PiecesExamples checks the same property on count cases that do not change, in one on e, in pieces on
// the engine that cut makes of it; cut may set stop at moments of its own.
func PiecesExamples(e engine.Engine, w *Workload, count int, cut func(e engine.Engine, cuts []float64, stop *engine.Stop) engine.Engine) error {
	cases := rapid.Custom(func(t *rapid.T) *aCase { return drawCase(t, w) })
	if brief() {
		count /= 4
	}
	for i := range count {
		c, stop := cases.Example(i), new(engine.Stop)
		if err := c.inPieces(e, cut(e, c.cuts, stop), stop); err != nil {
			return fmt.Errorf("example %d: %w", i, err)
		}
	}
	return nil
}

// aCase is a drawn batch and way to run it.
type aCase struct {
	w       *Workload
	planes  *engine.Planes
	mask    []byte
	options engine.RunOptions
	steps   int       // RunSteps instead of Run when not 0
	cuts    []float64 // a plan for Interrupted
	stepped []bool    // whether call i after the first is one launch or a Continue
	dear    bool      // see working
}

func drawCase(t *rapid.T, w *Workload) *aCase {
	n := rapid.OneOf(rapid.IntRange(0, 40), rapid.IntRange(41, 600)).Draw(t, "n")
	reorder := 0.0
	if rapid.IntRange(0, 11).Draw(t, "reorders at 11") == 11 { // smaller batches leave it out
		reorder = rapid.SampledFrom([]float64{0.25, 0.5, 0.75}).Draw(t, "theta")
		n = rapid.IntRange(4000, 4300).Draw(t, "n of a reordering run")
	}
	stops := rapid.SampledFrom([]Stops{Spread, Uniform, Grouped, Half, Never, Descending}).Draw(t, "stops")
	scale := rapid.Int32Range(1, 300).Draw(t, "scale")
	c := &aCase{options: engine.RunOptions{
		MaxSteps: rapid.IntRange(1, 320).Draw(t, "max_steps"),
		Policy:   rapid.SampledFrom(engine.Policies()).Draw(t, "policy"),
		R:        rapid.SampledFrom([]float64{0.0078125, pinnedR, 1, 3, 64}).Draw(t, "R"),
		Wave:     rapid.SampledFrom([]int{0, 0, 100, 3000}).Draw(t, "wave"),
		Entry:    rapid.SampledFrom([]engine.Entry{engine.EntryAuto, engine.EntryFused, engine.EntryPersistent}).Draw(t, "entry"),
		Reorder:  reorder,
	}}
	if rapid.Bool().Draw(t, "a chunk") {
		c.options.Chunk = rapid.IntRange(1, 70).Draw(t, "chunk")
	}
	var change []func(*ir.Kernel)
	if reorder != 0 || rapid.Bool().Draw(t, "active set") {
		change = append(change, WithActiveSet)
	} else {
		change = append(change, WithMask)
	}
	if k := rapid.SampledFrom([]int{0, 0, 1, 3, 5, 16, 20}).Draw(t, "steps per launch"); k > 0 {
		change = append(change, WithSteps(k))
	}
	c.w = w.With(change...)
	if k := c.w.Kernel; !k.Auto() && k.Guard == ir.GuardActiveSet && rapid.Bool().Draw(t, "every") {
		c.options.Every = k.Steps * rapid.IntRange((3+k.Steps)/k.Steps, 8).Draw(t, "turns")
	}
	if rapid.Bool().Draw(t, "a number of steps") {
		c.steps = rapid.IntRange(1, 200).Draw(t, "steps")
	}
	seed := rapid.Uint64().Draw(t, "seed")
	c.planes = engine.NewPlanes(c.w.Kernel.Planes, n)
	c.w.Fill(c.planes, stops, scale, seed)
	c.mask = make([]byte, n)
	if rapid.Bool().Draw(t, "preset mask") {
		rng := rand.New(rand.NewPCG(seed, 9))
		for i := range c.mask {
			if rng.IntN(4) == 0 {
				c.mask[i] = 1
			}
		}
	}
	if reorder != 0 { // a long batch is about its length
		c.options.MaxSteps = min(c.options.MaxSteps, 120)
		c.steps = min(c.steps, 120)
	}
	if bad := c.planes.Index("bad"); bad >= 0 && n > 0 && rapid.Bool().Draw(t, "faults") {
		for range rapid.IntRange(1, 5).Draw(t, "faulting samples") {
			at := rapid.IntRange(0, n-1).Draw(t, "sample")
			engine.View[int32](c.planes, bad)[at] = rapid.SampledFrom([]int32{0, 1, 15, 16, 63, 64, 100}).Draw(t, "step")
		}
	}
	c.cuts = rapid.SliceOfN(rapid.Float64Range(-0.5, 0.999), 0, 12).Draw(t, "cuts")
	c.dear = rapid.Bool().Draw(t, "later work is dearer")
	c.stepped = rapid.SliceOfN(rapid.Bool(), 0, 12).Draw(t, "stepped")
	return c
}

// fit leaves out of the options what the engine does not offer and what does not go together.
func (c *aCase) fit(e engine.Engine) error {
	b, err := c.w.NewBatch(e, 1, Uniform, 1, seed)
	if err != nil {
		return err
	}
	o := &c.options
	has := offersOf(b.Bound)
	if has.Reorderer == nil {
		o.Reorder = 0
	}
	switch {
	case has.Persister == nil || !c.w.Kernel.Auto() || o.Reorder != 0:
		o.Entry = min(o.Entry, engine.EntryFused)
	case o.Entry == engine.EntryPersistent:
		o.Policy = engine.PolicyAuto
	}
	if has.Persister == nil || o.Entry == engine.EntryFused {
		o.Chunk = 0
	}
	return b.Bound.Close()
}

// working is a clock that tells the work done on b, in sample-steps: what a launch takes is the same whether
// it was cut or not, which no clock that counts calls can say. On a dear one work is the dearer the later it
// is done, so the measured policy finds longer launches dearer, else cheaper. To be looked at between the
// calls of a Bound.
func working(b engine.Bound, dear bool) func() time.Duration {
	return func() time.Duration {
		sum := time.Duration(0)
		for _, t := range b.StepsTaken() {
			sum += time.Duration(t)
		}
		if dear {
			return sum * sum
		}
		return sum
	}
}

// run runs the case on e and then rest, if not nil.
func (c *aCase) run(e engine.Engine, trace *engine.Trace, stop *engine.Stop,
	rest func(*Batch, engine.Report, *engine.Stop) (engine.Report, error),
) (*Batch, engine.Report, error) {
	b, err := c.w.Bind(e, c.planes.Clone(), slices.Clone(c.mask))
	if err != nil {
		return nil, engine.Report{}, err
	}
	c.options.Trace, c.options.Clock = trace, working(b.Bound, c.dear)
	var rep engine.Report
	if c.steps > 0 {
		rep, err = b.RunSteps(stop, c.options, c.steps)
	} else {
		rep, err = b.Run(stop, c.options)
	}
	if err == nil && rest != nil {
		rep, err = rest(b, rep, stop)
	}
	if err == nil {
		err = consistent(&rep, b)
	}
	return b, rep, err
}

// inPieces runs the case in one on e and in pieces on cut, and compares both with a plain loop and with
// each other.
func (c *aCase) inPieces(e, cut engine.Engine, stop *engine.Stop) error {
	if err := c.fit(e); err != nil {
		return err
	}
	wholeTrace, pieceTrace := engine.NewTrace(1<<12), engine.NewTrace(1<<12)
	whole, want, err := c.run(e, wholeTrace, new(engine.Stop), nil)
	if err != nil {
		return fmt.Errorf("in one: %w", err)
	}
	native, nativeMask := c.planes.Clone(), slices.Clone(c.mask)
	upto := want.Steps
	if want.Entry == "persistent" { // as long as the longest sample, whose next step may have been a fault
		if upto = c.options.MaxSteps; c.steps > 0 {
			upto = c.steps
		}
	}
	c.w.Native(native, nativeMask, uint32(upto))
	if err := sameBits(whole.Planes, native, whole.Mask, nativeMask); err != nil {
		return fmt.Errorf("against a plain loop: %w", err)
	}
	pieces, got, err := c.run(cut, pieceTrace, stop, c.goOn)
	if err != nil {
		return fmt.Errorf("in pieces: %w", err)
	}
	err = errors.Join(
		sameBits(pieces.Planes, whole.Planes, pieces.Mask, whole.Mask),
		sameSteps(pieces.Bound.StepsTaken(), whole.Bound.StepsTaken()),
		c.sameRun(&got, &want),
	)
	if err == nil && slices.Contains([]string{"band", "measured", "doubling"}, want.Policy) && c.options.Reorder == 0 {
		err = sameDecisions(pieceTrace, wholeTrace)
	}
	return err
}

// goOn continues, or makes single launches, until the run is over.
func (c *aCase) goOn(b *Batch, rep engine.Report, stop *engine.Stop) (engine.Report, error) {
	stepped := c.stepped
	for calls := 0; rep.Status == "cancelled" || rep.Status == "paused"; calls++ {
		if err := consistent(&rep, b); err != nil {
			return rep, fmt.Errorf("stopped: %w", err)
		}
		if calls > 10000 {
			return rep, errors.New("the run does not end")
		}
		if c.steps > 0 && rep.Status == "paused" {
			break
		}
		stop.Clear()
		var err error
		if len(stepped) > 0 && stepped[0] && c.steps == 0 {
			rep, err = b.Launch(stop, c.options, 0)
		} else {
			rep, err = b.Continue(stop)
		}
		if err != nil {
			return rep, err
		}
		stepped = stepped[min(1, len(stepped)):]
	}
	return rep, nil
}

// sameRun compares two reports but for walls and for what a stop changes: the lanes of a persistent launch
// begin anew after it, and a batch that was restored spreads its live samples again. Where a turn has several launches, a run in pieces may end
// within a turn, as soon as nobody is left; the run in one goes on to the end of its turn.
func (c *aCase) sameRun(got, want *engine.Report) error {
	g, w := *got, *want
	g.Wall, w.Wall, g.BuildTime, w.BuildTime = 0, 0, 0, 0
	g.SlotFill, w.SlotFill, g.Reorders, w.Reorders = 0, 0, 0, 0
	if !c.w.Kernel.Auto() && c.w.Kernel.Guard == ir.GuardActiveSet && w.Done && g.Steps < w.Steps {
		w.Launches, w.Steps, w.LaunchesByK, w.ExactSteps = g.Launches, g.Steps, g.LaunchesByK, g.ExactSteps
		w.Compactions = g.Compactions
	}
	if !reflect.DeepEqual(g, w) {
		return fmt.Errorf("in pieces %+v, in one %+v", g, w)
	}
	return nil
}

// sameDecisions compares launches, policies and compactions of two traces but for walls and flags.
func sameDecisions(got, want *engine.Trace) error {
	g, w := decisions(got), decisions(want)
	if !slices.Equal(g, w) {
		return fmt.Errorf("decisions in pieces:\n%v\nin one:\n%v", g, w)
	}
	return nil
}

func decisions(t *engine.Trace) []string {
	var list []string
	buf := make([]engine.Event, 1<<12)
	n, _ := t.Read(0, buf)
	for _, e := range buf[:n] {
		switch e.Kind {
		case engine.EventLaunch:
			l := e.Launch()
			l.Wall = 0
			list = append(list, fmt.Sprintf("%d %+v", e.Turn, l))
		case engine.EventPolicy:
			list = append(list, fmt.Sprintf("%d %+v", e.Turn, e.Policy()))
		case engine.EventCompaction:
			c := e.Compaction()
			c.Wall = 0
			list = append(list, fmt.Sprintf("%d %+v %v", e.Turn, c, e.Flags&engine.FlagSkipped))
		}
	}
	return list
}
