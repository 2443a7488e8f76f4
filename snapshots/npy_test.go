package snapshots

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"codeberg.org/sbinet/npyio/npy"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// npyFile is a .npy as numpy.save writes it (numpy.lib.format, version 1.0): a dictionary with sorted
// keys, padded with spaces, and the elements in the given byte order.
func npyFile(descr string, fortran bool, shape string, order binary.ByteOrder, data any) []byte {
	word := "False"
	if fortran {
		word = "True"
	}
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", descr, word, shape)
	for (10+len(dict)+1)%64 != 0 {
		dict += " "
	}
	var b bytes.Buffer
	b.WriteString("\x93NUMPY\x01\x00")
	binary.Write(&b, binary.LittleEndian, uint16(len(dict)+1))
	b.WriteString(dict + "\n")
	if data != nil {
		binary.Write(&b, order, data)
	}
	return b.Bytes()
}

// npzFile is a .npz of the given members.
func npzFile(t testing.TB, method uint16, members ...any) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		w, err := z.CreateHeader(&zip.FileHeader{Name: members[i].(string), Method: method})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(members[i+1].([]byte)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestElementTypesOfAnNPY(t *testing.T) {
	little, big := binary.LittleEndian, binary.BigEndian
	for name, tc := range map[string]struct {
		file []byte
		want []float64
	}{
		"float64":               {npyFile("<f8", false, "(2,)", little, []float64{1.5, -2}), []float64{1.5, -2}},
		"float64 big-endian":    {npyFile(">f8", false, "(2,)", big, []float64{1.5, -2}), []float64{1.5, -2}},
		"float32":               {npyFile("<f4", false, "(2,)", little, []float32{0.1, -2}), []float64{float64(float32(0.1)), -2}},
		"float16":               {npyFile("<f2", false, "(6,)", little, []uint16{0x3555, 0xc000, 0x0001, 0xfbff, 0x7c00, 0x8000}), []float64{0.333251953125, -2, 0x1p-24, -65504, math.Inf(1), math.Copysign(0, -1)}},
		"float16 big-endian":    {npyFile(">f2", false, "(1,)", big, []uint16{0x3c01}), []float64{1.0009765625}},
		"int8":                  {npyFile("|i1", false, "(2,)", little, []int8{-128, 127}), []float64{-128, 127}},
		"int16":                 {npyFile("<i2", false, "(2,)", little, []int16{-32768, 32767}), []float64{-32768, 32767}},
		"int32 big-endian":      {npyFile(">i4", false, "(2,)", big, []int32{-5, 1 << 30}), []float64{-5, 1 << 30}},
		"int64":                 {npyFile("<i8", false, "(1,)", little, []int64{1<<53 + 1}), []float64{1 << 53}}, // nearest, ties to even
		"uint8":                 {npyFile("|u1", false, "(1,)", little, []uint8{255}), []float64{255}},
		"uint16":                {npyFile("<u2", false, "(1,)", little, []uint16{65535}), []float64{65535}},
		"uint32":                {npyFile("<u4", false, "(1,)", little, []uint32{math.MaxUint32}), []float64{math.MaxUint32}},
		"uint64":                {npyFile("<u8", false, "(1,)", little, []uint64{math.MaxUint64}), []float64{1 << 64}},
		"bool":                  {npyFile("|b1", false, "(2,)", little, []uint8{1, 0}), []float64{1, 0}},
		"no byte order":         {npyFile("=f8", false, "(1,)", little, []float64{7}), []float64{7}},
		"a column of width one": {npyFile("<f8", false, "(2, 1)", little, []float64{7, 8}), []float64{7, 8}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			writeFile(t, "x.npy", string(tc.file))
			p, _, err := load(t, "e=x.npy")
			if err != nil {
				t.Fatal(err)
			}
			got := floats(p, "e")
			for i := range tc.want {
				if len(got) != len(tc.want) || math.Float64bits(got[i]) != math.Float64bits(tc.want[i]) {
					t.Fatalf("got %v, want %v", got, tc.want)
				}
			}
		})
	}
}

// Every float16 against the format's definition: (-1)^s 2^(e-15) (1+m/1024), subnormals m 2^-24.
func TestHalfFloats(t *testing.T) {
	for b := range 1 << 16 {
		sign, e, m := 1-2*float64(b>>15), b>>10&31, float64(b&1023)
		want := sign * math.Ldexp(1+m/1024, e-15)
		switch {
		case e == 0:
			want = sign * math.Ldexp(m, -24)
		case e == 31 && m == 0:
			want = math.Inf(int(sign))
		case e == 31:
			want = math.NaN()
		}
		got := float64(halfFloat(uint16(b)))
		if got != want && !(got != got && want != want) || math.Signbit(got) != (b>>15 == 1) {
			t.Fatalf("%04x: %v, want %v", b, got, want)
		}
	}
}

