package generate

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/mathlib"
)

func plane(t ir.Type, kind ir.InitKind, args ...float64) *ir.Plane {
	return &ir.Plane{Name: "x", Type: t, Init: ir.Init{Kind: kind, Args: args}}
}

// fill gives samples [first, first+count) of a batch of total.
func fill(t *testing.T, p *ir.Plane, seed, first, count, total uint64) []byte {
	t.Helper()
	dst := make([]byte, int(count)*p.Width()*p.Type.Bytes())
	for i := range dst {
		dst[i] = 0xAA
	}
	if err := Fill(p, dst, seed, first, count, total); err != nil {
		t.Fatal(err)
	}
	return dst
}

// bits reads the elements of a plane as they would stand in an OpConst, integers sign-extended.
func bits(t ir.Type, plane []byte) []uint64 {
	out := make([]uint64, len(plane)/t.Bytes())
	for i := range out {
		switch t.Bytes() {
		case 1:
			out[i] = uint64(plane[i])
		case 4:
			out[i] = uint64(binary.NativeEndian.Uint32(plane[4*i:]))
			if t == ir.I32 {
				out[i] = uint64(int64(int32(out[i])))
			}
		default:
			out[i] = binary.NativeEndian.Uint64(plane[8*i:])
		}
	}
	return out
}

func floats(t *testing.T, p *ir.Plane, seed, n uint64) []float64 {
	t.Helper()
	out := make([]float64, n*uint64(p.Width()))
	for i, b := range bits(ir.F64, fill(t, p, seed, 0, n, n)) {
		out[i] = math.Float64frombits(b)
	}
	return out
}

