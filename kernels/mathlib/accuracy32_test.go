package mathlib

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

var stride = flag.Uint64("stride", sampleStride, "in TestAccuracy32 and TestDocs, also try every stride-th float32 with every function of one argument")

var exhaustive = flag.Bool("exhaustive", false, "in TestAccuracy32 and TestDocs, try every float32 with every function of one argument (some minutes each)")

// accuracy32 lists the functions of one float32. The reference is the float64 function of this package, which
// TestAccuracy holds within 1 or 2 of its own units in the last place: 2^-28 of one of float32. Go's math is a
// second one, which is faster: whatever it finds is looked at again with the first.
var accuracy32 = []struct {
	name   string // of the float64 function
	f      func(float32) float32
	ref    func(float64) float64
	second func(float64) float64
	limit  float64
}{
	{"Exp", Exp32, Exp, math.Exp, 1},
	{"Exp2", Exp232, Exp2, math.Exp2, 1},
	{"Expm1", Expm132, Expm1, math.Expm1, 1},
	{"Log", Log32, Log, math.Log, 1},
	{"Log2", Log232, Log2, math.Log2, 1},
	{"Log10", Log1032, Log10, math.Log10, 1},
	{"Log1p", Log1p32, Log1p, math.Log1p, 1},
	{"Sin", Sin32, Sin, math.Sin, 1},
	{"Cos", Cos32, Cos, math.Cos, 1},
	{"Tan", Tan32, Tan, math.Tan, 1},
	{"Asin", Asin32, Asin, math.Asin, 1},
	{"Acos", Acos32, Acos, math.Acos, 1},
	{"Atan", Atan32, Atan, math.Atan, 1},
	{"Sinh", Sinh32, Sinh, math.Sinh, 1},
	{"Cosh", Cosh32, Cosh, math.Cosh, 1},
	{"Tanh", Tanh32, Tanh, math.Tanh, 1},
	{"Asinh", Asinh32, Asinh, math.Asinh, 1},
	{"Acosh", Acosh32, Acosh, math.Acosh, 1},
	{"Atanh", Atanh32, Atanh, math.Atanh, 1},
	{"Erf", Erf32, Erf, math.Erf, 2},
	{"Erfc", Erfc32, Erfc, math.Erfc, 2},
	{"Cbrt", Cbrt32, Cbrt, math.Cbrt, 1},
	{"Round", Round32, Round, math.Round, 0},
}

// accuracy32two lists the functions of two float32.
var accuracy32two = []struct {
	name  string
	f     func(x, y float32) float32
	ref   func(x, y float64) float64
	spans [][2]span
	limit float64
}{
	{"Pow", Pow32, Pow, [][2]span{
		{everything32, everything32},
		{{0x1p-149, math.MaxFloat32, true, false}, {-1, 1, false, false}},
		{{0.5, 2, false, false}, {-150, 150, false, false}},
		{{0.99, 1.01, false, false}, {-9000, 9000, false, false}},
		{{0, 100, false, false}, {-25, 25, false, false}},
		{{1 - 0x1p-20, 1 + 0x1p-20, false, false}, {0x1p20, 0x1p27, true, true}},
	}, 2},
	{"Atan2", Atan232, Atan2, spans32, 1},
	{"Hypot", Hypot32, Hypot, spans32, 1},
	{"Mod", Mod32, Mod, spans32, 0},
	{"Dim", Dim32, Dim, spans32, 0.5},
}

var everything32 = span{0x1p-149, math.MaxFloat32, true, true}

var spans32 = [][2]span{
	{{-1, 1, false, false}, {-1, 1, false, false}},
	{everything32, everything32},
	{{0x1p-149, 0x1p-120, true, true}, {0x1p-149, 0x1p-120, true, true}},
	{{0x1p-70, 0x1p-30, true, true}, {0x1p-70, 0x1p-30, true, true}},
	{{0x1p90, math.MaxFloat32, true, true}, {0x1p90, math.MaxFloat32, true, true}},
}

// ulps32 is the distance of got from want in units in the last place of a float32 want, subnormal ones
// included. Where want is NaN, got must be the one NaN; where it is a zero, that zero; where it rounds to
// infinity, infinite or, within half a unit, the largest float32.
func ulps32(got float32, want float64) float64 {
	rounded := float32(want)
	_, e := math.Frexp(want)
	e = max(e-24, -149)
	d := math.Abs(math.Ldexp(float64(got)-want, -e))
	if want != want {
		rounded = math.Float32frombits(0x7fc00000)
	}
	switch {
	case math.Float32bits(got) == math.Float32bits(rounded):
		if want != want || want == 0 || math.IsInf(float64(got), 0) {
			return 0
		}
		return d
	case want != want || want == 0 || math.IsNaN(d):
		return math.Inf(1)
	case math.IsInf(float64(rounded), 0):
		if d < 1 && math.Abs(float64(got)) == math.MaxFloat32 {
			return d
		}
		return math.Inf(1)
	case math.IsInf(float64(got), 0):
		if math.Abs(float64(rounded)) == math.MaxFloat32 && math.Signbit(want) == math.Signbit(float64(got)) {
			return 0.5
		}
		return math.Inf(1)
	}
	return d
}

