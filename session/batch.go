package session

import (
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/generate"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/snapshots"
)

// batch is the memory of n samples of a kernel, bound to an engine, and how to make it again. The owner
// lends it to one job at a time.
type batch struct {
	kernel  *kernels.Kernel
	program engine.Program
	engine  string
	device  string

	n       int
	seed    uint64
	values  map[string]float64 // planes and params that have one value at the start
	planes  *engine.Planes
	mask    []byte
	bound   engine.Bound
	runner  *engine.Runner
	frames  *engine.Keyframes // of the runner's runs; nil: none yet
	entries []engine.EntryReport

	mapped    map[int]bool   // planes that came from columns
	columns   map[int][]byte // of those, the ones that do not stay as they came: copies
	start     *engine.Planes // a copy of all planes after Init; nil when they are made again for Rewind
	stale     bool           // values have changed: start no longer is the start
	entire    bool           // the run of its runner began at the start of the batch
	unstarted bool           // its runner has run nothing yet, though its planes are not at the start
	edits     int            // times that it was changed by other than a run
	cells     []cellEdit     // elements of the start that were set, each once
	marks     []int          // samples that are finished at the start, each once
	seeds     map[int]uint64 // of planes that were made by another seed than the batch's
	spoiled   string         // why nothing can be run before a Rewind, "" when all is well

	labelName string
	labels    []string
	read      []columnNote
	dropped   []string // notes on what was asked for and has no place
	notes     []string // dropped, then how the planes were filled
	params    []Param
}

// columnNote says what was read into a plane.
type columnNote struct{ plane, note string }

// maker makes batches; it is what a job needs of the owner.
type maker struct {
	memory memory
	engine engine.Engine
}

// compile makes a program of the kernel, with the name of the device it will run on.
func (m *maker) compile(k *kernels.Kernel) (p engine.Program, device string, err error) {
	devices, err := m.engine.Devices()
	if err != nil {
		return nil, "", fmt.Errorf("engine %s: %w", m.engine.Name(), err)
	}
	if len(devices) == 0 {
		return nil, "", fmt.Errorf("engine %s: %w", m.engine.Name(), engine.ErrNoDevice)
	}
	p, err = m.engine.Compile(k.IR)
	if err != nil {
		return nil, "", fmt.Errorf("engine %s: compile %s: %w", m.engine.Name(), k.IR.Name, err)
	}
	return p, devices[0].Name, nil
}

// build makes a batch: reads the columns, fills the rest, runs Init. c has passed checkBatch. The error
// joins all that is wrong with the files. Nothing of the batch's size is allocated before its size is
// known to fit.
func (m *maker) build(k *kernels.Kernel, program engine.Program, device string, c *SetBatch, stop *engine.Stop) (*batch, error) {
	spec := k.IR.Planes
	source, err := snapshots.Open(c.Mappings, c.Labels, spec, stop)
	if err != nil {
		return nil, cancelled(err, stop)
	}
	spec = source.Spec()
	n := c.N
	switch rows := source.Rows(); {
	case rows >= 0 && n != 0 && n != rows:
		return nil, fmt.Errorf("n is %s, the columns have %s (%s): leave n out, or give %d",
			engine.Grouped(n), engine.Counted(rows, "row"), columnNames(c), rows)
	case rows >= 0:
		n = rows
	case n == 0:
		n = DefaultN
	}
	b := &batch{
		kernel: k, program: program, engine: m.engine.Name(), device: device,
		n: n, seed: c.Seed, values: maps.Clone(c.Values), mapped: map[int]bool{}, columns: map[int][]byte{},
	}
	if b.values == nil {
		b.values = map[string]float64{}
	}
	var copied []int
	for _, mapping := range c.Mappings {
		i := k.IR.Plane(mapping.Plane)
		b.mapped[i] = true
		if role := spec[i].Role; role != ir.RoleInput || stored(k.IR, i) {
			copied = append(copied, i)
		}
	}
	keep, err := m.memory.plan(spec, n, copied, c.Labels != nil)
	if err != nil {
		return nil, err
	}
	b.planes, b.mask = engine.NewPlanes(spec, n), make([]byte, n)
	notes, err := source.Load(b.planes)
	if err != nil {
		return nil, cancelled(err, stop)
	}
	for _, i := range copied {
		b.columns[i] = slices.Clone(b.planes.Bytes(i))
	}
	if b.labels, err = source.Labels(); err != nil {
		return nil, cancelled(err, stop)
	}
	if c.Labels != nil {
		if b.labelName = c.Labels.Name; len(b.labels) != n {
			return nil, fmt.Errorf("%s changed while it was read: it has %s, the batch %s", c.Labels, engine.Counted(len(b.labels), "row"), engine.Counted(n, "sample"))
		}
	}
	if err := b.bind(); err != nil {
		return nil, err
	}
	if err := b.begin(stop); err != nil {
		b.close()
		return nil, err
	}
	if keep {
		b.start = b.planes.Clone()
	}
	for k, mapping := range c.Mappings {
		b.read = append(b.read, columnNote{mapping.Plane, notes[k]})
	}
	b.note()
	return b, nil
}

