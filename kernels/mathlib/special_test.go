package mathlib

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

var (
	inf = math.Inf(1)
	nan = math.NaN()
)

// specials are the arguments at which special cases live, and some plain ones between them.
var specials = []float64{
	0, math.SmallestNonzeroFloat64, 0x1p-1050, 0x1p-1022, 0x1p-600, 0x1p-54, 0x1p-30, 0.25, 0.5, 0.75, math.Nextafter(1, 0), 1, math.Nextafter(1, 2),
	1.5, 2, 2.5, 3, 4, 7, 8, 10, 22, 27, 100, 709, 711, 745, 746, 1023, 1024, 1075, 0x1p52 - 0.5, 0x1p52, 0x1p52 + 1, 0x1p53 - 1, 0x1p53, 0x1p60, 0x1p600, math.MaxFloat64, inf,
}

func signed(f func(x float64)) {
	for _, x := range specials {
		f(x)
		f(-x)
	}
	f(nan)
}

// same says whether got and want are the same bits, or both NaN.
func same(got, want float64) bool {
	return math.Float64bits(got) == math.Float64bits(want) || math.IsNaN(got) && math.IsNaN(want)
}

// alike says whether got and want are the same NaN, infinity or signed zero, or both some other number of one
// sign.
func alike(got, want float64) bool {
	number := func(x float64) bool { return x != 0 && !math.IsInf(x, 0) && !math.IsNaN(x) }
	if number(want) {
		return number(got) && math.Signbit(got) == math.Signbit(want)
	}
	return same(got, want)
}

// TestSpecialCases holds every function against Go's own math at the special arguments: NaN, infinities and
// zeros must be the same. Of other numbers only the sign must; how good they are is TestAccuracy's matter,
// and Go's own are far off at some of these arguments (logarithms of subnormals, powers with a huge
// exponent).
func TestSpecialCases(t *testing.T) {
	for _, c := range []struct {
		name    string
		f, want func(float64) float64
	}{
		{"Exp", Exp, math.Exp},
		{"Exp2", Exp2, math.Exp2},
		{"Expm1", Expm1, math.Expm1},
		{"Log", Log, math.Log},
		{"Log2", Log2, math.Log2},
		{"Log10", Log10, math.Log10},
		{"Log1p", Log1p, math.Log1p},
		{"Sin", Sin, math.Sin},
		{"Cos", Cos, math.Cos},
		{"Tan", Tan, math.Tan},
		{"Asin", Asin, math.Asin},
		{"Acos", Acos, math.Acos},
		{"Atan", Atan, math.Atan},
		{"Sinh", Sinh, math.Sinh},
		{"Cosh", Cosh, math.Cosh},
		{"Tanh", Tanh, math.Tanh},
		{"Asinh", Asinh, math.Asinh},
		{"Acosh", Acosh, math.Acosh},
		{"Atanh", Atanh, math.Atanh},
		{"Erf", Erf, math.Erf},
		{"Erfc", Erfc, math.Erfc},
		{"Cbrt", Cbrt, math.Cbrt},
		{"Round", Round, math.Round},
		{"Sincos, sine", func(x float64) float64 { s, _ := Sincos(x); return s }, math.Sin},
		{"Sincos, cosine", func(x float64) float64 { _, c := Sincos(x); return c }, math.Cos},
	} {
		signed(func(x float64) {
			if got, want := c.f(x), c.want(x); !alike(got, want) {
				t.Errorf("%s(%v) = %v (bits %#016x), Go's math gives %v", c.name, x, got, math.Float64bits(got), want)
			}
		})
	}
	for _, c := range []struct {
		name    string
		f, want func(x, y float64) float64
	}{
		{"Pow", Pow, math.Pow},
		{"Atan2", Atan2, math.Atan2},
		{"Hypot", Hypot, math.Hypot},
		{"Mod", Mod, math.Mod},
		{"Dim", Dim, math.Dim},
	} {
		signed(func(x float64) {
			signed(func(y float64) {
				if c.name == "Atan2" && x != 0 && x/y == 0 && y > -inf {
					return // Go loses the sign where the quotient underflows
				}
				if got, want := c.f(x, y), c.want(x, y); !alike(got, want) {
					t.Errorf("%s(%v, %v) = %v (bits %#016x), Go's math gives %v", c.name, x, y, got, math.Float64bits(got), want)
				}
			})
		})
	}
}

// TestExactResults: where the mathematical result is a float64, that is the result.
func TestExactResults(t *testing.T) {
	check := func(name string, got, want float64) {
		t.Helper()
		if got != want {
			t.Errorf("%s = %v (bits %#016x), want exactly %v", name, got, math.Float64bits(got), want)
		}
	}
	for k := -1074; k <= 1023; k++ {
		p := math.Ldexp(1, k)
		check(fmt.Sprintf("Exp2(%d)", k), Exp2(float64(k)), p)
		check(fmt.Sprintf("Log2(2^%d)", k), Log2(p), float64(k))
		check(fmt.Sprintf("Pow(2, %d)", k), Pow(2, float64(k)), p)
		if k%3 == 0 {
			check(fmt.Sprintf("Cbrt(2^%d)", k), Cbrt(p), math.Ldexp(1, k/3))
		}
	}
	p := 1.0
	for k := 0; k <= 22; k++ {
		check(fmt.Sprintf("Log10(1e%d)", k), Log10(p), float64(k))
		check(fmt.Sprintf("Pow(10, %d)", k), Pow(10, float64(k)), p)
		p *= 10
	}
	for n := 1.0; n < 2000; n++ {
		check(fmt.Sprintf("Cbrt(%v^3)", n), Cbrt(n*n*n), n)
		check(fmt.Sprintf("Hypot(3, 4)*%v", n), Hypot(3*n, 4*n), 5*n)
		check(fmt.Sprintf("Pow(%v, 3)", -n), Pow(-n, 3), -n*n*n)
	}
	check("Exp(0)", Exp(0), 1)
	check("Cos(0)", Cos(0), 1)
	check("Cosh(0)", Cosh(0), 1)
	check("Erfc(0)", Erfc(0), 1)
}

