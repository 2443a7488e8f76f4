package mathlib_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/mathlib"
)

var update = flag.Bool("update", false, "write the table of docs/math.md")

const (
	docsPath   = "../../docs/math.md"
	tableBegin = "<!-- table: go test ./kernels/mathlib -run TestDocs -update -->"
	tableEnd   = "<!-- end of table -->"
)

// documented is one row of the table: a function of the kernel language that is more than an operation. Two says
// that it takes two numbers.
type documented struct {
	name    string
	two     bool
	method  string
	special string
}

var documentation = []documented{
	{"Exp", false, "x = k ln 2 + r, Taylor series added to 1 + r without loss (Tang 1989, no table)", "+Inf: +Inf; -Inf: 0"},
	{"Exp2", false, "x = k + f, as Exp with f ln 2 in double", "as Exp; exact for whole x"},
	{"Expm1", false, "as Exp, 2^k - 1 added without loss; no reduction below 1/2", "±0: ±0; +Inf: +Inf; -Inf: -1"},
	{"Log", false, "x = 2^k (1 + f), 2 atanh(f/(2 + f)), large terms last (Ng 1993)", "±0: -Inf; below 0: NaN; +Inf: +Inf"},
	{"Log2", false, "as Log; f64 in double-double, f32 with a product split after 12 bits", "as Log; exact for powers of two"},
	{"Log10", false, "as Log2", "as Log; exact for powers of ten"},
	{"Log1p", false, "as Log of 1 + x with what the sum lost; the series itself near 0", "±0: ±0; -1: -Inf; below -1: NaN; +Inf: +Inf"},
	{"Pow", true, "e^(y ln x), logarithm and product in double", "the list of Go's math.Pow"},
	{"Sin", false, "pi/2 part by part (Cody, Waite 1980), from 2^20 on (f32: 2^11) 2/pi in integers (Payne, Hanek 1983); Taylor series", "±0: ±0; ±Inf: NaN"},
	{"Cos", false, "as Sin", "±Inf: NaN"},
	{"Tan", false, "as Sin, quotient in double", "±0: ±0; ±Inf: NaN"},
	{"Sincos", false, "as Sin, one reduction for both", "as Sin and Cos"},
	{"Asin", false, "angle of (sqrt(1 - x^2), x), see Atan2", "±0: ±0; beyond ±1: NaN"},
	{"Acos", false, "angle of (x, sqrt(1 - x^2)), see Atan2", "beyond ±1: NaN"},
	{"Atan", false, "angle of (1, x), see Atan2", "±0: ±0; ±Inf: ±pi/2"},
	{"Atan2", true, "atan(i/8) from a table and atan of a rest below 1/16 by its Taylor series, in double", "the list of Go's math.Atan2; keeps the sign of y where y/x underflows, which Go loses"},
	{"Sinh", false, "Taylor series below 1, else (e^x - e^-x)/2 in double", "±0: ±0; ±Inf: ±Inf; overflows only where its value does"},
	{"Cosh", false, "(e^x + e^-x)/2 in double", "±Inf: +Inf; overflows only where its value does"},
	{"Tanh", false, "t/(t + 2), t = e^2x - 1 in double", "±0: ±0; ±Inf: ±1"},
	{"Asinh", false, "ln(x + sqrt(x^2 + 1)) or 2 atanh(x/(1 + sqrt(1 + x^2))) in double", "±0: ±0; ±Inf: ±Inf"},
	{"Acosh", false, "ln(x + sqrt(x^2 - 1)) or 2 atanh(sqrt((x - 1)/(x + 1))) in double", "below 1: NaN; +Inf: +Inf"},
	{"Atanh", false, "ln((1 + x)/(1 - x))/2 or the series, in double", "±0: ±0; ±1: ±Inf; beyond ±1: NaN"},
	{"Erf", false, "Taylor series below 1/2, else 1 - erfc", "±0: ±0; ±Inf: ±1"},
	{"Erfc", false, "Chebyshev interpolation of (1 + 2x) e^(x^2) erfc x (Shepherd, Laframboise 1981)", "+Inf: 0; -Inf: 2"},
	{"Cbrt", false, "parabola, Halley's steps (f64: 2, f32: 1), Newton's with the rest in double", "±0: ±0; ±Inf: ±Inf"},
	{"Hypot", true, "scaled, squares and root in double", "infinite argument: +Inf, even with NaN"},
	{"Round", false, "halves away from zero; exact", "±0: ±0; ±Inf: ±Inf"},
	{"Mod", true, "long division of whole numbers, 10 bits a turn (f32: 7); exact", "x infinite or y 0: NaN; y infinite: x"},
	{"Dim", true, "x - y, not below 0; rounded once", "Inf - Inf: NaN"},
}

// counts gives the operations of one call, as text: both arms of every branch, loops times their most turns.
func counts(k *kernels.Kernel) string {
	c := ir.Counts(&k.IR.Step.Trip)
	return fmt.Sprintf("%d + %d + %d", c.Flops+c.Loops.Flops, c.Integers+c.Loops.Integers, c.Tables+c.Loops.Tables)
}