// cancelled is the error of work that was stopped, whatever it calls that itself.
func cancelled(err error, stop *engine.Stop) error {
	if stop.IsSet() {
		return ErrCancelled
	}
	return err
}

// columnNames lists where a batch's columns come from.
func columnNames(c *SetBatch) string {
	var names []string
	for _, m := range c.Mappings {
		names = append(names, m.Column.String())
	}
	if c.Labels != nil {
		names = append(names, c.Labels.String())
	}
	return strings.Join(names, ", ")
}

// bind attaches the program to the planes.
func (b *batch) bind() error {
	bound, err := b.program.Bind(b.planes, b.mask)
	if err != nil {
		return fmt.Errorf("engine %s: %w", b.engine, err)
	}
	b.bound, b.frames, b.entire = bound, nil, false
	b.runner = engine.NewRunner(b.program, bound, b.planes, b.mask, b.engine, b.device)
	b.entries = b.runner.EntryReports()
	return nil
}

func (b *batch) close() {
	if b.bound != nil {
		// Its memory is the collector's; an engine that cannot let go has nothing to tell the user here.
		_ = b.bound.Close()
		b.bound = nil
	}
}

// begin makes the planes of the start: values, columns, init tags, then the kernel's Init. Columns that
// nothing writes to lie in the planes already.
func (b *batch) begin(stop *engine.Stop) error {
	var fill []int
	for i := range b.planes.Spec {
		if v, ok := b.values[b.planes.Spec[i].Name]; ok {
			setElements(b.planes, i, v)
		} else if column, ok := b.columns[i]; ok {
			copy(b.planes.Bytes(i), column)
		} else if !b.mapped[i] {
			fill = append(fill, i)
		}
	}
	if err := b.generate(fill, stop); err != nil {
		return err
	}
	b.putCells(b.planes, nil)
	if err := b.bound.Init(stop); err != nil {
		return cancelled(err, stop)
	}
	b.params = paramsOf(b.planes)
	return nil
}

// generate fills planes by their init tags, several at a time; what a plane gets does not depend on the
// others.
func (b *batch) generate(fill []int, stop *engine.Stop) error {
	var wg sync.WaitGroup
	errs := make([]error, len(fill))
	tickets := make(chan struct{}, runtime.GOMAXPROCS(0))
	for k, i := range fill {
		tickets <- struct{}{}
		wg.Add(1)
		go func() {
			defer func() { <-tickets; wg.Done() }()
			errs[k] = b.generateOne(i, stop)
		}()
	}
	wg.Wait()
	if stop.IsSet() {
		return ErrCancelled
	}
	return errors.Join(errs...)
}

func (b *batch) generateOne(i int, stop *engine.Stop) (err error) {
	spec := &b.planes.Spec[i]
	defer catch("filling plane "+spec.Name, &err)
	if stop.IsSet() {
		return ErrCancelled
	}
	rows := uint64(b.n)
	switch spec.Role {
	case ir.RoleParam:
		rows = 1
	case ir.RoleTable:
		rows = uint64(spec.Len) // init rules see a table's own length
	}
	if err := generate.Fill(spec, b.planes.Bytes(i), b.seedOf(i), 0, rows, rows); err != nil {
		return fmt.Errorf("plane %s: %w", spec.Name, err)
	}
	return nil
}

