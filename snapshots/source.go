package snapshots

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Source is a set of mappings and a label column that were found to fit a kernel's planes. It holds no
// file open and no values.
type Source struct {
	spec   []ir.Plane
	items  []*item
	labels *Column
	rows   int
	stop   *engine.Stop
}

// ErrStopped is the error of a call whose stop was set.
var ErrStopped = errors.New("stopped while reading")

// stopped looks at the stop, once in a while.
func (s *Source) stopped(row int) bool { return row%1024 == 0 && s.stop.IsSet() }

// item is one mapping, and what was found out about it.
type item struct {
	Mapping
	plane int
	rows  int
	conv  conversion
	how   string // the last part of the note
	cols  []int  // of a .csv: positions of the components
	array *array // of a .npy or .npz
}

// Open finds the columns of the mappings and of the labels (nil: none), checks them against the planes and
// counts rows. Nothing of the size of a batch is allocated. The error joins one sentence for each problem.
// When stop is set (it may be nil), this and the source's methods soon return ErrStopped.
func Open(mappings []Mapping, labels *Column, spec []ir.Plane, stop *engine.Stop) (*Source, error) {
	s := &Source{spec: spec, rows: -1, stop: stop}
	var problems []error
	mapped := map[string]bool{}
	for _, m := range mappings {
		if mapped[m.Plane] {
			problems = append(problems, fmt.Errorf("plane %s is mapped twice", m.Plane))
			continue
		}
		mapped[m.Plane] = true
		it, err := s.find(m)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		s.items = append(s.items, it)
	}
	if labels != nil {
		c := *labels
		s.labels = &c
	}
	problems = append(problems, s.count()...)
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return s, nil
}

// Fit checks a mapping against the planes of a kernel, without looking into its file: the plane is there
// and is no param, the file is of a kind that is read, units convert. The error is one sentence.
func Fit(m Mapping, spec []ir.Plane) error {
	_, err := fit(m, spec)
	return err
}

// fit makes the item of a mapping, without its file.
func fit(m Mapping, spec []ir.Plane) (*item, error) {
	plane := -1
	var names []string
	for i := range spec {
		names = append(names, spec[i].Name)
		if spec[i].Name == m.Plane {
			plane = i
		}
	}
	if plane < 0 {
		return nil, fmt.Errorf("there is no plane %q%s; the planes are %s", m.Plane, DidYouMean(m.Plane, names), listed(names))
	}
	p := &spec[plane]
	if p.Role == ir.RoleParam {
		return nil, fmt.Errorf("%s is a param, one value for the batch: it cannot come from a column (%s); give it a value", p.Name, m.Column)
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("plane %s: %w", p.Name, err)
	}
	it := &item{Mapping: m, plane: plane, rows: -1}
	if err := it.convert(p); err != nil {
		return nil, err
	}
	return it, nil
}

// find checks one mapping against the planes and its file, but for the rows of a .csv.
func (s *Source) find(m Mapping) (*item, error) {
	it, err := fit(m, s.spec)
	if err != nil {
		return nil, err
	}
	p := &s.spec[it.plane]
	switch kindOf(m.File) {
	case kindCSV:
		t, err := openCSV(m.File)
		if err != nil {
			return nil, fmt.Errorf("plane %s: %w", p.Name, err)
		}
		t.close()
		it.cols, err = t.find(m.Name, p.Dims)
		if err != nil {
			return nil, fmt.Errorf("plane %s: %w", p.Name, err)
		}
	default:
		a, err := openArray(m.Column)
		if err == nil && !a.number() {
			hint := ""
			if a.text() {
				hint = "; a text column can be kept as labels"
			}
			err = fmt.Errorf("%s holds %s, which no plane takes%s", a.what, a.typeName(), hint)
		}
		if err == nil {
			it.rows, err = a.rows(p.Dims)
		}
		if err != nil {
			return nil, fmt.Errorf("plane %s: %w", p.Name, err)
		}
		it.array = a
	}
	if p.Type == ir.F32 && (it.array == nil || it.array.typeName() == "float64") {
		it.how += ", rounded to float32"
	}
	return it, nil
}

func openArray(c Column) (*array, error) {
	if kindOf(c.File) == kindNPY {
		return openNPY(c.File)
	}
	return openNPZ(c.File, c.Name)
}

