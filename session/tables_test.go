package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/host"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/snapshots"
)

const pricer = `// Package pricer sums costs of a list.
package pricer

//eaglet:kernel
type Pricer struct {
	I     int       ` + "`init:\"index()\"`" + `
	Cost  []float64 ` + "`unit:\"km\"`" + `
	Curve []float64 ` + "`init:\"linspace(1, 2)\" len:\"5\"`" + `
	Sum   float64
	K     int
}

func (s *Pricer) Step() (done bool) {
	s.Sum += s.Cost[(s.I+s.K)%len(s.Cost)] * s.Curve[s.K]
	s.K++
	return s.K >= len(s.Curve)
}
`

func pricerFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "pricer.go")
	if err := os.WriteFile(file, []byte(pricer), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestTablesHaveRowsOfTheirOwn: a column of three rows becomes a table of three cells for a batch of any
// size, units convert, and a table with init and len fills itself.
func TestTablesHaveRowsOfTheirOwn(t *testing.T) {
	file := pricerFile(t)
	t.Chdir(t.TempDir())
	writeFile(t, "costs.csv", "cost_m\n1000\n2000\n4000\n")
	s := startOn(t, Options{Load: kernels.Load}, host.New(host.WithWorkers(2)))
	batch := SetBatch{N: 40, Mappings: []snapshots.Mapping{mapping("cost", "costs.csv", "cost_m")}}
	do(t, s, batch, LoadKernel{Path: file}, Run{}, Export{Path: "out.npz"}, Export{Path: "out.csv"})
	r := results(t, s)
	costs, curve := []float64{1, 2, 4}, []float64{1, 1.25, 1.5, 1.75, 2}
	sums := engine.View[float64](r.Planes, r.Planes.Index("sum"))
	for i := range 40 {
		want := 0.0
		for k, c := range curve {
			want += costs[(i+k)%3] * c
		}
		if sums[i] != want || r.Mask[i] != 1 {
			t.Errorf("sample %d: sum %v, mask %d, want %v and 1", i, sums[i], r.Mask[i], want)
		}
	}
	notes := strings.Join(s.State().Notes, "\n")
	for _, want := range []string{"plane cost: 3 values from costs.csv#cost_m, m -> km", "table curve (5 cells): linspace(1, 2)"} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes do not say %q:\n%s", want, notes)
		}
	}

	// What was written reads back as the table it was.
	again := SetBatch{N: 40, Mappings: []snapshots.Mapping{mapping("cost", "out.npz", "cost"), mapping("curve", "out.npz", "curve")}}
	fresh := startOn(t, Options{Load: kernels.Load}, host.New(host.WithWorkers(1)))
	do(t, fresh, again, LoadKernel{Path: file}, Run{})
	sameResults(t, "tables from the file that was written", results(t, fresh), r)
	if text, err := os.ReadFile("out.csv"); err != nil || strings.Contains(string(text), "curve") {
		t.Errorf("a .csv of samples has the table as a column: %v", err)
	}

	// Rewind keeps tables, and a copy of the start has them.
	do(t, s, Rewind{}, Run{})
	sameResults(t, "run again", results(t, s), r)
}

func TestATableNeedsCells(t *testing.T) {
	s := startOn(t, Options{Load: kernels.Load}, host.New(host.WithWorkers(1)))
	wantError(t, try(s, LoadKernel{Path: pricerFile(t)}), "table cost has no cells: map a column of any length onto it (--plane cost=FILE#COLUMN), or give its field init and len tags")
}

// TestCompileOptions: they hold for the kernels that are loaded after them.
func TestCompileOptions(t *testing.T) {
	s := startOn(t, Options{}, host.New(host.WithWorkers(1)))
	do(t, s, LoadKernel{Path: "oscillator"})
	if k := s.State().Kernel.IR; k.Precision != ir.F64 {
		t.Errorf("precision %v without an option", k.Precision)
	}
	do(t, s, Configure{Compile: &kernels.Options{Precision: "f32", StepsPerLaunch: "4"}}, LoadKernel{Path: "oscillator"}, Run{})
	if k := s.State().Kernel.IR; k.Precision != ir.F32 || k.Steps != 4 {
		t.Errorf("precision %v, steps %d", k.Precision, k.Steps)
	}
	if r := s.State().Report; r == nil || !r.Done {
		t.Errorf("the run in single precision: %+v", r)
	}
	do(t, s, Configure{Compile: &kernels.Options{Guard: "none"}})
	wantError(t, try(s, LoadKernel{Path: "oscillator"}), `oscillator was not loaded, it has 1 error; the first: oscillator E068 the option guard is "none"`)
	custom := startOn(t, Options{Load: kernels.Load}, host.New(host.WithWorkers(1)))
	wantError(t, try(custom, Configure{Compile: &kernels.Options{}}), "this session loads kernels in a way of its own, which takes no compile options")
}
