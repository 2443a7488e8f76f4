package session

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/snapshots"
)

// TakenColumn is the name of the steps that a sample has taken in this run, beside those of planes and observables.
const TakenColumn = "steps_taken"

// MostRows bounds a page of a table.
const MostRows = 1000

type (
	// ColumnsQuery asks for a page of the batch as a table, a sample a row: *Columns. Also during a run. A page of which
	// the order is known costs its own rows; otherwise the columns that are named are copied and looked through.
	ColumnsQuery struct {
		Names      []string // planes, components of wide ones, observables, TakenColumn; nil: all, see [ColumnsOf]
		Filter     string   // see [ParseFilter]
		Sort       string   // a column; "": by sample
		Down       bool     // the greatest first; NaN is last either way
		From, Rows int      // of the page; at most MostRows
		Focus      string   // the column that is described; "": none
		Bins       int      // of its histogram, at most 1024; 0: none
		Log        bool     // its bins have equal widths on the log scale; only values above 0 are counted then
		Known      *Order   // of an earlier answer: used as long as it fits
	}

	// Columns is a page of a table.
	Columns struct {
		Generation uint32
		Done       int // steps of the run
		N          int // samples of the batch
		Matching   int // rows of the table: samples that the filter leaves
		From       int
		Names      []string
		Units      []string
		Rows       []Row
		Focus      Statistics // of the rows, not of the page
		Order      *Order
	}

	// Row is a sample of a page.
	Row struct {
		Sample int
		Label  string
		Mask   byte // 0 live, 1 finished, 2 faulted
		Taken  uint32
		Cells  []Cell // by column
	}

	// Cell is a value as a number, and as text that reads back as the same value.
	Cell struct {
		Value float64 // integers beyond 2^53 are rounded
		Text  string
	}

	// Statistics describes a column. Min, Max, Mean and Quartiles are of its finite values, NaN when there are none.
	Statistics struct {
		Name, Unit     string
		Count          int // values
		NaN, Inf       int // of those
		Min, Max, Mean float64
		Quartiles      [3]float64 // linear between the two nearest ranks
		Bins           []int
		From, To       float64 // edges of the first and of the last bin
		Log            bool
		Left           int // finite values that no bin holds: not above 0 on a log scale
	}

	// Order is which samples a table has and in which order, and what its column in focus is like, at one moment.
	Order struct {
		key   string
		rows  []uint32 // nil: every sample in its order
		focus Statistics
	}

	// Column is a value that every sample has.
	Column struct {
		Name, Unit string
		Type       ir.Type
		Param      bool // the same for all samples
		State      bool // a step writes it
		Observable bool
	}
)

func (ColumnsQuery) isQuery() {}

// ColumnsOf lists the columns of a kernel: planes, wide ones by component, then observables, then [TakenColumn].
func ColumnsOf(k *ir.Kernel) []Column {
	var out []Column
	for i := range k.Planes {
		p := &k.Planes[i]
		if p.Role == ir.RoleTable {
			continue
		}
		for c := range p.Width() {
			out = append(out, Column{Name: snapshots.ComponentName(p.Name, p.Dims, c), Unit: p.Unit, Type: p.Type, Param: p.Role == ir.RoleParam, State: p.Role == ir.RoleState})
		}
	}
	for _, f := range k.Observables {
		out = append(out, Column{Name: f.Name, Unit: f.Unit, Type: ir.F64, Observable: true})
	}
	return append(out, Column{Name: TakenColumn, Type: ir.U32})
}

// tableJob is a ColumnsQuery on its way: what was copied of the batch, and what is made of it.
type tableJob struct {
	q          ColumnsQuery
	filter     *Filter
	kernel     *kernels.Kernel
	shown      []reader
	sort       []reader // one or none
	focus      []reader
	filtered   []reader
	answer     Columns
	key        string
	labels     []string
	page       []uint32 // samples of the page, once they are known
	planes     *engine.Planes
	mask       []byte
	taken      []uint32
	pageCopied bool // planes, mask and taken are of the page alone
}

