package mathlib_test

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
	"github.com/eaglet-workbench/eaglet/kernels/mathlib"
)

// function32 is one float32 function, as a call on s.X and s.Y inside this package. Sum is the golden value of
// TestBits32.
type function32 struct {
	call string
	f    func(x, y float32) float32
	sum  uint64
}

func one32(f func(float32) float32) func(x, y float32) float32 {
	return func(x, _ float32) float32 { return f(x) }
}

var functions32 = []function32{
	{"Exp32(s.X)", one32(mathlib.Exp32), 0x3bc7c37caa1a3f9a},
	{"Exp232(s.X)", one32(mathlib.Exp232), 0xc38e2bd8564d8fd3},
	{"Expm132(s.X)", one32(mathlib.Expm132), 0x6897e42edce37d11},
	{"Log32(s.X)", one32(mathlib.Log32), 0xfbc507c0cbd5a4d6},
	{"Log232(s.X)", one32(mathlib.Log232), 0xdccdccbffc2c9831},
	{"Log1032(s.X)", one32(mathlib.Log1032), 0x15fad79b0d6f1e0d},
	{"Log1p32(s.X)", one32(mathlib.Log1p32), 0x0c695b74086c239c},
	{"Sin32(s.X)", one32(mathlib.Sin32), 0x6a1f51730ff3127f},
	{"Cos32(s.X)", one32(mathlib.Cos32), 0xecdb387e2ae955ed},
	{"Tan32(s.X)", one32(mathlib.Tan32), 0x205ab0775539448a},
	{"Asin32(s.X)", one32(mathlib.Asin32), 0x2c967d3ec5b74619},
	{"Acos32(s.X)", one32(mathlib.Acos32), 0x7ca86ad4719dde03},
	{"Atan32(s.X)", one32(mathlib.Atan32), 0x4b07d93a1228a28f},
	{"Sinh32(s.X)", one32(mathlib.Sinh32), 0x4137e4f3daa1472e},
	{"Cosh32(s.X)", one32(mathlib.Cosh32), 0x69b6ca603a6ff52d},
	{"Tanh32(s.X)", one32(mathlib.Tanh32), 0x8d08c97ae126825c},
	{"Asinh32(s.X)", one32(mathlib.Asinh32), 0x549941e009af5f7e},
	{"Acosh32(s.X)", one32(mathlib.Acosh32), 0x3b848d19d7676a74},
	{"Atanh32(s.X)", one32(mathlib.Atanh32), 0xd77d87b807a4423b},
	{"Erf32(s.X)", one32(mathlib.Erf32), 0x01236f787373b106},
	{"Erfc32(s.X)", one32(mathlib.Erfc32), 0x3e09efcea9c672bb},
	{"Cbrt32(s.X)", one32(mathlib.Cbrt32), 0x51ca19edbdea81fd},
	{"Round32(s.X)", one32(mathlib.Round32), 0x1156269d7d3555a0},
	{"Pow32(s.X, s.Y)", mathlib.Pow32, 0xa199cc51317b77da},
	{"Atan232(s.X, s.Y)", mathlib.Atan232, 0x23d6a64c36bd4f47},
	{"Hypot32(s.X, s.Y)", mathlib.Hypot32, 0x24298f676f18b9fa},
	{"Mod32(s.X, s.Y)", mathlib.Mod32, 0xc7d86b38b6349ce5},
	{"Dim32(s.X, s.Y)", mathlib.Dim32, 0x4905bbadb2ab40a1},
}

// arguments32 is arguments for float32.
func arguments32() (x, y []float32) {
	a, b := arguments()
	for i := range a[:400] {
		x, y = append(x, float32(a[i])), append(y, float32(b[i]))
	}
	r := rand.New(rand.NewPCG(7, 32))
	for range 1500 {
		x, y = append(x, math.Float32frombits(r.Uint32())), append(y, math.Float32frombits(r.Uint32()))
		x, y = append(x, float32(2*r.Float64()-1)), append(y, float32(2*r.Float64()-1))
		x, y = append(x, float32(200*r.Float64()-100)), append(y, float32(20*r.Float64()-10))
		x, y = append(x, float32(math.Ldexp(1+r.Float64(), 11+r.IntN(100)))), append(y, float32(r.IntN(40)-20))
	}
	return
}