func (d documented) kernel(call, typ string) string {
	body := fmt.Sprintf("s.X = %s(s.X)", call)
	if d.two {
		body = fmt.Sprintf("s.X, s.Y = %s(s.X, s.Y), s.X", call)
	}
	if d.name == "Sincos" {
		body = fmt.Sprintf("s.X, s.Y = %s(s.X)", call)
	}
	return fmt.Sprintf("//eaglet:kernel\ntype S struct{ X, Y %s }\n\nfunc (s *S) Step() { %s }\n", typ, body)
}

// ulpsText is an error as the table states it, rounded up.
func ulpsText(ulps float64) string { return strconv.FormatFloat(math.Ceil(ulps*1000)/1000, 'f', 3, 64) }

// stated are the two errors of a row of the committed table, by function.
func stated(t *testing.T, text string) map[string][2]float64 {
	out := make(map[string][2]float64)
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|")
		if len(cells) < 8 || strings.Contains(line, "---") || strings.TrimSpace(cells[1]) == "function" {
			continue
		}
		var u [2]float64
		for i := range u {
			cell := strings.TrimSpace(cells[2+i])
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				t.Errorf("docs/math.md: the error %q of %s is no number", cell, cells[1])
			}
			u[i] = v
		}
		out[strings.TrimSpace(cells[1])] = u
	}
	return out
}

// TestDocs holds docs/math.md: its table has every function, and no error measured here is above the stated one.
// With -update it writes the table. What is stated is then fresh where the measurement is the full one (float64:
// -samples 5000 or more; float32: -exhaustive, or two arguments), else the larger of old and new:
//
//	go test ./kernels/mathlib -run TestDocs -update [-samples 5000] [-stride 127 | -exhaustive -timeout 0]
func TestDocs(t *testing.T) {
	text, err := os.ReadFile(filepath.FromSlash(docsPath))
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), tableBegin+"\n")
	table, after, ok2 := strings.Cut(rest, tableEnd)
	if !ok || !ok2 {
		t.Fatalf("docs/math.md has no %s ... %s", tableBegin, tableEnd)
	}
	old := stated(t, table)
	found := mathlib.Measured(t)
	sincos := found["Sin"]
	sincos.Ulps, sincos.Ulps32 = max(sincos.Ulps, found["Cos"].Ulps), max(sincos.Ulps32, found["Cos"].Ulps32)
	found["Sincos"] = sincos

	if !*update {
		for _, d := range documentation {
			was, ok := old[d.name]
			if !ok {
				t.Errorf("docs/math.md lacks %s", d.name)
			}
			delete(old, d.name)
			if f := found[d.name]; f.Ulps > was[0] || f.Ulps32 > was[1] {
				t.Errorf("docs/math.md states %.3f and %.3f ulp for %s, measured are %.4f and %.4f", was[0], was[1], d.name, f.Ulps, f.Ulps32)
			}
		}
		for name := range old {
			t.Errorf("docs/math.md has %s, which is no function", name)
		}
		return
	}
	var b strings.Builder
	b.WriteString("| function | ulp f64 | ulp f32 | operations f64 | operations f32 | method | special cases |\n|---|---|---|---|---|---|---|\n")
	for _, d := range documentation {
		f, was := found[d.name], old[d.name]
		if mathlib.Samples() < 5000 {
			f.Ulps = max(f.Ulps, was[0])
		}
		if d.name == "Dim" {
			f.Ulps = 0.5 // rounded once: TestExactFunctions
		}
		if !f.Whole && !d.two {
			f.Ulps32 = max(f.Ulps32, was[1])
		}
		source := "package p\n\nimport \"math\"\n\n" + d.kernel("math."+d.name, "float64")
		k, _ := kernels.LoadSource([]kernels.SourceFile{{Name: "p.go", Text: []byte(source)}}, "p.go")
		if k == nil {
			t.Fatalf("does not load:\n%s", source)
		}
		k32 := loadInside(t, d.kernel(d.name+"32", "float32"))
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", d.name, ulpsText(f.Ulps), ulpsText(f.Ulps32), counts(k), counts(k32), d.method, d.special)
	}
	if err := os.WriteFile(filepath.FromSlash(docsPath), []byte(before+tableBegin+"\n"+b.String()+tableEnd+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestDocumented: the table of the documentation is the library: every exported function of the sources is in it
// with its float32 form, and nothing else.
func TestDocumented(t *testing.T) {
	declared := make(map[string]bool)
	for _, f := range mathlib.Sources() {
		file, err := parser.ParseFile(token.NewFileSet(), f.Name, f.Text, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.IsExported() {
				declared[fn.Name.Name] = true
			}
		}
	}
	for _, d := range documentation {
		for _, name := range []string{d.name, d.name + "32"} {
			if !declared[name] {
				t.Errorf("the library lacks %s", name)
			}
			delete(declared, name)
		}
	}
	for name := range declared {
		t.Errorf("%s is not documented", name)
	}
}
