package snapshots

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"codeberg.org/sbinet/npyio/npy"

	"github.com/eaglet-workbench/eaglet/engine"
)

// array is one array of a file: its header, and a way to read it again from the start.
type array struct {
	what string // for errors: planes.npz#x
	npyHeader
	open func() (io.ReadCloser, error) // at the magic
}

// newArray reads a header and compares what it claims with what there is: size is the bytes of the array,
// header included, that the file can hold at most; exact says that it must be that many.
func newArray(what string, open func() (io.ReadCloser, error), size int64, exact bool) (*array, error) {
	r, err := open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	h, err := readNPYHeader(r, what)
	if err != nil {
		return nil, err
	}
	data, err := h.dataBytes(what)
	if err != nil {
		return nil, err
	}
	switch have := size - int64(h.bytes); {
	case data > have:
		return nil, fmt.Errorf("%s claims the shape %s of %s, which takes %s bytes, but has %s: the file is cut off or damaged",
			what, shapeText(h.shape), h.typeName(), engine.Grouped(int(data)), engine.Grouped(int(max(have, 0))))
	case exact && data < have:
		return nil, fmt.Errorf("%s has %s bytes more than its shape %s of %s takes: the file is damaged",
			what, engine.Grouped(int(have-data)), shapeText(h.shape), h.typeName())
	}
	return &array{what: what, npyHeader: *h, open: open}, nil
}

// openNPY finds the array of a .npy file.
func openNPY(file string) (*array, error) {
	f, size, err := openRegular(file)
	if err != nil {
		return nil, err
	}
	f.Close()
	return newArray(file, func() (io.ReadCloser, error) {
		f, _, err := openRegular(file)
		return f, err
	}, size, true)
}

// rows is the number of samples: the first axis. dims are the plane's. The other axes must be the
// plane's own, or one axis over all its components in row-major order.
func (a *array) rows(dims []int) (int, error) {
	if len(a.shape) == 0 {
		return 0, fmt.Errorf("%s holds one value, not one per sample", a.what)
	}
	if a.shape[0] > maxRows {
		return 0, fmt.Errorf("%s has %s rows; at most %s are read", a.what, engine.Grouped(a.shape[0]), engine.Grouped(maxRows))
	}
	rest := a.shape[1:]
	same := len(rest) == len(dims)
	for k := range rest {
		same = same && rest[k] == dims[k]
	}
	w := width(dims)
	if same || len(rest) == 0 && w == 1 || len(rest) == 1 && rest[0] == w {
		return a.shape[0], nil
	}
	want := "(n,)"
	if len(dims) > 0 {
		want = "(n, " + strings.TrimPrefix(shapeText(dims), "(")
		want = strings.ReplaceAll(want, ",)", ")")
	}
	return 0, fmt.Errorf("%s has the shape %s, the plane wants %s: the first axis is the sample", a.what, shapeText(a.shape), want)
}

// place tells which sample and component element k of the file is. The first axis is the sample;
// component c counts the other axes in row-major order, as a plane does.
func (a *array) place(k int) (i, c int) {
	w := width(a.shape[1:])
	if !a.fortran {
		return k / w, k % w
	}
	n := a.shape[0]
	i, k = k%n, k/n
	for axis := 1; axis < len(a.shape); axis++ {
		d := a.shape[axis]
		j := k % d
		k /= d
		// Row-major: the later axes run faster.
		c = c*d + j
	}
	return i, c
}

// elements is the number of elements.
func (a *array) elements() int { return width(a.shape) }