// worst is the largest error of a function and where it is.
type worst struct {
	ulps float64
	at   []float64
}

// every returns the worst error of the functions of accuracy32 at number i over the arguments whose bits are
// first, first+stride and so on; with filter the second reference settles the harmless ones.
func every(i int, first, stride uint64, filter bool) worst {
	c := accuracy32[i]
	var w worst
	for b := first; b < 1<<32; b += stride {
		x := math.Float32frombits(uint32(b))
		got := c.f(x)
		if filter {
			second := c.second(float64(x))
			if w.ulps > 0.51 && math.Float32bits(got) == math.Float32bits(float32(second)) || ulps32(got, second) < w.ulps-0x1p-20 {
				continue
			}
		}
		if e := ulps32(got, c.ref(float64(x))); e > w.ulps {
			w = worst{e, []float64{float64(x)}}
		}
	}
	return w
}

const (
	sampleStride    = 1<<13 + 3 // odd, so that the last bits vary too
	exhaustiveParts = 1 << 10   // of all float32
)

// everyFloat32 is the worst error over all float32.
func everyFloat32(i int) worst {
	var (
		next atomic.Uint64
		mu   sync.Mutex
		wg   sync.WaitGroup
		w    worst
	)
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for {
				part := next.Add(1) - 1
				if part >= exhaustiveParts {
					return
				}
				found := every(i, part, exhaustiveParts, true)
				mu.Lock()
				if found.ulps > w.ulps || w.at == nil {
					w = found
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return w
}

// measure32 gives the worst error of every float32 function, by the name of the float64 one.
func measure32(t *testing.T, all bool) map[string]worst {
	out := make(map[string]worst)
	for i, c := range accuracy32 {
		if all {
			out[c.name] = everyFloat32(i)
			t.Logf("%s, all float32: %.4f ulp at %x", c.name, out[c.name].ulps, out[c.name].at)
			continue
		}
		w := every(i, uint64(i), sampleStride, true)
		if *stride != sampleStride {
			if more := every(i, uint64(i), max(*stride, 1), true); more.ulps > w.ulps {
				w = more
			}
		}
		for _, x := range hard32() {
			if e := ulps32(c.f(x), c.ref(float64(x))); e > w.ulps {
				w = worst{e, []float64{float64(x)}}
			}
		}
		out[c.name] = w
	}
	for _, c := range accuracy32two {
		var w worst
		r := rand.New(rand.NewPCG(3, uint64(len(c.name))))
		for i := range len(c.spans) * 5000 {
			s := c.spans[i%len(c.spans)]
			x, y := float32(s[0].draw32(r)), float32(s[1].draw32(r))
			if e := ulps32(c.f(x, y), c.ref(float64(x), float64(y))); e > w.ulps {
				w = worst{e, []float64{float64(x), float64(y)}}
			}
		}
		for _, x := range hard32() {
			for _, y := range hard32() {
				if c.name == "Pow" && y != y || x != x {
					continue // special cases, and many
				}
				if e := ulps32(c.f(x, y), c.ref(float64(x), float64(y))); e > w.ulps {
					w = worst{e, []float64{float64(x), float64(y)}}
				}
			}
		}
		out[c.name] = w
	}
	return out
}

// draw32 is draw for the bit patterns of float32.
func (s span) draw32(r *rand.Rand) float64 {
	if !s.bits {
		return s.draw(r)
	}
	a, b := math.Float32bits(float32(s.lo)), math.Float32bits(float32(s.hi))
	x := float64(math.Float32frombits(a + r.Uint32N(b-a+1)))
	if s.negative && r.Uint64()&1 == 1 {
		x = -x
	}
	return x
}

// hard32 are the places where the float32 functions change their method or their results their kind, each
// with its neighbours and both signs.
var hard32 = sync.OnceValue(func() []float32 {
	var out []float32
	for _, x := range []float32{
		0, 0x1p-149, 0x1p-126, 0x1p-100, 0x1p-60, 0x1p-40, 0x1p-30, 0x1p-25, 0x1p-13, 0x1p-12, 0.0625, 0.17, 0.1875, 0.29, 0.35, 0.41, 0.5, 0.70710677, 1, 1.06,
		1.4142135, 1.5707964, 2, 2.25, 3, 3.1415927, 4, 4.712389, 9, 10, 10.054, 10.1, 17.4, 20, 25, 88.72284, 89.41599, 92, 103.97208, 126, 128, 149, 150, 355, 1000,
		2048, 52174, 0x1p14, 0x1p23, 0x1p24, 0x1p30, 0x1p31, 0x1p50, 0x1p60, 0x1p63, 0x1p100, 0x1p115, 16367173 * 0x1p72, 0x1p127, math.MaxFloat32,
	} {
		for _, y := range []float32{math.Nextafter32(x, float32(math.Inf(-1))), x, math.Nextafter32(x, float32(math.Inf(1)))} {
			out = append(out, y, -y)
		}
	}
	return append(out, float32(math.Copysign(0, -1)), float32(math.NaN()))
})

// TestAccuracy32 compares every float32 function with the float64 one and prints the largest error of each
// under -v. All float32:
//
//	go test ./kernels/mathlib -run Accuracy32 -v -exhaustive -timeout 0
func TestAccuracy32(t *testing.T) {
	found := measured32Once(t)
	var table strings.Builder
	check := func(name string, limit float64) {
		w := found[name]
		if w.ulps > limit {
			t.Errorf("%s of float32 is off by %.4g ulp at %x, limit %g", name, w.ulps, w.at, limit)
		}
		fmt.Fprintf(&table, "%-6s %.4f of %g ulp at %x\n", name, w.ulps, limit, w.at)
	}
	for _, c := range accuracy32 {
		check(c.name, c.limit)
	}
	for _, c := range accuracy32two {
		check(c.name, c.limit)
	}
	t.Log("largest errors:\n" + table.String())
}

// TestUlps32 is the red case of TestAccuracy32: its measure must see a last place, a wrong zero, a second NaN.
func TestUlps32(t *testing.T) {
	third := 1.0 / 3
	near := float32(third)
	top := math.MaxFloat32 * (1 + 0x1p-30) // rounds to the largest float32
	for _, c := range []struct {
		name     string
		got      float32
		want     float64
		low, top float64
	}{
		{"the nearest float32", near, third, 0.3, 0.4},
		{"its neighbour", math.Nextafter32(near, 0), third, 0.6, 0.7},
		{"the second neighbour", math.Nextafter32(math.Nextafter32(near, 0), 0), third, 1.6, 1.7},
		{"a subnormal one off", 0x1p-148, 0x1p-149, 1, 1},
		{"zero for the smallest", 0, 0x1p-149, 1, 1},
		{"the other zero", 0, math.Copysign(0, -1), inf, inf},
		{"the one NaN", math.Float32frombits(0x7fc00000), nan, 0, 0},
		{"another NaN", math.Float32frombits(0x7fc00001), nan, inf, inf},
		{"NaN for a number", float32(nan), 1, inf, inf},
		{"infinity for a number", float32(inf), 1e30, inf, inf},
		{"infinity next to the largest", float32(inf), top, 0.5, 0.5},
		{"the largest for an overflow", math.MaxFloat32, 1e39, inf, inf},
		{"infinity for an overflow", float32(inf), 1e39, 0, 0},
		{"the wrong infinity", float32(-inf), 1e39, inf, inf},
	} {
		if e := ulps32(c.got, c.want); !(e >= c.low && e <= c.top) {
			t.Errorf("%s: %v ulp, want %v to %v", c.name, e, c.low, c.top)
		}
	}
}

// TestMutant32 is the red case of the search: a function that is wrong in one binade's 512th part is found by the
// sample, one that is wrong for a single argument by a part of the exhaustive run.
func TestMutant32(t *testing.T) {
	kept := accuracy32
	defer func() { accuracy32 = kept }()
	wrong := func(mask uint32) {
		accuracy32 = append(accuracy32[:0:0], kept[0])
		accuracy32[0].f = func(x float32) float32 {
			if math.Float32bits(x)&mask == 0x3f801234&mask {
				return 2 * Exp32(x)
			}
			return Exp32(x)
		}
	}
	wrong(0xffffc000)
	if w := every(0, 0, sampleStride, false); w.ulps < 1000 {
		t.Errorf("a mutant wrong at 16384 arguments came through: %v", w)
	}
	wrong(0xffffffff)
	if w := every(0, 0x3f801234%exhaustiveParts, exhaustiveParts, true); w.ulps < 1000 {
		t.Errorf("a mutant wrong at one argument came through: %v", w)
	}
}