// convert decides on the unit (units.go): the mapping's own, else the one of the column name's suffix. A
// column that is called as the plane itself holds the plane's unit already: so does what WriteCSV wrote.
func (it *item) convert(p *ir.Plane) error {
	it.conv = conversion{factor: 1}
	var from *unit
	switch {
	case it.Unit != "":
		u, err := parseUnit(it.Unit)
		if err != nil {
			return fmt.Errorf("plane %s: %w", p.Name, err)
		}
		from = u
	case it.Name != p.Name:
		from = suffixUnit(it.Name)
	}
	if p.Unit == "" {
		it.how = "as they are"
		if from != nil {
			it.how = fmt.Sprintf("as they are, in %s (the plane names no unit)", from.text)
		}
		return nil
	}
	to, err := parseUnit(p.Unit)
	switch {
	case err != nil && from != nil:
		it.how = fmt.Sprintf("as they are, in %s (the plane's unit %q is not known)", from.text, p.Unit)
		return nil
	case from == nil:
		it.how = "as they are, taken to be in " + p.Unit
		return nil
	}
	conv, ok := from.conversionTo(to)
	if !ok {
		source := "its name ends in " + from.text
		if it.Unit != "" {
			source = "its unit is given as " + it.Unit
		}
		return fmt.Errorf("column %s is %s (%s), plane %s wants %s (%s): name the unit of the column, or map another one",
			it.Column, from.what(), source, p.Name, to.what(), p.Unit)
	}
	it.conv = conv
	it.how = fmt.Sprintf("%s -> %s (%s)", from.text, to.text, conv)
	if conv.trivial() {
		it.how = "in " + to.text
	}
	return nil
}

// count reads every .csv once to count its rows, and compares all lengths.
func (s *Source) count() (problems []error) {
	csvRows := map[string]int{}
	lengthOf := func(c Column) (int, error) {
		if n, ok := csvRows[c.File]; ok {
			return n, nil
		}
		t, err := openCSV(c.File)
		if err != nil {
			return 0, err
		}
		defer t.close()
		for {
			if s.stopped(t.rows) {
				return 0, ErrStopped
			}
			if _, err := t.next(); errors.Is(err, io.EOF) {
				csvRows[c.File] = t.rows
				return t.rows, nil
			} else if err != nil {
				return 0, err
			}
		}
	}
	type length struct {
		rows int
		by   string
	}
	var lengths []length
	for _, it := range s.items {
		if it.array == nil {
			n, err := lengthOf(it.Column)
			if err != nil {
				problems = append(problems, fmt.Errorf("plane %s: %w", it.Plane, err))
				continue
			}
			it.rows = n
		}
		if s.spec[it.plane].Role == ir.RoleTable {
			continue // it has rows of its own
		}
		lengths = append(lengths, length{it.rows, fmt.Sprintf("plane %s has %s (%s)", it.Plane, engine.Grouped(it.rows), it.Column)})
	}
	if s.labels != nil {
		n, err := s.labelRows(lengthOf)
		if err != nil {
			problems = append(problems, fmt.Errorf("labels: %w", err))
		} else {
			lengths = append(lengths, length{n, fmt.Sprintf("the labels have %s (%s)", engine.Grouped(n), *s.labels)})
		}
	}
	for _, l := range lengths {
		if s.rows < 0 {
			s.rows = l.rows
		}
		if l.rows != s.rows {
			var all []string
			for _, l := range lengths {
				all = append(all, l.by)
			}
			problems = append(problems, fmt.Errorf("one batch has one number of samples: %s", strings.Join(all, ", ")))
			break
		}
	}
	if len(problems) == 0 && s.rows == 0 {
		problems = append(problems, fmt.Errorf("%s has no rows: a batch needs one sample at least", s.first()))
	}
	return problems
}

// first names a column, for errors.
func (s *Source) first() Column {
	if len(s.items) > 0 {
		return s.items[0].Column
	}
	return *s.labels
}

// labelRows checks the label column and gives its length.
func (s *Source) labelRows(lengthOf func(Column) (int, error)) (int, error) {
	c := *s.labels
	if err := c.check(); err != nil {
		return 0, err
	}
	if kindOf(c.File) == kindCSV {
		t, err := openCSV(c.File)
		if err != nil {
			return 0, err
		}
		t.close()
		if _, err := t.findOne(c.Name); err != nil {
			return 0, err
		}
		return lengthOf(c)
	}
	a, err := openArray(c)
	if err != nil {
		return 0, err
	}
	if !a.text() || len(a.shape) != 1 {
		return 0, fmt.Errorf("%s has the shape %s of %s; labels are a list of text", a.what, shapeText(a.shape), a.typeName())
	}
	return a.shape[0], nil
}

// Rows is the number of samples that all mapped columns and the labels have, -1 when there are none. Columns
// of tables, which have lengths of their own, do not count.
func (s *Source) Rows() int { return s.rows }

