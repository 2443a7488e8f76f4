package eaglet_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/host"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/generate"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// faultKernel has the given statements in its step and declarations behind it. In step 3 of every fourth
// sample, from sample 1 on, bad is 1; else it is 0.
func faultKernel(body, more string) string {
	return `package faulty

//eaglet:kernel
type Faulty struct {
	I   int ` + "`init:\"index()\"`" + `
	K   int
	X   float64
	Ring [70]float64
	Tab []float64 ` + "`init:\"1\" len:\"9\"`" + `
}

func (s *Faulty) Step() (done bool) {
	bad := 0
	if s.I%4 == 1 && s.K == 2 {
		bad = 1
	}
	s.K++
	s.X += 0.5
	s.Ring[s.K] += 2
` + body + `
	done = s.K >= 5
	return
}

var weights = [4]float64{1, 2, 3, 4}

` + more + "\n"
}

// TestFaultsStopTheirSampleOnly runs kernels that do what would panic in Go, on the host engine under two
// policies: the sample keeps the state that it had before the step, and report and events name it with
// cause and place; every other sample runs as if nothing had been.
func TestFaultsStopTheirSampleOnly(t *testing.T) {
	const n, faulty = 40, 10
	for _, c := range []struct {
		name, body, more string
		kind             ir.FaultKind
	}{
		{"a division", "s.X += float64(10 / (1 - bad)) // here", "", ir.FaultDivide},
		{"a remainder", "s.X += float64(10 % (1 - bad)) // here", "", ir.FaultDivide},
		{"a division of uint32", "s.X += float64(uint32(10) / uint32(1-bad)) // here", "", ir.FaultDivide},
		{"x /= y", "k := 10\nk /= 1 - bad // here\ns.X += float64(k)", "", ir.FaultDivide},
		{"a read of a short array", "a := [4]float64{1, 2, 3, 4}\ns.X += a[bad*4] // here", "", ir.FaultIndex},
		{"a negative index", "a := [4]float64{1, 2, 3, 4}\ns.X += a[-bad] // here", "", ir.FaultIndex},
		{"a write to a short array", "var a [4]float64\na[bad*4] = 1 // here\ns.X += a[0]", "", ir.FaultIndex},
		{"a read of a long array", "var a [99]float64\na[5] = 1\ns.X += a[5+bad*94] // here", "", ir.FaultIndex},
		{"a write to a long array", "var a [99]float64\na[5+bad*94] = 1 // here\ns.X += a[5]", "", ir.FaultIndex},
		{"a read of a state plane", "s.X += s.Ring[70*bad] // here", "", ir.FaultIndex},
		{"a write to a state plane", "s.Ring[70*bad] = 7 // here", "", ir.FaultIndex},
		{"a read of a table of the package", "s.X += weights[4*bad] // here", "", ir.FaultIndex},
		{"a read of a table plane", "s.X += s.Tab[9*bad] // here", "", ir.FaultIndex},
		{"a shift to the left", "k := 1\nk <<= 2 - 3*bad // here\ns.X += float64(k)", "", ir.FaultShift},
		{"a shift to the right", "k := 64\nk >>= 2 - 3*bad // here\ns.X += float64(k)", "", ir.FaultShift},
		{"a cap that runs out", "//eaglet:cap 4\nfor i := 0; i < 3+2*bad; i++ { // here\ns.X++\n}", "", ir.FaultCap},
		{"inside a capped loop", "//eaglet:cap 9\nfor i := 3; i >= 3*bad; i-- {\ns.X += float64(6 / (i + 1 - 4*bad)) // here\n}", "", ir.FaultDivide},
		{"inside a loop that stays one", "for i := 0; i < 20000; i++ {\ns.Ring[i%70] += weights[(i&3)*(1+3*bad)] // here\n}", "", ir.FaultIndex},
		{"inside a branch", "if bad > 0 {\ns.X /= 2\ns.X += weights[bad*4] // here\n}", "", ir.FaultIndex},
		{"inside a switch", "switch {\ncase bad == 1:\ns.X += weights[bad*4] // here\ndefault:\ns.X++\n}", "", ir.FaultIndex},
		{"on the right of &&", "if bad == 1 && 1/(1-bad) > 0 { // here\ns.X++\n}", "", ir.FaultDivide},
		{"inside a helper", "s.X += quotient(bad)", "func quotient(bad int) float64 {\nreturn float64(10 / (1 - bad)) // here\n}", ir.FaultDivide},
		{"inside a method in a helper's loop", "s.pull(bad)", "func (s *Faulty) pull(bad int) {\n//eaglet:cap 8\nfor i := 0; i < 3+bad; i++ {\ns.X += at(i + bad) \n}\n}\nfunc at(i int) float64 { return weights[i] } // here", ir.FaultIndex},
		{"what nothing uses", "_ = 1 / (1 - bad) // here", "", ir.FaultDivide},
		{"of two the first", "k := 1 / (1 - bad) // here\ns.X += weights[4*bad] + float64(k)", "", ir.FaultDivide},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := faultKernel(c.body, c.more)
			line := 1 + strings.Count(text[:strings.Index(text, "// here")], "\n")
			k, ds := kernels.LoadSource([]kernels.SourceFile{{Name: "faulty.go", Text: []byte(text)}}, "faulty.go")
			if k == nil {
				t.Fatal(ds)
			}
			for _, policy := range []engine.Policy{engine.PolicyBand, engine.PolicyTiled} {
				planes, mask := engine.NewPlanes(k.IR.Planes, n), make([]byte, n)
				for i := range planes.Spec {
					rows := uint64(n)
					if planes.Spec[i].Role == ir.RoleTable {
						rows = uint64(planes.Spec[i].Len)
					}
					if err := generate.Fill(&planes.Spec[i], planes.Bytes(i), 1, 0, rows, rows); err != nil {
						t.Fatal(err)
					}
				}
				program, err := host.New().Compile(k.IR)
				if err != nil {
					t.Fatal(err)
				}
				bound, err := program.Bind(planes, mask)
				if err != nil {
					t.Fatal(err)
				}
				trace := engine.NewTrace(1 << 10)
				r := engine.NewRunner(program, bound, planes, mask, "host", "test")
				report, err := r.Run(new(engine.Stop), engine.RunOptions{MaxSteps: 100, Policy: policy, R: 1, Trace: trace})
				if err != nil {
					t.Fatal(err)
				}
				if report.Faulted != faulty || report.Finished != n || !report.Done || len(report.Faults) != faulty {
					t.Fatalf("%v: %d of %d faulted, %d named, want %d", policy, report.Faulted, report.Finished, len(report.Faults), faulty)
				}
				events := make([]engine.Event, 1<<10)
				count, _ := trace.Read(0, events)
				said := ""
				for _, e := range events[:count] {
					said += engine.SentenceOf(e, k.IR) + "\n"
				}
				steps, x := engine.View[int64](planes, planes.Index("k")), engine.View[float64](planes, planes.Index("x"))
				ring := engine.View[float64](planes, planes.Index("ring"))
				for i := range n {
					fault := i%4 == 1
					mark, taken := byte(1), int64(5)
					if fault {
						mark, taken = 2, 2
					}
					if mask[i] != mark || steps[i] != taken || bound.StepsTaken()[i] != uint32(taken) {
						t.Errorf("%v: sample %d: mask %d after %d steps of %d, want %d after %d", policy, i, mask[i], bound.StepsTaken()[i], steps[i], mark, taken)
					}
					if fault && (x[i] != x[1] || ring[3*n+i] != ring[3*n+1] || x[i] > x[0]) {
						t.Errorf("%v: sample %d: x is %v, ring[3] %v; of sample 1 they are %v and %v", policy, i, x[i], ring[3*n+i], x[1], ring[3*n+1])
					}
					if !fault && (x[i] != x[0] || ring[3*n+i] != ring[3*n]) {
						t.Errorf("%v: sample %d is not as sample 0: x %v, want %v", policy, i, x[i], x[0])
					}
				}
				for j, f := range report.Faults {
					where := fmt.Sprintf("faulty.go:%d:", line)
					if f.Sample != 4*j+1 || f.Step != 2 || f.Cause != c.kind.String() || !strings.HasPrefix(f.Where, where) {
						t.Errorf("%v: fault %d is %+v, want sample %d after 2 steps, %v at %s", policy, j, f, 4*j+1, c.kind, where)
					}
					want := fmt.Sprintf("sample %d faulted in step 3: %s at %s", f.Sample, c.kind, where)
					if strings.Count(said, want) != 1 {
						t.Errorf("%v: the events do not say once %q:\n%s", policy, want, said)
					}
				}
				// The state before step 3 is that after two steps of a sample that does not fault.
				if after := twoSteps(t, k.IR, program); x[1] != after {
					t.Errorf("%v: a faulted sample has x = %v, after two steps x is %v", policy, x[1], after)
				}
				_ = bound.Close()
			}
		})
	}
}

// twoSteps is x of a sample after two steps.
func twoSteps(t *testing.T, k *ir.Kernel, program engine.Program) float64 {
	t.Helper()
	planes, mask := engine.NewPlanes(k.Planes, 1), make([]byte, 1)
	tab := planes.Index("tab")
	for c := range planes.Elements(tab) {
		engine.View[float64](planes, tab)[c] = 1
	}
	bound, err := program.Bind(planes, mask)
	if err != nil {
		t.Fatal(err)
	}
	r := engine.NewRunner(program, bound, planes, mask, "host", "test")
	if _, err := r.RunSteps(new(engine.Stop), engine.RunOptions{R: 1}, 2); err != nil {
		t.Fatal(err)
	}
	return engine.View[float64](planes, planes.Index("x"))[0]
}
