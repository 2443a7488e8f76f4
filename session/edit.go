package session

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/snapshots"
)

// setParam changes a value. At the start it makes the start anew; later it changes the planes as they are,
// and, for what a step only reads, the start that Rewind goes back to.
func (o *owner) setParam(c SetParam) error {
	b := o.batch
	if b == nil {
		return errNoKernel
	}
	if err := checkValue(b.kernel.IR, c.Name, c.Value); err != nil {
		return err
	}
	i := b.kernel.IR.Plane(c.Name)
	lasting := !writable(b.kernel.IR, i)
	if o.phase == Ready {
		if overwritten(b.kernel.IR, i) {
			return fmt.Errorf("plane %s cannot be given a value: the kernel's Init computes it and would overwrite it", c.Name)
		}
		o.start(c, "setting "+c.Name, false, func(stop *engine.Stop) (func(), error) {
			if err := b.newStart(stop, func() { b.keepValue(i, c.Value) }); err != nil {
				return nil, err
			}
			return func() { o.lasts(c); o.atStart() }, nil
		})
		return nil
	}
	if b.spoiled != "" {
		return spoiled(b)
	}
	o.start(c, "setting "+c.Name, false, func(*engine.Stop) (func(), error) {
		setElements(b.planes, i, c.Value)
		b.edits++
		b.params = paramsOf(b.planes)
		if lasting {
			b.keepValue(i, c.Value)
			b.stale = true
			b.note()
		}
		return func() {
			if lasting {
				o.lasts(c)
			}
			o.history.begin(o.segment([]Edit{{c.Name, c.Value}}))
		}, nil
	})
	return nil
}

// keepValue lets plane i of the start have one value. What else it was made of has no place any more.
func (b *batch) keepValue(i int, v float64) {
	b.values, b.seeds = maps.Clone(b.values), maps.Clone(b.seeds)
	b.values[b.planes.Spec[i].Name] = v
	delete(b.seeds, i)
	b.dropCells(i)
}

// lasts keeps a value for the batches that follow: it takes the place of a column.
func (o *owner) lasts(c SetParam) {
	o.wanted.Values = maps.Clone(o.wanted.Values)
	if o.wanted.Values == nil {
		o.wanted.Values = map[string]float64{}
	}
	o.wanted.Values[c.Name] = c.Value
	o.wanted.Mappings = slices.DeleteFunc(slices.Clone(o.wanted.Mappings), func(m snapshots.Mapping) bool { return m.Plane == c.Name })
}

// configure changes run options, all of them or none.
func (o *owner) configure(c Configure) error {
	var problems []error
	if c.MaxSteps != nil && (*c.MaxSteps < 1 || *c.MaxSteps > maxN) {
		problems = append(problems, fmt.Errorf("max_steps is a whole number from 1 to %s, not %s", engine.Grouped(maxN), engine.Grouped(*c.MaxSteps)))
	}
	if c.Policy != nil && *c.Policy >= engine.PolicyFixed {
		problems = append(problems, fmt.Errorf("the policy is %s; a fixed number of steps per launch is the kernel's own", engine.PolicyNames()))
	}
	if c.R != nil && !(*c.R >= 0 && *c.R < 1e300) {
		problems = append(problems, fmt.Errorf("the cost R of a compaction is a positive number of steps, or 0 to have it calibrated, not %v", *c.R))
	}
	launch := o.launch
	launch.set(&c)
	if err := launch.check(); err != nil {
		problems = append(problems, err)
	}
	if c.Compile != nil && !o.loads {
		problems = append(problems, errors.New("this session loads kernels in a way of its own, which takes no compile options"))
	}
	chosen := o.maker.engine
	if c.Engine != nil {
		var names []string
		at := -1
		for i, e := range o.engines {
			names = append(names, e.Name())
			if e.Name() == *c.Engine {
				at = i
			}
		}
		switch {
		case at < 0:
			problems = append(problems, fmt.Errorf("there is no engine %q; there is %s", *c.Engine, strings.Join(names, ", ")))
		case o.engines[at] != chosen && o.batch != nil && o.phase != Ready:
			problems = append(problems, errors.New("the engine can be changed at the start of a batch only: rewind first"))
		default:
			chosen = o.engines[at]
		}
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	apply := func() {
		o.maker.engine = chosen
		if c.MaxSteps != nil {
			o.max = *c.MaxSteps
		}
		if c.Policy != nil {
			o.policy = *c.Policy
		}
		if c.R != nil {
			o.r = *c.R
		}
		o.launch = launch
		if c.Compile != nil {
			options := *c.Compile
			o.compile = options
			o.load = func(path string) (*kernels.Kernel, kernels.Diagnostics) { return kernels.LoadWith(path, options) }
		}
	}
	if chosen == o.maker.engine || o.batch == nil {
		apply()
		o.publish()
		return nil
	}
	b, wanted := o.batch, o.wanted
	other := o.maker
	other.engine = chosen
	o.start(c, "moving to engine "+chosen.Name(), false, func(stop *engine.Stop) (func(), error) {
		program, device, err := other.compile(b.kernel)
		if err != nil {
			return nil, err
		}
		moved := *b
		moved.program, moved.device, moved.engine = program, device, chosen.Name()
		if err := moved.bind(); err != nil {
			return nil, err
		}
		// Init ran on the engine before; the start is that of the new one.
		moved.stale = true
		if err := moved.rewind(stop); err != nil {
			moved.close()
			b.spoiled = moved.spoiled
			return nil, err
		}
		return func() { apply(); o.replace(&moved, wanted) }, nil
	})
	return nil
}