// TestPhilox holds the generator against the known answers published with Random123 (kat_vectors,
// philox4x32 with 10 rounds).
func TestPhilox(t *testing.T) {
	const all = 0xffffffff
	for _, c := range []struct {
		counter [4]uint32
		key     [2]uint32
		want    [4]uint32
	}{
		{[4]uint32{}, [2]uint32{}, [4]uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[4]uint32{all, all, all, all}, [2]uint32{all, all}, [4]uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{[4]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0}, [4]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		if got := philox(c.counter, c.key); got != c.want {
			t.Errorf("philox(%08x, %08x) = %08x, want %08x", c.counter, c.key, got, c.want)
		}
	}
}

// TestLayout fixes what goes where in key and counter, by the published answers: a seed, an index and a
// component that make them up, and the hash by its published values.
func TestLayout(t *testing.T) {
	for s, want := range map[string]uint32{"": 0x811c9dc5, "a": 0xe40c292c, "foobar": 0xbf9cf968} {
		if got := fnv1a(s); got != want {
			t.Errorf("fnv1a(%q) = %08x, want %08x", s, got, want)
		}
	}
	s := newStream(0x299f31d0_a4093822, "x", 0x03707344)
	if s.name != fnv1a("x") {
		t.Errorf("the name's word is %08x, want the hash of the name", s.name)
	}
	s.name = 0x13198a2e
	u, v := s.draw(0x85a308d3_243f6a88)
	if wantU, wantV := float64(uint64(0x94fdcceb_d16cfe09)>>11)*0x1p-53, float64(uint64(0x24126ea1_5001e420)>>11)*0x1p-53; u != wantU || v != wantV {
		t.Errorf("u, v = %x, %x, want %x, %x", u, v, wantU, wantV)
	}
}

// TestGolden fixes the bits: seed 42, plane "x", samples 0, 1 and 7 of a batch of 8. They were made by this
// package; TestFormulas recomputes them otherwise.
func TestGolden(t *testing.T) {
	for _, c := range []struct {
		p    *ir.Plane
		want [3]uint64
	}{
		{plane(ir.F64, ir.InitUniform, 0, 1), [3]uint64{0x3fe4d92244cf05d4, 0x3fab900dcbbc49b0, 0x3fd20acb79f64272}},
		{plane(ir.F64, ir.InitUniform, -3, 5), [3]uint64{0x4001b244899e0ba8, 0xc0048dfe468876ca, 0xbfe7d4d21826f638}},
		{plane(ir.F64, ir.InitLogUniform, 10, 1000), [3]uint64{0x40691d4343fad089, 0x4029a07f747abe9b, 0x4042506ecd9cc52f}},
		{plane(ir.F64, ir.InitNormal, 0, 1), [3]uint64{0xbff3b5e538f5c3c2, 0x3fb611b69b31db12, 0x3fdf285a4cdfd444}},
		{plane(ir.F64, ir.InitLinspace, 0, 1), [3]uint64{0x0, 0x3fc2492492492492, 0x3ff0000000000000}},
		{plane(ir.F64, ir.InitLogspace, 1, 10), [3]uint64{0x3ff0000000000000, 0x3ff63b5fa0a45a06, 0x4024000000000000}},
		{plane(ir.F64, ir.InitChoice, 2, 3, 5), [3]uint64{0x4008000000000000, 0x4000000000000000, 0x4000000000000000}},
		{plane(ir.F64, ir.InitIndex), [3]uint64{0x0, 0x3ff0000000000000, 0x401c000000000000}},
		{plane(ir.F32, ir.InitNormal, 0, 1), [3]uint64{0xbf9daf2a, 0x3db08db5, 0x3ef942d2}},
		{plane(ir.F32, ir.InitUniform, 0, 1), [3]uint64{0x3f26c912, 0x3d5c806e, 0x3e90565c}},
		{plane(ir.I32, ir.InitLogUniform, 10, 1000), [3]uint64{0xc8, 0xc, 0x24}},
		{plane(ir.I64, ir.InitUniform, -1e+18, 1e+18), [3]uint64{0x4348314013dc500, 0xf39dcbb784feb900, 0xf9f25e88ea6b6200}},
		{plane(ir.U32, ir.InitUniform, 0, 4.294967296e+09), [3]uint64{0xa6c91226, 0xdc806e5, 0x482b2de7}},
		{plane(ir.U64, ir.InitIndex), [3]uint64{0x0, 0x1, 0x7}},
		{plane(ir.Bool, ir.InitUniform, 0, 1), [3]uint64{0x1, 0x0, 0x0}},
	} {
		got := bits(c.p.Type, fill(t, c.p, 42, 0, 8, 8))
		if g := [3]uint64{got[0], got[1], got[7]}; g != c.want {
			t.Errorf("%s%v as %s: %#x, want %#x", c.p.Init.Kind, c.p.Init.Args, c.p.Type, g, c.want)
		}
	}
}

// TestFormulas recomputes the rules from the documented formulas with the math library as the Go compiler
// builds it, from the drawn numbers on.
func TestFormulas(t *testing.T) {
	const n, seed = 3000, 5
	type at struct {
		u, v float64
		i    int
	}
	for _, c := range []struct {
		p *ir.Plane
		f func(at) float64
	}{
		{plane(ir.F64, ir.InitUniform, -3, 5), func(a at) float64 { return -3 + float64(8*a.u) }},
		{plane(ir.F64, ir.InitLogUniform, 0.1, 1e6), func(a at) float64 {
			lnA := mathlib.Log(0.1)
			return mathlib.Exp(lnA + float64(a.u*(mathlib.Log(1e6)-lnA)))
		}},
		{plane(ir.F64, ir.InitNormal, 2, 0.5), func(a at) float64 {
			return 2 + float64(0.5*(math.Sqrt(-2*mathlib.Log(1-a.u))*mathlib.Cos(2*math.Pi*a.v)))
		}},
		{plane(ir.F64, ir.InitLinspace, 1, 2), func(a at) float64 { return 1 + float64(a.i)/(n-1) }},
		{plane(ir.F64, ir.InitLogspace, 1e-3, 1e3), func(a at) float64 {
			if a.i == 0 || a.i == n-1 {
				return []float64{1e-3, 1e3}[a.i/(n-1)]
			}
			lnA := mathlib.Log(1e-3)
			return mathlib.Exp(lnA + float64(float64(a.i)/(n-1)*(mathlib.Log(1e3)-lnA)))
		}},
		{plane(ir.F64, ir.InitChoice, 4, 5, 6), func(a at) float64 { return 4 + math.Floor(3*a.u) }},
		{plane(ir.F64, ir.InitIndex), func(a at) float64 { return float64(a.i) }},
		{plane(ir.F64, ir.InitConst, 0.25), func(at) float64 { return 0.25 }},
		{plane(ir.F64, ir.InitConst), func(at) float64 { return 0 }},
	} {
		s := newStream(seed, "x", 0)
		for i, got := range floats(t, c.p, seed, n) {
			u, v := s.draw(uint64(i))
			if want := c.f(at{u, v, i}); math.Float64bits(got) != math.Float64bits(want) {
				t.Fatalf("%s%v, sample %d: %x, want %x", c.p.Init.Kind, c.p.Init.Args, i, got, want)
			}
		}
	}
}

// TestCutsDoNotMatter: a batch filled in parts, in whatever order and at once, is the batch filled whole.
func TestCutsDoNotMatter(t *testing.T) {
	const n, offset = 5000, 1<<32 - 2000 // the parts lie on both sides of the index's upper word
	const total = offset + n
	for _, typ := range []ir.Type{ir.Bool, ir.I32, ir.I64, ir.U32, ir.U64, ir.F32, ir.F64} {
		for _, p := range []*ir.Plane{
			plane(typ, ir.InitUniform, 0, 9), plane(typ, ir.InitLogUniform, 1, 9), plane(typ, ir.InitNormal, 5, 2), plane(typ, ir.InitIndex),
			plane(typ, ir.InitLinspace, 0, 1e9), plane(typ, ir.InitLogspace, 1, 9), plane(typ, ir.InitChoice, 1, 2, 0), plane(typ, ir.InitConst, 3),
		} {
			p.Dims = []int{3}
			whole := fill(t, p, 9, offset, n, total)
			cuts := []uint64{0, 1, 8, 1000, 3048, 3049, 4999, 5000}
			var wg sync.WaitGroup
			for k := range len(cuts) - 1 {
				wg.Go(func() {
					lo, hi := cuts[k], cuts[k+1]
					part := make([]byte, int(hi-lo)*3*typ.Bytes())
					if err := Fill(p, part, 9, offset+lo, hi-lo, total); err != nil {
						t.Error(err)
						return
					}
					size := typ.Bytes()
					for c := range 3 {
						got := part[c*int(hi-lo)*size : (c+1)*int(hi-lo)*size]
						want := whole[(c*n+int(lo))*size : (c*n+int(hi))*size]
						if string(got) != string(want) {
							t.Errorf("%s as %s: component %d of samples %d to %d differs from the whole", p.Init.Kind, typ, c, lo, hi)
						}
					}
				})
			}
			wg.Wait()
		}
	}
}

// TestDistributions checks means, spreads and shares of many values; bounds are five standard errors, the
// seeds fixed.
func TestDistributions(t *testing.T) {
	const n = 40000
	moments := func(x []float64, f func(float64) float64) (mean, variance float64) {
		for _, v := range x {
			mean += f(v) / float64(len(x))
		}
		for _, v := range x {
			variance += (f(v) - mean) * (f(v) - mean) / float64(len(x))
		}
		return
	}
	same := func(x float64) float64 { return x }
	for _, c := range []struct {
		p                    *ir.Plane
		f                    func(float64) float64
		mean, variance       float64
		meanError, varsError float64 // standard errors for one value: divided by sqrt(n)
	}{
		{plane(ir.F64, ir.InitUniform, 2, 5), same, 3.5, 0.75, math.Sqrt(0.75), math.Sqrt(81./80 - 0.5625)},
		{plane(ir.F64, ir.InitLogUniform, 1, math.Exp(3)), math.Log, 1.5, 0.75, math.Sqrt(0.75), math.Sqrt(81./80 - 0.5625)},
		{plane(ir.F64, ir.InitNormal, -1, 2), same, -1, 4, 2, math.Sqrt(32)},
		{plane(ir.F64, ir.InitChoice, 0, 1), same, 0.5, 0.25, 0.5, 0.1},
	} {
		for seed := range uint64(2) {
			mean, variance := moments(floats(t, c.p, seed, n), c.f)
			if math.Abs(mean-c.mean) > 5*c.meanError/math.Sqrt(n) || math.Abs(variance-c.variance) > 5*c.varsError/math.Sqrt(n) {
				t.Errorf("%s%v, seed %d: mean %v, variance %v, want %v, %v", c.p.Init.Kind, c.p.Init.Args, seed, mean, variance, c.mean, c.variance)
			}
		}
	}

	// The shape of the uniform distribution: a chi-squared test over 100 bins, of 99 degrees of freedom.
	var bins [100]float64
	for _, x := range floats(t, plane(ir.F64, ir.InitUniform, 0, 1), 11, n) {
		bins[int(100*x)]++
	}
	chi := 0.0
	for _, b := range bins {
		chi += (b - n/100) * (b - n/100) / (n / 100)
	}
	if chi < 50 || chi > 170 {
		t.Errorf("chi-squared of 100 bins is %v, want about 99 +- 14", chi)
	}
	// The tails of the normal one: shares beyond 1, 2 and 3 standard deviations.
	for k, want := range []float64{1: 0.31731, 2: 0.04550, 3: 0.002700} {
		if k == 0 {
			continue
		}
		beyond := 0.0
		for _, x := range floats(t, plane(ir.F64, ir.InitNormal, 0, 1), 12, n) {
			if math.Abs(x) > float64(k) {
				beyond++
			}
		}
		if share := beyond / n; math.Abs(share-want) > 5*math.Sqrt(want/n) {
			t.Errorf("a share of %v lies beyond %d deviations, want %v", share, k, want)
		}
	}
}

// TestIndependence: planes of different names, components and seeds are uncorrelated, also one sample apart.
func TestIndependence(t *testing.T) {
	const n = 50000
	p := plane(ir.F64, ir.InitUniform, -0.5, 0.5)
	p.Dims = []int{2}
	base := floats(t, p, 1, n)
	other := *p
	other.Name = "y"
	for name, pair := range map[string][2][]float64{
		"components":        {base[:n], base[n:]},
		"planes":            {base[:n], floats(t, &other, 1, n)[:n]},
		"seeds":             {base[:n], floats(t, p, 2, n)[:n]},
		"seeds' upper half": {base[:n], floats(t, p, 1|1<<32, n)[:n]},
		"neighbours":        {base[:n-1], base[1:n]},
	} {
		sum := 0.0
		for i := range pair[0] {
			sum += pair[0][i] * pair[1][i] * 12 / float64(len(pair[0]))
		}
		if math.Abs(sum) > 5/math.Sqrt(n) {
			t.Errorf("%s are correlated: %v", name, sum)
		}
	}
}

// TestTypes: how the drawn value becomes an element.
func TestTypes(t *testing.T) {
	minus := func(k int64) uint64 { return uint64(k) }
	f32 := func(x float32) uint64 { return uint64(math.Float32bits(x)) }
	for _, c := range []struct {
		name string
		typ  ir.Type
		in   float64
		want uint64
	}{
		{"integers take the floor", ir.I32, 2.9, 2},
		{"of negative numbers too", ir.I64, -2.1, minus(-3)},
		{"and are cut to the range of i32", ir.I32, 1e10, math.MaxInt32},
		{"at its lower end", ir.I32, -1e10, minus(math.MinInt32)},
		{"and of u32", ir.U32, -5, 0},
		{"at its upper end", ir.U32, 1e10, math.MaxUint32},
		{"and of i64", ir.I64, 1e300, math.MaxInt64},
		{"at its lower end", ir.I64, -1e300, minus(math.MinInt64)},
		{"and of u64", ir.U64, 1e300, math.MaxUint64},
		{"2^63 fits u64", ir.U64, 0x1p63, 1 << 63},
		{"bools are true from a half on", ir.Bool, 0.5, 1},
		{"and false below", ir.Bool, 0.49, 0},
		{"f32 rounds to nearest", ir.F32, 0.1, f32(0.1)},
		{"and overflows to infinity", ir.F32, 1e300, f32(float32(math.Inf(1)))},
	} {
		if got := bits(c.typ, fill(t, plane(c.typ, ir.InitConst, c.in), 0, 0, 1, 1))[0]; got != c.want {
			t.Errorf("%s: %v as %s is %#x, want %#x", c.name, c.in, c.typ, got, c.want)
		}
	}
}

// TestRanges: rounding never reaches the open end of a range, nor falls below its start.
func TestRanges(t *testing.T) {
	next := math.Nextafter(1, 2)
	for _, c := range []struct {
		p    *ir.Plane
		a, b float64
	}{
		{plane(ir.F64, ir.InitUniform, 1, next), 1, next},
		{plane(ir.F64, ir.InitUniform, -1e308, 1.7e308), -1e308, 1.7e308},
		{plane(ir.F64, ir.InitLogUniform, 1, next), 1, next},
		{plane(ir.F64, ir.InitLogUniform, 5e-324, 1.7e308), 5e-324, 1.7e308},
		{plane(ir.F64, ir.InitUniform, 7, 7), 7, math.Nextafter(7, 8)},
		{plane(ir.F64, ir.InitLogUniform, 7, 7), 7, math.Nextafter(7, 8)},
	} {
		for i, x := range floats(t, c.p, 3, 3000) {
			if !(x >= c.a && x < c.b) {
				t.Fatalf("%s%v, sample %d: %v is out of range", c.p.Init.Kind, c.p.Init.Args, i, x)
			}
		}
	}
	for i, b := range bits(ir.F32, fill(t, plane(ir.F32, ir.InitUniform, 1, 1+0x1p-22), 3, 0, 3000, 3000)) {
		if x := math.Float32frombits(uint32(b)); x != 1 && x != 1+0x1p-23 {
			t.Fatalf("sample %d: %v as float32 is out of [1, 1+2^-22)", i, x)
		}
	}
	seen := map[uint64]int{}
	for _, b := range bits(ir.I32, fill(t, plane(ir.I32, ir.InitLogUniform, 10, 14), 3, 0, 3000, 3000)) {
		seen[b]++
	}
	if len(seen) != 4 || seen[10] == 0 || seen[13] == 0 {
		t.Errorf("integers of loguniform(10, 14): %v, want 10 to 13", seen)
	}
}

// TestEnds: the spaced rules hit both ends, whole numbers between them are whole, and one sample is the first.
func TestEnds(t *testing.T) {
	for i, x := range floats(t, plane(ir.F64, ir.InitLinspace, -50, 50), 0, 101) {
		if x != float64(i-50) {
			t.Errorf("linspace(-50, 50) of 101 samples, sample %d: %v", i, x)
		}
	}
	x := floats(t, plane(ir.F64, ir.InitLogspace, 0.3, 7), 0, 10)
	if x[0] != 0.3 || x[9] != 7 {
		t.Errorf("logspace(0.3, 7) ends at %v and %v", x[0], x[9])
	}
	x = floats(t, plane(ir.F64, ir.InitLinspace, -math.MaxFloat64, math.MaxFloat64), 0, 5)
	if x[0] != -math.MaxFloat64 || math.Abs(x[2]) > 1e300 || x[4] != math.MaxFloat64 || math.Abs(x[1]/x[3]+1) > 1e-15 {
		t.Errorf("linspace over all float64: %v", x)
	}
	for _, kind := range []ir.InitKind{ir.InitLinspace, ir.InitLogspace} {
		if x := floats(t, plane(ir.F64, kind, 3, 5), 0, 1); x[0] != 3 {
			t.Errorf("%s(3, 5) of one sample: %v, want 3", kind, x[0])
		}
	}
	if got := bits(ir.I64, fill(t, plane(ir.I64, ir.InitIndex), 0, 1<<60+1, 2, 1<<61)); got[0] != 1<<60+1 || got[1] != 1<<60+2 {
		t.Errorf("index from 2^60+1 on: %d", got)
	}
}

func TestRefusals(t *testing.T) {
	vector := plane(ir.F64, ir.InitUniform, 0, 1)
	vector.Dims = []int{3}
	nan := math.NaN()
	for _, c := range []struct {
		name                string
		p                   *ir.Plane
		bytes               int
		first, count, total uint64
		want                string
	}{
		{"too little memory", plane(ir.F64, ir.InitUniform, 0, 1), 79, 0, 10, 10, "10 samples of 1 x f64 need 8 bytes each, got 79"},
		{"memory for one component of three", vector, 80, 0, 10, 10, "10 samples of 3 x f64 need 24 bytes each, got 80"},
		{"samples beyond the batch", plane(ir.F64, ir.InitUniform, 0, 1), 80, 1, 10, 10, "samples 1 to 11 do not lie in a batch of 10"},
		{"no type", plane(ir.Invalid, ir.InitUniform, 0, 1), 0, 0, 0, 10, "its type is not one of"},
		{"an empty range", plane(ir.F64, ir.InitUniform, 1, 0), 80, 0, 10, 10, "uniform does not take the arguments [1 0]"},
		{"a logarithm of zero", plane(ir.F64, ir.InitLogUniform, 0, 1), 80, 0, 10, 10, "loguniform does not take"},
		{"a logarithm of a negative number", plane(ir.F64, ir.InitLogspace, 1, -1), 80, 0, 10, 10, "logspace does not take"},
		{"a negative deviation", plane(ir.F64, ir.InitNormal, 0, -1), 80, 0, 10, 10, "normal does not take"},
		{"an argument too few", plane(ir.F64, ir.InitLinspace, 0), 80, 0, 10, 10, "linspace does not take"},
		{"an argument too many", plane(ir.F64, ir.InitIndex, 0), 80, 0, 10, 10, "index does not take"},
		{"nothing to choose from", plane(ir.F64, ir.InitChoice), 80, 0, 10, 10, "choice does not take"},
		{"an argument that is no number", plane(ir.F64, ir.InitConst, nan), 80, 0, 10, 10, "const does not take"},
		{"no such rule", plane(ir.F64, 99), 80, 0, 10, 10, "rule of number 99 does not take"},
	} {
		dst := []byte(strings.Repeat("z", c.bytes))
		err := Fill(c.p, dst, 0, c.first, c.count, c.total)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "plane x cannot be filled: ") {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.want)
		}
		if string(dst) != strings.Repeat("z", c.bytes) {
			t.Errorf("%s: memory was written", c.name)
		}
	}
	if err := Fill(plane(ir.F64, ir.InitUniform, 0, 1), nil, 0, 10, 0, 10); err != nil {
		t.Errorf("no samples at the end of a batch: %v", err)
	}
}

func BenchmarkFill(b *testing.B) {
	const n = 1 << 16
	dst := make([]byte, 8*n)
	for _, kind := range []ir.InitKind{ir.InitUniform, ir.InitLogUniform, ir.InitNormal} {
		b.Run(fmt.Sprintf("rule=%s", kind), func(b *testing.B) {
			p := plane(ir.F64, kind, 1, 2)
			b.SetBytes(8 * n)
			for b.Loop() {
				if err := Fill(p, dst, 1, 0, n, n); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