// TestExactFunctions: Mod, Round and Dim have no error at all; random bit patterns against Go's math.
func TestExactFunctions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	pattern := func() float64 { return math.Float64frombits(r.Uint64()) }
	for range 20000 {
		x, y := pattern(), pattern()
		near := y * math.Ldexp(1+r.Float64(), int(r.Uint64N(60)))
		for _, a := range []float64{x, near} {
			if got, want := Mod(a, y), math.Mod(a, y); !same(got, want) {
				t.Fatalf("Mod(%x, %x) = %x, want %x", a, y, got, want)
			}
		}
		small := math.Ldexp(2*r.Float64()-1, int(r.Uint64N(55)))
		if got, want := Round(small), math.Round(small); !same(got, want) {
			t.Fatalf("Round(%x) = %x, want %x", small, got, want)
		}
		if got, want := Dim(x, y), math.Dim(x, y); !same(got, want) {
			t.Fatalf("Dim(%x, %x) = %x, want %x", x, y, got, want)
		}
	}
}

// TestSymmetry: odd and even functions are so to the last bit, and Sincos is Sin and Cos.
func TestSymmetry(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 5000 {
		x := everything.draw(r)
		for name, f := range map[string]func(float64) float64{"Sin": Sin, "Tan": Tan, "Asin": Asin, "Atan": Atan, "Sinh": Sinh, "Tanh": Tanh, "Asinh": Asinh, "Atanh": Atanh, "Erf": Erf, "Cbrt": Cbrt, "Round": Round} {
			if a, b := f(x), f(-x); !same(b, -a) {
				t.Fatalf("%s(%x) = %x, but %x at the negative", name, x, a, b)
			}
		}
		if a, b := Cos(x), Cos(-x); a != b {
			t.Fatalf("Cos(%x) = %x, but %x at the negative", x, a, b)
		}
		if a, b := Cosh(x), Cosh(-x); !same(b, a) {
			t.Fatalf("Cosh(%x) = %x, but %x at the negative", x, a, b)
		}
	}
}

// TestTables recomputes the constants in which a slip of one digit would show at few arguments only.
func TestTables(t *testing.T) {
	for i, row := range atanTable[:9] {
		want := refAtan(bf(float64(i) / 8))
		hi, _ := want.Float64()
		lo, _ := sub(want, bf(hi)).Float64()
		if row != [2]float64{hi, lo} {
			t.Errorf("atan(%d/8): %x, want %x %x", i, row, hi, lo)
		}
	}
	q := wide(1500).Quo(wide(1500).SetInt64(2), bigPi())
	for i, word := range twoOverPiBits[1:20] {
		q.SetMantExp(q, 64)
		whole, _ := q.Int(nil)
		if whole.Uint64() != word {
			t.Errorf("word %d of 2/pi: %#x, want %#x", i, word, whole.Uint64())
		}
		q.Sub(q, wide(1500).SetInt(whole))
	}
	for _, c := range []struct {
		name  string
		parts []float64
		want  *big.Float
		bits  int // of the value, that the parts hold together
	}{
		{"ln 2", []float64{ln2a, ln2b}, refLn2(), 33 + 53},
		{"pi/2", []float64{halfPi1, halfPi2, halfPi3, halfPi4}, shift(refPi(), -1), 99 + 53},
		{"pi", []float64{piHigh, piLow}, refPi(), 106},
		{"pi/2 in two", []float64{halfPiHigh, halfPiLow}, shift(refPi(), -1), 106},
		{"2/sqrt(pi)", []float64{twoOverRootPiHigh, twoOverRootPiLow}, quo(bf(2), sqrt(refPi())), 106},
	} {
		rest := newf().Set(c.want)
		for _, p := range c.parts {
			rest.Sub(rest, bf(p))
		}
		if expOf(rest) > expOf(c.want)-c.bits {
			t.Errorf("%s: the parts %x leave %s", c.name, c.parts, rest.Text('p', 10))
		}
	}
}

// TestUlps is the red case of the accuracy test: its measure must see a last place.
func TestUlps(t *testing.T) {
	third := quo(bf(1), bf(3))
	for _, c := range []struct {
		name     string
		got      float64
		want     *big.Float
		low, top float64
	}{
		{"the nearest float64", 1.0 / 3, third, 0.3, 0.4},
		{"its neighbour", math.Nextafter(1.0/3, 1), third, 0.6, 0.7},
		{"the second neighbour", math.Nextafter(math.Nextafter(1.0/3, 0), 0), third, 2.3, 2.4},
		{"a subnormal one off", 2 * math.SmallestNonzeroFloat64, bf(math.SmallestNonzeroFloat64), 1, 1},
		{"a zero for the smallest", 0, bf(math.SmallestNonzeroFloat64), 1, 1},
		{"NaN", nan, bf(1), inf, inf},
		{"infinity for a number", inf, bf(1e300), inf, inf},
		{"a number for an overflow", 1e308, shift(bf(1), 1024), inf, inf},
		{"infinity for an overflow", inf, shift(bf(1), 1024), 0.5, 0.5},
		{"the wrong infinity", -inf, shift(bf(1), 1024), inf, inf},
	} {
		if e := ulps(c.got, c.want); !(e >= c.low && e <= c.top) {
			t.Errorf("%s: %v ulp, want %v to %v", c.name, e, c.low, c.top)
		}
	}
}
