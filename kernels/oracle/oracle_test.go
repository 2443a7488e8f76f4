package oracle

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/library"
)

// goCommand is the go command, without which there is nothing to compare with. The test is skipped then,
// or fails where EAGLET_REQUIRE asks for it.
func goCommand(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("go")
	if err == nil {
		return path
	}
	if strings.Contains(os.Getenv("EAGLET_REQUIRE"), "go") {
		t.Fatal("there is no go command on the PATH, and EAGLET_REQUIRE asks for it")
	}
	t.Skip("there is no go command on the PATH, so kernels cannot be compiled natively")
	return ""
}

// generated are cases of random kernels with the given seeds; every one must be accepted.
func generated(t testing.TB, name string, source func(seed uint64) []byte, from, n uint64) []*Case {
	t.Helper()
	cases, errs := make([]*Case, n), make([]error, n)
	each(int(n), func(i int) {
		seed := from + uint64(i)
		label := fmt.Sprintf("%s%d", name, seed)
		cases[i], errs[i] = NewCase(label, file(label, source(seed)), seed)
	})
	for _, err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
	return cases
}

// bundled are two cases of every kernel of the library under options that are not its own: one as a user
// runs it, from its defaults, and one on wild values.
func bundled(t testing.TB, title string, o kernels.Options) []*Case {
	t.Helper()
	var cases []*Case
	for _, name := range library.Names() {
		files, _ := library.Files(name)
		var sources []kernels.SourceFile
		for _, f := range files {
			sources = append(sources, kernels.SourceFile{Name: f.Name, Text: f.Text})
		}
		c, err := newCase(name+title, sources, 1, o)
		if err != nil {
			if o.Precision == "f32" && strings.Contains(err.Error(), "E067") {
				t.Logf("%s works on the bits of float64, which have no float32 form", name)
				continue
			}
			t.Fatal(err)
		}
		d := &Case{Unit: c.Unit, steps: 300}
		d.Name += " from its defaults"
		if d.batch, err = defaults(c.Kernel.IR, 1, 40); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c, d)
	}
	return cases
}

// finds are kernels that were compiled wrong once.
func finds(t testing.TB) []*Case {
	t.Helper()
	paths, err := filepath.Glob("testdata/finds/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var cases []*Case
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(3) {
			c, err := NewCase(fmt.Sprintf("%s with seed %d", path, seed), file(filepath.Base(path), text), seed)
			if err != nil {
				t.Fatal(err)
			}
			cases = append(cases, c)
		}
	}
	return cases
}

// agree fails for every case on which the Go compiler and the interpreter differ, and shrinks the first.
func agree(t *testing.T, cases []*Case) []Result {
	t.Helper()
	start := time.Now()
	results, err := Compare(goCommand(t), cases)
	if err != nil {
		t.Fatal(err)
	}
	steps, faulted, shrunk := 0, 0, false
	for i, r := range results {
		steps += r.Steps
		faulted += r.Faulted
		if r.Err == nil {
			continue
		}
		t.Error(r.Err)
		if c := cases[i]; !shrunk && len(c.Kernel.Sources) == 1 {
			shrunk = true
			t.Logf("keep this under testdata/finds when it is understood:\n%s", shrinkCase(t, c))
		}
	}
	t.Logf("%d kernels, %d steps of samples, %d samples faulted, %v", len(cases), steps, faulted, time.Since(start).Round(time.Millisecond))
	return results
}

// shrinkCase makes the kernel of a case that disagrees smaller.
func shrinkCase(t *testing.T, c *Case) []byte {
	t.Helper()
	return Shrink(c.Kernel.Sources[0].Text, func(texts [][]byte) []bool {
		var cases []*Case
		for i, text := range texts {
			d, err := NewCase(fmt.Sprint(i), file("find", text), 0)
			if err != nil {
				t.Fatal(err)
			}
			d.Mutant, d.batch, d.steps = c.Mutant, reshaped(c, d), c.steps
			cases = append(cases, d)
		}
		results, err := Compare(goCommand(t), cases)
		if err != nil {
			t.Log(err)
			return make([]bool, len(texts))
		}
		out := make([]bool, len(texts))
		for i, r := range results {
			out[i] = r.Err != nil
		}
		return out
	})
}

// reshaped is the batch of c for a kernel with fewer planes.
func reshaped(c, d *Case) *batch {
	b := newBatch(d.Kernel.IR, c.batch.n)
	for i := range b.k.Planes {
		if j := c.Kernel.IR.Plane(b.k.Planes[i].Name); j >= 0 && len(b.planes[i]) == len(c.batch.planes[j]) {
			copy(b.planes[i], c.batch.planes[j])
		}
	}
	return b
}

