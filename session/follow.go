package session

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/generate"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/snapshots"
)

// Bounds of following samples: what is asked for is a picture, not an export.
const (
	followSamples = 256
	followPoints  = 1 << 16
)

// excerptAt is some samples of a batch on the interpreter, from the start of the batch on. A sample goes
// its way alone, so its values after any number of steps are those that it has in the batch.
type excerptAt struct {
	follower *kernels.Follower
	planes   *engine.Planes
	mask     []byte
	taken    []uint32
	faults   map[int]kernels.Fault
}

// fromStart copies samples as they were at the start of the batch.
func (b *batch) fromStart(samples []int, way way) (*excerptAt, error) {
	if err := way.whole(); err != nil {
		return nil, err
	}
	for _, s := range samples {
		if s < 0 || s >= b.n {
			return nil, fmt.Errorf("there is no sample %s: the batch has samples 0 to %s", engine.Grouped(s), engine.Grouped(b.n-1))
		}
	}
	x := &excerptAt{follower: kernels.NewFollower(b.kernel), mask: make([]byte, len(samples)), taken: make([]uint32, len(samples)), faults: map[int]kernels.Fault{}}
	for k, s := range samples {
		if slices.Contains(b.marks, s) {
			x.mask[k] = 1
		}
	}
	if b.start != nil && !b.stale {
		x.planes = excerpt(b.start, samples)
		return x, nil
	}
	// The start is made again for these samples alone: what a sample gets depends on its number only.
	x.planes = excerpt(b.planes, samples)
	for i := range b.planes.Spec {
		spec := &b.planes.Spec[i]
		if spec.Role == ir.RoleParam || spec.Role == ir.RoleTable {
			continue
		}
		size := spec.Type.Bytes()
		if v, ok := b.values[spec.Name]; ok {
			setElements(x.planes, i, v)
			continue
		}
		column, copied := b.columns[i]
		if b.mapped[i] && !copied {
			continue // nothing writes to it: it lies as it came
		}
		for k, s := range samples {
			one := make([]byte, spec.Width()*size)
			if copied {
				for c := range spec.Width() {
					copy(one[c*size:], column[(c*b.n+s)*size:][:size])
				}
			} else if err := generate.Fill(spec, one, b.seedOf(i), uint64(s), 1, uint64(b.n)); err != nil {
				return nil, fmt.Errorf("plane %s: %w", spec.Name, err)
			}
			for c := range spec.Width() {
				copy(x.planes.Bytes(i)[(c*len(samples)+k)*size:][:size], one[c*size:][:size])
			}
		}
	}
	b.putCells(x.planes, samples)
	x.follower.Init(x.planes.All(), len(samples))
	return x, nil
}

// advance runs the samples to a step.
func (x *excerptAt) advance(upto int) {
	for _, f := range x.follower.Run(x.planes.All(), len(x.mask), x.mask, x.taken, uint32(upto)) {
		x.faults[f.Sample] = f
	}
}

// reader reads one named value of samples.
type reader struct {
	name, unit       string
	plane, component int // plane -1: observable
	observable       int
	taken            bool // the steps taken, which no plane holds
}

// readers finds what names stand for: planes, components of wide ones, observables.
func readers(k *ir.Kernel, names []string) ([]reader, error) {
	var out []reader
	var known []string
	byName := map[string]reader{}
	add := func(r reader) {
		known = append(known, r.name)
		byName[r.name] = r
	}
	for i := range k.Planes {
		p := &k.Planes[i]
		if p.Role == ir.RoleTable {
			continue
		}
		for c := range p.Width() {
			add(reader{name: snapshots.ComponentName(p.Name, p.Dims, c), unit: p.Unit, plane: i, component: c, observable: -1})
		}
	}
	for i, f := range k.Observables {
		add(reader{name: f.Name, unit: f.Unit, plane: -1, observable: i})
	}
	add(reader{name: TakenColumn, plane: -1, taken: true})
	for _, name := range names {
		r, ok := byName[name]
		if !ok {
			return nil, fmt.Errorf("kernel %s has nothing called %q%s; it has %s", k.Name, name, snapshots.DidYouMean(name, known), strings.Join(known, ", "))
		}
		out = append(out, r)
	}
	return out, nil
}

