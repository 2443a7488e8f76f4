package kernels

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

func TestOptions(t *testing.T) {
	source := []SourceFile{{Name: "a.go", Text: []byte(`package fixture

//eaglet:kernel steps=4 guard=mask
type T struct{ X, Y float64 }

func (s *T) Step() (done bool) {
	s.X = s.X*s.Y + 0.1
	return s.X > 1
}
`)}}
	plain, ds := LoadSource(source, "a.go")
	if plain == nil {
		t.Fatal(ds)
	}
	digests := map[string]string{plain.Digest: "no option"}
	for _, c := range []struct {
		name    string
		options Options
		check   func(k *ir.Kernel) bool
	}{
		{"steps per launch chosen by the runner", Options{StepsPerLaunch: "auto"}, func(k *ir.Kernel) bool { return k.Auto() && k.StepsMax == ir.DefaultStepsMax }},
		{"a number of steps per launch", Options{StepsPerLaunch: "16"}, func(k *ir.Kernel) bool { return k.Steps == 16 && k.StepsMax == 0 }},
		{"an active set", Options{Guard: "active_set"}, func(k *ir.Kernel) bool { return k.Guard == ir.GuardActiveSet && k.Steps == 4 }},
		{"fused multiply-adds", Options{FMA: "contract"}, func(k *ir.Kernel) bool { return k.FMA }},
		{"single precision", Options{Precision: "f32"}, func(k *ir.Kernel) bool { return k.Precision == ir.F32 && k.Planes[0].Type == ir.F32 }},
	} {
		k, ds := LoadSourceWith(source, "a.go", c.options)
		if k == nil {
			t.Errorf("%s: %v", c.name, ds)
			continue
		}
		if !c.check(k.IR) {
			t.Errorf("%s: the artifact does not have it: %+v", c.name, k.Sidecar())
		}
		if before, taken := digests[k.Digest]; taken {
			t.Errorf("%s has the digest of %s", c.name, before)
		}
		digests[k.Digest] = c.name
	}
	same, _ := LoadSourceWith(source, "a.go", Options{StepsPerLaunch: "4", Guard: "mask", FMA: "off", Precision: "f64"})
	if same == nil || same.Digest != plain.Digest {
		t.Error("options that say what the directive says make another artifact")
	}

	_, ds = LoadSourceWith(source, "a.go", Options{StepsPerLaunch: "0", Guard: "none", FMA: "on", Precision: "f16"})
	for _, want := range []string{
		`the option steps-per-launch is "0"`, `the option guard is "none"`, `the option fma is "on"`, `the option precision is "f16"`,
	} {
		found := false
		for _, d := range ds {
			found = found || d.Code == "E068" && strings.Contains(d.What, want) && d.Rewrite != ""
		}
		if !found {
			t.Errorf("no diagnostic says %q: %v", want, ds)
		}
	}
}

