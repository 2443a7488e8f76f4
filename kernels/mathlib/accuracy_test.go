package mathlib

import (
	"flag"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

var samples = flag.Int("samples", 400, "random arguments for each range of each function in TestAccuracy")

// span is a range of arguments. Uniform in value, or, with bits, uniform in the bit pattern between lo and hi,
// which is about uniform in the exponent; both signs when negative is set.
type span struct {
	lo, hi   float64
	bits     bool
	negative bool
}

func (s span) draw(r *rand.Rand) float64 {
	x := s.lo + (s.hi-s.lo)*r.Float64()
	if s.bits {
		a, b := math.Float64bits(s.lo), math.Float64bits(s.hi)
		x = math.Float64frombits(a + r.Uint64N(b-a+1))
	}
	if s.negative && r.Uint64()&1 == 1 {
		x = -x
	}
	return x
}

var everything = span{math.SmallestNonzeroFloat64, math.MaxFloat64, true, true}

// accuracy lists the functions of one argument: reference, where to look, bound in units in the last place.
var accuracy = []struct {
	name  string
	f     func(float64) float64
	ref   func(x *big.Float) *big.Float
	spans []span
	limit float64
}{
	{"Exp", Exp, refExp, []span{{-745, 709.7, false, false}, {-1, 1, false, false}, {0x1p-60, 1, true, true}, {-746, -708, false, false}}, 1},
	{"Exp2", Exp2, func(x *big.Float) *big.Float { return refExp(mul(x, refLn2())) }, []span{{-1074, 1023.9, false, false}, {-1, 1, false, false}, {0x1p-60, 1, true, true}}, 1},
	{"Expm1", Expm1, refExpm1, []span{{0.34, 0.52, false, false}, {-0.52, -0.34, false, false}, {-40, 709.7, false, false}, {-2, 2, false, false}, {0x1p-1074, 1, true, true}, {30, 62, false, false}}, 1},
	{"Log", Log, refLog, []span{{0x1p-1074, math.MaxFloat64, true, false}, {0.5, 2, false, false}, {0.99, 1.01, false, false}}, 1},
	{"Log2", Log2, func(x *big.Float) *big.Float { return quo(refLog(x), refLn2()) }, []span{{0x1p-1074, math.MaxFloat64, true, false}, {0.5, 2, false, false}, {0.99, 1.01, false, false}}, 1},
	{"Log10", Log10, func(x *big.Float) *big.Float { return quo(refLog(x), refLog(bf(10))) }, []span{{0x1p-1074, math.MaxFloat64, true, false}, {0.5, 2, false, false}, {0.99, 1.01, false, false}}, 1},
	{"Log1p", Log1p, refLog1p, []span{{0x1p-1074, math.MaxFloat64, true, false}, {-1, 2, false, false}, {0x1p-60, 1, true, true}}, 1},
	{"Sin", Sin, func(x *big.Float) *big.Float { s, _ := refSincos(x); return s }, trigSpans, 1},
	{"Cos", Cos, func(x *big.Float) *big.Float { _, c := refSincos(x); return c }, trigSpans, 1},
	{"Tan", Tan, func(x *big.Float) *big.Float { s, c := refSincos(x); return quo(s, c) }, trigSpans, 1},
	{"Asin", Asin, func(x *big.Float) *big.Float { return refAngle(x, refCosine(x)) }, []span{{-1, 1, false, false}, {0x1p-1074, 1, true, true}, {0.99, 1, true, true}}, 1},
	{"Acos", Acos, func(x *big.Float) *big.Float { return refAngle(refCosine(x), x) }, []span{{-1, 1, false, false}, {0x1p-1074, 1, true, true}, {0.99, 1, true, true}}, 1},
	{"Atan", Atan, refAtan, []span{everything, {-2, 2, false, false}, {0x1p-10, 0x1p10, true, true}}, 1},
	{"Sinh", Sinh, func(x *big.Float) *big.Float { return shift(sub(refExpm1(x), refExpm1(neg(x))), -1) }, []span{{-710, 710, false, false}, {-2, 2, false, false}, {0x1p-1074, 1, true, true}}, 1},
	{"Cosh", Cosh, func(x *big.Float) *big.Float { return shift(add(refExp(x), refExp(neg(x))), -1) }, []span{{-710, 710, false, false}, {-2, 2, false, false}, {0x1p-60, 1, true, true}}, 1},
	{"Tanh", Tanh, func(x *big.Float) *big.Float {
		t := refExpm1(shift(x, 1))
		return quo(t, add(t, bf(2)))
	}, []span{{-23, 23, false, false}, {-1, 1, false, false}, {0x1p-1074, 1, true, true}}, 1},
	{"Asinh", Asinh, func(x *big.Float) *big.Float {
		a := newf().Abs(x) // asinh x = log1p(x + x^2/(1 + sqrt(1+x^2)))
		s := mul(a, a)
		y := refLog1p(add(a, quo(s, add(bf(1), sqrt(add(bf(1), s))))))
		return mul(y, bf(math.Copysign(1, float64(x.Sign()))))
	}, []span{everything, {-2, 2, false, false}, {0x1p-10, 0x1p40, true, true}}, 1},
	{"Acosh", Acosh, func(x *big.Float) *big.Float {
		d := sub(x, bf(1)) // acosh(1 + d) = log1p(d + sqrt(2d + d^2))
		return refLog1p(add(d, sqrt(add(shift(d, 1), mul(d, d)))))
	}, []span{{1, math.MaxFloat64, true, false}, {1, 3, false, false}, {1, 1.1, false, false}}, 1},
	{"Atanh", Atanh, func(x *big.Float) *big.Float {
		return shift(refLog1p(quo(shift(x, 1), sub(bf(1), x))), -1)
	}, []span{{-1, 1, false, false}, {0x1p-1074, 1, true, true}, {0.99, 1, true, true}}, 1},
	{"Erf", Erf, func(x *big.Float) *big.Float {
		if expOf(x) > 3 {
			return bf(math.Copysign(1, float64(x.Sign())))
		}
		return refErf(x)
	}, []span{{-6.5, 6.5, false, false}, {-1, 1, false, false}, {0x1p-1074, 1, true, true}}, 2},
	{"Erfc", Erfc, refErfc, []span{{-6.5, 27.5, false, false}, {-1, 1, false, false}, {0x1p-60, 1, true, true}, {26, 27.3, false, false}}, 2},
	{"Cbrt", Cbrt, refCbrt, []span{everything, {-8, 8, false, false}}, 1},
}

var trigSpans = []span{everything, {-math.Pi, math.Pi, false, false}, {-100, 100, false, false}, {-0x1p20, 0x1p20, false, false}, {0x1p20, 0x1p70, true, true}}

// accuracy2 lists the functions of two arguments. A pair of spans is drawn from together.
var accuracy2 = []struct {
	name  string
	f     func(x, y float64) float64
	ref   func(x, y *big.Float) *big.Float
	spans [][2]span
	limit float64
}{
	{"Pow", Pow, func(x, y *big.Float) *big.Float {
		e := mul(y, refLog(x))
		if expOf(e) > 11 { // far out of range; any number with the right side will do
			e = bf(math.Copysign(2000, float64(e.Sign())))
		}
		return refExp(e)
	}, [][2]span{
		{{0x1p-1074, math.MaxFloat64, true, false}, {-1, 1, false, false}},
		{{0.5, 2, false, false}, {-1000, 1000, false, false}},
		{{0.99, 1.01, false, false}, {-60000, 60000, false, false}},
		{{0, 100, false, false}, {-150, 150, false, false}},
		{{0x1p-1074, math.MaxFloat64, true, false}, everything},
	}, 2},
	{"Atan2", Atan2, refAngle, [][2]span{
		{{-1, 1, false, false}, {-1, 1, false, false}},
		{everything, everything},
		{{0x1p-1074, 0x1p-1000, true, true}, {0x1p-1074, 0x1p-1000, true, true}},
		{{0x1p1000, math.MaxFloat64, true, true}, {0x1p1000, math.MaxFloat64, true, true}},
	}, 1},
	{"Hypot", Hypot, func(x, y *big.Float) *big.Float { return sqrt(add(mul(x, x), mul(y, y))) }, [][2]span{
		{{-1, 1, false, false}, {-1, 1, false, false}},
		{everything, everything},
		{{0x1p-1074, 0x1p-1000, true, true}, {0x1p-1074, 0x1p-1000, true, true}},
		{{0x1p1000, math.MaxFloat64, true, true}, {0x1p1000, math.MaxFloat64, true, true}},
	}, 1},
}

// ulps is the distance of got from want in units in the last place of want, subnormal ones included. A want
// beyond the largest float64 must have become infinite where it rounds to infinity.
func ulps(got float64, want *big.Float) float64 {
	if math.IsNaN(got) {
		return math.Inf(1)
	}
	rounded, _ := want.Float64()
	if math.IsInf(got, 0) || math.IsInf(rounded, 0) {
		if got == rounded || math.Abs(got) == math.MaxFloat64 && math.IsInf(rounded, int(math.Copysign(1, got))) ||
			math.Abs(rounded) == math.MaxFloat64 && math.IsInf(got, int(math.Copysign(1, rounded))) {
			return 0.5
		}
		return math.Inf(1)
	}
	e := max(expOf(want)-53, -1074)
	if want.Sign() == 0 {
		e = -1074
	}
	d := sub(bf(got), want)
	f, _ := d.SetMantExp(d, -e).Float64()
	return math.Abs(f)
}

// measure gives the worst error of every float64 function, over the hard arguments and n random ones for each
// range, and how many arguments that was.
func measure(n int) (found map[string]worst, arguments map[string]int) {
	found, arguments = make(map[string]worst), make(map[string]int)
	note := func(name string, got float64, want *big.Float, at ...float64) {
		arguments[name]++
		if e := ulps(got, want); e > found[name].ulps {
			found[name] = worst{e, at}
		}
	}
	for _, c := range accuracy {
		r := rand.New(rand.NewPCG(1, uint64(len(c.name))))
		for _, x := range hardArguments(c.name) {
			note(c.name, c.f(x), c.ref(bf(x)), x)
		}
		for i := range len(c.spans) * n {
			x := c.spans[i%len(c.spans)].draw(r)
			note(c.name, c.f(x), c.ref(bf(x)), x)
		}
	}
	for _, c := range accuracy2 {
		r := rand.New(rand.NewPCG(2, uint64(len(c.name))))
		for i := range len(c.spans) * n {
			s := c.spans[i%len(c.spans)]
			x, y := s[0].draw(r), s[1].draw(r)
			note(c.name, c.f(x, y), c.ref(bf(x), bf(y)), x, y)
		}
	}
	return found, arguments
}

// TestAccuracy compares every function with the reference and prints the largest error of each under -v:
//
//	go test ./kernels/mathlib -run Accuracy$ -v [-samples 100000]
func TestAccuracy(t *testing.T) {
	found, arguments := measuredOnce()
	var table strings.Builder
	check := func(name string, limit float64) {
		w := found[name]
		if w.ulps > limit {
			t.Errorf("%s is off by %.4g ulp at %x, limit %g", name, w.ulps, w.at, limit)
		}
		fmt.Fprintf(&table, "%-6s %.4f of %g ulp at %x (%d arguments)\n", name, w.ulps, limit, w.at, arguments[name])
	}
	for _, c := range accuracy {
		check(c.name, c.limit)
	}
	for _, c := range accuracy2 {
		check(c.name, c.limit)
	}
	t.Log("largest errors:\n" + table.String())
}
