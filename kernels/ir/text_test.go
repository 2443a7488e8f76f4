package ir_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/irtest"
)

func text(t testing.TB, k *ir.Kernel, positions bool) string {
	t.Helper()
	var b bytes.Buffer
	if err := ir.Print(&b, k, positions); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func read(t testing.TB, s string) *ir.Kernel {
	t.Helper()
	k, err := ir.Read(strings.NewReader(s))
	if err != nil {
		t.Fatalf("%v\n%s", err, s)
	}
	return k
}

// firstDifference is the first line in which two texts differ.
func firstDifference(a, b string) string {
	la, lb := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(la), len(lb)) {
		if la[i] != lb[i] {
			return fmt.Sprintf("line %d:\n%s\n%s", i+1, la[i], lb[i])
		}
	}
	return fmt.Sprintf("%d lines and %d", len(la), len(lb))
}

// normal replaces empty slices by nil ones, which the text cannot tell apart.
func normal(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			normal(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			normal(v.Field(i))
		}
	case reflect.Slice:
		if v.Len() == 0 {
			v.SetZero()
		}
		for i := range v.Len() {
			normal(v.Index(i))
		}
	}
}

func normalised(k *ir.Kernel) *ir.Kernel {
	k = k.Clone()
	k.Renumber()
	normal(reflect.ValueOf(k))
	return k
}

// withoutPositions is k without what Print leaves out when it prints no positions.
func withoutPositions(k *ir.Kernel) *ir.Kernel {
	k = k.Clone()
	k.Files = nil
	for i := range k.Planes {
		k.Planes[i].Doc, k.Planes[i].Pos = "", ir.Pos{}
	}
	for _, f := range k.Funcs() {
		f.Doc = ""
		f.Body.Walk(func(in *ir.Instr) { in.Pos = ir.Pos{} })
	}
	k.Step.Head.Walk(func(in *ir.Instr) { in.Pos = ir.Pos{} })
	k.Step.Trip.Walk(func(in *ir.Instr) { in.Pos = ir.Pos{} })
	if k.Finish != nil {
		k.Finish.Pos = ir.Pos{}
		k.Finish.Cond.Walk(func(c *ir.Cond) { c.Pos = ir.Pos{} })
	}
	return k
}

const seeds = 150

func TestRandomKernelsReadBackAsTheyWere(t *testing.T) {
	for seed := range uint64(seeds) {
		k := irtest.Kernel(seed, 60)
		if err := ir.Verify(k); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, positions := range []bool{true, false} {
			s := text(t, k, positions)
			got := read(t, s)
			if again := text(t, got, positions); again != s {
				t.Fatalf("seed %d: the text changed on its way, %s", seed, firstDifference(s, again))
			}
			want := k
			if !positions {
				want = withoutPositions(k)
			}
			if !reflect.DeepEqual(normalised(got), normalised(want)) {
				t.Fatalf("seed %d, positions %v: the kernel changed on its way\n%s", seed, positions, s)
			}
			if err := ir.Verify(got); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
	}
}

func TestReadGivesCanonicalNumbers(t *testing.T) {
	k := read(t, text(t, irtest.Kernel(3, 60), true))
	c := k.Clone()
	c.Renumber()
	normal(reflect.ValueOf(c))
	normal(reflect.ValueOf(k))
	if !reflect.DeepEqual(c, k) {
		t.Error("renumbering a kernel that was read changes it")
	}
}

// TestTextIsIndependentOfNumbers gives the values of a kernel other numbers.
func TestTextIsIndependentOfNumbers(t *testing.T) {
	k := irtest.Kernel(11, 80)
	want := text(t, k, false)
	s := &k.Step
	n := ir.Value(len(s.Types))
	flip := func(x ir.Value) ir.Value { return n - x + 7 }
	types := make([]ir.Type, n+7)
	for x := ir.Value(1); x < n; x++ {
		types[flip(x)] = s.Types[x]
	}
	s.Types = types
	s.Head.MapValues(flip)
	s.Trip.MapValues(flip)
	k.Finish.MapValues(flip)
	if err := ir.Verify(k); err != nil {
		t.Fatal(err)
	}
	if got := text(t, k, false); got != want {
		t.Errorf("the text differs, %s", firstDifference(got, want))
	}
}

func TestCloneSharesNothing(t *testing.T) {
	for seed := range uint64(20) {
		k := irtest.Kernel(seed, 60)
		want := text(t, k, true)
		c := k.Clone()
		if !reflect.DeepEqual(c, k) {
			t.Fatalf("seed %d: the clone differs", seed)
		}
		shared := make(map[uintptr]string)
		addresses(reflect.ValueOf(k), "k", func(p uintptr, path string) { shared[p] = path })
		addresses(reflect.ValueOf(c), "clone", func(p uintptr, path string) {
			if other, ok := shared[p]; ok {
				t.Errorf("seed %d: %s is %s", seed, path, other)
			}
		})
		if text(t, k, true) != want {
			t.Fatalf("seed %d: cloning changed the kernel", seed)
		}
	}
}

// addresses calls f for every pointer and every slice with memory below v.
func addresses(v reflect.Value, path string, f func(uintptr, string)) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			f(v.Pointer(), path)
			addresses(v.Elem(), path, f)
		}
	case reflect.Slice:
		if v.Cap() > 0 {
			f(v.Pointer(), path)
		}
		for i := range v.Len() {
			addresses(v.Index(i), fmt.Sprintf("%s[%d]", path, i), f)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			addresses(v.Field(i), path+"."+v.Type().Field(i).Name, f)
		}
	}
}

