package session

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/snapshots"
)

// cellEdit is one element of a batch's start that was set.
type cellEdit struct {
	plane, component, sample int
	value                    float64
}

// setElement makes one element of plane i v, which checkElement has passed.
func setElement(p *engine.Planes, i, element int, v float64) {
	size := p.Spec[i].Type.Bytes()
	one := engine.NewPlanes(p.Spec[i:i+1], 1)
	setElements(one, 0, v)
	copy(p.Bytes(i)[element*size:][:size], one.Bytes(0)[:size])
}

// putCells makes the elements that were set so, of some samples: element k of samples lies at k of planes.
func (b *batch) putCells(p *engine.Planes, samples []int) {
	for _, c := range b.cells {
		if samples == nil {
			setElement(p, c.plane, c.component*p.N+c.sample, c.value)
			continue
		}
		for k, s := range samples {
			if s == c.sample {
				setElement(p, c.plane, c.component*p.N+k, c.value)
			}
		}
	}
}

// seedOf is the seed that a plane is filled with.
func (b *batch) seedOf(plane int) uint64 {
	if seed, ok := b.seeds[plane]; ok {
		return seed
	}
	return b.seed
}

// element finds the plane, the component and the sample of a cell.
func (b *batch) element(name string, sample int) (r reader, err error) {
	rs, err := readers(b.kernel.IR, []string{name})
	if err != nil {
		return r, err
	}
	switch r = rs[0]; {
	case r.taken:
		return r, fmt.Errorf("%s is counted by the runner and cannot be set", TakenColumn)
	case r.plane < 0:
		return r, fmt.Errorf("%s is computed from the planes and cannot be set", name)
	case b.planes.Spec[r.plane].Role == ir.RoleParam:
		return r, fmt.Errorf("%s has one value for the batch: set the param", name)
	}
	return r, b.hasSample(sample)
}

func (b *batch) hasSample(sample int) error {
	if sample < 0 || sample >= b.n {
		return fmt.Errorf("there is no sample %s: the batch has samples 0 to %s", engine.Grouped(sample), engine.Grouped(b.n-1))
	}
	return nil
}

// setCell changes one element. At the start it makes the start anew with it; later it changes the planes as they are, and,
// for what a step only reads, the start that Rewind goes back to.
func (o *owner) setCell(c SetCell) error {
	b := o.batch
	if b == nil {
		return errNoKernel
	}
	r, err := b.element(c.Name, c.Sample)
	if err != nil {
		return err
	}
	k := b.kernel.IR
	if err := checkElement(&k.Planes[r.plane], c.Value); err != nil {
		return err
	}
	edit := cellEdit{r.plane, r.component, c.Sample, c.Value}
	what := fmt.Sprintf("%s of sample %d", c.Name, c.Sample)
	if o.phase == Ready {
		if overwritten(k, r.plane) {
			return fmt.Errorf("plane %s cannot be given a value: the kernel's Init computes it and would overwrite it", k.Planes[r.plane].Name)
		}
		o.start(c, "setting "+what, false, func(stop *engine.Stop) (func(), error) {
			return o.atStart, b.newStart(stop, func() { b.keepCell(edit) })
		})
		return nil
	}
	if b.spoiled != "" {
		return spoiled(b)
	}
	o.start(c, "setting "+what, false, func(*engine.Stop) (func(), error) {
		setElement(b.planes, r.plane, r.component*b.n+c.Sample, c.Value)
		b.edits++
		if !writable(k, r.plane) {
			b.keepCell(edit)
			b.stale = true
		}
		return func() { o.history.begin(o.segment([]Edit{{what, c.Value}})) }, nil
	})
	return nil
}

// keepCell lets an element of the start be set.
func (b *batch) keepCell(c cellEdit) {
	b.cells = slices.DeleteFunc(slices.Clone(b.cells), func(x cellEdit) bool {
		return x.plane == c.plane && x.component == c.component && x.sample == c.sample
	})
	b.cells = append(b.cells, c)
}

// dropCells forgets the elements that were set in planes of the start.
func (b *batch) dropCells(planes ...int) {
	b.cells = slices.DeleteFunc(slices.Clone(b.cells), func(c cellEdit) bool { return slices.Contains(planes, c.plane) })
}

// putMarks finishes the samples that are finished at the start.
func (b *batch) putMarks(mask []byte) {
	for _, s := range b.marks {
		mask[s] = 1
	}
}

// keepMark lets a sample be finished at the start, or live.
func (b *batch) keepMark(sample int, finished bool) {
	b.marks = slices.DeleteFunc(slices.Clone(b.marks), func(s int) bool { return s == sample })
	if finished {
		b.marks = append(b.marks, sample)
	}
}

// newStart changes what the start is made of, and makes it; when that fails the start is made of what it was. change replaces
// maps and slices of the batch and never writes into them.
func (b *batch) newStart(stop *engine.Stop, change func()) error {
	before := *b
	change()
	b.stale = true
	if err := b.rewind(stop); err != nil {
		b.cells, b.marks, b.seeds, b.values, b.mapped, b.columns = before.cells, before.marks, before.seeds, before.values, before.mapped, before.columns
		return err
	}
	b.note()
	return nil
}