// describe says how the planes that came from no column were filled, one note each.
func (b *batch) describe() []string {
	var notes, computed []string
	for i := range b.planes.Spec {
		p := &b.planes.Spec[i]
		what := "plane " + p.Name
		switch p.Role {
		case ir.RoleParam:
			what = "param " + p.Name
		case ir.RoleTable:
			what = fmt.Sprintf("table %s (%s)", p.Name, engine.Counted(p.Len, "cell"))
		}
		unit := ""
		if p.Unit != "" {
			unit = " " + p.Unit
		}
		v, given := b.values[p.Name]
		switch {
		case given:
			notes = append(notes, fmt.Sprintf("%s: %v%s for all, as given", what, v, unit))
		case b.mapped[i]:
		case stored(b.kernel.IR, i):
			computed = append(computed, p.Name)
		case p.Init.Text == "":
			if p.Role != ir.RoleOutput {
				notes = append(notes, what+": 0")
			}
		case p.Init.Kind == ir.InitUniform, p.Init.Kind == ir.InitLogUniform, p.Init.Kind == ir.InitNormal, p.Init.Kind == ir.InitChoice:
			notes = append(notes, fmt.Sprintf("%s: %s%s, seed %d", what, p.Init.Text, unit, b.seedOf(i)))
		default:
			notes = append(notes, fmt.Sprintf("%s: %s%s", what, p.Init.Text, unit))
		}
	}
	if len(b.cells) > 0 {
		notes = append(notes, engine.Counted(len(b.cells), "element")+" set by hand")
	}
	if len(b.marks) > 0 {
		notes = append(notes, engine.Counted(len(b.marks), "sample")+" finished by hand")
	}
	if computed != nil {
		notes = append(notes, "computed by Init: "+strings.Join(computed, ", "))
	}
	return notes
}

// paramsOf lists the params with their first values.
func paramsOf(p *engine.Planes) []Param {
	var params []Param
	for i := range p.Spec {
		if s := &p.Spec[i]; s.Role == ir.RoleParam {
			params = append(params, Param{Name: s.Name, Unit: s.Unit, Doc: s.Doc, Value: p.Float(i, 0)})
		}
	}
	return params
}

// rewind puts planes, mask and counters back to the start, and binds anew what was spoiled. When it fails
// half way, the batch stays spoiled until a Rewind goes through.
func (b *batch) rewind(stop *engine.Stop) error {
	rebind := b.spoiled != "" || b.bound == nil
	b.spoiled = "going back to its start did not come to an end"
	clear(b.mask)
	if rebind {
		b.close()
		if err := b.bind(); err != nil {
			return err
		}
	}
	if b.start != nil && !b.stale {
		b.planes.CopyFrom(b.start)
		b.params = paramsOf(b.planes)
	} else {
		if err := b.begin(stop); err != nil {
			return err
		}
		if b.start != nil {
			b.start.CopyFrom(b.planes)
		}
	}
	if err := b.runner.Reset(); err != nil {
		return err
	}
	b.putMarks(b.mask)
	b.spoiled, b.stale = "", false
	return nil
}

// results gives what a run left behind, shared with the batch; observables are computed.
func (b *batch) results() (*Results, error) {
	r := &Results{Planes: b.planes, Mask: b.mask, LabelName: b.labelName, Labels: b.labels}
	if f := b.kernel.IR.Finish; f != nil {
		r.MaskName = f.Name
	}
	if b.bound == nil {
		return r, nil
	}
	if taken := b.bound.StepsTaken(); len(taken) == b.n {
		r.StepsTaken = taken
	}
	observer, ok := b.bound.(engine.Observer)
	if !ok || b.spoiled != "" {
		return r, nil
	}
	for i, f := range b.kernel.IR.Observables {
		o := snapshots.Observable{Name: f.Name, Unit: f.Unit, Values: make([]float64, b.n)}
		if err := observer.Observe(i, o.Values); err != nil {
			return nil, err
		}
		r.Observables = append(r.Observables, o)
	}
	return r, nil
}

// Results is what a batch holds after a run: planes, mask, steps taken, labels and observables.
type Results = snapshots.Results

// note says how the planes were filled, one sentence each; a value that was set later takes the place of a
// column.
func (b *batch) note() {
	b.notes = slices.Clone(b.dropped)
	for _, c := range b.read {
		if _, given := b.values[c.plane]; !given {
			b.notes = append(b.notes, c.note)
		}
	}
	b.notes = append(b.notes, b.describe()...)
}
