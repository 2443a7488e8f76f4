package oracle

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// fusedIn counts the fused multiply-adds in the step, Init and observables of k.
func fusedIn(k *ir.Kernel) int {
	n := 0
	count := func(in *ir.Instr) {
		if in.Op == ir.OpFMA {
			n++
		}
	}
	k.Step.Head.Walk(count)
	k.Step.Trip.Walk(count)
	for _, f := range k.Funcs() {
		f.Body.Walk(count)
	}
	return n
}

func loaded(t *testing.T, text string) *kernels.Kernel {
	t.Helper()
	k, ds := kernels.LoadSource(file("fma", []byte(text)), "fma.go")
	if k == nil {
		t.Fatalf("%v\n%s", ds, text)
	}
	return k
}

func TestFusedAreThoseOfTheRule(t *testing.T) {
	const kernel = `package k

import "math"

type real interface{ ~float32 | ~float64 }

func generic[T real](a, b, c T) T { return a*b + c }

func whole[T ~int64 | ~float64](a, b, c T) T { return a*b - c }

//eaglet:kernel fma=%s
type T struct {
	A, B, C, D, R float64
	P, Q          float32
	I, J          int64
}

func (s *T) Step() bool {
	%s
	_ = math.Pi
	return s.I > 9
}
`
	for _, c := range []struct {
		name, body string
		want       int
	}{
		{"x*y + z", "s.R = s.A*s.B + s.C", 1},
		{"z + x*y", "s.R = s.C + s.A*s.B", 1},
		{"x*y - z", "s.R = s.A*s.B - s.C", 1},
		{"z - x*y", "s.R = s.C - s.A*s.B", 1},
		{"both are products: the left one", "s.R = s.A*s.B + s.C*s.D", 1},
		{"the product in parentheses is still direct", "s.R = (s.A * s.B) + s.C", 1},
		{"x += a*b", "s.R += s.A * s.B", 1},
		{"x -= a*b", "s.R -= s.A * s.B", 1},
		{"a sum of three products", "s.R = s.A*s.B + s.C*s.D + s.B*s.D", 2},
		{"a product of a sum of a product", "s.R = (s.A*s.B + s.C)*s.D + s.B", 2},
		{"a constant factor", "s.R = 2*s.A + s.B", 1},
		{"float32", "s.P = s.P*s.Q + 1", 1},
		{"a generic helper for floats", "s.R = generic(s.A, s.B, s.C)", 1},
		{"a generic helper, for integers and for floats", "s.I = whole(s.I, s.J, 3); s.R = whole(s.A, s.B, s.C)", 1},
		{"a name holds the product", "p := s.A * s.B; s.R = p + s.C", 0},
		{"float64 round the product", "s.R = float64(s.A*s.B) + s.C", 0},
		{"the sign of a product is no product", "s.R = -(s.A * s.B) + s.C", 0},
		{"a quotient", "s.R = s.A/s.B + s.C", 0},
		{"integers", "s.I = s.I*s.J + 1", 0},
		{"a constant product", "s.R = 2*3.5 + s.A", 0},
		{"a product of sums", "s.R = (s.A + s.B) * (s.C - s.D)", 0},
		{"mathlib is never fused", "s.R = math.Sin(s.A) + math.Pow(s.B, s.C) + math.Erf(s.D) + math.Cbrt(s.A) + math.Hypot(s.A, s.B) + math.Log(s.C)", 0},
		{"math.FMA is one wherever it stands", "s.R = math.FMA(s.A, s.B, s.C)", 1},
	} {
		k := loaded(t, fmt.Sprintf(kernel, "contract", c.body))
		for _, stage := range kernels.Stages() {
			after, err := k.After(stage)
			if err != nil {
				t.Fatal(err)
			}
			if got := fusedIn(after); got != c.want {
				t.Errorf("%s: %d are fused after %s, want %d", c.name, got, stage, c.want)
			}
		}
		want := 0
		if strings.Contains(c.body, "math.FMA") {
			want = 1
		}
		if got := fusedIn(loaded(t, fmt.Sprintf(kernel, "off", c.body)).IR); got != want {
			t.Errorf("%s: %d are fused with fma=off, want %d", c.name, got, want)
		}
	}
}

// TestPassesKeepWhatIsFused: passes neither form fused multiply-adds nor take them apart, so that every
// stage has the same bits; what is fused can only become less, when it is unused, or equal to another.
func TestPassesKeepWhatIsFused(t *testing.T) {
	total := 0
	for _, c := range generated(t, "fma", SourceFMA, 0, 100) {
		last := -1
		for _, stage := range kernels.Stages() {
			k, err := c.Kernel.After(stage)
			if err != nil {
				t.Fatal(err)
			}
			n := fusedIn(k)
			if last >= 0 && n > last {
				t.Errorf("%s: %s forms fused multiply-adds, %d of %d", c.Name, stage, n-last, n)
			}
			last = n
		}
		total += last
		if err := stagesAgree(c); err != nil {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
	if total < 200 {
		t.Errorf("%d fused multiply-adds in all: hardly anything was tested", total)
	}
}

func TestNothingIsFusedUnasked(t *testing.T) {
	for _, c := range generated(t, "seed", Source, 2000, 100) {
		want := strings.Count(string(c.Kernel.Sources[0].Text), "math.FMA")
		for _, stage := range kernels.Stages() {
			k, err := c.Kernel.After(stage)
			if err != nil {
				t.Fatal(err)
			}
			if n := fusedIn(k); want == 0 && n > 0 {
				t.Errorf("%s: %d fused multiply-adds after %s with fma=off", c.Name, n, stage)
			}
		}
	}
}

func TestGoCompilerAgreesOnFusedKernels(t *testing.T) {
	goCommand(t)
	n := uint64(150)
	if testing.Short() {
		n = 40
	}
	agree(t, generated(t, "fma", SourceFMA, 0, n))
}