// glance copies what a page needs.
func (q ColumnsQuery) glance(s *still) (rest, error) {
	if s.bound == nil {
		return nil, spoiled(s.batch)
	}
	if q.From < 0 || q.Rows < 0 || q.Rows > MostRows || q.Bins < 0 || q.Bins > 1024 {
		return nil, fmt.Errorf("a page has at most %s rows, and a histogram 1,024 bins", engine.Grouped(MostRows))
	}
	j, err := newTableJob(q, s)
	if err != nil {
		return nil, err
	}
	if known := q.Known; known != nil && known.key == j.key {
		j.take(known)
		j.copyPage(s)
	} else {
		j.planes, j.mask, j.taken = s.copyPlanes(), s.copyMask(), s.copyTaken()
	}
	return j.finish, nil
}

func newTableJob(q ColumnsQuery, s *still) (*tableJob, error) {
	k := s.kernel.IR
	var known []string
	for _, c := range ColumnsOf(k) {
		known = append(known, c.Name)
	}
	if q.Names == nil {
		q.Names = known
	}
	j := &tableJob{q: q, kernel: s.kernel, labels: s.labels}
	var err error
	if j.filter, err = ParseFilter(q.Filter, known); err != nil {
		return nil, err
	}
	named := func(name string) []string {
		if name == "" {
			return nil
		}
		return []string{name}
	}
	for _, x := range []struct {
		into  *[]reader
		names []string
	}{{&j.shown, q.Names}, {&j.sort, named(q.Sort)}, {&j.focus, named(q.Focus)}, {&j.filtered, j.filter.names}} {
		if *x.into, err = readers(k, x.names); err != nil {
			return nil, err
		}
	}
	j.key = fmt.Sprintf("%d/%d/%d/%p %q %q %t %q %d %t", s.generation, s.done, s.edits, s.batch, j.filter.text, q.Sort, q.Down, q.Focus, q.Bins, q.Log)
	j.answer = Columns{Generation: s.generation, Done: s.done, N: s.n, From: q.From}
	for _, r := range j.shown {
		j.answer.Names, j.answer.Units = append(j.answer.Names, r.name), append(j.answer.Units, r.unit)
	}
	return j, nil
}

// take uses an order, and finds the page in it.
func (j *tableJob) take(o *Order) {
	a := &j.answer
	a.Order, a.Focus, a.Matching = o, o.focus, a.N
	if o.rows != nil {
		a.Matching = len(o.rows)
	}
	from := min(j.q.From, a.Matching)
	to := min(from+j.q.Rows, a.Matching)
	j.page = make([]uint32, to-from)
	for i := range j.page {
		j.page[i] = uint32(from + i)
		if o.rows != nil {
			j.page[i] = o.rows[from+i]
		}
	}
}

// copyPage copies the samples of the page alone.
func (j *tableJob) copyPage(s *still) {
	slots := make([]int, len(j.page))
	for i, sample := range j.page {
		slots[i] = int(sample)
		if s.places != nil {
			slots[i] = int(s.places[sample])
		}
	}
	j.planes, j.mask, j.taken, j.pageCopied = excerpt(s.planes, slots), make([]byte, len(slots)), make([]uint32, len(slots)), true
	all := s.bound.StepsTaken()
	for i, slot := range slots {
		j.mask[i] = s.mask[slot]
		if len(all) == s.n {
			j.taken[i] = all[slot]
		}
	}
}

