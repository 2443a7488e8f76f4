package jit

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"testing"
	"time"

	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// Workloads with inputs from one generator, the same for every language that runs them.

// draw is number which of a sample, in [lo, hi).
func draw(sample, which uint64, lo, hi float64) float64 {
	z := 0x5eed + sample*16 + which
	z += 0x9e3779b97f4a7c15
	z *= 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	return lo + float64((hi-lo)*(float64(z>>11)*0x1p-53))
}

func load(t testing.TB, path string) *ir.Kernel {
	t.Helper()
	k, ds := kernels.Load(path)
	if k == nil {
		t.Fatalf("%s: %v", path, ds)
	}
	return k.IR
}

// fill sets component comp of a plane.
func (b *batch) fill(name string, comp int, value func(i uint64) float64) {
	p := b.k.Plane(name)
	rows := b.n
	if b.k.Planes[p].Role == ir.RoleParam {
		rows = 1
	}
	for i := range rows {
		v := value(uint64(i))
		at := (comp*rows + i) * b.k.Planes[p].Type.Bytes()
		switch b.k.Planes[p].Type {
		case ir.F64:
			binary.LittleEndian.PutUint64(b.planes[p][at:], math.Float64bits(v))
		case ir.I32:
			binary.LittleEndian.PutUint32(b.planes[p][at:], uint32(int32(v)))
		default:
			panic("type of plane " + name)
		}
	}
}

func newBatch(k *ir.Kernel, n int) *batch {
	b := &batch{k: k, n: n, mask: make([]byte, n), taken: make([]uint32, n)}
	for i := range k.Planes {
		rows := n
		if k.Planes[i].Role == ir.RoleParam {
			rows = 1
		}
		b.planes = append(b.planes, make([]byte, rows*k.Planes[i].Width()*k.Planes[i].Type.Bytes()))
	}
	return b
}

// oscillators is workload O: fixed steps, samples that stop after 1000 steps, or after 10 to 1000.
func oscillators(t testing.TB, n int, spread bool) *batch {
	b := newBatch(load(t, "../../../kernels/library/oscillator"), n)
	from := func(which uint64, lo, hi float64) func(uint64) float64 {
		return func(i uint64) float64 { return draw(i, which, lo, hi) }
	}
	b.fill("omega", 0, from(0, 1, 10))
	b.fill("zeta", 0, from(1, 0.01, 0.2))
	b.fill("x", 0, from(2, -1, 1))
	b.fill("v", 0, from(3, -1, 1))
	b.fill("dt", 0, func(uint64) float64 { return 0.01 })
	b.fill("nstop", 0, func(i uint64) float64 {
		if !spread {
			return 1000
		}
		return min(max(math.Ceil(math.Exp(draw(i, 4, math.Log(10), math.Log(1000)))), 1), 1000)
	})
	return b
}

// orbits is workload K: orbits with eccentricities up to 0.9 and a step size of their own.
func orbits(t testing.TB, n int) *batch {
	b := newBatch(load(t, "../../../bench/kernels/orbits"), n)
	cell := make([][6]float64, n)
	for i := range cell {
		s := uint64(i)
		e, u, p, q := draw(s, 8, 0, 0.9), draw(s, 9, 0, 1), draw(s, 10, 0, 2*math.Pi), draw(s, 11, 0, 2*math.Pi)
		x, y := math.Sqrt(1-u)*math.Sin(p), math.Sqrt(1-u)*math.Cos(p)
		z, w := math.Sqrt(u)*math.Sin(q), math.Sqrt(u)*math.Cos(q)
		r, v := 1-e, math.Sqrt((1+e)/(1-e))
		cell[i] = [6]float64{
			r * (1 - 2*(y*y+z*z)), r * 2 * (x*y + z*w), r * 2 * (x*z - y*w),
			v * 2 * (x*y - z*w), v * (1 - 2*(x*x+z*z)), v * 2 * (y*z + x*w),
		}
	}
	for c := range 3 {
		b.fill("pos", c, func(i uint64) float64 { return cell[i][c] })
		b.fill("vel", c, func(i uint64) float64 { return cell[i][c+3] })
	}
	b.fill("h", 0, func(uint64) float64 { return 0.01 })
	return b
}

