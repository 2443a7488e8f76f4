package snapshots

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"codeberg.org/sbinet/npyio/npy"

	"github.com/eaglet-workbench/eaglet/engine"
)

// maxNPYHeader is the longest header that is read; NumPy's own limit for untrusted files is 10,000 bytes.
const maxNPYHeader = 1 << 16

// npyHeader is what a .npy header says: version 1.0, 2.0 or 3.0 of "NumPy Enhancement Proposal 1, A
// Simple File Format for NumPy Arrays" (Kern 2007) and numpy.lib.format.
type npyHeader struct {
	order   binary.ByteOrder
	letter  byte // b bool, i, u, f, U text in UCS-4, S bytes
	size    int  // bytes of one element
	fortran bool
	shape   []int
	bytes   int // of the header, magic included
}

// One dictionary entry each, in any order; anything else in the header is refused.
var (
	npyDict  = regexp.MustCompile(`^\{\s*((?:'[a-z_]+'\s*:\s*(?:'[^']*'|True|False|\([0-9, ]*\))\s*,?\s*){3})\}\s*$`)
	npyEntry = regexp.MustCompile(`'([a-z_]+)'\s*:\s*('[^']*'|True|False|\([0-9, ]*\))`)
	npyDescr = regexp.MustCompile(`^'([<>|=])([a-zA-Z])([0-9]{1,6})'$`)
)

// readNPYHeader reads a header and leaves r at the first element. what names the array in errors.
func readNPYHeader(r io.Reader, what string) (*npyHeader, error) {
	var fixed [12]byte
	if _, err := io.ReadFull(r, fixed[:8]); err != nil || !bytes.Equal(fixed[:6], npy.Magic[:]) {
		return nil, fmt.Errorf("%s is no .npy array: it does not begin with the letters of one", what)
	}
	h := &npyHeader{bytes: 10}
	lengthBytes := fixed[8:10]
	switch fixed[6] {
	case 1:
	case 2, 3:
		lengthBytes = fixed[8:12]
		h.bytes = 12
	default:
		return nil, fmt.Errorf("%s is of .npy version %d; versions 1 to 3 are read", what, fixed[6])
	}
	if _, err := io.ReadFull(r, lengthBytes); err != nil {
		return nil, fmt.Errorf("%s is cut off in its header", what)
	}
	length := int64(binary.LittleEndian.Uint16(fixed[8:10]))
	if len(lengthBytes) == 4 {
		length = int64(binary.LittleEndian.Uint32(fixed[8:12]))
	}
	if length > maxNPYHeader {
		return nil, fmt.Errorf("%s has a header of %s bytes; at most %s are read", what, engine.Grouped(int(length)), engine.Grouped(maxNPYHeader))
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, fmt.Errorf("%s is cut off in its header", what)
	}
	h.bytes += int(length)
	return h, h.parse(string(text), what)
}

// parse reads the dictionary.
func (h *npyHeader) parse(text, what string) error {
	m := npyDict.FindStringSubmatch(text)
	if m == nil {
		return fmt.Errorf("%s: cannot read its header %s", what, quoted(strings.TrimSpace(text)))
	}
	seen := map[string]string{}
	for _, e := range npyEntry.FindAllStringSubmatch(m[1], -1) {
		seen[e[1]] = e[2]
	}
	if len(seen) != 3 || seen["descr"] == "" || seen["fortran_order"] == "" || seen["shape"] == "" {
		return fmt.Errorf("%s: its header does not say descr, fortran_order and shape: %s", what, quoted(strings.TrimSpace(text)))
	}
	d := npyDescr.FindStringSubmatch(seen["descr"])
	if d == nil {
		return fmt.Errorf("%s holds elements of type %s, which are not read", what, quoted(strings.Trim(seen["descr"], "'")))
	}
	h.order = binary.LittleEndian
	if d[1] == ">" {
		h.order = binary.BigEndian
	}
	h.letter = d[2][0]
	h.size, _ = strconv.Atoi(d[3])
	if h.letter == 'U' {
		h.size *= 4
	}
	switch f := seen["fortran_order"]; f {
	case "True", "False":
		h.fortran = f == "True"
	default:
		return fmt.Errorf("%s: fortran_order is %s, neither True nor False", what, f)
	}
	if !strings.HasPrefix(seen["shape"], "(") {
		return fmt.Errorf("%s: its shape is %s, no list of numbers", what, seen["shape"])
	}
	for s := range strings.SplitSeq(strings.Trim(seen["shape"], "()"), ",") {
		if s = strings.TrimSpace(s); s == "" {
			continue
		}
		n, err := strconv.Atoi(s)
		if err != nil {
			return fmt.Errorf("%s: its shape %s is out of reach", what, seen["shape"])
		}
		h.shape = append(h.shape, n)
	}
	return nil
}

// typeName is the element type as NumPy says it.
func (h *npyHeader) typeName() string {
	switch h.letter {
	case 'b':
		return "bool"
	case 'U', 'S':
		return "text"
	}
	name, ok := map[byte]string{'i': "int", 'u': "uint", 'f': "float", 'c': "complex", 'M': "datetime", 'm': "timedelta"}[h.letter]
	if !ok {
		return strconv.Quote(string(h.letter) + strconv.Itoa(h.size))
	}
	return name + strconv.Itoa(h.size*8)
}

// text says whether the elements are strings.
func (h *npyHeader) text() bool { return h.letter == 'U' || h.letter == 'S' }

// number says whether the elements can be values of a plane.
func (h *npyHeader) number() bool {
	switch h.letter {
	case 'b':
		return h.size == 1
	case 'i', 'u':
		return h.size == 1 || h.size == 2 || h.size == 4 || h.size == 8
	case 'f':
		return h.size == 2 || h.size == 4 || h.size == 8
	}
	return false
}

// dataBytes is the size of the elements; an error when it does not fit an int64 or a batch.
func (h *npyHeader) dataBytes(what string) (int64, error) {
	total := int64(h.size)
	for _, n := range h.shape {
		if n != 0 && total > math.MaxInt64/int64(n) {
			return 0, fmt.Errorf("%s claims the shape %s, which no file can hold", what, shapeText(h.shape))
		}
		total *= int64(n)
	}
	return total, nil
}

func shapeText(shape []int) string {
	var b strings.Builder
	b.WriteByte('(')
	for i, n := range shape {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(n))
	}
	if len(shape) == 1 {
		b.WriteByte(',')
	}
	b.WriteByte(')')
	return b.String()
}

// npyHeaderBytes writes a version 1.0 header in the form of NumPy itself, data aligned to 64 bytes.
func npyHeaderBytes(descr string, shape []int) []byte {
	dict := fmt.Sprintf("{'descr': %s, 'fortran_order': False, 'shape': %s, }", descr, shapeText(shape))
	const fixed = 10
	pad := (64 - (fixed+len(dict)+1)%64) % 64
	b := append([]byte(nil), npy.Magic[:]...)
	b = append(b, 1, 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(dict)+1+pad))
	b = append(b, dict...)
	b = append(b, bytes.Repeat([]byte{' '}, pad)...)
	return append(b, '\n')
}