// Spec is the spec given to Open, with the lengths of the tables that have a column.
func (s *Source) Spec() []ir.Plane {
	spec := slices.Clone(s.spec)
	for _, it := range s.items {
		if p := &spec[it.plane]; p.Role == ir.RoleTable {
			p.Len = it.rows
		}
	}
	return spec
}

// Load reads the mapped columns into planes, which are made of Spec and have N equal to Rows. It
// returns one note for each mapping: what was read, and how units were converted. The error joins the
// first problem of each column; planes then hold part of the values.
func (s *Source) Load(planes *engine.Planes) (notes []string, err error) {
	if s.rows >= 0 && planes.N != s.rows {
		return nil, fmt.Errorf("the columns have %s rows, the batch has %s samples", engine.Grouped(s.rows), engine.Grouped(planes.N))
	}
	var problems []error
	done := map[string]bool{}
	for _, it := range s.items {
		if it.array != nil {
			if err := it.array.load(&target{planes: planes, plane: it.plane, conv: it.conv}, s.stop); err != nil {
				problems = append(problems, err)
			}
		} else if !done[it.File] {
			done[it.File] = true
			problems = append(problems, s.loadCSV(it.File, planes)...)
		}
		notes = append(notes, fmt.Sprintf("plane %s: %s from %s, %s", it.Plane, engine.Counted(it.rows, "value"), it.Column, it.how))
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return notes, nil
}

// loadCSV reads all columns of one file in one pass.
func (s *Source) loadCSV(file string, planes *engine.Planes) (problems []error) {
	t, err := openCSV(file)
	if err != nil {
		return []error{err}
	}
	defer t.close()
	type reader struct {
		*item
		target
		bad bool
	}
	rows := 0
	var readers []*reader
	for _, it := range s.items {
		if it.array != nil || it.File != file {
			continue
		}
		cols, err := t.find(it.Name, planes.Spec[it.plane].Dims)
		if err != nil || fmt.Sprint(cols) != fmt.Sprint(it.cols) {
			return []error{fmt.Errorf("%s changed while it was read", file)}
		}
		rows = it.rows
		readers = append(readers, &reader{item: it, target: target{planes: planes, plane: it.plane, conv: it.conv}})
	}
	for i := 0; ; i++ {
		if s.stopped(i) {
			return append(problems, ErrStopped)
		}
		record, err := t.next()
		if errors.Is(err, io.EOF) {
			if i != rows {
				problems = append(problems, fmt.Errorf("%s changed while it was read: it had %s rows and has %s", file, engine.Grouped(rows), engine.Grouped(i)))
			}
			return problems
		}
		if err != nil {
			return append(problems, err)
		}
		if i >= rows {
			continue
		}
		for _, r := range readers {
			if r.bad {
				continue
			}
			for c, col := range r.cols {
				v, err := parseValue(record[col], r.typ(), !r.target.conv.trivial())
				if err == nil {
					err = r.put(i, c, v)
				}
				if err != nil {
					r.bad = true
					problems = append(problems, cellRefusal(t, r.item, record[col], r.typ(), err))
					break
				}
			}
		}
	}
}

// cellRefusal is the sentence for a cell that a plane cannot take.
func cellRefusal(t *csvTable, it *item, cell string, typ ir.Type, err error) error {
	if strings.TrimSpace(cell) == "" {
		return fmt.Errorf("%s: the cell in %s is empty; plane %s needs a value for every sample", it.Column, t.where(), it.Plane)
	}
	hint := ""
	if errors.Is(err, errNoNumber) && typ != ir.Bool {
		hint = "; a text column can be kept as labels, not be a plane"
	}
	return fmt.Errorf("%s: %s holds %s, which %w (plane %s is %s)%s", it.Column, t.where(), quoted(cell), err, it.Plane, typ.GoName(), hint)
}

// Labels reads the label column, nil when there is none. Text is kept as the file has it.
func (s *Source) Labels() ([]string, error) {
	if s.labels == nil {
		return nil, nil
	}
	c := *s.labels
	if kindOf(c.File) != kindCSV {
		a, err := openArray(c)
		if err != nil {
			return nil, err
		}
		return a.loadText()
	}
	t, err := openCSV(c.File)
	if err != nil {
		return nil, err
	}
	defer t.close()
	col, err := t.findOne(c.Name)
	if err != nil {
		return nil, err
	}
	var out []string
	for {
		if s.stopped(t.rows) {
			return nil, ErrStopped
		}
		record, err := t.next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		out = append(out, strings.Clone(record[col]))
	}
}