func TestLiteralsReadBackBitForBit(t *testing.T) {
	for _, c := range []struct {
		t    ir.Type
		bits uint64
		want string
	}{
		{ir.F64, 0x3FB999999999999A, "0.1"},
		{ir.F64, 0x8000000000000000, "-0"},
		{ir.F64, 0x7FF0000000000000, "inf"},
		{ir.F64, 0xFFF0000000000000, "-inf"},
		{ir.F64, ir.NaN64, "nan"},
		{ir.F64, 0xFFF8000000000000, "nan(0xfff8000000000000)"},
		{ir.F64, 1, "5e-324"},
		{ir.F64, 0x7FEFFFFFFFFFFFFF, "1.7976931348623157e+308"},
		{ir.F32, 0x3DCCCCCD, "0.1"},
		{ir.F32, 0x80000000, "-0"},
		{ir.F32, 0xFF800000, "-inf"},
		{ir.F32, uint64(ir.NaN32), "nan"},
		{ir.F32, 0x7F800001, "nan(0x7f800001)"},
		{ir.I32, 0x80000000, "-2147483648"},
		{ir.I64, 1 << 63, "-9223372036854775808"},
		{ir.U32, 0xFFFFFFFF, "4294967295"},
		{ir.U64, 1<<64 - 1, "18446744073709551615"},
		{ir.Bool, 1, "true"},
	} {
		got := ir.FormatLiteral(c.t, c.bits)
		if got != c.want {
			t.Errorf("%v 0x%x prints as %s, want %s", c.t, c.bits, got, c.want)
		}
		back, err := ir.ParseLiteral(c.t, got)
		if err != nil || back != c.bits {
			t.Errorf("%v %s reads as 0x%x, %v, want 0x%x", c.t, got, back, err, c.bits)
		}
	}
	for _, c := range []struct {
		t ir.Type
		s string
	}{
		{ir.F64, "1e999"},
		{ir.F32, "1e39"},
		{ir.I32, "2147483648"},
		{ir.U32, "-1"},
		{ir.Bool, "1"},
		{ir.F64, "nan(0x1)"},
		{ir.F32, "nan(0x17f800001)"},
		{ir.F64, "NaN"},
		{ir.F64, ""},
		{ir.Invalid, "1"},
	} {
		if bits, err := ir.ParseLiteral(c.t, c.s); err == nil {
			t.Errorf("%v %q reads as 0x%x, want an error", c.t, c.s, bits)
		}
	}
}