// read writes the value of every sample of planes into out.
func (r *reader) read(f *kernels.Follower, p *engine.Planes, out []float64) {
	if r.plane < 0 {
		f.Observe(r.observable, p.All(), p.N, out)
		return
	}
	for i := range out {
		at := r.component*p.N + i
		if p.Spec[r.plane].Role == ir.RoleParam {
			at = r.component
		}
		out[i] = p.Float(r.plane, at)
	}
}

// follow answers a FollowQuery; way is how far the batch has gone.
func (b *batch) follow(q FollowQuery, way way, stop *engine.Stop) (*Trajectory, error) {
	if len(q.Samples) == 0 || len(q.Samples) > followSamples {
		return nil, fmt.Errorf("from 1 to %d samples can be followed at a time, not %s", followSamples, engine.Grouped(len(q.Samples)))
	}
	rs, err := readers(b.kernel.IR, q.Names)
	if err != nil {
		return nil, err
	}
	to := q.To
	if to == 0 {
		to = way.steps
	}
	if q.From < 0 || to < q.From {
		return nil, fmt.Errorf("steps %s to %s cannot be followed: give a first step from 0 on, and a last one behind it", engine.Grouped(q.From), engine.Grouped(to))
	}
	x, err := b.fromStart(q.Samples, way)
	if err != nil {
		return nil, err
	}
	n := len(q.Samples)
	t := &Trajectory{Samples: slices.Clone(q.Samples), Stop: make([]int, n), Fault: make([]string, n)}
	t.Steps = evenly(q.From, to, min(max(q.Points, 0), followPoints))
	for _, r := range rs {
		t.Names, t.Units = append(t.Names, r.name), append(t.Units, r.unit)
		t.Values = append(t.Values, table(n, len(t.Steps)))
	}
	probe := kernels.NewFinishProbe(b.kernel)
	if probe != nil {
		t.Comparisons = probe.Comparisons
		for range probe.Comparisons {
			t.LHS, t.RHS = append(t.LHS, table(n, len(t.Steps))), append(t.RHS, table(n, len(t.Steps)))
		}
	}
	column := make([]float64, n)
	for j, step := range t.Steps {
		if stop.IsSet() {
			return nil, ErrCancelled
		}
		x.advance(step)
		for k := range rs {
			if rs[k].taken {
				for s, taken := range x.taken {
					column[s] = float64(taken)
				}
			} else {
				rs[k].read(x.follower, x.planes, column)
			}
			for s, v := range column {
				t.Values[k][s][j] = v
			}
		}
		if probe != nil {
			_, lhs, rhs := probe.Look(x.planes.All(), n)
			for c := range lhs {
				for s := range n {
					t.LHS[c][s][j], t.RHS[c][s][j] = lhs[c][s], rhs[c][s]
				}
			}
		}
	}
	for s, sample := range q.Samples {
		t.Stop[s] = -1
		if x.mask[s] != 0 {
			t.Stop[s] = int(x.taken[s])
		}
		if f, ok := x.faults[s]; ok {
			t.Fault[s] = fmt.Sprintf("%v at %s", f.Kind, engine.Where(b.kernel.IR, f.Pos))
		}
		if b.labels != nil {
			t.Labels = append(t.Labels, b.labels[sample])
		}
	}
	return t, nil
}

// evenly gives steps from..to, at most points of them (0: all), the first and the last always.
func evenly(from, to, points int) []int {
	count := to - from + 1
	if points == 0 || points > count {
		points = min(count, followPoints)
	}
	if points == 1 {
		return []int{to}
	}
	steps := make([]int, points)
	for i := range steps {
		steps[i] = from + int(int64(to-from)*int64(i)/int64(points-1))
	}
	return steps
}

func table(rows, columns int) [][]float64 {
	t := make([][]float64, rows)
	for i := range t {
		t[i] = make([]float64, columns)
	}
	return t
}

