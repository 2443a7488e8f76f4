package native_test

import (
	"bytes"
	"encoding/gob"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
	"github.com/eaglet-workbench/eaglet/kernels/oracle/native"
)

func floats() []float64 {
	r := rand.New(rand.NewPCG(1, 2))
	out := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 0.5, -0.5, -1, 1e300, -1e300, 1e-310}
	for e := 30; e < 66; e++ {
		for _, d := range []float64{-1, 0, 1, 0.5} {
			out = append(out, math.Ldexp(1, e)+d, -math.Ldexp(1, e)+d, math.Nextafter(math.Ldexp(1, e), 0))
		}
	}
	for range 2000 {
		out = append(out, math.Float64frombits(r.Uint64()), r.NormFloat64()*1e5)
	}
	return out
}

// TestConversionsAreTheInterpreters holds two independent codes for one meaning against each other.
func TestConversionsAreTheInterpreters(t *testing.T) {
	for _, x := range floats() {
		for _, c := range []struct {
			to       ir.Type
			from64   uint64
			from32   uint64
			argument float64
		}{
			{ir.I32, uint64(uint32(native.Convert[int32](x))), uint64(uint32(native.Convert[int32](float32(x)))), x},
			{ir.I64, uint64(native.Convert[int64](x)), uint64(native.Convert[int64](float32(x))), x},
			{ir.U32, uint64(native.Convert[uint32](x)), uint64(native.Convert[uint32](float32(x))), x},
			{ir.U64, native.Convert[uint64](x), native.Convert[uint64](float32(x)), x},
		} {
			if want := interp.Eval(ir.OpConvert, c.to, ir.F64, math.Float64bits(x)); c.from64 != want {
				t.Errorf("%v of float64 %v: got 0x%x, the interpreter has 0x%x", c.to, x, c.from64, want)
			}
			if want := interp.Eval(ir.OpConvert, c.to, ir.F32, uint64(math.Float32bits(float32(x)))); c.from32 != want {
				t.Errorf("%v of float32 %v: got 0x%x, the interpreter has 0x%x", c.to, float32(x), c.from32, want)
			}
		}
	}
	if got := native.Convert[float32](int64(1<<62 + 1<<38 + 1)); got != float32(int64(1<<62+1<<38+1)) {
		t.Errorf("an integer to a float: got %v", got)
	}
}

func TestFusedProductsAreTheInterpreters(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	some := floats()
	pick := func() float32 {
		if r.IntN(3) == 0 {
			return float32(some[r.IntN(len(some))])
		}
		return math.Float32frombits(r.Uint32())
	}
	canonical := func(x float32) uint64 {
		if x != x {
			return uint64(ir.NaN32)
		}
		return uint64(math.Float32bits(x))
	}
	for range 50000 {
		x, y, z := pick(), pick(), pick()
		if r.IntN(2) == 0 {
			z = -float32(x*y) + float32(r.IntN(3)-1)*math.SmallestNonzeroFloat32 // near a tie
		}
		want := interp.Eval(ir.OpFMA, ir.F32, ir.Invalid, uint64(math.Float32bits(x)), uint64(math.Float32bits(y)), uint64(math.Float32bits(z)))
		if w := math.Float32frombits(uint32(want)); canonical(native.FMA(x, y, z)) != canonical(w) {
			t.Fatalf("fma(%x, %x, %x): got %x, the interpreter has %x", x, y, z, native.FMA(x, y, z), w)
		}
	}
	if got := native.SubProduct(7, 2, 3); got != 1 {
		t.Errorf("7 - 2*3 of integers is %d", got)
	}
}

type sample struct {
	X float64
	N int32
	W []int64
}

func (s *sample) Step() bool {
	s.N++
	s.X += float64(s.W[s.N])
	return s.N == 3
}

func (s *sample) Half() float64 { return s.X / 2 }

func TestServeTakesStepsAndUndoesFaults(t *testing.T) {
	le := func(xs ...byte) []byte { return xs }
	var in, out bytes.Buffer
	q := native.Request{N: 2, Steps: 9, Planes: []native.Plane{
		{Field: "X", Data: make([]byte, 16)},
		{Field: "N", Data: le(0, 0, 0, 0, 5, 0, 0, 0)},
		{Field: "W", Shared: true, Data: append(append(append(make([]byte, 8), 1, 0, 0, 0, 0, 0, 0, 0), 2, 0, 0, 0, 0, 0, 0, 0), 4, 0, 0, 0, 0, 0, 0, 0)},
	}}
	if err := gob.NewEncoder(&in).Encode(q); err != nil {
		t.Fatal(err)
	}
	if err := native.Serve([]native.Kernel{{New: func() any { return new(sample) }, Observables: []string{"Half"}}}, &in, &out); err != nil {
		t.Fatal(err)
	}
	var a native.Response
	if err := gob.NewDecoder(&out).Decode(&a); err != nil {
		t.Fatal(err)
	}
	if a.Trouble != "" || string(a.Mask) != "\x01\x02" || a.Taken[0] != 3 || a.Taken[1] != 0 {
		t.Errorf("got mask %v after %v steps, %s", a.Mask, a.Taken, a.Trouble)
	}
	if a.Planes[1][0] != 3 || a.Planes[1][4] != 5 {
		t.Errorf("N is %v: a faulted sample keeps what it had before the step", a.Planes[1])
	}
	if a.Observables[0][0] != math.Float64bits(3.5) || a.Observables[0][1] != 0 {
		t.Errorf("observables %x", a.Observables)
	}
}