func TestIntegersKeepEveryBit(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "x.npy", string(npyFile("<i8", false, "(2,)", binary.LittleEndian, []int64{1<<53 + 1, math.MinInt64})))
	p, _, err := load(t, "k=x.npy")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := engine.View[int64](p, p.Index("k")), []int64{1<<53 + 1, math.MinInt64}; !slices.Equal(got, want) {
		t.Errorf("k = %v, want %v", got, want)
	}
}

// The same matrix in both orders: sample i, row j, column l is 100i+10j+l.
func TestOrdersAndShapes(t *testing.T) {
	c := []float64{0, 1, 10, 11, 100, 101, 110, 111, 200, 201, 210, 211}
	f := []float64{0, 100, 200, 10, 110, 210, 1, 101, 201, 11, 111, 211}
	want := []float64{0, 100, 200, 1, 101, 201, 10, 110, 210, 11, 111, 211} // component-major
	for name, file := range map[string][]byte{
		"C order":                 npyFile("<f8", false, "(3, 2, 2)", binary.LittleEndian, c),
		"Fortran order":           npyFile("<f8", true, "(3, 2, 2)", binary.LittleEndian, f),
		"components on one axis":  npyFile("<f8", false, "(3, 4)", binary.LittleEndian, c),
		"version 2 of the header": versionTwo(npyFile("<f8", false, "(3, 4)", binary.LittleEndian, c)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			writeFile(t, "x.npy", string(file))
			p, _, err := load(t, "m=x.npy")
			if err != nil {
				t.Fatal(err)
			}
			if got := floats(p, "m"); !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

// versionTwo rewrites a version 1.0 file with the four length bytes of version 2.0.
func versionTwo(v1 []byte) []byte {
	v2 := append([]byte(nil), v1[:6]...)
	v2 = append(v2, 2, 0, v1[8], v1[9], 0, 0)
	return append(v2, v1[10:]...)
}

func TestWhatAnNPYIsRefusedFor(t *testing.T) {
	one := npyFile("<f8", false, "(1,)", binary.LittleEndian, []float64{1})
	for name, tc := range map[string]struct {
		file  []byte
		plane string
		want  string
	}{
		"no magic": {[]byte("hello, world"), "e", "plane e: x.npy is no .npy array: it does not begin with the letters of one"},
		"nothing":  {nil, "e", "plane e: x.npy is no .npy array: it does not begin with the letters of one"},
		"a header of 4 GiB": {
			[]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"), "e",
			"plane e: x.npy has a header of 4,294,967,295 bytes; at most 65,536 are read",
		},
		"an unknown version": {append([]byte("\x93NUMPY\x07\x00"), one[8:]...), "e", "plane e: x.npy is of .npy version 7; versions 1 to 3 are read"},
		"2^60 elements": {
			npyFile("<f8", false, "(1152921504606846976,)", binary.LittleEndian, []float64{1}), "e",
			"plane e: x.npy claims the shape (1152921504606846976,), which no file can hold",
		},
		"2^40 elements": {
			npyFile("<f8", false, "(1099511627776,)", binary.LittleEndian, []float64{1}), "e",
			"plane e: x.npy claims the shape (1099511627776,) of float64, which takes 8,796,093,022,208 bytes, but has 8: the file is cut off or damaged",
		},
		"2^61 by three axes": {
			npyFile("<f8", false, "(2097152, 2097152, 2097152)", binary.LittleEndian, nil), "m",
			"plane m: x.npy claims the shape (2097152, 2097152, 2097152), which no file can hold",
		},
		"a shape beyond all integers": {
			npyFile("<f8", false, "(99999999999999999999,)", binary.LittleEndian, nil), "e",
			"plane e: x.npy: its shape (99999999999999999999,) is out of reach",
		},
		"an end that is missing": {one[:len(one)-1], "e", "plane e: x.npy claims the shape (1,) of float64, which takes 8 bytes, but has 7: the file is cut off or damaged"},
		"an end too many":        {append(slices.Clone(one), 0), "e", "plane e: x.npy has 1 bytes more than its shape (1,) of float64 takes: the file is damaged"},
		"one value":              {npyFile("<f8", false, "()", binary.LittleEndian, []float64{1}), "e", "plane e: x.npy holds one value, not one per sample"},
		"no rows":                {npyFile("<f8", false, "(0,)", binary.LittleEndian, nil), "e", "x.npy has no rows: a batch needs one sample at least"},
		"the sample axis last":   {npyFile("<f8", false, "(3, 2)", binary.LittleEndian, make([]float64, 6)), "r", "plane r: x.npy has the shape (3, 2), the plane wants (n, 3): the first axis is the sample"},
		"text":                   {npyFile("<U1", false, "(1,)", binary.LittleEndian, []uint32{'a'}), "e", "plane e: x.npy holds text, which no plane takes; a text column can be kept as labels"},
		"complex numbers":        {npyFile("<c16", false, "(1,)", binary.LittleEndian, []float64{1, 2}), "e", "plane e: x.npy holds complex128, which no plane takes"},
		"pickled objects":        {npyFile("|O", false, "(1,)", binary.LittleEndian, []float64{1}), "e", `plane e: x.npy holds elements of type "|O", which are not read`},
		"a record type": {
			bytes.Replace(npyFile("XXXXXXXX", false, "(1,)", binary.LittleEndian, []float64{1}), []byte("'XXXXXXXX'"), []byte("[('a','i')]"), 1), "e",
			`plane e: x.npy: cannot read its header "{'descr': [('a','i')], 'fortran_order': "...`,
		},
		"a fraction for an integer plane": {npyFile("<f8", false, "(2,)", binary.LittleEndian, []float64{1, 1.5}), "k", "x.npy: row 2 holds 1.5, which is no whole number (plane k)"},
		"an integer out of range":         {npyFile("<u8", false, "(1,)", binary.LittleEndian, []uint64{1 << 63}), "k", "x.npy: row 1 holds 9223372036854775808, which is out of range for int64 (plane k)"},
		"a two for a bool plane":          {npyFile("|u1", false, "(1,)", binary.LittleEndian, []uint8{2}), "b", "x.npy: row 1 holds 2, which is neither 0 nor 1, true nor false (plane b)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			writeFile(t, "x.npy", string(tc.file))
			_, _, err := load(t, tc.plane+"=x.npy")
			if err == nil || err.Error() != tc.want {
				t.Errorf("\n got %v\nwant %v", err, tc.want)
			}
		})
	}
}

func TestArraysOfAnNPZ(t *testing.T) {
	x := npyFile("<f8", false, "(2,)", binary.LittleEndian, []float64{1, 2})
	names := npyFile("<U3", false, "(2,)", binary.LittleEndian, []uint32{'a', 0x1F985, 0, 0, 0, 0})
	bytesNames := npyFile("|S3", false, "(2,)", binary.LittleEndian, []byte("ab\x00c\x00\x00"))
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		t.Chdir(t.TempDir())
		writeFile(t, "f.npz", string(npzFile(t, method, "x.npy", x, "name.npy", names, "s.npy", bytesNames, "readme.txt", []byte("hi"))))
		writeFile(t, "one.npz", string(npzFile(t, method, "arr_0.npy", x)))
		for _, mapping := range []string{"e=f.npz#x", "e=one.npz", "e=one.npz#arr_0", "e=one.npz#arr_0.npy"} {
			p, _, err := load(t, mapping)
			if err != nil {
				t.Fatal(err)
			}
			if got := floats(p, "e"); !slices.Equal(got, []float64{1, 2}) {
				t.Errorf("%s: %v", mapping, got)
			}
		}
		for column, want := range map[string][]string{"name": {"a\U0001F985", ""}, "s": {"ab", "c"}} {
			src, err := Open(nil, &Column{"f.npz", column}, testSpec(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := src.Labels(); err != nil || !slices.Equal(got, want) {
				t.Errorf("labels %s: %q, %v, want %q", column, got, err, want)
			}
		}
		for mapping, want := range map[string]string{
			"e=f.npz":      "plane e: f.npz has 3 arrays: write f.npz#ARRAY with one of name, s, x",
			"e=f.npz#nane": `plane e: f.npz has no array "nane" (did you mean name?); its arrays are name, s, x`,
		} {
			if _, _, err := load(t, mapping); err == nil || err.Error() != want {
				t.Errorf("%s:\n got %v\nwant %s", mapping, err, want)
			}
		}
		_, err := Open(nil, &Column{"f.npz", "x"}, testSpec(), nil)
		if want := "labels: f.npz#x has the shape (2,) of float64; labels are a list of text"; err == nil || err.Error() != want {
			t.Errorf("got %v, want %v", err, want)
		}
	}
}

func TestDamagedNPZ(t *testing.T) {
	t.Chdir(t.TempDir())
	x := npyFile("<f8", false, "(2,)", binary.LittleEndian, []float64{1, 2})
	good := npzFile(t, zip.Store, "x.npy", x)
	flipped := slices.Clone(good)
	flipped[bytes.Index(good, x)+len(x)-1] ^= 1 // in the data: the checksum no longer fits
	writeFile(t, "f.npz", string(flipped))
	if _, _, err := load(t, "e=f.npz#x"); err == nil || err.Error() != "f.npz#x: zip: checksum error" {
		t.Errorf("a flipped bit: %v", err)
	}
	// The directory claims 2^60 bytes for the member: a zip64 size in a hand-made header.
	huge := hugeMember(t)
	writeFile(t, "f.npz", string(huge))
	before := allocated()
	_, _, err := load(t, "e=f.npz#x")
	if err == nil || !strings.Contains(err.Error(), "which cannot be: the file is damaged") {
		t.Errorf("a claim of 2^60 bytes: %v", err)
	}
	if took := allocated() - before; took > 8<<20 {
		t.Errorf("a claim of 2^60 bytes allocated %d bytes", took)
	}
	writeFile(t, "f.npz", "PK nothing")
	if _, _, err := load(t, "e=f.npz#x"); err == nil || err.Error() != "plane e: f.npz: zip: not a valid zip file" {
		t.Errorf("no zip: %v", err)
	}
}

// hugeMember is a .npz whose one array says, in zip directory and .npy header alike, that it has 2^57
// elements.
func hugeMember(t testing.TB) []byte {
	body := npyFile("<f8", false, "(144115188075855872,)", binary.LittleEndian, []float64{1})
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	h := &zip.FileHeader{Name: "x.npy", Method: zip.Deflate, UncompressedSize64: 1<<60 + 128, CompressedSize64: uint64(len(body))}
	w, err := z.CreateRaw(h)
	if err == nil {
		_, err = w.Write(body)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// What npyio writes, an implementation that is not ours, reads the same here.
func TestReadsWhatNPYIOWrites(t *testing.T) {
	t.Chdir(t.TempDir())
	var b bytes.Buffer
	if err := npy.Write(&b, [][3]float64{{1, 2, 3}, {4, 5, 6}}); err != nil {
		t.Fatal(err)
	}
	writeFile(t, "r.npy", b.String())
	p, _, err := load(t, "r=r.npy")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := floats(p, "r"), []float64{1, 4, 2, 5, 3, 6}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func fuzzArray(t *testing.T, file string, c Column) {
	spec := []ir.Plane{{Name: "e", Type: ir.F64}, {Name: "k", Type: ir.I32}, {Name: "m", Type: ir.F32, Dims: []int{2, 2}}}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	before := allocated()
	for i := range spec {
		src, err := Open([]Mapping{{Plane: spec[i].Name, Column: c}}, nil, spec, nil)
		if err != nil {
			continue
		}
		if int64(src.Rows()) > info.Size()*maxDeflate {
			t.Fatalf("%d rows in %d bytes", src.Rows(), info.Size())
		}
		if src.Rows() > 1<<20 {
			continue
		}
		_, _ = src.Load(engine.NewPlanes(spec, src.Rows()))
	}
	if src, err := Open(nil, &c, spec, nil); err == nil && src.Rows() < 1<<20 {
		_, _ = src.Labels()
	}
	if took := allocated() - before; took > 1<<30 {
		t.Fatalf("%d bytes allocated for a file of %d", took, info.Size())
	}
}

func FuzzNPY(f *testing.F) {
	f.Add(npyFile("<f8", false, "(2,)", binary.LittleEndian, []float64{1, 2}))
	f.Add(npyFile(">i4", true, "(2, 2, 2)", binary.BigEndian, make([]int32, 8)))
	f.Add(npyFile("<U2", false, "(1,)", binary.LittleEndian, []uint32{'a', 0x110000}))
	f.Add(npyFile("<f8", false, "(0, 1152921504606846976)", binary.LittleEndian, nil))
	f.Add(versionTwo(npyFile("|b1", false, "(3,)", binary.LittleEndian, []byte{0, 1, 2})))
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(t.TempDir(), "x.npy")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		fuzzArray(t, file, Column{File: file})
	})
}

func FuzzNPZ(f *testing.F) {
	x := npyFile("<f8", false, "(2,)", binary.LittleEndian, []float64{1, 2})
	f.Add(npzFile(f, zip.Store, "x.npy", x))
	f.Add(npzFile(f, zip.Deflate, "x.npy", x, "y.npy", x[:40]))
	f.Add(hugeMember(f))
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(t.TempDir(), "x.npz")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		fuzzArray(t, file, Column{file, "x"})
		fuzzArray(t, file, Column{File: file})
	})
}
