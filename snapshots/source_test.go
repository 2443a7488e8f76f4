package snapshots

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// The planes of the tests.
func testSpec() []ir.Plane {
	return []ir.Plane{
		{Name: "a", Type: ir.F64, Unit: "au"},
		{Name: "i", Type: ir.F64, Unit: "rad"},
		{Name: "e", Type: ir.F64},
		{Name: "k", Type: ir.I64},
		{Name: "b", Type: ir.Bool},
		{Name: "w", Type: ir.F32},
		{Name: "r", Type: ir.F64, Dims: []int{3}},
		{Name: "m", Type: ir.F64, Dims: []int{2, 2}},
		{Name: "u", Type: ir.U32},
		{Name: "odd", Type: ir.F64, Unit: "furlong"},
		{Name: "dt", Type: ir.F64, Role: ir.RoleParam},
	}
}

// writeFile puts text into a file of the test's folder and makes that the current one.
func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// load opens and loads mappings given as text.
func load(t *testing.T, mappings ...string) (*engine.Planes, []string, error) {
	t.Helper()
	var ms []Mapping
	for _, s := range mappings {
		unit := ""
		if m, u, ok := strings.Cut(s, "@"); ok {
			s, unit = m, u
		}
		m, err := ParseMapping(s)
		if err != nil {
			t.Fatal(err)
		}
		m.Unit = unit
		ms = append(ms, m)
	}
	src, err := Open(ms, nil, testSpec(), nil)
	if err != nil {
		return nil, nil, err
	}
	p := engine.NewPlanes(testSpec(), src.Rows())
	notes, err := src.Load(p)
	return p, notes, err
}

func floats(p *engine.Planes, name string) []float64 {
	i := p.Index(name)
	var out []float64
	for e := range p.Elements(i) {
		out = append(out, p.Float(i, e))
	}
	return out
}

const bodies = `name,a_au,i_deg,e,period_yr
"Ceres, the first",2.77,10.5,0.08,4.6
2P/Encke, 2.2 ,11.75,8.5e-1,3.3
Halley,17.8,162.25,0.967,75.3
`

func TestColumnsOfACSV(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "bodies.csv", "\ufeff"+bodies)
	p, notes, err := load(t, "a=bodies.csv#a_au", "i=bodies.csv#i_deg", "e=bodies.csv#e", "w=bodies.csv#period_yr", "odd=bodies.csv#a_au")
	if err != nil {
		t.Fatal(err)
	}
	deg := math.Pi / 180
	for name, want := range map[string][]float64{
		"a": {2.77, 2.2, 17.8},
		"i": {10.5 * deg, 11.75 * deg, 162.25 * deg},
		"e": {0.08, 0.85, 0.967},
		"w": {float64(float32(4.6)), float64(float32(3.3)), float64(float32(75.3))},
	} {
		if got := floats(p, name); !slices.Equal(got, want) {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	wantNotes := []string{
		"plane a: 3 values from bodies.csv#a_au, in au",
		"plane i: 3 values from bodies.csv#i_deg, deg -> rad (times 0.017453292519943295)",
		"plane e: 3 values from bodies.csv#e, as they are",
		"plane w: 3 values from bodies.csv#period_yr, as they are, in yr (the plane names no unit), rounded to float32",
		`plane odd: 3 values from bodies.csv#a_au, as they are, in au (the plane's unit "furlong" is not known)`,
	}
	if !slices.Equal(notes, wantNotes) {
		t.Errorf("notes:\n%s\nwant:\n%s", strings.Join(notes, "\n"), strings.Join(wantNotes, "\n"))
	}
}

func TestAGivenUnitWinsOverTheSuffix(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "f.csv", "x_au,y\n1,180\n")
	p, notes, err := load(t, "a=f.csv#x_au@km", "i=f.csv#y@deg")
	if err != nil {
		t.Fatal(err)
	}
	if a, i := floats(p, "a")[0], floats(p, "i")[0]; a != 1/149597870.7 || i != math.Pi {
		t.Errorf("a = %v, i = %v", a, i)
	}
	if want := "plane a: 1 value from f.csv#x_au, km -> au (times 6.684587122268446e-09)"; notes[0] != want {
		t.Errorf("got %s, want %s", notes[0], want)
	}
}

func TestAColumnCalledAsThePlaneHoldsItsUnit(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "f.csv", "x_m\n2\n")
	spec := []ir.Plane{{Name: "x_m", Type: ir.F64, Unit: "km"}}
	src, err := Open([]Mapping{{Plane: "x_m", Column: Column{"f.csv", "x_m"}}}, nil, spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := engine.NewPlanes(spec, 1)
	notes, err := src.Load(p)
	if err != nil || p.Float(0, 0) != 2 || notes[0] != "plane x_m: 1 value from f.csv#x_m, as they are, taken to be in km" {
		t.Errorf("%v %v %v", p.Float(0, 0), notes, err)
	}
}