func TestGoCompilerAgreesOnGeneratedKernels(t *testing.T) {
	goCommand(t)
	n := uint64(900)
	if testing.Short() {
		n = 120
	}
	cases := append(generated(t, "seed", Source, 0, n), finds(t)...)
	results := agree(t, cases)
	faulted := 0
	for _, r := range results {
		faulted += r.Faulted
	}
	if samples := len(cases) * wildSamples; faulted < samples/50 || faulted > samples/2 {
		t.Errorf("%d of %d samples faulted: either faults or what comes after a few steps is hardly compared", faulted, samples)
	}
}

func TestGoCompilerAgreesOnF32Kernels(t *testing.T) {
	goCommand(t)
	n := uint64(150)
	if testing.Short() {
		n = 40
	}
	agree(t, generated(t, "single", SourceF32, 0, n))
}

func TestGoCompilerAgreesOnTheLibrary(t *testing.T) {
	goCommand(t)
	cases := bundled(t, "", kernels.Options{})
	cases = append(cases, bundled(t, " with fma=contract", kernels.Options{FMA: "contract"})...)
	cases = append(cases, bundled(t, " in f32", kernels.Options{Precision: "f32"})...)
	agree(t, cases)
}

// sensitive is a kernel in which every mutant shows.
const sensitive = `package sensitive

import "math"

//eaglet:kernel%s
type Sensitive struct {
	X, Y, Low float64
	N, Turns  int64
}

func (s *Sensitive) Step() bool {
	s.X = math.Mod(s.X*1.1+s.Y, 4)
	s.Low = math.Min(s.X, s.Y) + math.Exp(s.Y/8)
	s.N = int64(s.X * 1e300)
	i := int64(0)
	//eaglet:cap 5
	for i < s.Turns&7 {
		i++
	}
	return false
}
`

// TestMutantsAreRejected: a comparison that accepts a wrong rewriting would accept a wrong compiler.
func TestMutantsAreRejected(t *testing.T) {
	goCommand(t)
	mutants := []Mutant{SwapMin, Fuse, KeepMath, Wild, LateCap, Unfused}
	const kernelsEach = 16
	plain, contract := generated(t, "seed", Source, 0, 100), generated(t, "fma", SourceFMA, 0, 40)
	var cases []*Case
	for _, m := range mutants {
		from, option := plain, ""
		if m == Unfused {
			from, option = contract, " fma=contract"
		}
		c, err := NewCase("sensitive", file("sensitive", fmt.Appendf(nil, sensitive, option)), 3)
		if err != nil {
			t.Fatal(err)
		}
		c.Mutant = m
		cases = append(cases, c)
		n := 0
		for _, c := range from {
			mutant := *c
			mutant.Mutant = m
			r, err := mutant.native("")
			if err != nil {
				t.Fatal(err)
			}
			if r.mutated && n < kernelsEach {
				cases = append(cases, &mutant)
				n++
			}
		}
	}
	results, err := Compare(goCommand(t), cases)
	if err != nil {
		t.Fatal(err)
	}
	caught, mutated := make(map[Mutant]int), make(map[Mutant]int)
	for i, r := range results {
		m := cases[i].Mutant
		if cases[i].Name == "sensitive" {
			if r.Err == nil {
				t.Errorf("the kernel made for it does not show that %s", m)
			}
			continue
		}
		mutated[m]++
		if r.Err != nil {
			caught[m]++
		}
	}
	sum := 0
	for _, m := range mutants {
		t.Logf("%s: caught in %d of %d kernels", m, caught[m], mutated[m])
		sum += caught[m]
	}
	if sum < len(mutants)*kernelsEach/10 {
		t.Errorf("random kernels show a mutant %d times: what they compute is hardly seen", sum)
	}
}

// TestShrinkKeepsTheDisagreement shrinks a kernel under a mutant.
func TestShrinkKeepsTheDisagreement(t *testing.T) {
	text := []byte(`package p

import "math"

func far(x float64) float64 { return x + 1 }

//eaglet:kernel
type T struct {
	X, Y float64
	N    int
}

func (t *T) Step() bool {
	t.N++
	v := far(t.X)
	for i := range 3 {
		t.X += float64(i) * v
	}
	if t.N > 3 {
		t.Y = math.Min(t.X, t.Y) + far(2)
	}
	return t.N > 9
}
`)
	calls := 0
	out := Shrink(text, func(texts [][]byte) []bool {
		calls++
		bad := make([]bool, len(texts))
		for i, s := range texts {
			bad[i] = bytes.Contains(s, []byte("math.Min"))
		}
		return bad
	})
	if !bytes.Contains(out, []byte("math.Min")) || len(out) > 250 || bytes.Contains(out, []byte("far")) {
		t.Errorf("after %d rounds:\n%s", calls, out)
	}
	if k, ds := kernels.LoadSource(file("out", out), "out.go"); k == nil {
		t.Error(ds)
	}
}