// finish makes the answer from the copies.
func (j *tableJob) finish(stop *engine.Stop) (any, error) {
	if j.answer.Order == nil {
		o, err := j.order(stop)
		if err != nil {
			return nil, err
		}
		j.take(o)
	}
	columns := make([][]float64, len(j.shown))
	at := make([]int, len(j.page)) // of a row of the page within the copies
	for i, sample := range j.page {
		at[i] = int(sample)
		if j.pageCopied {
			at[i] = i
		}
	}
	rows, mask, taken := j.planes, j.mask, j.taken
	if !j.pageCopied {
		rows = excerpt(j.planes, at)
	}
	follower := kernels.NewFollower(j.kernel)
	for k := range j.shown {
		columns[k] = make([]float64, len(j.page))
		if !j.shown[k].taken {
			j.shown[k].read(follower, rows, columns[k])
		}
	}
	j.answer.Rows = make([]Row, len(j.page))
	for i, sample := range j.page {
		r := Row{Sample: int(sample), Mask: mask[at[i]], Cells: make([]Cell, len(j.shown))}
		if taken != nil {
			r.Taken = taken[at[i]]
		}
		if j.labels != nil {
			r.Label = j.labels[sample]
		}
		for k := range j.shown {
			r.Cells[k] = Cell{columns[k][i], j.shown[k].text(rows, i, columns[k][i])}
			if j.shown[k].taken {
				r.Cells[k] = Cell{float64(r.Taken), strconv.FormatUint(uint64(r.Taken), 10)}
			}
		}
		j.answer.Rows[i] = r
	}
	return &j.answer, nil
}