// TestFloat32Constants: a constant is rounded once, from its exact value, and typed operations of constants
// are operations of float32.
func TestFloat32Constants(t *testing.T) {
	// 1 + 2^-24 + 2^-54 is above the middle of two float32; as a float64 it is the middle, and would be
	// rounded to even.
	const middle = "(1 + 0x1p-24 + 0x1p-54)"
	for _, c := range []struct {
		name, more, expr string
		want             float32
	}{
		{"a literal", "", "1.00000005960464483090178850261", 1 + 0x1p-23},
		{"an expression", "", middle, 1 + 0x1p-23},
		{"an expression with a sign", "", "-" + middle, -1 - 0x1p-23},
		{"an untyped constant", "const c = " + middle, "c", 1 + 0x1p-23},
		{"an untyped constant in an expression", "const c = " + middle, "2*c", 2 + 0x1p-22},
		{"a typed constant", "const c float64 = " + middle, "c", 1 + 0x1p-23},
		{"typed constants are rounded before they are added", "const c float64 = 0x1p-25\nconst d float64 = 1", "d + c + c", 1},
		{"untyped constants are not", "const c = 0x1p-25\nconst d = 1.0", "d + c + c + c", 1 + 0x1p-23},
		{"an integer division", "", "1.0 + 7/2*0x1p-25", 1 + 0x1p-23},
		{"a conversion", "", "float64(" + middle + ")", 1 + 0x1p-23},
		{"pi", "", "math.Pi", math.Pi},
	} {
		text := "package fixture\n\nimport \"math\"\n\nvar _ = math.Pi\n\n//eaglet:kernel precision=f32\ntype T struct{ X float64 }\n\n" + c.more +
			"\n\nfunc (s *T) Step() (done bool) {\n\ts.X = " + c.expr + "\n\treturn s.X > 5\n}\n"
		k, ds := load([]SourceFile{{Name: "a.go", Text: []byte(text)}}, "a.go")
		if k == nil {
			t.Errorf("%s: %v", c.name, ds)
			continue
		}
		got := uint64(0)
		x := k.first.Step.Trip.Yield[1]
		for _, in := range k.first.Step.Head.Instrs {
			if len(in.Results) == 1 && in.Results[0] == x && in.Op == ir.OpConst {
				got = in.Imm
			}
		}
		if want := uint64(math.Float32bits(c.want)); got != want {
			t.Errorf("%s: got 0x%08x, want 0x%08x (%v)", c.name, got, want, c.want)
		}
	}
}

// TestEveryMathFunctionHasAFloat32Form compiles a call of each with precision=f32.
func TestEveryMathFunctionHasAFloat32Form(t *testing.T) {
	for _, name := range mathFunctions() {
		args, assign := "s.X", "s.Y = "
		switch name {
		case "Float64bits", "Float64frombits":
			continue // have none, see E067
		case "Atan2", "Copysign", "Dim", "Hypot", "Max", "Min", "Mod", "Pow":
			args = "s.X, s.Y"
		case "FMA":
			args = "s.X, s.Y, s.Y"
		case "Inf":
			args = "1"
		case "IsInf":
			args, assign = "s.X, 1", "done = "
		case "IsNaN", "Signbit":
			assign = "done = "
		case "NaN":
			args = ""
		case "Sincos":
			assign = "s.X, s.Y = "
		}
		text := fmt.Sprintf("package fixture\n\nimport \"math\"\n\n//eaglet:kernel precision=f32\ntype T struct{ X, Y float64 }\n\nfunc (s *T) Step() (done bool) {\n\t%smath.%s(%s)\n\treturn done || s.X > 5\n}\n", assign, name, args)
		k, ds := load([]SourceFile{{Name: "a.go", Text: []byte(text)}}, "a.go")
		if k == nil {
			t.Errorf("%s: %v", name, ds)
			continue
		}
		if k.IR.Planes[0].Type != ir.F32 {
			t.Errorf("%s: X is %v", name, k.IR.Planes[0].Type)
		}
	}
}

// TestLibraryKernelsCompileInSinglePrecision: what a run-time choice must be able to rely on.
func TestLibraryKernelsCompileInSinglePrecision(t *testing.T) {
	for _, name := range []string{"oscillator", "lorenz", "kepler"} {
		k, ds := LoadWith(name, Options{Precision: "f32"})
		if k == nil {
			t.Errorf("%s: %v", name, ds)
			continue
		}
		for i := range k.IR.Planes {
			if k.IR.Planes[i].Type == ir.F64 {
				t.Errorf("%s: plane %s is f64", name, k.IR.Planes[i].Name)
			}
		}
		wide := 0
		k.IR.Step.Trip.Walk(func(in *ir.Instr) {
			if in.Type == ir.F64 && in.Op.Flop() {
				wide++
			}
		})
		t.Logf("%s: %d operations of the trip are on f64, inside math functions", name, wide)
	}
}
