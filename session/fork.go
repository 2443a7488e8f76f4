package session

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Fork is what a command Fork made: a twin of the batch, run from its start with something changed. It is
// immutable.
type Fork struct {
	Changes []string // in words: "R 2 instead of 0.25"
	Report  engine.Report
	Events  []engine.Event // of the twin's run, the last 65,536
	Lost    uint64         // events before those
	Stops   Stops
	Equal   Equality // against the batch as it was then
	At      time.Time
}

// Equality says whether two batches hold the same bits.
type Equality struct {
	Known   bool     // both runs were over, of samples with the same planes
	Planes  []string // names of the planes that differ, in the kernel's order
	Samples int      // that differ in any of them, or in their mask or their steps
	First   int      // the first of them
}

// Sentence says it in words.
func (e *Equality) Sentence() string {
	switch {
	case !e.Known:
		return "the results cannot be compared: both runs must be over, with planes of the same types"
	case e.Samples == 0:
		return "the results are the same, bit for bit"
	}
	what := strings.Join(e.Planes, ", ")
	if what == "" {
		what = "steps and mask"
	}
	return fmt.Sprintf("%s differ in %s, the first is sample %s", engine.Counted(e.Samples, "sample"), what, engine.Grouped(e.First))
}

// forkEvents is how many events of a twin's run are kept.
const forkEvents = 1 << 16

// changes says what a fork changes, and makes the options of its run.
func (o *owner) changes(c *ForkRun) (words []string, options engine.RunOptions, problems []error) {
	options = o.runOptions()
	if o.report != nil && o.report.R > 0 && c.R == nil && options.R == 0 {
		options.R = o.report.R // the same R as the run that it is held against
	}
	say := func(what string, now, before any) {
		if fmt.Sprint(now) != fmt.Sprint(before) {
			words = append(words, fmt.Sprintf("%s %v instead of %v", what, now, before))
		}
	}
	if c.Policy != nil {
		if *c.Policy >= engine.PolicyFixed {
			problems = append(problems, fmt.Errorf("the policy is %s", engine.PolicyNames()))
		}
		say("policy", *c.Policy, options.Policy)
		options.Policy = *c.Policy
	}
	if c.R != nil {
		if !(*c.R > 0 && *c.R < 1e300) {
			problems = append(problems, fmt.Errorf("the cost R of a compaction is a positive number of steps, not %v", *c.R))
		}
		say("R", *c.R, options.R)
		options.R = *c.R
	}
	if c.MaxSteps != nil {
		if *c.MaxSteps < 1 || *c.MaxSteps > maxN {
			problems = append(problems, fmt.Errorf("max_steps is a whole number from 1 to %s, not %s", engine.Grouped(maxN), engine.Grouped(*c.MaxSteps)))
		}
		say("max_steps", *c.MaxSteps, options.MaxSteps)
		options.MaxSteps = *c.MaxSteps
	}
	launch := o.launch
	launch.set(&Configure{Entry: c.Entry, Chunk: c.Chunk, Reorder: c.Reorder, Every: c.Every})
	if err := launch.check(); err != nil {
		problems = append(problems, err)
	}
	say("entry", launch.Entry, options.Entry)
	say("chunk", launch.Chunk, options.Chunk)
	say("reorder", launch.Reorder, options.Reorder)
	say("every", launch.Every, options.Every)
	options.Entry, options.Chunk, options.Reorder, options.Every = launch.Entry, launch.Chunk, launch.Reorder, launch.Every
	for _, x := range []struct{ name, value string }{
		{"steps per launch", c.Compile.StepsPerLaunch}, {"guard", c.Compile.Guard}, {"fma", c.Compile.FMA}, {"precision", c.Compile.Precision},
	} {
		if x.value != "" {
			words = append(words, x.name+" "+x.value)
		}
	}
	if c.Order >= arranges {
		problems = append(problems, fmt.Errorf("there is no order %d", c.Order))
	} else if c.Order != ArrangeSame {
		words = append(words, "samples in the order "+c.Order.String())
	}
	for _, name := range slices.Sorted(maps.Keys(c.Values)) {
		i := o.batch.planes.Index(name)
		if i < 0 {
			problems = append(problems, fmt.Errorf("kernel %s has no plane or param %q", o.batch.kernel.IR.Name, name))
			continue
		}
		words = append(words, fmt.Sprintf("%s %v", name, c.Values[name]))
	}
	return words, options, problems
}