// originOf answers an OriginQuery: bisection finds the first step after which the sample's state is not
// finite, since a NaN or an infinity in a state that the step reads seldom goes away; where it does, the
// first step of the last stretch is meant. Then that step is walked value by value.
func (b *batch) originOf(q OriginQuery, way way, stop *engine.Stop) (*Origin, error) {
	x, err := b.fromStart([]int{q.Sample}, way)
	if err != nil {
		return nil, err
	}
	o := &Origin{Sample: q.Sample}
	bad := func(upto int) bool {
		y, err := b.fromStart([]int{q.Sample}, way)
		if err != nil {
			return false
		}
		y.advance(upto)
		return !finiteState(y.planes)
	}
	switch {
	case !finiteState(x.planes):
		o.What, o.Text = "not finite", "the sample's start: its planes hold it before the first step"
		return o, nil
	case !bad(way.steps):
		o.None = true
		return o, nil
	}
	step := sort.Search(way.steps, func(s int) bool { return stop.IsSet() || bad(s) })
	if stop.IsSet() {
		return nil, ErrCancelled
	}
	x.advance(step - 1)
	from := x.follower.Origin(x.planes.All(), 1, 0)
	o.Step = step
	if from == nil {
		o.What, o.Text = "not finite", "made and undone within one step"
		return o, nil
	}
	spec := &b.planes.Spec[from.Cell.Plane]
	o.What, o.File = whatIs(from.Value), fileOf(b.kernel, from.Pos)
	o.Plane = snapshots.ComponentName(spec.Name, spec.Dims, int(from.Cell.Comp))
	o.Line, o.Column, o.Text = int(from.Pos.Line), int(from.Pos.Col), textAt(b.kernel, from.Pos)
	for _, p := range from.Operands {
		o.Operands = append(o.Operands, Operand{textAt(b.kernel, p.Pos), p.Value})
	}
	return o, nil
}

// finiteState says whether no state of the samples holds NaN or infinity.
func finiteState(p *engine.Planes) bool {
	for i := range p.Spec {
		if s := &p.Spec[i]; s.Role == ir.RoleState && s.Type.Float() {
			for e := range p.Elements(i) {
				if v := p.Float(i, e); v-v != 0 {
					return false
				}
			}
		}
	}
	return true
}

func whatIs(v float64) string {
	switch {
	case v > 0:
		return "+Inf"
	case v < 0:
		return "-Inf"
	}
	return "NaN"
}

func fileOf(k *kernels.Kernel, p ir.Pos) string {
	if p.Line == 0 || int(p.File) >= len(k.IR.Files) {
		return ""
	}
	return k.IR.Files[p.File]
}

// textAt is the source text of an expression, "" where there is none.
func textAt(k *kernels.Kernel, p ir.Pos) string {
	if p.Line == 0 || p.File < 0 || int(p.File) >= len(k.Sources) {
		return ""
	}
	lines := strings.Split(string(k.Sources[p.File].Text), "\n")
	if int(p.Line) > len(lines) {
		return ""
	}
	line := strings.TrimRight(lines[p.Line-1], "\r")
	from, to := int(p.Col)-1, int(p.End)-1
	if from < 0 || from >= len(line) {
		return ""
	}
	if to <= from || to > len(line) {
		to = len(line)
	}
	return line[from:to]
}

// Sentence says where the value came from, with the operands.
func (o *Origin) Sentence() string {
	name := "sample " + engine.Grouped(o.Sample)
	switch {
	case o.None:
		return "the state of " + name + " is finite"
	case o.Line == 0:
		return fmt.Sprintf("%s is %s: %s", name, o.What, o.Text)
	}
	s := fmt.Sprintf("%s: %s came into %s in step %s, from %s at %s:%d:%d", name, o.What, o.Plane, engine.Grouped(o.Step), o.Text, o.File, o.Line, o.Column)
	for i, p := range o.Operands {
		sep := " and "
		if i == 0 {
			sep = ", of "
		}
		s += sep + figure(p.Value)
		if p.Text != "" {
			s += " (" + p.Text + ")"
		}
	}
	return s
}