// text is element i of a column so that it reads back as the same value; v is what it rounds to as float64.
func (r *reader) text(p *engine.Planes, i int, v float64) string {
	if r.plane < 0 {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	spec := &p.Spec[r.plane]
	at := r.component*p.N + i
	if spec.Role == ir.RoleParam {
		at = r.component
	}
	switch spec.Type {
	case ir.I64:
		return strconv.FormatInt(engine.View[int64](p, r.plane)[at], 10)
	case ir.U64:
		return strconv.FormatUint(engine.View[uint64](p, r.plane)[at], 10)
	case ir.F32:
		return strconv.FormatFloat(v, 'g', -1, 32)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// whole reads a column of every sample.
func (j *tableJob) whole(f *kernels.Follower, r *reader) []float64 {
	out := make([]float64, j.answer.N)
	if !r.taken {
		r.read(f, j.planes, out)
		return out
	}
	for i, taken := range j.taken {
		out[i] = float64(taken)
	}
	return out
}

// stride is how many samples are looked at between two looks at stop.
const stride = 1 << 14

// order chooses and sorts the samples, and describes the column in focus.
func (j *tableJob) order(stop *engine.Stop) (*Order, error) {
	o := &Order{key: j.key}
	f := kernels.NewFollower(j.kernel)
	if j.filter.root != nil {
		if err := j.choose(o, f, stop); err != nil {
			return nil, err
		}
	}
	if len(j.sort) > 0 && !stop.IsSet() {
		j.arrange(o, j.whole(f, &j.sort[0]))
	}
	if len(j.focus) > 0 && !stop.IsSet() {
		o.focus = describe(&j.focus[0], j.whole(f, &j.focus[0]), o.rows, j.q.Bins, j.q.Log)
	}
	if stop.IsSet() {
		return nil, ErrCancelled
	}
	return o, nil
}

// choose keeps the samples that the filter leaves.
func (j *tableJob) choose(o *Order, f *kernels.Follower, stop *engine.Stop) error {
	values := make([][]float64, len(j.filtered))
	for k := range j.filtered {
		values[k] = j.whole(f, &j.filtered[k])
	}
	var finite []bool
	if j.filter.nan {
		finite = finiteSamples(j.planes)
	}
	o.rows = []uint32{}
	row := filterRow{values: make([]float64, len(values)), finite: true}
	for i := range j.answer.N {
		if i%stride == 0 && stop.IsSet() {
			return ErrCancelled
		}
		row.sample, row.mask = i, j.mask[i]
		if j.labels != nil {
			row.label = j.labels[i]
		}
		if finite != nil {
			row.finite = finite[i]
		}
		for k := range values {
			row.values[k] = values[k][i]
		}
		if j.filter.root.holds(&row) {
			o.rows = append(o.rows, uint32(i))
		}
	}
	return nil
}

// finiteSamples says of every sample whether its planes hold neither NaN nor infinity.
func finiteSamples(p *engine.Planes) []bool {
	out := make([]bool, p.N)
	for i := range out {
		out[i] = true
	}
	for i := range p.Spec {
		s := &p.Spec[i]
		if !s.Type.Float() || s.Role == ir.RoleParam || s.Role == ir.RoleTable {
			continue
		}
		for e := range p.Elements(i) {
			if v := p.Float(i, e); v-v != 0 {
				out[e%p.N] = false
			}
		}
	}
	return out
}

// arrange sorts by values; samples with equal ones stay in their order, and NaN comes last.
func (j *tableJob) arrange(o *Order, values []float64) {
	if o.rows == nil {
		o.rows = make([]uint32, len(values))
		for i := range o.rows {
			o.rows[i] = uint32(i)
		}
	}
	slices.SortFunc(o.rows, func(a, b uint32) int {
		va, vb := values[a], values[b]
		nanA, nanB := va != va, vb != vb
		switch {
		case nanA || nanB:
			if nanA != nanB {
				if nanA {
					return 1
				}
				return -1
			}
		case va < vb != j.q.Down && va != vb:
			return -1
		case va != vb:
			return 1
		}
		return cmp.Compare(a, b)
	})
}

// describe makes the statistics of a column over some rows, nil for all.
func describe(r *reader, values []float64, rows []uint32, bins int, log bool) Statistics {
	s := Statistics{Name: r.name, Unit: r.unit, Min: math.NaN(), Max: math.NaN(), Mean: math.NaN(), Log: log}
	s.Quartiles = [3]float64{math.NaN(), math.NaN(), math.NaN()}
	finite := make([]float64, 0, len(values))
	take := func(v float64) {
		switch {
		case v != v:
			s.NaN++
		case math.IsInf(v, 0):
			s.Inf++
		default:
			finite = append(finite, v)
		}
		s.Count++
	}
	if rows == nil {
		for _, v := range values {
			take(v)
		}
	}
	for _, i := range rows {
		take(values[i])
	}
	if len(finite) == 0 {
		return s
	}
	slices.Sort(finite)
	s.Min, s.Max = finite[0], finite[len(finite)-1]
	s.Mean = meanOf(finite)
	for q := range s.Quartiles {
		s.Quartiles[q] = quantile(finite, float64(q+1)/4)
	}
	if bins > 0 {
		s.fill(finite, bins)
	}
	return s
}

// meanOf sums with Neumaier's compensation (Z. Angew. Math. Mech. 54, 1974), scaled so that it cannot overflow.
func meanOf(values []float64) float64 {
	scale := 1.0
	if big := max(math.Abs(values[0]), math.Abs(values[len(values)-1])); big > 1e300 {
		scale = 0x1p-64
	}
	sum, lost := 0.0, 0.0
	for _, v := range values {
		v *= scale
		t := sum + v
		if math.Abs(sum) >= math.Abs(v) {
			lost += (sum - t) + v
		} else {
			lost += (v - t) + sum
		}
		sum = t
	}
	return (sum + lost) / float64(len(values)) / scale
}

// quantile is the q-quantile of sorted values, linear between the two nearest ranks (type 7 of Hyndman and Fan, The
// American Statistician 50, 1996).
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	part := at - float64(i)
	return sorted[i]*(1-part) + sorted[i+1]*part
}

// fill counts sorted finite values by bins of equal width.
func (s *Statistics) fill(sorted []float64, bins int) {
	place := func(v float64) float64 { return v }
	if s.Log {
		place = math.Log
		first, _ := slices.BinarySearch(sorted, math.SmallestNonzeroFloat64)
		s.Left = first
		sorted = sorted[first:]
	}
	if len(sorted) == 0 {
		return
	}
	s.Bins = make([]int, bins)
	s.From, s.To = sorted[0], sorted[len(sorted)-1]
	from, half := place(s.From), place(s.To)/2-place(s.From)/2 // halves, so that the width cannot overflow
	for _, v := range sorted {
		at := 0
		if half > 0 {
			at = int((place(v)/2 - from/2) / half * float64(bins))
		}
		s.Bins[min(max(at, 0), bins-1)]++
	}
}