// fork runs a twin of the batch from its start.
func (o *owner) fork(c ForkRun) error {
	b := o.batch
	if b == nil {
		return errNoKernel
	}
	if b.kernel.IR.Finish == nil {
		return fmt.Errorf("kernel %s declares no finish, so there is no run to hold another one against", b.kernel.IR.Name)
	}
	words, options, problems := o.changes(&c)
	if len(words) == 0 && len(problems) == 0 {
		problems = append(problems, errors.New("nothing is changed: say what the other run is to have, as in R = 2 or policy = tiled"))
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	maker, over := o.maker, o.phase == Ended
	o.start(c, "running the fork", false, func(stop *engine.Stop) (func(), error) {
		f, err := maker.runTwin(b, &c, options, over, stop)
		if err != nil {
			return nil, cancelled(err, stop)
		}
		f.Changes = words
		return func() { o.forked = f }, nil
	})
	return nil
}

// runTwin makes a twin and runs it.
func (m *maker) runTwin(b *batch, c *ForkRun, options engine.RunOptions, over bool, stop *engine.Stop) (*Fork, error) {
	t, err := m.twin(b, c, stop)
	if err != nil {
		return nil, err
	}
	defer t.close()
	places := t.arrange(b.arrangement(c.Order))
	options.Trace, options.Generation, options.Onlooker = engine.NewTrace(forkEvents), 1, nil
	report, err := t.runner.Run(stop, options)
	if err != nil {
		return nil, err
	}
	if stop.IsSet() {
		return nil, ErrCancelled
	}
	f := &Fork{Report: report, At: time.Now()}
	end := still{batch: t, generation: 1, done: report.Steps, most: options.MaxSteps, places: places}
	stops, err := end.stops()
	if err != nil {
		return nil, err
	}
	f.Stops = *stops
	f.Events, f.Lost = readAll(options.Trace)
	f.Equal = equality(b, &end, over)
	return f, nil
}

// twin makes another batch with the same start, or with the start that changed values give.
func (m *maker) twin(b *batch, c *ForkRun, stop *engine.Stop) (*batch, error) {
	t := *b
	t.start, t.bound, t.runner, t.spoiled, t.stale = nil, nil, nil, "", false
	if !c.Compile.Empty() {
		k, diags := kernels.LoadSourceWith(b.kernel.Sources, b.kernel.Path, c.Compile)
		if k == nil {
			return nil, &LoadError{Path: b.kernel.Path, Diagnostics: diags}
		}
		t.kernel = k
		var err error
		if t.program, t.device, err = m.compile(k); err != nil {
			return nil, err
		}
	}
	spec := t.kernel.IR.Planes
	if need, free := engine.PlanesBytes(spec, b.n)+int64(b.n)*trackBytes, m.memory.free(); need > free {
		return nil, &MemoryError{N: b.n, NeedBytes: need, FreeBytes: free}
	}
	same := sameTypes(spec, b.planes.Spec)
	if !same && len(b.mapped) > 0 {
		return nil, errors.New("another precision needs the columns again that came from files: open the kernel with --precision instead")
	}
	t.mask = make([]byte, b.n)
	t.putMarks(t.mask)
	fresh := !same || len(c.Values) > 0 || b.start == nil || b.stale
	switch {
	case !same:
		t.planes = engine.NewPlanes(spec, b.n)
		for i, p := range b.planes.Spec { // a table keeps the length that it was given
			if p.Role == ir.RoleTable && spec[i].Len != p.Len {
				return nil, errors.New("another precision needs tables of their own length")
			}
		}
	case fresh:
		t.planes = b.planes.Clone()
	default:
		t.planes = b.start.Clone()
	}
	for name, v := range c.Values {
		t.keepValue(t.planes.Index(name), v)
	}
	if err := t.bind(); err != nil {
		return nil, err
	}
	if fresh {
		if err := t.begin(stop); err != nil {
			t.close()
			return nil, err
		}
	}
	return &t, nil
}

func sameTypes(a, b []ir.Plane) bool {
	return slices.EqualFunc(a, b, func(x, y ir.Plane) bool { return x.Name == y.Name && x.Type == y.Type && x.Width() == y.Width() })
}

// readAll reads what a trace holds.
func readAll(t *engine.Trace) (events []engine.Event, lost uint64) {
	var buf [256]engine.Event
	for cursor := uint64(0); ; {
		n, next := t.Read(cursor, buf[:])
		if n == 0 {
			return events, lost
		}
		cursor = next
		for _, e := range buf[:n] {
			if e.Kind == engine.EventGap {
				lost += e.Gap()
			}
			events = append(events, e)
		}
	}
}

// equality compares two batches by bits, sample by sample, wherever those of b lie.
func equality(a *batch, b *still, over bool) (e Equality) {
	if !over || !sameTypes(a.planes.Spec, b.planes.Spec) || a.bound == nil {
		return e
	}
	e.Known = true
	differ := map[int]bool{}
	for i := range a.planes.Spec {
		s := &a.planes.Spec[i]
		x, y := a.planes.Bytes(i), b.copyPlane(i)
		if s.Role == ir.RoleParam || s.Role == ir.RoleTable || bytes.Equal(x, y) {
			continue
		}
		e.Planes = append(e.Planes, s.Name)
		size := s.Type.Bytes()
		for el := range a.planes.Elements(i) {
			if !bytes.Equal(x[el*size:][:size], y[el*size:][:size]) {
				differ[el%a.n] = true
			}
		}
	}
	p, q, mask := a.bound.StepsTaken(), b.copyTaken(), b.copyMask()
	for i := range a.n {
		if a.mask[i] != mask[i] || len(p) == len(q) && len(p) == a.n && p[i] != q[i] {
			differ[i] = true
		}
	}
	if e.Samples = len(differ); e.Samples > 0 {
		all := slices.Collect(maps.Keys(differ))
		sort.Ints(all)
		e.First = all[0]
	}
	return e
}
