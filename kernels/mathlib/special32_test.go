package mathlib

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// alike32 is alike for a float32 result. Go's float64 result rounds to zero or infinity where float32 under- or
// overflows; next to there a result one unit off is alike too, and how good it is, is TestAccuracy32's matter.
func alike32(got float32, want float64) bool {
	rounded := float32(want)
	switch {
	case want != want:
		return math.Float32bits(got) == 0x7fc00000
	case rounded == 0 && want != 0:
		return got <= 0x1p-149 && got >= -0x1p-149 && math.Signbit(float64(got)) == math.Signbit(want)
	case got == 0 && math.Abs(want) <= 0x1p-149:
		return math.Signbit(float64(got)) == math.Signbit(want)
	}
	return alike(float64(got), float64(rounded))
}

// TestSpecialCases32 holds every float32 function against Go's math at the special arguments, as
// TestSpecialCases does; NaN must be the one NaN, also natively, whatever NaN went in.
func TestSpecialCases32(t *testing.T) {
	odd := math.Float32frombits(0xffc12345) // another NaN
	for _, c := range accuracy32 {
		for _, x := range append(hard32(), odd, float32(inf), float32(-inf)) {
			if got, want := c.f(x), c.second(float64(x)); !alike32(got, want) {
				t.Errorf("%s of float32 %x = %x (bits %#08x), Go's math gives %x", c.name, x, got, math.Float32bits(got), want)
			}
		}
	}
	second := map[string]func(x, y float64) float64{"Pow": math.Pow, "Atan2": math.Atan2, "Hypot": math.Hypot, "Mod": math.Mod, "Dim": math.Dim}
	for _, c := range accuracy32two {
		args := append(hard32(), odd, float32(inf), float32(-inf))
		for _, x := range args {
			for _, y := range args {
				want := second[c.name](float64(x), float64(y))
				if c.name == "Atan2" && x != 0 && x/y == 0 && y > float32(-inf) {
					want = math.Copysign(want, float64(x)) // Go loses the sign where the quotient underflows
				}
				if got := c.f(x, y); !alike32(got, want) {
					t.Fatalf("%s of float32 %x, %x = %x (bits %#08x), Go's math gives %x", c.name, x, y, got, math.Float32bits(got), want)
				}
			}
		}
	}
}

// TestExactResults32: where the mathematical result is a float32, that is the result.
func TestExactResults32(t *testing.T) {
	check := func(name string, got float32, want float64) {
		t.Helper()
		if float64(got) != want {
			t.Errorf("%s of float32 = %v (bits %#08x), want exactly %v", name, got, math.Float32bits(got), want)
		}
	}
	for k := -149; k <= 127; k++ {
		p := math.Ldexp(1, k)
		check(fmt.Sprintf("Exp2(%d)", k), Exp232(float32(k)), p)
		check(fmt.Sprintf("Log2(2^%d)", k), Log232(float32(p)), float64(k))
		check(fmt.Sprintf("Pow(2, %d)", k), Pow32(2, float32(k)), p)
		if k%3 == 0 {
			check(fmt.Sprintf("Cbrt(2^%d)", k), Cbrt32(float32(p)), math.Ldexp(1, k/3))
		}
	}
	p := 1.0
	for k := 0; k <= 10; k++ {
		check(fmt.Sprintf("Log10(1e%d)", k), Log1032(float32(p)), float64(k))
		check(fmt.Sprintf("Pow(10, %d)", k), Pow32(10, float32(k)), p)
		p *= 10
	}
	for n := 1.0; n < 256; n++ {
		check(fmt.Sprintf("Cbrt(%v^3)", n), Cbrt32(float32(n*n*n)), n)
		check(fmt.Sprintf("Hypot(3, 4)*%v", n), Hypot32(float32(3*n), float32(4*n)), 5*n)
		check(fmt.Sprintf("Pow(%v, 3)", -n), Pow32(float32(-n), 3), -n*n*n)
	}
	check("Exp(0)", Exp32(0), 1)
	check("Cos(0)", Cos32(0), 1)
	check("Cosh(0)", Cosh32(0), 1)
	check("Erfc(0)", Erfc32(0), 1)
}

