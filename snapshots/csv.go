package snapshots

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/eaglet-workbench/eaglet/engine"
)

const (
	// maxRecordBytes is the longest row of a .csv, so that a quote that is never closed cannot take
	// memory without bound.
	maxRecordBytes = 1 << 20
	// maxRows is the most samples a file may hold; the engines number samples with 32 bits.
	maxRows = math.MaxInt32
)

// csvTable reads the rows of a .csv from the start, one at a time.
type csvTable struct {
	file   string
	header []string
	r      *csv.Reader
	guard  *recordGuard
	f      io.Closer
	rows   int
	line   int // where the next row should begin
}

// openCSV opens a file and reads its header.
func openCSV(file string) (*csvTable, error) {
	f, _, err := openRegular(file)
	if err != nil {
		return nil, err
	}
	t, err := newCSV(file, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	t.f = f
	return t, nil
}

// newCSV reads the header of r; file is its name for errors.
func newCSV(file string, r io.Reader) (*csvTable, error) {
	guard := &recordGuard{r: r, left: maxRecordBytes}
	t := &csvTable{file: file, guard: guard, r: csv.NewReader(guard)}
	t.r.ReuseRecord = true
	header, err := t.r.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s is empty: a .csv begins with a row of column names", file)
	}
	if err != nil {
		return nil, t.refusal(err)
	}
	guard.left = maxRecordBytes
	t.line = t.after(header)
	for i, name := range header {
		if i == 0 {
			name = strings.TrimPrefix(name, "\ufeff")
		}
		t.header = append(t.header, strings.Clone(strings.TrimSpace(name)))
	}
	return t, nil
}

func (t *csvTable) close() {
	if t.f != nil {
		t.f.Close()
	}
}

// next reads a row; its cells are valid until the following call. io.EOF ends the file.
func (t *csvTable) next() ([]string, error) {
	record, err := t.r.Read()
	if errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	if err != nil {
		return nil, t.refusal(err)
	}
	t.guard.left = maxRecordBytes
	t.rows++
	if t.rows > maxRows {
		return nil, fmt.Errorf("%s has more than %s rows", t.file, engine.Grouped(maxRows))
	}
	// The csv reader skips blank lines; in a file of one column a blank line is an empty cell.
	if line, _ := t.r.FieldPos(0); len(record) == 1 && line > t.line {
		return nil, fmt.Errorf("%s: row %s (line %d) is empty", t.file, engine.Grouped(t.rows), t.line)
	}
	t.line = t.after(record)
	return record, nil
}

// after is the line behind the record just read.
func (t *csvTable) after(record []string) int {
	last := len(record) - 1
	line, _ := t.r.FieldPos(last)
	return line + strings.Count(record[last], "\n") + 1
}

// where names the row just read: as a sample counts, and as an editor does.
func (t *csvTable) where() string {
	line, _ := t.r.FieldPos(0)
	return fmt.Sprintf("row %s (line %d)", engine.Grouped(t.rows), line)
}

// refusal says a reading error in the words of this package.
func (t *csvTable) refusal(err error) error {
	if errors.Is(err, errLongRecord) {
		return fmt.Errorf("%s: row %s is longer than %s bytes: is a quote not closed?", t.file, engine.Grouped(t.rows+1), engine.Grouped(maxRecordBytes))
	}
	var p *csv.ParseError
	if errors.As(err, &p) {
		if errors.Is(p.Err, csv.ErrFieldCount) {
			return fmt.Errorf("%s: line %d does not have the %d cells of the header", t.file, p.StartLine, len(t.header))
		}
		return fmt.Errorf("%s: line %d, column %d: %w", t.file, p.Line, p.Column, p.Err)
	}
	return err
}

// find gives the positions of the columns for a plane of the given dimensions: the column itself, or one
// column per component, named NAME_0 or NAME_1_2, for a plane that has several.
func (t *csvTable) find(name string, dims []int) ([]int, error) {
	if width(dims) == 1 {
		if i, err := t.findOne(name); err == nil || len(dims) == 0 {
			return []int{i}, err
		}
	}
	var cols []int
	var missing []string
	for c := range width(dims) {
		component := ComponentName(name, dims, c)
		i, err := t.findOne(component)
		if err != nil {
			missing = append(missing, component)
			continue
		}
		cols = append(cols, i)
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("%s has no column %s: a plane of %d components takes one column each; the columns are %s",
			t.file, listed(missing), width(dims), listed(t.header))
	}
	return cols, nil
}

// findOne gives the position of one column.
func (t *csvTable) findOne(name string) (int, error) {
	i := slices.Index(t.header, name)
	if i < 0 {
		hint := DidYouMean(name, t.header)
		if len(t.header) == 1 && strings.ContainsAny(t.header[0], ";\t") {
			hint = " (cells must be separated by commas)"
		}
		return 0, fmt.Errorf("%s has no column %q%s; its columns are %s", t.file, name, hint, listed(t.header))
	}
	if slices.Index(t.header[i+1:], name) >= 0 {
		return 0, fmt.Errorf("%s has two columns %q: rename one", t.file, name)
	}
	return i, nil
}

// ComponentName is the column of component c of a plane: name_1 or name_0_2, components in row-major order.
func ComponentName(name string, dims []int, c int) string {
	suffix := ""
	for k := len(dims) - 1; k >= 0; k-- {
		suffix = fmt.Sprintf("_%d%s", c%dims[k], suffix)
		c /= dims[k]
	}
	return name + suffix
}

func width(dims []int) int {
	w := 1
	for _, d := range dims {
		w *= d
	}
	return w
}

var errLongRecord = errors.New("record too long")

// recordGuard refuses to supply more bytes once a record has had its share. The csv reader buffers ahead
// by a few KiB, which the generous limit covers.
type recordGuard struct {
	r    io.Reader
	left int
}

func (g *recordGuard) Read(p []byte) (int, error) {
	if g.left <= 0 {
		return 0, errLongRecord
	}
	n, err := g.r.Read(p)
	g.left -= n
	return n, err
}

// openRegular opens a file for reading, and gives its size. Folders and devices are refused: files are
// read twice, and their sizes are relied upon.
func openRegular(file string) (*os.File, int64, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		f.Close()
		return nil, 0, fmt.Errorf("%s is no regular file", file)
	}
	return f, info.Size(), nil
}
