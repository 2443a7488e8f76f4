package interp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/irtest"
)

// randomKernels is how many kernels a test takes.
func randomKernels() uint64 {
	if testing.Short() {
		return 60
	}
	return 300
}

func randomBatch(k *ir.Kernel, n int, seed uint64) *batch {
	b := newBatch(k, n)
	b.planes = irtest.Planes(k, n, seed)
	return b
}

func TestRandomKernelsEqualPlainLoop(t *testing.T) {
	finishes, faults := 0, 0
	for seed := range randomKernels() {
		k := irtest.Kernel(seed, 5+int(seed%60))
		const n, upto = 21, 6
		start := randomBatch(k, n, seed)
		rng := rand.New(rand.NewPCG(seed, 3))
		for i := range n { // ragged, and some not to be touched
			start.taken[i] = uint32(rng.IntN(8))
			start.mask[i] = []byte{0, 0, 0, 0, 1, 2, 7}[rng.IntN(7)]
		}
		want := start.clone()
		p := want.plain()
		for i := range n {
			p.run(i, upto)
		}
		for _, width := range []int{1, 3, 8, 13, 0} {
			got := start.clone()
			r := compileWidth(k, width).NewMachine().Run(got.work(upto))
			same(t, got, want)
			checkResult(t, r, start, want, p.faults)
			if t.Failed() {
				t.Fatalf("seed %d, width %d:\n%s", seed, width, printed(k))
			}
			finishes += int(r.Newly - r.Faulted)
			faults += int(r.Faulted)
		}
	}
	if finishes < 500 || faults < 100 {
		t.Errorf("the kernels are too tame: %d finishes, %d faults", finishes, faults)
	}
}

func printed(k *ir.Kernel) string {
	var text strings.Builder
	_ = ir.Print(&text, k, true) // a strings.Builder refuses nothing
	return text.String()
}

// checkResult compares what Run says with the difference of the batch before and after.
func checkResult(t *testing.T, r *Result, before, after *batch, faults []Fault) {
	t.Helper()
	var want Result
	for i := range before.n {
		steps := after.taken[i] - before.taken[i]
		want.SampleSteps += uint64(steps)
		want.Longest = max(want.Longest, steps)
		if before.mask[i] == 0 && after.mask[i] != 0 {
			want.Newly++
			want.LastStop = max(want.LastStop, after.taken[i])
			if after.mask[i] == 2 {
				want.Faulted++
			}
		}
	}
	for _, f := range faults {
		want.Faults.Add(f)
	}
	if *r != want {
		t.Errorf("Run says %+v, the batch %+v", *r, want)
	}
}

func TestRandomInitEqualsPlainLoop(t *testing.T) {
	ran, faulted := 0, 0
	for seed := range randomKernels() {
		k := irtest.Kernel(seed, 30)
		if k.Init == nil {
			continue
		}
		const n = 21
		want := randomBatch(k, n, seed)
		got := want.clone()
		p := want.plain()
		for i := range n {
			p.init(i)
		}
		for _, width := range []int{1, 8, 13, 0} {
			try := got.clone()
			faults, done := compileWidth(k, width).Init().NewMachine().Store(try.planes, n, NewCursor(0, n), nil)
			same(t, try, want)
			if !done || !slices.Equal(faults, p.faults[:min(len(p.faults), MaxFaults)]) {
				t.Errorf("done: %v, faults %v, want %v", done, faults, p.faults)
			}
			if t.Failed() {
				t.Fatalf("seed %d, width %d:\n%s", seed, width, printed(k))
			}
		}
		ran++
		faulted += len(p.faults)
	}
	if !testing.Short() && (ran < 20 || faulted == 0) {
		t.Errorf("the kernels are too tame: %d have an init, %d samples fault in it", ran, faulted)
	}
}

func TestRandomObservablesEqualPlainLoop(t *testing.T) {
	for seed := range randomKernels() {
		k := irtest.Kernel(seed, 20)
		const n, lo, count = 21, 2, 17
		b := randomBatch(k, n, seed)
		p := b.plain()
		for o, f := range k.Observables {
			typ := f.Type(f.Body.Yield[0])
			for _, width := range []int{1, 8, 13, 0} {
				m := compileWidth(k, width).Observable(o).NewMachine()
				bits, floats := make([]uint64, count), make([]float64, count)
				if !m.Bits(0, b.planes, n, lo, bits, nil) || !m.Float64(0, b.planes, n, lo, floats, nil) {
					t.Fatal("stopped without a stop")
				}
				for i := range count {
					want := irtest.Canonical(typ, p.Eval(f, lo+i)[0])
					if bits[i] != want || math.Float64bits(floats[i]) != math.Float64bits(asFloat(want, typ)) {
						t.Fatalf("seed %d, width %d, sample %d: got bits %#x and %v, want %#x:\n%s", seed, width, lo+i, bits[i], floats[i], want, printed(k))
					}
				}
			}
		}
	}
}

func TestTwoMachinesShareACursor(t *testing.T) {
	start := oscillators(t, 400, stopSpread)
	want := start.clone()
	p := want.plain()
	for i := range want.n {
		p.run(i, 40)
	}
	for _, lanes := range []int{0, 1, 5, 1000} {
		t.Run(fmt.Sprintf("lanes=%d", lanes), func(t *testing.T) {
			got := start.clone()
			code := compileWidth(got.k, 64)
			w := got.work(40)
			w.Lanes = lanes
			done := make(chan *Result)
			for range 2 {
				go func() { done <- code.NewMachine().Run(w) }()
			}
			sum := *<-done
			sum.Merge(<-done)
			same(t, got, want)
			checkResult(t, &sum, start, want, nil)
		})
	}
}