func TestArraysOfACSV(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "f.csv", "r_0,r_2,r_1,m_0_0,m_0_1,m_1_0,m_1_1\n1,3,2,10,11,12,13\n4,6,5,20,21,22,23\n")
	p, _, err := load(t, "r=f.csv#r", "m=f.csv#m")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := floats(p, "r"), []float64{1, 4, 2, 5, 3, 6}; !slices.Equal(got, want) {
		t.Errorf("r = %v, want %v (component-major)", got, want)
	}
	if got, want := floats(p, "m"), []float64{10, 20, 11, 21, 12, 22, 13, 23}; !slices.Equal(got, want) {
		t.Errorf("m = %v, want %v (component-major)", got, want)
	}
	_, _, err = load(t, "r=f.csv#m_0")
	if want := "plane r: f.csv has no column m_0_2: a plane of 3 components takes one column each; the columns are r_0, r_2, r_1, m_0_0, m_0_1, m_1_0, m_1_1"; err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %v", err, want)
	}
}

func TestCellsOfIntegersAndBools(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "f.csv", "k,b,u\n9223372036854775807,true,4294967295\n-9223372036854775808,0,0\n3.0,FALSE,1e3\n")
	p, _, err := load(t, "k=f.csv#k", "b=f.csv#b", "u=f.csv#u")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := engine.View[int64](p, p.Index("k")), []int64{math.MaxInt64, math.MinInt64, 3}; !slices.Equal(got, want) {
		t.Errorf("k = %v, want %v", got, want)
	}
	if got, want := floats(p, "b"), []float64{1, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("b = %v, want %v", got, want)
	}
	if got, want := floats(p, "u"), []float64{4294967295, 0, 1000}; !slices.Equal(got, want) {
		t.Errorf("u = %v, want %v", got, want)
	}
}

func TestFloatCells(t *testing.T) {
	t.Chdir(t.TempDir())
	// 1.000000059604644775390625 is half way between two float32; the digits after it decide, which a
	// float64 on the way would lose.
	writeFile(t, "f.csv", "e,w\nNaN,1.00000005960464477539062500000001\n-inf,-0\n")
	p, _, err := load(t, "e=f.csv#e", "w=f.csv#w")
	if err != nil {
		t.Fatal(err)
	}
	e, w := engine.View[float64](p, p.Index("e")), engine.View[float32](p, p.Index("w"))
	if math.Float64bits(e[0]) != ir.NaN64 || !math.IsInf(e[1], -1) {
		t.Errorf("e = %v", e)
	}
	if math.Float32bits(w[0]) != 0x3f800001 || math.Float32bits(w[1]) != 0x80000000 {
		t.Errorf("w = %x %x", math.Float32bits(w[0]), math.Float32bits(w[1]))
	}
}

func TestWhatIsRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		file string
		maps []string
		want string
	}{
		"a text column": {
			bodies,
			[]string{"e=f.csv#name"},
			`f.csv#name: row 1 (line 2) holds "Ceres, the first", which is no number (plane e is float64); a text column can be kept as labels, not be a plane`,
		},
		"an empty cell": {
			"x,y\n1,2\n,3\n",
			[]string{"e=f.csv#x"},
			"f.csv#x: the cell in row 2 (line 3) is empty; plane e needs a value for every sample",
		},
		"an empty line of a single column": {
			"x\n1\n\n2\n",
			[]string{"e=f.csv#x"},
			"plane e: f.csv: row 2 (line 3) is empty",
		},
		"a fraction for an integer plane": {
			"x\n3\n2.5\n",
			[]string{"k=f.csv#x"},
			`f.csv#x: row 2 (line 3) holds "2.5", which is no whole number (plane k is int64)`,
		},
		"an integer out of range": {
			"x\n-1\n",
			[]string{"u=f.csv#x"},
			`f.csv#x: row 1 (line 2) holds "-1", which is out of range for uint32 (plane u is uint32)`,
		},
		"a float that may not be the whole number meant": {
			"x\n1e17\n",
			[]string{"k=f.csv#x"},
			`f.csv#x: row 1 (line 2) holds "1e17", which is a float beyond 2^53, where not every whole number has one (plane k is int64)`,
		},
		"a number for a bool plane": {
			"x\n2\n",
			[]string{"b=f.csv#x"},
			`f.csv#x: row 1 (line 2) holds "2", which is neither 0 nor 1, true nor false (plane b is bool)`,
		},
		"a float32 overflow": {
			"x\n1e39\n",
			[]string{"w=f.csv#x"},
			`f.csv#x: row 1 (line 2) holds "1e39", which is out of range for float32 (plane w is float32)`,
		},
		"an overflow by conversion": {
			"x_pc\n1e308\n",
			[]string{"a=f.csv#x_pc"},
			`f.csv#x_pc: row 1 (line 2) holds "1e308", which is out of range for float64 once converted (plane a is float64)`,
		},
		"a column that is not there": {
			bodies,
			[]string{"a=f.csv#a_a"},
			`plane a: f.csv has no column "a_a" (did you mean a_au?); its columns are name, a_au, i_deg, e, period_yr`,
		},
		"semicolons": {
			"x;y\n1;2\n",
			[]string{"a=f.csv#x"},
			`plane a: f.csv has no column "x" (cells must be separated by commas); its columns are x;y`,
		},
		"two columns of one name": {
			"x,x\n1,2\n",
			[]string{"a=f.csv#x"},
			`plane a: f.csv has two columns "x": rename one`,
		},
		"a plane that is not there": {
			bodies,
			[]string{"aa=f.csv#a_au"},
			`there is no plane "aa" (did you mean a?); the planes are a, i, e, k, b, w, r, m, u, odd, dt`,
		},
		"a param": {
			bodies,
			[]string{"dt=f.csv#e"},
			"dt is a param, one value for the batch: it cannot come from a column (f.csv#e); give it a value",
		},
		"a unit of another kind": {
			bodies,
			[]string{"a=f.csv#i_deg"},
			"column f.csv#i_deg is an angle (its name ends in deg), plane a wants a length (au): name the unit of the column, or map another one",
		},
		"a given unit of another kind": {
			bodies,
			[]string{"a=f.csv#e@s"},
			"column f.csv#e is a time (its unit is given as s), plane a wants a length (au): name the unit of the column, or map another one",
		},
		"a given unit that is none": {
			bodies,
			[]string{"a=f.csv#e@parsek"},
			`plane a: unit "parsek": no unit is called "parsek"`,
		},
		"a plane mapped twice": {
			bodies,
			[]string{"a=f.csv#e", "a=f.csv#a_au"},
			"plane a is mapped twice",
		},
		"an empty file":     {"", []string{"a=f.csv#e"}, "plane a: f.csv is empty: a .csv begins with a row of column names"},
		"a file of no rows": {"e\n", []string{"a=f.csv#e"}, "f.csv#e has no rows: a batch needs one sample at least"},
		"a row that is too short": {
			"x,y\n1,2\n3\n",
			[]string{"a=f.csv#x"},
			"plane a: f.csv: line 3 does not have the 2 cells of the header",
		},
		"a stray quote": {
			"x,y\n1,2\n3,a\"b\n",
			[]string{"a=f.csv#x"},
			`plane a: f.csv: line 3, column 4: bare " in non-quoted-field`,
		},
		"a quote that is never closed": {
			"x,y\n1,\"" + strings.Repeat("z\n", 1<<20),
			[]string{"a=f.csv#x"},
			"plane a: f.csv: row 1 is longer than 1,048,576 bytes: is a quote not closed?",
		},
		"a file that is not there": {
			bodies,
			[]string{"a=g.csv#x"},
			"plane a: open g.csv: no such file or directory",
		},
		"every problem at once": {
			bodies,
			[]string{"aa=f.csv#a_au", "dt=f.csv#e", "a=f.csv#x"},
			`there is no plane "aa" (did you mean a?); the planes are a, i, e, k, b, w, r, m, u, odd, dt` + "\n" +
				"dt is a param, one value for the batch: it cannot come from a column (f.csv#e); give it a value\n" +
				`plane a: f.csv has no column "x"; its columns are name, a_au, i_deg, e, period_yr`,
		},
		"the first bad cell of every column": {
			"x,y\n1,a\nb,2\n",
			[]string{"a=f.csv#x", "e=f.csv#y"},
			`f.csv#y: row 1 (line 2) holds "a", which is no number (plane e is float64); a text column can be kept as labels, not be a plane` + "\n" +
				`f.csv#x: row 2 (line 3) holds "b", which is no number (plane a is float64); a text column can be kept as labels, not be a plane`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			writeFile(t, "f.csv", tc.file)
			_, _, err := load(t, tc.maps...)
			if err == nil || err.Error() != tc.want {
				t.Errorf("\n got %v\nwant %v", err, tc.want)
			}
		})
	}
}