func TestReadRefusesMalformedText(t *testing.T) {
	const head = "eaglet.ir 1\nkernel k guard=mask steps=auto steps_max=64 precision=f64 fma=off\n" +
		"plane x f64 state init const(0)\nplane a f64[2] input init const(0)\n"
	step := func(s string) string { return head + "trip (%1 f64 = x) {\n" + s + "\n}" }
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", `line 1: expected "eaglet.ir", found the end of the text`},
		{"another version", "eaglet.ir 2", `line 1: expected "1", found "2"`},
		{"an unknown guard", "eaglet.ir 1\nkernel k guard=none", `line 2: "none" is no guard`},
		{"no trip", head, "line 5: the trip is missing"},
		{"an unknown statement", head + "\nplan x", `line 6: "plan" is no statement`},
		{"two planes of one name", head + "plane x f64 state init const(0)", `line 5: there are two planes "x"`},
		{"a dimension out of range", head + "plane y f64[0] state init const(0)", `line 5: "0" is no dimension from 1 to 65536`},
		{"two trips", step("") + step("")[len(head):], "line 7: there are two statements trip"},
		{"a string without an end", head + "plane y \"Y\nZ\" f64", "line 5: a string does not end"},
		{"an unknown operation", step("%2 = ad.f64 %1, %1"), `line 6: "ad" is no operation`},
		{"an unknown type", step("%2 = add.f16 %1, %1"), `line 6: "add.f16": malformed types`},
		{"a missing argument type", step("%2 = convert.f64 %1"), `line 6: "convert.f64": malformed types`},
		{"an undefined value", step("%2 = neg.f64 %3"), "line 6: value %3 is not defined before its use"},
		{"a value defined twice", step("%1 = neg.f64 %1"), "line 6: value %1 is defined twice"},
		{"a value with a name", step("%x = neg.f64 %1"), "line 6: %x is no value"},
		{"a huge value number", step("%99999999999 = neg.f64 %1"), "line 6: %99999999999 is no value"},
		{"a load of an unknown plane", step("%2 = load.f64 y"), `line 6: there is no plane "y" before this line`},
		{"an array without component", step("%2 = load.f64 a"), `line 6: plane "a" is an array: a component is missing`},
		{"no result", step("add.f64 %1, %1"), `line 6: "add.f64" has 0 results, want 1`},
		{"fewer yields than results", step("%9 = const.bool true %2, %3 = if %9 { yield %1 } else { yield %1 }"), "line 7: if has 2 results, and its region gives 1"},
		{"an if without else", step("%9 = const.bool true if %9 { }"), `line 7: expected "else", found "}"`},
		{"a region without an end", head + "trip () {", `line 5: expected "}", found the end of the text`},
		{"a table without an end", head + "table t f64 { 1,", `line 5: expected a constant, found the end of the text`},
		{"a bad constant", step("%2 = const.i32 0.5"), `line 6: "0.5" is no i32`},
		{"a bad position", step("%2 = neg.f64 %1 @1:2"), "line 6: @1:2 is no position of the form @file:line:column-end"},
		{"an unexpected character", head + "$", "line 5: unexpected character '$'"},
		{"a finish before the trip", head + "finish f {}", "line 5: the trip must come before the finish declaration"},
		{"a nest too deep", step("%9 = const.bool true " + strings.Repeat("if %9 {", 1002)), "line 6: regions nest deeper than 1000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ir.Read(strings.NewReader(c.text))
			if err == nil || err.Error() != "ir: "+c.want {
				t.Errorf("got %v, want ir: %s", err, c.want)
			}
		})
	}
}

// TestScrambledTexts: a text with tokens in wrong places is refused or read, never worse.
func TestScrambledTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	malformed, broken, fine := 0, 0, 0
	var texts []string
	for seed := range uint64(30) {
		texts = append(texts, text(t, irtest.Kernel(seed, 20), true))
	}
	for round := range 2000 {
		k, err := ir.Read(strings.NewReader(irtest.Scramble(r, texts[round%len(texts)])))
		if err != nil {
			malformed++
			continue
		}
		once := text(t, k, true)
		if err := ir.Verify(k); err != nil {
			broken++
			continue
		}
		fine++
		if twice := text(t, read(t, once), true); twice != once {
			t.Fatalf("round %d: the text changed on its way, %s", round, firstDifference(once, twice))
		}
	}
	if malformed < 200 || broken < 50 || fine < 100 {
		t.Errorf("%d malformed, %d broken, %d fine: want many of each", malformed, broken, fine)
	}
}

func TestGoldenText(t *testing.T) {
	files, err := filepath.Glob("testdata/*.ir")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, f := range files {
		want, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		k := read(t, string(want))
		if err := ir.Verify(k); err != nil {
			t.Errorf("%s: %v", f, err)
		}
		if got := text(t, k, true); got != string(want) {
			t.Errorf("%s prints as\n%s", f, got)
		}
	}
}

// FuzzRead: no text makes the reader, the verifier or the printer panic, and what reads, prints and reads
// back to the same text.
func FuzzRead(f *testing.F) {
	for seed := range uint64(3) {
		f.Add(text(f, irtest.Kernel(seed, 20), seed%2 == 0))
	}
	files, _ := filepath.Glob("testdata/*.ir")
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
	f.Fuzz(func(t *testing.T, s string) {
		k, err := ir.Read(strings.NewReader(s))
		if err != nil {
			return
		}
		verified := ir.Verify(k) == nil
		once := text(t, k, true)
		if !verified {
			return
		}
		back := read(t, once)
		if twice := text(t, back, true); twice != once {
			t.Errorf("the text changed on its way, %s", firstDifference(once, twice))
		}
		if err := ir.Verify(back); err != nil {
			t.Error(err)
		}
	})
}
