package session

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels"
)

// loadKernel loads a file and makes a batch for it.
func (o *owner) loadKernel(c LoadKernel) error {
	if o.maker.engine == nil {
		return errors.New("there is no engine to run a kernel on")
	}
	if c.Path == "" {
		return errors.New("no kernel is named: give a file, a folder, or the name of a bundled kernel")
	}
	maker, wanted, fits, load := o.maker, o.wanted, o.fits, o.load
	o.start(c, "loading "+c.Path, false, func(stop *engine.Stop) (func(), error) {
		k, diags := load(c.Path)
		show := func() { o.diags = diags }
		if k == nil {
			return show, &LoadError{Path: c.Path, Diagnostics: diags}
		}
		if stop.IsSet() {
			return nil, ErrCancelled
		}
		kept, dropped := adapt(wanted, fits, k)
		if problems := checkBatch(k.IR, &kept); len(problems) > 0 {
			return show, errors.Join(problems...)
		}
		program, device, err := maker.compile(k)
		if err != nil {
			return show, err
		}
		b, err := maker.build(k, program, device, &kept, stop)
		if err != nil {
			return show, err
		}
		b.dropped = dropped
		b.note()
		return func() {
			show()
			o.replace(b, kept)
		}, nil
	})
	return nil
}

// adapt makes the batch that was asked for fit another kernel. A batch that was made for a kernel before
// loses what the new one has no place for, and everything that names planes when it is another kernel by
// name; each loss is a note. One that was asked for ahead of any kernel stays as it is.
func adapt(c SetBatch, fits string, k *kernels.Kernel) (SetBatch, []string) {
	if fits == "" {
		return c, nil
	}
	var notes []string
	out := SetBatch{N: c.N, Seed: c.Seed, Values: map[string]float64{}}
	gone := func(plane string) bool { return fits != k.IR.Name || k.IR.Plane(plane) < 0 }
	for _, m := range c.Mappings {
		if gone(m.Plane) {
			notes = append(notes, fmt.Sprintf("dropped: the column of %s (%s), which was for the kernel before", m.Plane, m.Column))
			continue
		}
		out.Mappings = append(out.Mappings, m)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Values)) {
		if gone(name) {
			notes = append(notes, fmt.Sprintf("dropped: the value of %s, which was for the kernel before", name))
			continue
		}
		out.Values[name] = c.Values[name]
	}
	if c.Labels != nil {
		if fits == k.IR.Name {
			out.Labels = c.Labels
		} else {
			notes = append(notes, fmt.Sprintf("dropped: the labels (%s), which were for the kernel before", c.Labels))
		}
	}
	return out, notes
}

// replace puts a new batch in the place of the one before.
func (o *owner) replace(b *batch, wanted SetBatch) {
	if o.batch != nil {
		o.batch.close()
	}
	o.batch, o.wanted, o.fits = b, wanted, b.kernel.IR.Name
	o.reloaded, o.forked = nil, nil
	o.history = history{}
	o.atStart()
}

// atStart says that the batch is at its start; history begins.
func (o *owner) atStart() {
	o.generation++
	o.phase, o.report, o.finished, o.steps = Ready, nil, len(o.batch.marks), 0
	o.history = history{}
	o.history.begin(o.segment(nil))
}

// segment describes the batch as it is now.
func (o *owner) segment(edits []Edit) Segment {
	b := o.batch
	return Segment{Kernel: b.kernel.IR.Name, Digest: b.kernel.Digest, N: b.n, Seed: b.seed, Params: b.params, Edits: edits}
}

// setBatch makes a new batch for the loaded kernel, or keeps the wish for the next one.
func (o *owner) setBatch(c SetBatch) error {
	c.Mappings, c.Values = slices.Clone(c.Mappings), maps.Clone(c.Values)
	if c.Labels != nil {
		labels := *c.Labels
		c.Labels = &labels
	}
	if o.batch == nil {
		if err := errors.Join(checkN(c.N)...); err != nil {
			return err
		}
		o.wanted, o.fits = c, ""
		o.publish()
		return nil
	}
	k, program, device, maker := o.batch.kernel, o.batch.program, o.batch.device, o.maker
	if err := errors.Join(checkBatch(k.IR, &c)...); err != nil {
		return err
	}
	o.start(c, "making the batch", false, func(stop *engine.Stop) (func(), error) {
		b, err := maker.build(k, program, device, &c, stop)
		if err != nil {
			return nil, err
		}
		return func() { o.replace(b, c) }, nil
	})
	return nil
}