// BenchmarkRun times whole runs on one core and reports the time of a useful sample-step. The result is
// compared with the interpreter's first. Compile time is not inside.
func BenchmarkRun(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		for _, load := range []struct {
			name  string
			start func() *batch
		}{
			{"O-uniform", func() *batch { return oscillators(b, n, false) }},
			{"O-spread-1000", func() *batch { return oscillators(b, n, true) }},
			{"K", func() *batch { return orbits(b, n) }},
		} {
			for _, target := range Targets {
				for _, sh := range shapes() {
					b.Run(fmt.Sprintf("load=%s/n=%d/target=%v/shape=%d-%d-%d", load.name, n, target, sh.groups, sh.together, sh.block), func(b *testing.B) {
						if err := Supported(target); err != nil {
							b.Skip(err)
						}
						benchmark(b, load.start(), target, sh)
					})
				}
			}
		}
	}
}

// shapes are the default, and with EAGLET_SHAPES others to compare it with.
func shapes() []shape {
	s := []shape{{}}
	if os.Getenv("EAGLET_SHAPES") != "" {
		s = append(s, []shape{{2, 2, 4}, {3, 3, 4}, {4, 1, 8}, {4, 2, 2}, {4, 2, 6}, {4, 2, 12}, {4, 4, 2}, {4, 4, 6}}...)
	}
	return s
}

func benchmark(b *testing.B, start *batch, target Target, sh shape) {
	const upto = 1 << 20
	t, err := makeText(start.k, target)
	if sh.groups > 0 {
		t, err = generateShape(start.k, target, sh)
	}
	if err != nil {
		b.Fatal(err)
	}
	c, err := t.load()
	if err != nil {
		b.Fatal(err)
	}
	m := c.NewMachine()
	if start.n <= 1000 {
		want, got := start.clone(), start.clone()
		interp.Compile(start.k).NewMachine().Run(want.work(upto))
		m.Run(got.work(upto))
		if d := got.difference(want); d != "" {
			b.Fatal(d)
		}
	}
	got := start.clone()
	best := math.Inf(1)
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		for i := range start.planes {
			copy(got.planes[i], start.planes[i])
		}
		clear(got.mask)
		clear(got.taken)
		w := got.work(upto)
		b.StartTimer()
		from := time.Now()
		r := m.Run(w)
		best = min(best, float64(time.Since(from).Nanoseconds())/float64(r.SampleSteps))
	}
	b.ReportMetric(best, "best-ns/step")
	b.ReportMetric(float64(t.Unroll()), "unroll")
	b.ReportMetric(float64(t.Spills()), "spills")
}

// BenchmarkLaunches times launches of one step each, with a batch in the first caches and one in memory, and
// reports the time of a sample's step. Nobody finishes meanwhile.
func BenchmarkLaunches(b *testing.B) {
	for _, n := range []int{10_240, 1_024_000} {
		for _, target := range Targets {
			b.Run(fmt.Sprintf("load=O-uniform/n=%d/target=%v", n, target), func(b *testing.B) {
				if err := Supported(target); err != nil {
					b.Skip(err)
				}
				start := oscillators(b, n, false)
				start.fill("nstop", 0, func(uint64) float64 { return 1 << 30 })
				c, err := Compile(start.k, target)
				if err != nil {
					b.Fatal(err)
				}
				m, upto, best := c.NewMachine(), uint32(0), math.Inf(1)
				b.ResetTimer()
				for range b.N {
					upto++
					w := start.work(upto)
					from := time.Now()
					m.Run(w)
					best = min(best, float64(time.Since(from).Nanoseconds())/float64(n))
				}
				b.ReportMetric(best, "best-ns/step")
			})
		}
	}
}
