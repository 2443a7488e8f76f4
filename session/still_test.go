package session

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// displaced is a batch whose samples lie in a random order: each element of a sample tells its number.
func displaced(n int) *still {
	spec := []ir.Plane{
		{Name: "x", Type: ir.F64, Role: ir.RoleState},
		{Name: "r", Type: ir.F32, Dims: []int{3}, Role: ir.RoleInput},
		{Name: "on", Type: ir.Bool, Role: ir.RoleOutput},
		{Name: "dt", Type: ir.F64, Role: ir.RoleParam},
	}
	b := &batch{n: n, planes: engine.NewPlanes(spec, n), mask: make([]byte, n)}
	s := &still{batch: b, done: 40, most: 100, places: make([]uint32, n)}
	x, r := engine.View[float64](b.planes, 0), engine.View[float32](b.planes, 1)
	for sample, slot := range rand.New(rand.NewPCG(1, 1)).Perm(n) {
		s.places[sample] = uint32(slot)
		x[slot] = float64(sample)
		for c := range 3 {
			r[c*n+slot] = float32(10*sample + c)
		}
		b.planes.Bytes(2)[slot] = byte(sample % 2)
		if sample%3 == 0 {
			b.mask[slot] = 1
		}
	}
	engine.View[float64](b.planes, 3)[0] = 0.5
	return s
}

func TestABatchInAnotherOrderIsReadBySample(t *testing.T) {
	const n = 100
	s := displaced(n)
	p, mask := s.copyPlanes(), s.copyMask()
	x, r := engine.View[float64](p, 0), engine.View[float32](p, 1)
	for i := range n {
		if x[i] != float64(i) || r[i] != float32(10*i) || r[n+i] != float32(10*i+1) || r[2*n+i] != float32(10*i+2) {
			t.Fatalf("sample %d: x %v, r %v %v %v", i, x[i], r[i], r[n+i], r[2*n+i])
		}
		if p.Bytes(2)[i] != byte(i%2) || (mask[i] != 0) != (i%3 == 0) {
			t.Fatalf("sample %d: on %d, mask %d", i, p.Bytes(2)[i], mask[i])
		}
	}
	if dt := engine.View[float64](p, 3); len(dt) != 1 || dt[0] != 0.5 {
		t.Errorf("dt %v", dt)
	}
	live := s.liveOnes()
	if live.live != 66 || live.steps != 40 || live.left != 60 || !slices.Equal(live.samples[:4], []int{1, 2, 4, 5}) {
		t.Errorf("live %d, %v...", live.live, live.samples[:4])
	}
	for k, sample := range live.samples {
		if got := live.planes.Float(0, k); got != float64(sample) {
			t.Fatalf("the copy of sample %d is of sample %v", sample, got)
		}
	}
	if s.planes.Float(0, 0) == 0 && s.planes.Float(0, 1) == 1 {
		t.Error("the fixture shows nothing")
	}
}