// setMask finishes a sample, or takes one back; at the start that is a part of the start.
func (o *owner) setMask(c SetMask) error {
	b := o.batch
	if b == nil {
		return errNoKernel
	}
	if err := b.hasSample(c.Sample); err != nil {
		return err
	}
	value := byte(0)
	if c.Finished {
		value = 1
	}
	switch {
	case b.spoiled != "":
		return spoiled(b)
	case (b.mask[c.Sample] != 0) == c.Finished && c.Finished:
		return fmt.Errorf("sample %s is finished already", engine.Grouped(c.Sample))
	case (b.mask[c.Sample] != 0) == c.Finished:
		return fmt.Errorf("sample %s is live already", engine.Grouped(c.Sample))
	}
	atStart := o.phase == Ready
	o.start(c, "setting the mask", false, func(*engine.Stop) (func(), error) {
		b.mask[c.Sample] = value
		b.edits++
		if atStart {
			b.keepMark(c.Sample, c.Finished)
			b.note()
			return o.atStart, nil
		}
		return func() {
			if c.Finished {
				o.finished++
			} else {
				o.finished--
			}
			o.history.begin(o.segment([]Edit{{fmt.Sprintf("the mask of sample %d", c.Sample), float64(value)}}))
		}, nil
	})
	return nil
}

// regenerate makes planes of the start anew by their init tags, with another seed.
func (o *owner) regenerate(c Regenerate) error {
	b := o.batch
	switch {
	case b == nil:
		return errNoKernel
	case o.phase != Ready:
		return errors.New("planes are made anew at the start of a batch: rewind first")
	}
	var planes []int
	for i := range b.planes.Spec {
		p := &b.planes.Spec[i]
		if c.Plane != "" && p.Name != c.Plane {
			continue
		}
		switch {
		case c.Plane == "" && (p.Init.Text == "" || b.mapped[i]):
			continue
		case p.Init.Text == "":
			return fmt.Errorf("plane %s has no init tag to be made by", p.Name)
		case overwritten(b.kernel.IR, i):
			return fmt.Errorf("plane %s is computed by the kernel's Init", p.Name)
		}
		planes = append(planes, i)
	}
	if planes == nil {
		var names []string
		for i := range b.planes.Spec {
			names = append(names, b.planes.Spec[i].Name)
		}
		return fmt.Errorf("there is no plane %q to make%s", c.Plane, snapshots.DidYouMean(c.Plane, names))
	}
	o.start(c, "making planes anew", false, func(stop *engine.Stop) (func(), error) {
		err := b.newStart(stop, func() {
			b.seeds, b.mapped, b.columns, b.values = maps.Clone(b.seeds), maps.Clone(b.mapped), maps.Clone(b.columns), maps.Clone(b.values)
			if b.seeds == nil {
				b.seeds = map[int]uint64{}
			}
			for _, i := range planes {
				b.seeds[i] = c.Seed
				delete(b.mapped, i)
				delete(b.columns, i)
				delete(b.values, b.planes.Spec[i].Name)
			}
			b.dropCells(planes...)
		})
		if err != nil {
			return nil, err
		}
		return func() {
			for _, i := range planes {
				o.wanted = without(o.wanted, b.planes.Spec[i].Name)
			}
			o.atStart()
		}, nil
	})
	return nil
}

// without is a wish for a batch in which a plane has neither a column nor a value.
func without(c SetBatch, plane string) SetBatch {
	c.Mappings = slices.DeleteFunc(slices.Clone(c.Mappings), func(m snapshots.Mapping) bool { return m.Plane == plane })
	c.Values = maps.Clone(c.Values)
	delete(c.Values, plane)
	return c
}

// loadPlane makes the batch anew with a column in one plane; the others keep what they are made of.
func (o *owner) loadPlane(c LoadPlane) error {
	b := o.batch
	switch {
	case b == nil:
		return errNoKernel
	case o.phase != Ready:
		return errors.New("a plane is loaded at the start of a batch: rewind first")
	}
	next := without(o.wanted, c.Mapping.Plane)
	next.N = b.n
	next.Mappings = append(next.Mappings, c.Mapping)
	if err := errors.Join(checkBatch(b.kernel.IR, &next)...); err != nil {
		return err
	}
	maker := o.maker
	o.start(c, "loading plane "+c.Mapping.Plane, false, func(stop *engine.Stop) (func(), error) {
		fresh, err := maker.build(b.kernel, b.program, b.device, &next, stop)
		if err != nil {
			return nil, err
		}
		from := *b
		plane := from.planes.Index(c.Mapping.Plane)
		from.dropCells(plane)
		from.seeds = maps.Clone(from.seeds)
		delete(from.seeds, plane)
		if err := fresh.inherit(&from, stop); err != nil {
			fresh.close()
			return nil, err
		}
		return func() { o.replace(fresh, next) }, nil
	})
	return nil
}

// inherit lets elements that were set, samples that were finished, and seeds of planes hold in the start of another batch
// too, where it has the same plane for as many samples.
func (b *batch) inherit(from *batch, stop *engine.Stop) error {
	var cells []cellEdit
	seeds := map[int]uint64{}
	same := func(plane int) int {
		i := b.planes.Index(from.planes.Spec[plane].Name)
		if i < 0 || b.n != from.n || !alike(&b.planes.Spec[i], &from.planes.Spec[plane]) || overwritten(b.kernel.IR, i) {
			return -1
		}
		return i
	}
	for _, c := range from.cells {
		if c.plane = same(c.plane); c.plane >= 0 {
			cells = append(cells, c)
		}
	}
	for plane, seed := range from.seeds {
		if i := same(plane); i >= 0 && b.planes.Spec[i].Init.Text != "" {
			seeds[i] = seed
		}
	}
	var marks []int
	if b.n == from.n && b.kernel.IR.Finish != nil {
		marks = slices.Clone(from.marks)
	}
	if len(cells)+len(seeds)+len(marks) == 0 {
		return nil
	}
	return b.newStart(stop, func() { b.cells, b.seeds, b.marks = cells, seeds, marks })
}