// loadInside loads a kernel that is part of this package: its own sources and the text, so that the float32
// functions can be called by their names.
func loadInside(t *testing.T, text string) *kernels.Kernel {
	t.Helper()
	var files []kernels.SourceFile
	for _, f := range mathlib.Sources() {
		files = append(files, kernels.SourceFile{Name: f.Name, Text: f.Text})
	}
	files = append(files, kernels.SourceFile{Name: "p.go", Text: []byte("package mathlib\n\n" + text)})
	k, ds := kernels.LoadSource(files, "mathlib")
	if k == nil {
		_ = ds.Render(os.Stderr, false)
		t.Fatalf("does not load:\n%s", text)
	}
	return k
}

// TestInterpreter32 holds the interpreter against the Go compiler for the float32 functions.
func TestInterpreter32(t *testing.T) {
	x, y := arguments32()
	bytes := func(v []float32) []byte {
		b := make([]byte, 4*len(v))
		for i, f := range v {
			binary.NativeEndian.PutUint32(b[4*i:], math.Float32bits(f))
		}
		return b
	}
	// One kernel with an observable for each function, since each load compiles the package.
	var text strings.Builder
	text.WriteString("//eaglet:kernel\ntype S struct{ X, Y, Z float32 }\n\nfunc (s *S) Step() { s.Z = s.X + s.Y }\n")
	for i, c := range functions32 {
		fmt.Fprintf(&text, "\nfunc (s *S) F%d() float32 { return %s }\n", 100+i, c.call)
	}
	k := loadInside(t, text.String())
	code := interp.Compile(k.IR)
	if len(k.IR.Observables) != len(functions32) {
		t.Fatalf("%d observables", len(k.IR.Observables))
	}
	for o, observable := range k.IR.Observables {
		var i int
		if _, err := fmt.Sscanf(observable.Name, "F%d", &i); err != nil {
			if _, err := fmt.Sscanf(observable.Name, "f%d", &i); err != nil {
				t.Fatalf("observable %q", observable.Name)
			}
		}
		c := functions32[i-100]
		f := code.Observable(o)
		if f.Faults() {
			t.Errorf("%s can fault", c.call)
		}
		planes := make([][]byte, len(k.IR.Planes))
		planes[k.IR.Plane("x")], planes[k.IR.Plane("y")], planes[k.IR.Plane("z")] = bytes(x), bytes(y), bytes(x)
		got := make([]float64, len(x))
		f.NewMachine().Float64(0, planes, len(x), 0, got, nil)
		bad := 0
		for i := range x {
			want := c.f(x[i], y[i])
			if math.Float32bits(float32(got[i])) == math.Float32bits(want) || math.IsNaN(got[i]) && math.Float32bits(want) == 0x7fc00000 {
				continue
			}
			if bad++; bad <= 3 {
				t.Errorf("%s of %x, %x: interpreter %x, Go compiler %x (bits %#08x)", c.call, x[i], y[i], got[i], want, math.Float32bits(want))
			}
		}
	}
}

// TestBits32 is TestBits for the float32 functions; NaN needs no exception.
func TestBits32(t *testing.T) {
	x, y := arguments32()
	var changed strings.Builder
	for _, c := range functions32 {
		h := fnv.New64a()
		var b [4]byte
		for i := range x {
			binary.LittleEndian.PutUint32(b[:], math.Float32bits(c.f(x[i], y[i])))
			h.Write(b[:])
		}
		if h.Sum64() != c.sum {
			fmt.Fprintf(&changed, "%s %#016x\n", c.call, h.Sum64())
		}
	}
	if changed.Len() > 0 {
		t.Errorf("other bits than before:\n%s", &changed)
	}
}
