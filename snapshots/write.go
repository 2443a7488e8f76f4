package snapshots

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"unicode/utf8"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Results is a batch as it is written to a file. Slices are nil when there is nothing to write, else they
// have one element per sample.
type Results struct {
	Planes     *engine.Planes
	MaskName   string // the finish declaration's name; "" means terminated
	Mask       []byte
	StepsTaken []uint32
	LabelName  string // the column that the labels came from; "" means label
	Labels     []string
	// Observables are what the kernel computes of a sample besides its planes, as float64.
	Observables []Observable
}

// Observable is one observable of every sample.
type Observable struct {
	Name, Unit string
	Values     []float64
}

// names settles the names of the mask, the labels and the observables: a plane of the same name keeps it.
func (r *Results) names() (mask, label string, observables []string) {
	taken := map[string]bool{"steps_taken": true}
	for i := range r.Planes.Spec {
		taken[r.Planes.Spec[i].Name] = true
	}
	free := func(name, otherwise string) string {
		if name == "" {
			name = otherwise
		}
		for taken[name] {
			name += "_"
		}
		taken[name] = true
		return name
	}
	mask = free(r.MaskName, "terminated")
	for i := range r.Observables {
		observables = append(observables, free(r.Observables[i].Name, "observable"))
	}
	return mask, free(r.LabelName, "label"), observables
}

// check refuses slices of another length than the batch.
func (r *Results) check() error {
	type slice struct {
		name   string
		n      int
		absent bool
	}
	slices := []slice{
		{"the mask", len(r.Mask), r.Mask == nil},
		{"the steps taken", len(r.StepsTaken), r.StepsTaken == nil},
		{"the labels", len(r.Labels), r.Labels == nil},
	}
	for i := range r.Observables {
		slices = append(slices, slice{"the values of " + r.Observables[i].Name, len(r.Observables[i].Values), false})
	}
	for _, s := range slices {
		if !s.absent && s.n != r.Planes.N {
			return fmt.Errorf("%s have %s elements, the batch has %s samples", s.name, engine.Grouped(s.n), engine.Grouped(r.Planes.N))
		}
	}
	return nil
}

// CanWrite says whether Write could begin: it knows the file name's extension, and the folder is there. The
// error is one sentence. A caller asks before a long run, not after it.
func CanWrite(path string) error {
	if kind := kindOf(path); kind != kindCSV && kind != kindNPZ {
		return fmt.Errorf("%q: cannot tell what kind of file to write: results go to .npz or .csv", path)
	}
	folder := filepath.Dir(path)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return fmt.Errorf("%q cannot be written: there is no folder %s; make it first", path, folder)
	}
	return nil
}

// Write writes .npz or .csv by the file name's extension; see [WriteNPZ] and [WriteCSV].
func Write(path string, r *Results) (int64, error) {
	if err := CanWrite(path); err != nil {
		return 0, err
	}
	if kindOf(path) == kindCSV {
		return WriteCSV(path, r)
	}
	return WriteNPZ(path, r)
}

// npyTypes are the element types of planes as NumPy names them.
var npyTypes = [...]string{
	ir.Bool: "'|b1'", ir.I32: "'<i4'", ir.I64: "'<i8'", ir.U32: "'<u4'", ir.U64: "'<u8'", ir.F32: "'<f4'", ir.F64: "'<f8'",
}

// WriteNPZ replaces path atomically by a .npz with one array per plane by its name, shape (n,) or
// (n, dims...) in C order, () or (dims...) for a param, (cells,) for a table; the mask as uint8, steps_taken as uint32,
// observables as float64, labels as text (UCS-4). Arrays are stored, not deflated. It returns the size of the file in bytes.
func WriteNPZ(path string, r *Results) (int64, error) {
	if err := r.check(); err != nil {
		return 0, err
	}
	mask, label, observables := r.names()
	return writeAtomic(path, func(w io.Writer) error {
		z := zip.NewWriter(w)
		add := func(name, descr string, shape []int, data func(io.Writer) error) error {
			m, err := z.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
			if err != nil {
				return err
			}
			b := bufio.NewWriterSize(m, 1<<16)
			b.Write(npyHeaderBytes(descr, shape)) // an error stays with b until Flush
			if err := data(b); err != nil {
				return err
			}
			return b.Flush()
		}
		for i := range r.Planes.Spec {
			p := &r.Planes.Spec[i]
			shape := p.Dims
			switch p.Role {
			case ir.RoleParam:
			case ir.RoleTable:
				shape = []int{p.Len}
			default:
				shape = append([]int{r.Planes.N}, p.Dims...)
			}
			if err := add(p.Name, npyTypes[p.Type], shape, func(w io.Writer) error { return writeRows(w, r.Planes, i) }); err != nil {
				return err
			}
		}
		n := []int{r.Planes.N}
		if r.Mask != nil {
			if err := add(mask, "'|u1'", n, func(w io.Writer) error { _, err := w.Write(r.Mask); return err }); err != nil {
				return err
			}
		}
		if r.StepsTaken != nil {
			if err := add("steps_taken", "'<u4'", n, func(w io.Writer) error {
				return binary.Write(w, binary.LittleEndian, r.StepsTaken)
			}); err != nil {
				return err
			}
		}
		for i, name := range observables {
			if err := add(name, "'<f8'", n, func(w io.Writer) error {
				return binary.Write(w, binary.LittleEndian, r.Observables[i].Values)
			}); err != nil {
				return err
			}
		}
		if r.Labels != nil {
			longest := 1
			for _, s := range r.Labels {
				longest = max(longest, utf8.RuneCountInString(s))
			}
			if err := add(label, fmt.Sprintf("'<U%d'", longest), n, func(w io.Writer) error { return writeText(w, r.Labels, longest) }); err != nil {
				return err
			}
		}
		return z.Close()
	})
}