// load streams the elements into a plane. The bytes are decoded by npyio, from behind a header of our own
// making, so that npyio never sees a header that a stranger wrote.
func (a *array) load(t *target, stop *engine.Stop) error {
	r, err := a.open()
	if err != nil {
		return err
	}
	defer r.Close()
	h, err := readNPYHeader(r, a.what)
	if err != nil {
		return err
	}
	if fmt.Sprint(*h) != fmt.Sprint(a.npyHeader) {
		return fmt.Errorf("%s changed while it was read", a.what)
	}
	in := &counter{r: r}
	decode, err := a.decoder(in)
	if err != nil {
		return err
	}
	total := a.elements()
	chunk := make([]value, min(total, 4096))
	for k := 0; k < total; {
		if stop.IsSet() {
			return ErrStopped
		}
		part := chunk[:min(len(chunk), total-k)]
		if err := decode(part); err != nil {
			return fmt.Errorf("%s: element %s: %w", a.what, engine.Grouped(k), err)
		}
		for _, v := range part {
			i, c := a.place(k)
			if err := t.put(i, c, v); err != nil {
				return fmt.Errorf("%s: row %s holds %s, which %w (plane %s)", a.what, engine.Grouped(i+1), v, err, t.planes.Spec[t.plane].Name)
			}
			k++
		}
	}
	return in.finish(a.what)
}

// String writes the number for an error.
func (v value) String() string {
	switch v.kind {
	case intValue:
		return strconv.FormatInt(v.i, 10)
	case uintValue:
		return strconv.FormatUint(v.u, 10)
	default:
		return strconv.FormatFloat(v.f, 'g', -1, 64)
	}
}

// decoder gives a function that reads the next values. float16 is read as its bits and widened here.
func (a *array) decoder(in *counter) (func([]value) error, error) {
	descr := fmt.Sprintf("'%c%c%d'", map[binary.ByteOrder]byte{binary.LittleEndian: '<', binary.BigEndian: '>'}[a.order], a.letter, a.size)
	half := a.letter == 'f' && a.size == 2
	switch {
	case a.letter == 'b':
		descr = "'|b1'"
	case a.size == 1:
		descr = fmt.Sprintf("'|%c1'", a.letter)
	case half:
		descr = strings.Replace(descr, "f", "u", 1)
	}
	head := npyHeaderBytes(descr, []int{a.elements()})
	nr, err := npy.NewReader(io.MultiReader(bytes.NewReader(head), in))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.what, err)
	}
	in.n = 0
	switch {
	case half:
		return decodeAs(nr, in, func(b uint16) value { return value{f: float64(halfFloat(b))} }), nil
	case a.letter == 'b':
		return decodeAs(nr, in, func(b bool) value {
			if b {
				return value{f: 1}
			}
			return value{}
		}), nil
	}
	switch fmt.Sprintf("%c%d", a.letter, a.size) {
	case "i1":
		return decodeAs(nr, in, func(x int8) value { return value{kind: intValue, i: int64(x)} }), nil
	case "i2":
		return decodeAs(nr, in, func(x int16) value { return value{kind: intValue, i: int64(x)} }), nil
	case "i4":
		return decodeAs(nr, in, func(x int32) value { return value{kind: intValue, i: int64(x)} }), nil
	case "i8":
		return decodeAs(nr, in, func(x int64) value { return value{kind: intValue, i: x} }), nil
	case "u1":
		return decodeAs(nr, in, func(x uint8) value { return value{kind: uintValue, u: uint64(x)} }), nil
	case "u2":
		return decodeAs(nr, in, func(x uint16) value { return value{kind: uintValue, u: uint64(x)} }), nil
	case "u4":
		return decodeAs(nr, in, func(x uint32) value { return value{kind: uintValue, u: uint64(x)} }), nil
	case "u8":
		return decodeAs(nr, in, func(x uint64) value { return value{kind: uintValue, u: x} }), nil
	case "f4":
		return decodeAs(nr, in, func(x float32) value { return value{f: float64(x)} }), nil
	case "f8":
		return decodeAs(nr, in, func(x float64) value { return value{f: x} }), nil
	}
	return nil, fmt.Errorf("%s holds %s, which no plane takes", a.what, a.typeName())
}

