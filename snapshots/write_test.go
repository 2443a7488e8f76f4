package snapshots

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"codeberg.org/sbinet/npyio/npz"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// writeSpec has every element type, both widths of arrays, and a param.
func writeSpec() []ir.Plane {
	return []ir.Plane{
		{Name: "x_m", Type: ir.F64, Unit: "km"}, // its name ends in another unit than its own
		{Name: "w", Type: ir.F32},
		{Name: "k", Type: ir.I64},
		{Name: "u", Type: ir.U64},
		{Name: "i", Type: ir.I32},
		{Name: "v", Type: ir.U32},
		{Name: "b", Type: ir.Bool},
		{Name: "r", Type: ir.F64, Dims: []int{3}, Unit: "au"},
		{Name: "m", Type: ir.F32, Dims: []int{2, 2}},
		{Name: "dt", Type: ir.F64, Role: ir.RoleParam},
	}
}

// testResults fills three samples with awkward values.
func testResults() *Results {
	p := engine.NewPlanes(writeSpec(), 3)
	copy(engine.View[float64](p, 0), []float64{0.1, math.Float64frombits(ir.NaN64), 5e-324})
	copy(engine.View[float32](p, 1), []float32{0.1, float32(math.Inf(-1)), math.Float32frombits(1)})
	copy(engine.View[int64](p, 2), []int64{math.MinInt64, math.MaxInt64, 1<<53 + 1})
	copy(engine.View[uint64](p, 3), []uint64{math.MaxUint64, 0, 1<<63 + 1})
	copy(engine.View[int32](p, 4), []int32{math.MinInt32, math.MaxInt32, -1})
	copy(engine.View[uint32](p, 5), []uint32{math.MaxUint32, 0, 1})
	copy(p.Bytes(6), []byte{1, 0, 1})
	copy(engine.View[float64](p, 7), []float64{1, 2, 3, 10, 20, 30, math.Copysign(0, -1), 1e300, -1.0 / 3})
	for e := range 12 {
		engine.View[float32](p, 8)[e] = float32(e) / 3
	}
	engine.View[float64](p, 9)[0] = 1e-3
	return &Results{
		Planes: p, MaskName: "terminated", Mask: []byte{1, 0, 2}, StepsTaken: []uint32{5, 100, 0},
		LabelName: "name", Labels: []string{"1P/Halley", `says "hi", twice`, "Ǿ\U0001F985"},
		Observables: []Observable{{Name: "energy", Unit: "J", Values: []float64{0.1, -1e-300, math.Inf(1)}}},
	}
}

