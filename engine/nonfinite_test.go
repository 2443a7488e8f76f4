package engine_test

import (
	"math"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// TestNonFiniteOfALongBatch looks where shares of the work and blocks of a row meet.
func TestNonFiniteOfALongBatch(t *testing.T) {
	const n = 400_003
	for _, c := range []struct {
		name    string
		samples []int
	}{
		{"nobody", nil},
		{"the first", []int{0}},
		{"the last", []int{n - 1}},
		{"both sides of a block", []int{1023, 1024, 1025}},
		{"both sides of a share", []int{n/2 - 1, n / 2, n/2 + 1, 200_063, 200_064, n/3 + 64}},
		{"the second share only", []int{399_999, 300_000}},
	} {
		trace := engine.NewTrace(64)
		b := batch(t, enginetest.Script{}, n)
		x := engine.View[float64](b.Planes, b.Planes.Index("x"))
		first := n
		for i, s := range c.samples {
			x[s] = [...]float64{math.NaN(), math.Inf(1), math.Inf(-1)}[i%3]
			first = min(first, s)
		}
		x[77] = -math.MaxFloat64 // as far as numbers go
		x[78] = math.SmallestNonzeroFloat64
		for i := range b.Mask { // nobody steps: the state is looked at as it is
			b.Mask[i] = 1
		}
		rep := must(t)(b.Run(nil, engine.RunOptions{MaxSteps: 1, Trace: trace}))
		if rep.NonFinite != len(c.samples) {
			t.Errorf("%s: %d samples, want %d", c.name, rep.NonFinite, len(c.samples))
		}
		for _, e := range events(trace) {
			if e.Kind == engine.EventNonFinite {
				if f := e.NonFinite(); int(f.Sample) != first || int(f.Count) != len(c.samples) {
					t.Errorf("%s: %+v, want %d from sample %d on", c.name, f, len(c.samples), first)
				}
			}
		}
	}
}

func TestNonFiniteLooksAtStateOfBothWidthsAndEveryComponent(t *testing.T) {
	k := enginetest.CountKernel(func(k *ir.Kernel) {
		k.Planes = append(k.Planes,
			ir.Plane{Name: "q", Field: "Q", Type: ir.F32, Dims: []int{3}, Role: ir.RoleState},
			ir.Plane{Name: "given", Field: "Given", Type: ir.F64, Role: ir.RoleInput})
	})
	program, _ := enginetest.NewScripted(enginetest.Script{}).Compile(k)
	p, mask := engine.NewPlanes(k.Planes, 70), make([]byte, 70)
	for i := range mask {
		engine.View[int32](p, p.Index("nstop"))[i] = 3
		engine.View[int32](p, p.Index("bad"))[i] = -1
	}
	q, given := engine.View[float32](p, p.Index("q")), engine.View[float64](p, p.Index("given"))
	q[2*70+69] = float32(math.NaN())
	q[0*70+69] = float32(math.Inf(1)) // the same sample
	q[1*70+4] = float32(math.Inf(-1))
	q[1*70+5] = math.MaxFloat32
	given[7] = math.NaN() // an input is no state
	engine.View[float64](p, p.Index("x"))[0] = math.NaN()
	bound, err := program.Bind(p, mask)
	if err != nil {
		t.Fatal(err)
	}
	rep := must(t)(engine.NewRunner(program, bound, p, mask, "scripted", "").Run(nil, band))
	if rep.NonFinite != 3 {
		t.Errorf("%d samples not finite, want 3: samples 0, 4 and 69", rep.NonFinite)
	}
}