// decodeAs reads elements of type T. npyio fills a slice that has a length, and goes on from there at the
// next call; it takes the end of the file for the end of the array, so the bytes are counted here.
func decodeAs[T any](nr *npy.Reader, in *counter, as func(T) value) func([]value) error {
	var buf []T
	size := int64(binary.Size(*new(T)))
	return func(out []value) error {
		if cap(buf) < len(out) {
			buf = make([]T, len(out))
		}
		buf = buf[:len(out)]
		before := in.n
		if err := nr.Read(&buf); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if in.n-before != size*int64(len(out)) {
			return io.ErrUnexpectedEOF
		}
		for i, x := range buf {
			out[i] = as(x)
		}
		return nil
	}
}

// halfFloat widens an IEEE 754 binary16, exactly.
func halfFloat(b uint16) float32 {
	sign := uint32(b&0x8000) << 16
	exponent, mantissa := uint32(b>>10&0x1f), uint32(b&0x3ff)
	switch exponent {
	case 0x1f:
		return math.Float32frombits(sign | 0x7f800000 | mantissa<<13)
	case 0:
		x := float32(mantissa) * 0x1p-24
		return math.Float32frombits(math.Float32bits(x) | sign)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | mantissa<<13)
}

// loadText reads a one-dimensional array of strings; trailing zeros are padding.
func (a *array) loadText() ([]string, error) {
	if !a.text() || len(a.shape) != 1 || a.size == 0 && a.shape[0] > 0 {
		return nil, fmt.Errorf("%s has the shape %s of %s; labels are a list of text", a.what, shapeText(a.shape), a.typeName())
	}
	if a.shape[0] > maxRows {
		return nil, fmt.Errorf("%s has %s rows; at most %s are read", a.what, engine.Grouped(a.shape[0]), engine.Grouped(maxRows))
	}
	r, err := a.open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if _, err := readNPYHeader(r, a.what); err != nil {
		return nil, err
	}
	in := &counter{r: r}
	cell := make([]byte, a.size)
	var out []string
	for i := range a.shape[0] {
		if _, err := io.ReadFull(in, cell); err != nil {
			return nil, fmt.Errorf("%s: row %s: %w", a.what, engine.Grouped(i+1), err)
		}
		var b strings.Builder
		if a.letter == 'S' {
			b.WriteString(strings.ToValidUTF8(string(bytes.TrimRight(cell, "\x00")), "\uFFFD"))
		} else {
			end := len(cell)
			for end >= 4 && a.order.Uint32(cell[end-4:]) == 0 {
				end -= 4
			}
			for k := 0; k < end; k += 4 {
				c := a.order.Uint32(cell[k:])
				if c > utf8.MaxRune {
					c = utf8.RuneError
				}
				b.WriteRune(rune(c))
			}
		}
		out = append(out, b.String())
	}
	return out, in.finish(a.what)
}

// counter counts the bytes that were read through a buffer.
type counter struct {
	r   io.Reader
	buf []byte // what is left of the block
	mem []byte
	n   int64
	err error
}

func (c *counter) Read(p []byte) (int, error) {
	if len(c.buf) == 0 && c.err == nil {
		if c.mem == nil {
			c.mem = make([]byte, 1<<16)
		}
		var n int
		n, c.err = io.ReadFull(c.r, c.mem)
		if errors.Is(c.err, io.ErrUnexpectedEOF) {
			c.err = io.EOF
		}
		c.buf = c.mem[:n]
	}
	if len(c.buf) == 0 && len(p) > 0 {
		return 0, c.err
	}
	n := copy(p, c.buf)
	c.buf = c.buf[n:]
	c.n += int64(n)
	return n, nil
}

// finish reads on to the end, where a .npz member has its checksum; more data is a damaged file.
func (c *counter) finish(what string) error {
	var one [1]byte
	n, err := c.Read(one[:])
	switch {
	case n > 0:
		return fmt.Errorf("%s has more data than its shape takes: the file is damaged", what)
	case err != nil && !errors.Is(err, io.EOF):
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