// readBack maps every plane of a written file and returns planes and labels. The param is copied, since
// no column can be one.
func readBack(t *testing.T, path string, r *Results) (*engine.Planes, []string) {
	t.Helper()
	var maps []Mapping
	for _, p := range r.Planes.Spec {
		if p.Role != ir.RoleParam {
			maps = append(maps, Mapping{Plane: p.Name, Column: Column{path, p.Name}})
		}
	}
	src, err := Open(maps, &Column{path, "name"}, r.Planes.Spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := engine.NewPlanes(r.Planes.Spec, src.Rows())
	if _, err := src.Load(p); err != nil {
		t.Fatal(err)
	}
	last := len(p.Spec) - 1
	copy(p.Bytes(last), r.Planes.Bytes(last))
	labels, err := src.Labels()
	if err != nil {
		t.Fatal(err)
	}
	return p, labels
}

func TestResultsReadBackToTheSameBits(t *testing.T) {
	t.Chdir(t.TempDir())
	r := testResults()
	for _, path := range []string{"out.npz", "out.csv"} {
		size, err := Write(path, r)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(path); err != nil || info.Size() != size {
			t.Errorf("%s: Write says %d bytes, the file has %v (%v)", path, size, info.Size(), err)
		}
		got, labels := readBack(t, path, r)
		for i := range r.Planes.Spec {
			if !bytes.Equal(got.Bytes(i), r.Planes.Bytes(i)) {
				t.Errorf("%s: plane %s\n got %x\nwant %x", path, r.Planes.Spec[i].Name, got.Bytes(i), r.Planes.Bytes(i))
			}
		}
		if !slices.Equal(labels, r.Labels) {
			t.Errorf("%s: labels %q, want %q", path, labels, r.Labels)
		}
		assertNoTempFiles(t)
	}
}

func TestTheTextOfACSV(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := WriteCSV("out.csv", testResults()); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("out.csv")
	if err != nil {
		t.Fatal(err)
	}
	want := `name,x_m,w,k,u,i,v,b,r_0,r_1,r_2,m_0_0,m_0_1,m_1_0,m_1_1,energy,terminated,steps_taken
1P/Halley,0.1,0.1,-9223372036854775808,18446744073709551615,-2147483648,4294967295,1,1,10,-0,0,1,2,3,0.1,1,5
"says ""hi"", twice",NaN,-Inf,9223372036854775807,0,2147483647,0,0,2,20,1e+300,0.33333334,1.3333334,2.3333333,3.3333333,-1e-300,0,100
Ǿ` + "\U0001F985" + `,5e-324,1e-45,9007199254740993,9223372036854775809,-1,1,1,3,30,-0.3333333333333333,0.6666667,1.6666666,2.6666667,3.6666667,+Inf,2,0
`
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// npyio reads what we wrote: a second opinion on the format.
func TestNPYIOReadsWhatWeWrite(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := WriteNPZ("out.npz", testResults()); err != nil {
		t.Fatal(err)
	}
	z, err := npz.Open("out.npz")
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	var r []float64
	if err := z.Read("r.npy", &r); err != nil || !slices.Equal(r, []float64{1, 10, 0, 2, 20, 1e300, 3, 30, -1.0 / 3}) {
		t.Errorf("r = %v, %v (C order)", r, err)
	}
	var mask []uint8
	if err := z.Read("terminated.npy", &mask); err != nil || !slices.Equal(mask, []uint8{1, 0, 2}) {
		t.Errorf("terminated = %v, %v", mask, err)
	}
	var taken []uint32
	if err := z.Read("steps_taken.npy", &taken); err != nil || !slices.Equal(taken, []uint32{5, 100, 0}) {
		t.Errorf("steps_taken = %v, %v", taken, err)
	}
	var energy []float64
	if err := z.Read("energy.npy", &energy); err != nil || !slices.Equal(energy, []float64{0.1, -1e-300, math.Inf(1)}) {
		t.Errorf("energy = %v, %v", energy, err)
	}
	var k []int64
	if err := z.Read("k.npy", &k); err != nil || !slices.Equal(k, []int64{math.MinInt64, math.MaxInt64, 1<<53 + 1}) {
		t.Errorf("k = %v, %v", k, err)
	}
	for name, want := range map[string]string{"dt.npy": "()", "m.npy": "(3, 2, 2)", "b.npy": "(3,)"} {
		h := z.Header(name)
		if h == nil {
			t.Fatalf("no array %s in %v", name, z.Keys())
		}
		if got := shapeText(h.Descr.Shape); got != want {
			t.Errorf("%s has the shape %s, want %s", name, got, want)
		}
	}
}

// NumPy can map a stored array only when its data is aligned.
func TestHeadersAreAligned(t *testing.T) {
	for n := range 200 {
		b := npyHeaderBytes("'<f8'", make([]int, n))
		if len(b)%64 != 0 || b[len(b)-1] != '\n' {
			t.Fatalf("%d axes: a header of %d bytes", n, len(b))
		}
	}
}

func TestNamesThatAreTaken(t *testing.T) {
	p := engine.NewPlanes([]ir.Plane{{Name: "terminated", Type: ir.F64}, {Name: "label", Type: ir.F64}}, 1)
	r := &Results{Planes: p, Mask: []byte{0}, Labels: []string{"a"}, Observables: []Observable{{Name: "e"}, {Name: "terminated"}}}
	if mask, label, o := r.names(); mask != "terminated_" || label != "label_" || !slices.Equal(o, []string{"e", "terminated__"}) {
		t.Errorf("mask %s, label %s, observables %s", mask, label, o)
	}
	r.LabelName = "steps_taken"
	if _, label, _ := r.names(); label != "steps_taken_" {
		t.Errorf("label %s", label)
	}
}

func TestResultsOfTwoLengthsAreRefused(t *testing.T) {
	r := testResults()
	r.Labels = r.Labels[:2]
	_, err := Write("out.csv", r)
	if want := "the labels have 2 elements, the batch has 3 samples"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %v", err, want)
	}
	if err := CanWrite("out.txt"); err == nil || err.Error() != `"out.txt": cannot tell what kind of file to write: results go to .npz or .csv` {
		t.Errorf("got %v", err)
	}
}

func assertNoTempFiles(t *testing.T) {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".tmp") {
			t.Errorf("%s was left behind", e.Name())
		}
	}
}

func TestAFailedWriteLeavesTheOldFile(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "out.csv", "old")
	broken := errors.New("disk full")
	_, err := writeAtomic("out.csv", func(w io.Writer) error {
		if _, err := w.Write(make([]byte, 1<<20)); err != nil { // past the buffer, into the new file
			t.Fatal(err)
		}
		return broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if got, _ := os.ReadFile("out.csv"); string(got) != "old" {
		t.Errorf("the old file holds %q", got)
	}
	assertNoTempFiles(t)
}

func TestAFileKeepsItsModeAndALinkItsTarget(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "real.csv", "old")
	if err := os.Chmod("real.csv", 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real.csv", "link.csv"); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	if _, err := writeAtomic("link.csv", func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat("real.csv")
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if got, _ := os.ReadFile("real.csv"); string(got) != "new" {
		t.Errorf("the target holds %q", got)
	}
	if info, _ := os.Lstat("link.csv"); info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
	if err := os.Mkdir("dir.npz", 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := WriteNPZ("dir.npz", testResults()); err == nil || err.Error() != "dir.npz is no regular file, it is not replaced" {
		t.Errorf("a folder: %v", err)
	}
}

func TestAnNPZIsTheSameEveryTime(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, path := range []string{"a.npz", "b.npz"} {
		if _, err := WriteNPZ(path, testResults()); err != nil {
			t.Fatal(err)
		}
	}
	a, _ := os.ReadFile("a.npz")
	b, _ := os.ReadFile("b.npz")
	if !bytes.Equal(a, b) {
		t.Error("two files of the same results differ")
	}
	z, err := zip.NewReader(bytes.NewReader(a), int64(len(a)))
	if err != nil || len(z.File) != 14 {
		t.Errorf("%d members, %v", len(z.File), err)
	}
}