func TestTwoLengthsInOneBatch(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "f.csv", "x\n1\n2\n")
	writeFile(t, "g.csv", "y,name\n1,p\n")
	spec := testSpec()
	_, err := Open([]Mapping{{Plane: "a", Column: Column{"f.csv", "x"}}, {Plane: "e", Column: Column{"g.csv", "y"}}}, nil, spec, nil)
	if want := "one batch has one number of samples: plane a has 2 (f.csv#x), plane e has 1 (g.csv#y)"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %v", err, want)
	}
	_, err = Open([]Mapping{{Plane: "a", Column: Column{"f.csv", "x"}}}, &Column{"g.csv", "name"}, spec, nil)
	if want := "one batch has one number of samples: plane a has 2 (f.csv#x), the labels have 1 (g.csv#name)"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %v", err, want)
	}
}

func TestLabelsKeepTheirText(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "f.csv", bodies)
	src, err := Open(nil, &Column{"f.csv", "name"}, testSpec(), nil)
	if err != nil || src.Rows() != 3 {
		t.Fatal(src, err)
	}
	got, err := src.Labels()
	if want := []string{"Ceres, the first", "2P/Encke", "Halley"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("labels %q, %v, want %q", got, err, want)
	}
	src, err = Open(nil, nil, testSpec(), nil)
	if err != nil || src.Rows() != -1 {
		t.Errorf("no mappings: %v rows, %v", src.Rows(), err)
	}
	if got, err := src.Labels(); got != nil || err != nil {
		t.Errorf("no labels: %v, %v", got, err)
	}
}

func TestAFileThatChangesMeanwhile(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "f.csv", "x\n1\n2\n")
	src, err := Open([]Mapping{{Plane: "a", Column: Column{"f.csv", "x"}}}, nil, testSpec(), nil)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, "f.csv", "x\n1\n2\n3\n")
	_, err = src.Load(engine.NewPlanes(testSpec(), 2))
	if want := "f.csv changed while it was read: it had 2 rows and has 3"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %v", err, want)
	}
	writeFile(t, "f.csv", "y,x\n1,2\n3,4\n")
	_, err = src.Load(engine.NewPlanes(testSpec(), 2))
	if want := "f.csv changed while it was read"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %v", err, want)
	}
}

func TestAFolderIsNoFile(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("d.csv", 0o755); err != nil {
		t.Fatal(err)
	}
	_, _, err := load(t, "a="+filepath.Join("d.csv")+"#x")
	if err == nil || err.Error() != "plane a: d.csv is no regular file" {
		t.Errorf("got %v", err)
	}
}

// FuzzCSV: any bytes give rows or an error, in bounded memory. To fuzz a target that opens files, give
// -fuzzminimizetime 20x, else shrinking its finds takes most of the time.
func FuzzCSV(f *testing.F) {
	f.Add([]byte(bodies))
	f.Add([]byte("x\n\n1\n"))
	f.Add([]byte("\ufeffx,\"y\nz\"\n1,\"2\"\"\n\"\n"))
	f.Add([]byte("x,x,,\n1"))
	f.Add([]byte("k\n9223372036854775808\n-1e3\nNaN\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(t.TempDir(), "f.csv")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		table, err := openCSV(file)
		if err != nil {
			return
		}
		table.close()
		spec := testSpec()
		var maps []Mapping
		for i := range min(len(spec)-1, len(table.header)) {
			maps = append(maps, Mapping{Plane: spec[i].Name, Column: Column{file, table.header[i]}})
		}
		src, err := Open(maps, &Column{file, table.header[0]}, spec, nil)
		if err != nil {
			return
		}
		if src.Rows() > len(data) {
			t.Fatalf("%d rows in %d bytes", src.Rows(), len(data))
		}
		if _, err := src.Load(engine.NewPlanes(spec, src.Rows())); err == nil {
			labels, err := src.Labels()
			if err != nil || len(labels) != src.Rows() {
				t.Fatalf("%d labels of %d rows: %v", len(labels), src.Rows(), err)
			}
		}
	})
}

func TestReadingIsStopped(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "f.csv", "x,name\n1,a\n2,b\n")
	writeFile(t, "x.npy", string(npyFile("<f8", false, "(2,)", binary.LittleEndian, []float64{1, 2})))
	var stop engine.Stop
	maps := []Mapping{{Plane: "a", Column: Column{"f.csv", "x"}}, {Plane: "e", Column: Column{File: "x.npy"}}}
	src, err := Open(maps, &Column{"f.csv", "name"}, testSpec(), &stop)
	if err != nil {
		t.Fatal(err)
	}
	stop.Set()
	if _, err := src.Load(engine.NewPlanes(testSpec(), 2)); !errors.Is(err, ErrStopped) {
		t.Errorf("Load: %v", err)
	}
	if _, err := src.Labels(); !errors.Is(err, ErrStopped) {
		t.Errorf("Labels: %v", err)
	}
	if _, err := Open(maps, nil, testSpec(), &stop); !errors.Is(err, ErrStopped) {
		t.Errorf("Open: %v", err)
	}
}
