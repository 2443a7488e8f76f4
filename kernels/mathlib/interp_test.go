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

// function is one function of the library, as calls of one result. Sum is the golden value of TestBits.
type function struct {
	name string // as a kernel writes the call, on s.X and s.Y
	f    func(x, y float64) float64
	sum  uint64
}

func one(f func(float64) float64) func(x, y float64) float64 {
	return func(x, _ float64) float64 { return f(x) }
}

var functions = []function{
	{"math.Exp(s.X)", one(mathlib.Exp), 0x8d90905000b1a037},
	{"math.Exp2(s.X)", one(mathlib.Exp2), 0xd432db37e4c9160e},
	{"math.Expm1(s.X)", one(mathlib.Expm1), 0xe15366500012e23d},
	{"math.Log(s.X)", one(mathlib.Log), 0xc9f3bd5180d1ab45},
	{"math.Log2(s.X)", one(mathlib.Log2), 0x9d1360ab9d05e7e3},
	{"math.Log10(s.X)", one(mathlib.Log10), 0xa39496246a3c4869},
	{"math.Log1p(s.X)", one(mathlib.Log1p), 0x1e87ea85afcaaaef},
	{"math.Sin(s.X)", one(mathlib.Sin), 0xedb7388489965f6e},
	{"math.Cos(s.X)", one(mathlib.Cos), 0xfd82a5ad8b9b473d},
	{"math.Tan(s.X)", one(mathlib.Tan), 0xfd2207e67835c6e5},
	{"math.Asin(s.X)", one(mathlib.Asin), 0xea8a4682debf253e},
	{"math.Acos(s.X)", one(mathlib.Acos), 0xf59a2325e0f99d27},
	{"math.Atan(s.X)", one(mathlib.Atan), 0x3172b5ef3ced73a3},
	{"math.Sinh(s.X)", one(mathlib.Sinh), 0xc0a97168eb74054c},
	{"math.Cosh(s.X)", one(mathlib.Cosh), 0xdd57dfc00be4e083},
	{"math.Tanh(s.X)", one(mathlib.Tanh), 0x006fa65abe3358af},
	{"math.Asinh(s.X)", one(mathlib.Asinh), 0x6bf94bc5fcebe243},
	{"math.Acosh(s.X)", one(mathlib.Acosh), 0x6ad29a1173200a54},
	{"math.Atanh(s.X)", one(mathlib.Atanh), 0x4c94dcb6131ac27a},
	{"math.Erf(s.X)", one(mathlib.Erf), 0xc1d0c4bffa3a83a4},
	{"math.Erfc(s.X)", one(mathlib.Erfc), 0xb15a02d2207998f8},
	{"math.Cbrt(s.X)", one(mathlib.Cbrt), 0xa65fd64bc434fea8},
	{"math.Round(s.X)", one(mathlib.Round), 0xd92c5098d6ea6064},
	{"math.Pow(s.X, s.Y)", mathlib.Pow, 0xa841e3664f5bf951},
	{"math.Atan2(s.X, s.Y)", mathlib.Atan2, 0xe65113ffb53181cc},
	{"math.Hypot(s.X, s.Y)", mathlib.Hypot, 0xed937aba5a1591cf},
	{"math.Mod(s.X, s.Y)", mathlib.Mod, 0xfd857ce3a45e4925},
	{"math.Dim(s.X, s.Y)", mathlib.Dim, 0x007530bf1a2ff9b2},
}

// arguments are special values against each other, and random ones: bit patterns, and numbers of everyday size.
func arguments() (x, y []float64) {
	specials := []float64{0, math.Copysign(0, -1), 5e-324, 0x1p-1022, 0x1p-30, 0.5, 1, -1, 1.5, 2, -3, 22, 100.25, -710, 0x1p53, -0x1p60, math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN()}
	for _, a := range specials {
		for _, b := range specials {
			x, y = append(x, a), append(y, b)
		}
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range 1500 {
		x, y = append(x, math.Float64frombits(r.Uint64())), append(y, math.Float64frombits(r.Uint64()))
		x, y = append(x, 2*r.Float64()-1), append(y, 2*r.Float64()-1)
		x, y = append(x, 200*r.Float64()-100), append(y, 20*r.Float64()-10)
	}
	return
}

// TestInterpreter holds the interpreter, through front end and passes, against the Go compiler: the same
// bits from one source, NaN being one value.
func TestInterpreter(t *testing.T) {
	x, y := arguments()
	bytes := func(v []float64) []byte {
		b := make([]byte, 8*len(v))
		for i, f := range v {
			binary.NativeEndian.PutUint64(b[8*i:], math.Float64bits(f))
		}
		return b
	}
	for _, c := range functions {
		source := fmt.Sprintf(`package p

import "math"

//eaglet:kernel
type S struct{ X, Y, Z float64 }

func (s *S) Step() { s.Z = s.X + s.Y }

func (s *S) F() float64 { return %s }
`, c.name)
		k, ds := kernels.LoadSource([]kernels.SourceFile{{Name: "p.go", Text: []byte(source)}}, "p.go")
		if k == nil {
			_ = ds.Render(os.Stderr, false)
			t.Fatalf("%s does not load", c.name)
		}
		f := interp.Compile(k.IR).Observable(0)
		if f.Faults() {
			t.Errorf("%s can fault", c.name)
		}
		planes := make([][]byte, len(k.IR.Planes))
		planes[k.IR.Plane("x")], planes[k.IR.Plane("y")], planes[k.IR.Plane("z")] = bytes(x), bytes(y), bytes(x)
		got := make([]float64, len(x))
		f.NewMachine().Float64(0, planes, len(x), 0, got, nil)
		bad := 0
		for i := range x {
			want := c.f(x[i], y[i])
			if math.Float64bits(got[i]) == math.Float64bits(want) || math.IsNaN(got[i]) && math.IsNaN(want) {
				continue
			}
			if bad++; bad <= 3 {
				t.Errorf("%s of %x, %x: interpreter %x (bits %#016x), Go compiler %x (bits %#016x)", c.name, x[i], y[i], got[i], math.Float64bits(got[i]), want, math.Float64bits(want))
			}
		}
	}
}

// TestBits fixes the results for ever, on every machine: a change of one bit of one result changes the sum.
// Rewrite the sums with what a failure prints only when a result was meant to change.
func TestBits(t *testing.T) {
	x, y := arguments()
	var changed strings.Builder
	for _, c := range functions {
		h := fnv.New64a()
		var b [8]byte
		for i := range x {
			v := c.f(x[i], y[i])
			if math.IsNaN(v) {
				v = math.NaN()
			}
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
			h.Write(b[:])
		}
		if h.Sum64() != c.sum {
			fmt.Fprintf(&changed, "%s %#016x\n", c.name, h.Sum64())
		}
	}
	if changed.Len() > 0 {
		t.Errorf("other bits than before:\n%s", &changed)
	}
}

// TestSources: what is compiled into kernels is the kernel language only.
func TestSources(t *testing.T) {
	names := map[string]bool{}
	for _, f := range mathlib.Sources() {
		names[f.Name] = true
		if strings.Contains(string(f.Text), "\"embed\"") || strings.HasSuffix(f.Name, "_test.go") {
			t.Errorf("%s is not in the kernel language", f.Name)
		}
	}
	if !names["exp.go"] || !names["trig.go"] || names["sources.go"] {
		t.Errorf("sources: %v", names)
	}
}
