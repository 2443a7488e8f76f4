package enginetest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Stops says how the steps at finish are spread over a batch (workload O of runner.md, section 11); s is
// the scale S of the workload.
type Stops func(rng *rand.Rand, i, n int, s int32) int32

// The distributions.
var (
	// Spread is clip(ceil(exp U(ln S/100, ln S)), 1, S).
	Spread Stops = func(rng *rand.Rand, _, _ int, s int32) int32 {
		low, high := math.Log(float64(s)/100), math.Log(float64(s))
		return min(max(int32(math.Ceil(math.Exp(low+(high-low)*rng.Float64()))), 1), s)
	}
	// Uniform is S for everybody.
	Uniform Stops = func(_ *rand.Rand, _, _ int, s int32) int32 { return s }
	// Grouped is 5, 60 and 300 in turn.
	Grouped Stops = func(_ *rand.Rand, i, _ int, _ int32) int32 { return [3]int32{5, 60, 300}[i%3] }
	// Half is 1 and 300 in turn.
	Half Stops = func(_ *rand.Rand, i, _ int, _ int32) int32 { return [2]int32{1, 300}[i%2] }
	// Never is 1e9.
	Never Stops = func(_ *rand.Rand, _, _ int, _ int32) int32 { return 1e9 }
	// Descending falls from S to 1 along the batch.
	Descending Stops = func(_ *rand.Rand, i, n int, s int32) int32 {
		return 1 + int32(int64(s-1)*int64(n-1-i)/int64(max(n-1, 1)))
	}
)

// Workload is a kernel with a way to fill its planes and to run one sample without any engine.
type Workload struct {
	Name   string
	Kernel *ir.Kernel
	// Fill writes a batch: planes, with nstop by stops at scale s.
	Fill func(p *engine.Planes, stops Stops, s int32, seed uint64)
	// Plain is the same in plain Go on the planes given.
	Plain func(p *engine.Planes) Plain
}

// Plain is a workload without any engine.
type Plain struct {
	// Step makes one step of sample i and nothing else: it neither reads nor writes a mask. False: the step
	// faults and has changed nothing.
	Step func(i int) bool
	// Finished is the separate stop rule, asked after a step.
	Finished func(i int) bool
}

// With is the workload with an edited copy of its kernel.
func (w *Workload) With(change ...func(*ir.Kernel)) *Workload {
	c := *w
	c.Kernel = w.Kernel.Clone()
	for _, f := range change {
		f(c.Kernel)
	}
	return &c
}

// CountWorkload runs [CountKernel]; x starts at a random value, nobody faults.
func CountWorkload() *Workload {
	return &Workload{
		Name: "count", Kernel: CountKernel(),
		Fill: func(p *engine.Planes, stops Stops, s int32, seed uint64) {
			rng := rand.New(rand.NewPCG(seed, 1))
			x, k := view[float64](p, "x"), view[int32](p, "k")
			nstop, bad := view[int32](p, "nstop"), view[int32](p, "bad")
			for i := range p.N {
				x[i], k[i], bad[i] = rng.Float64(), 0, -1
				nstop[i] = stops(rng, i, p.N, s)
			}
		},
		Plain: func(p *engine.Planes) Plain {
			x, k := view[float64](p, "x"), view[int32](p, "k")
			nstop, bad := view[int32](p, "nstop"), view[int32](p, "bad")
			return Plain{
				Step: func(i int) bool {
					if k[i] == bad[i] {
						return false
					}
					x[i] = float64(x[i]*0.5) + float64(k[i])
					k[i]++
					return true
				},
				Finished: func(i int) bool { return k[i] >= nstop[i] },
			}
		},
	}
}

// Native is what a plain loop of single steps makes of the batch: every sample whose mask byte is 0 runs
// until the stop rule holds after a step, it faults, or it has taken upto steps. p and mask are
// overwritten; taken, one per sample, is returned.
func (w *Workload) Native(p *engine.Planes, mask []byte, upto uint32) (taken []uint32) {
	plain := w.Plain(p)
	taken = make([]uint32, p.N)
	for i := range p.N {
		for mask[i] == 0 && taken[i] < upto {
			if !plain.Step(i) {
				mask[i] = 2
				break
			}
			taken[i]++
			if w.Kernel.Finish != nil && plain.Finished(i) {
				mask[i] = 1
			}
		}
	}
	return taken
}

// Batch is a workload on an engine, ready to run, with the copies that a comparison needs.
type Batch struct {
	*engine.Runner
	Workload *Workload
	Bound    engine.Bound
	Planes   *engine.Planes
	Mask     []byte
}

// NewBatch compiles, fills n samples and binds.
func (w *Workload) NewBatch(e engine.Engine, n int, stops Stops, s int32, seed uint64) (*Batch, error) {
	p := engine.NewPlanes(w.Kernel.Planes, n)
	w.Fill(p, stops, s, seed)
	return w.Bind(e, p, make([]byte, n))
}

// Bind compiles and binds planes and mask.
func (w *Workload) Bind(e engine.Engine, p *engine.Planes, mask []byte) (*Batch, error) {
	program, err := e.Compile(w.Kernel)
	if err != nil {
		return nil, fmt.Errorf("compile %s: %w", w.Kernel.Name, err)
	}
	devices, err := e.Devices()
	if err != nil || len(devices) == 0 {
		return nil, fmt.Errorf("%s has no device: %w", e.Name(), err)
	}
	bound, err := program.Bind(p, mask)
	if err != nil {
		return nil, fmt.Errorf("bind %s: %w", w.Kernel.Name, err)
	}
	r := engine.NewRunner(program, bound, p, mask, e.Name(), devices[0].Name)
	return &Batch{Runner: r, Workload: w, Bound: bound, Planes: p, Mask: mask}, nil
}

// view is a plane by name.
func view[T engine.Element](p *engine.Planes, name string) []T {
	i := p.Index(name)
	if i < 0 {
		panic("enginetest: no plane " + name)
	}
	return engine.View[T](p, i)
}