// writeRows writes plane i sample by sample, little-endian; in memory it lies component by component.
func writeRows(w io.Writer, p *engine.Planes, i int) error {
	size := p.Spec[i].Type.Bytes()
	width := p.Spec[i].Width()
	n := p.Elements(i) / width
	data := p.Bytes(i)
	var cell [8]byte
	for s := range n {
		for c := range width {
			e := (c*n + s) * size
			// Planes lie in the machine's byte order.
			switch size {
			case 1:
				cell[0] = data[e]
			case 4:
				binary.LittleEndian.PutUint32(cell[:], binary.NativeEndian.Uint32(data[e:]))
			default:
				binary.LittleEndian.PutUint64(cell[:], binary.NativeEndian.Uint64(data[e:]))
			}
			if _, err := w.Write(cell[:size]); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeText writes strings in UCS-4, padded with zeros to longest characters each.
func writeText(w io.Writer, text []string, longest int) error {
	cell := make([]byte, 4*longest)
	for _, s := range text {
		clear(cell)
		k := 0
		for _, r := range s {
			binary.LittleEndian.PutUint32(cell[k:], uint32(r))
			k += 4
		}
		if _, err := w.Write(cell); err != nil {
			return err
		}
	}
	return nil
}

// WriteCSV replaces path atomically by a .csv: the labels first, then one column per plane, NAME_0 or
// NAME_0_1 for the components of an array, observables, the mask and steps_taken. Floats are the shortest text
// that reads back to the same bits. Params, one value for the batch, and tables, which have rows of their own, are left out. It returns the size of
// the file in bytes.
func WriteCSV(path string, r *Results) (int64, error) {
	if err := r.check(); err != nil {
		return 0, err
	}
	return writeAtomic(path, func(w io.Writer) error {
		out := csv.NewWriter(w)
		header, cells := r.csvColumns()
		if err := out.Write(header); err != nil {
			return err
		}
		record := make([]string, len(cells))
		for i := range r.Planes.N {
			for k, cell := range cells {
				record[k] = cell(i)
			}
			if err := out.Write(record); err != nil {
				return err
			}
		}
		out.Flush()
		return out.Error()
	})
}

// csvColumns gives the header, and for each column the text of sample i.
func (r *Results) csvColumns() (header []string, cells []func(i int) string) {
	mask, label, observables := r.names()
	add := func(name string, cell func(int) string) {
		header = append(header, name)
		cells = append(cells, cell)
	}
	if r.Labels != nil {
		add(label, func(i int) string { return r.Labels[i] })
	}
	for k := range r.Planes.Spec {
		p := &r.Planes.Spec[k]
		if p.Role == ir.RoleParam || p.Role == ir.RoleTable {
			continue
		}
		for c := range p.Width() {
			add(ComponentName(p.Name, p.Dims, c), func(i int) string { return cellText(r.Planes, k, c*r.Planes.N+i) })
		}
	}
	for k, name := range observables {
		add(name, func(i int) string { return strconv.FormatFloat(r.Observables[k].Values[i], 'g', -1, 64) })
	}
	if r.Mask != nil {
		add(mask, func(i int) string { return strconv.Itoa(int(r.Mask[i])) })
	}
	if r.StepsTaken != nil {
		add("steps_taken", func(i int) string { return strconv.FormatUint(uint64(r.StepsTaken[i]), 10) })
	}
	return header, cells
}

// cellText is element e of plane k as text that reads back to the same bits.
func cellText(p *engine.Planes, k, e int) string {
	switch p.Spec[k].Type {
	case ir.Bool:
		return strconv.Itoa(int(p.Bytes(k)[e]))
	case ir.I32:
		return strconv.FormatInt(int64(engine.View[int32](p, k)[e]), 10)
	case ir.I64:
		return strconv.FormatInt(engine.View[int64](p, k)[e], 10)
	case ir.U32:
		return strconv.FormatUint(uint64(engine.View[uint32](p, k)[e]), 10)
	case ir.U64:
		return strconv.FormatUint(engine.View[uint64](p, k)[e], 10)
	case ir.F32:
		return strconv.FormatFloat(float64(engine.View[float32](p, k)[e]), 'g', -1, 32)
	default:
		return strconv.FormatFloat(engine.View[float64](p, k)[e], 'g', -1, 64)
	}
}