// TestExactFunctions32: Mod, Round and Dim are rounded once at most; random bit patterns against Go's math.
func TestExactFunctions32(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	pattern := func() float32 { return math.Float32frombits(r.Uint32()) }
	same := func(name string, got float32, want float64, x, y float32) {
		if want != want && math.Float32bits(got) == 0x7fc00000 {
			return
		}
		if math.Float32bits(got) != math.Float32bits(float32(want)) {
			t.Fatalf("%s of float32 %x, %x = %x, want %x", name, x, y, got, want)
		}
	}
	for range 50000 {
		x, y := pattern(), pattern()
		near := y * float32(math.Ldexp(1+r.Float64(), int(r.Uint64N(30))))
		for _, a := range []float32{x, near} {
			same("Mod", Mod32(a, y), math.Mod(float64(a), float64(y)), a, y)
		}
		small := float32(math.Ldexp(2*r.Float64()-1, int(r.Uint64N(26))))
		same("Round", Round32(small), math.Round(float64(small)), small, 0)
		same("Dim", Dim32(x, y), math.Dim(float64(x), float64(y)), x, y)
	}
}

// TestSymmetry32: odd and even functions are so to the last bit, and Sincos32 is Sin32 and Cos32.
func TestSymmetry32(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	even := map[string]bool{"Cos": true, "Cosh": true}
	odd := map[string]bool{"Sin": true, "Tan": true, "Asin": true, "Atan": true, "Sinh": true, "Tanh": true, "Asinh": true, "Atanh": true, "Erf": true, "Cbrt": true, "Round": true}
	for range 20000 {
		x := float32(everything32.draw32(r))
		for _, c := range accuracy32 {
			a, b := c.f(x), c.f(-x)
			if even[c.name] && !same(float64(a), float64(b)) || odd[c.name] && !same(float64(b), float64(-a)) {
				t.Fatalf("%s of float32 %x = %x, but %x at the negative", c.name, x, a, b)
			}
		}
		sin, cos := Sincos32(x)
		if sin != Sin32(x) || cos != Cos32(x) {
			t.Fatalf("Sincos32(%x) = %x, %x, but Sin32 and Cos32 differ", x, sin, cos)
		}
	}
}

// TestTables32 recomputes the constants of the float32 functions.
func TestTables32(t *testing.T) {
	double := func(want *big.Float) [2]float32 {
		hi, _ := want.Float32()
		lo, _ := sub(want, bf(float64(hi))).Float32()
		return [2]float32{hi, lo}
	}
	for i, row := range atanTable32[:9] {
		if want := double(refAtan(bf(float64(i) / 8))); row != want {
			t.Errorf("atan(%d/8): %x, want %x", i, row, want)
		}
	}
	halfPi, log2e, log10e := shift(refPi(), -1), quo(bf(1), refLn2()), quo(bf(1), refLog(bf(10)))
	for _, c := range []struct {
		name  string
		parts []float64
		first int // bits of each part but the last, at most
		want  *big.Float
		bits  int // of the value, that the parts hold together
	}{
		{"ln 2, first part short", []float64{ln2a32, ln2b32}, 15, refLn2(), 15 + 24},
		{"ln 2", []float64{ln2High32, ln2Low32}, 24, refLn2(), 48},
		{"pi/2 in four", []float64{halfPi1of32, halfPi2of32, halfPi3of32, halfPi4of32}, 13, halfPi, 39 + 24},
		{"pi", []float64{piHigh32, piLow32}, 24, refPi(), 48},
		{"pi/2", []float64{halfPiHigh32, halfPiLow32}, 24, halfPi, 48},
		{"2/pi", []float64{twoOverPi32}, 24, quo(bf(1), halfPi), 23},
		{"2/sqrt(pi)", []float64{twoOverRootPiHigh32, twoOverRootPiLow32}, 24, quo(bf(2), sqrt(refPi())), 48},
		{"log2 e", []float64{log2ea32, log2eb32}, 12, log2e, 36},
		{"log2 e in one", []float64{log2e32}, 24, log2e, 24},
		{"lg e", []float64{log10ea32, log10eb32}, 12, log10e, 36},
		{"lg 2", []float64{log10of2a, log10of2b}, 16, mul(log10e, refLn2()), 15 + 24},
		{"the middle of erfc", []float64{erfcMiddleHigh32, erfcMiddleLow32}, 24, mul(bf(5.5), mul(refExp(bf(5.0625)), refErfc(bf(2.25)))), 30},
	} {
		rest := newf().Set(c.want)
		for i, p := range c.parts {
			if float64(float32(p)) != p {
				t.Errorf("%s: %x is no float32", c.name, p)
			}
			if i < len(c.parts)-1 && bf(p).MinPrec() > uint(c.first) {
				t.Errorf("%s: %x has %d bits, products need at most %d", c.name, p, bf(p).MinPrec(), c.first)
			}
			rest.Sub(rest, bf(p))
		}
		if expOf(rest) > expOf(c.want)-c.bits {
			t.Errorf("%s: the parts %x leave %s", c.name, c.parts, rest.Text('p', 10))
		}
	}
}
