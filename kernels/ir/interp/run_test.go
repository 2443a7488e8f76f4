package interp

import (
	"fmt"
	"math"
	"testing"
)

// draw is a fixed pseudo-random float64 in [lo, hi) (splitmix64 of i and which).
func draw(i, which int, lo, hi float64) float64 {
	z := uint64(i)*16 + uint64(which) + 0x5eed
	z = (z + 0x9e3779b97f4a7c15) * 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	return lo + (hi-lo)*(float64(z>>11)*0x1p-53)
}

// oscillators is workload O of n samples; stop gives each its number of steps.
func oscillators(t testing.TB, n int, stop func(i int) uint64) *batch {
	b := newBatch(readKernel(t, "oscillator"), n)
	uniform := func(which int, lo, hi float64) func(int, int) uint64 {
		return func(_, i int) uint64 { return math.Float64bits(draw(i, which, lo, hi)) }
	}
	b.fill("omega", uniform(0, 1, 10))
	b.fill("zeta", uniform(1, 0.01, 0.2))
	b.fill("x", uniform(2, -1, 1))
	b.fill("v", uniform(3, -1, 1))
	b.fill("dt", func(int, int) uint64 { return math.Float64bits(0.01) })
	b.fill("nstop", func(_, i int) uint64 { return stop(i) })
	return b
}

func stopSpread(i int) uint64 {
	return uint64(math.Ceil(math.Exp(draw(i, 4, 0, math.Log(100)))))
}

func TestRunEqualsPlainLoop(t *testing.T) {
	for _, n := range []int{1, 7, 8, 9, 33, 1000} {
		start := oscillators(t, n, stopSpread)
		want := start.clone()
		p := want.plain()
		for i := range n {
			p.run(i, 20)
		}
		for _, width := range []int{1, 8, 32, 0} {
			t.Run(fmt.Sprintf("n=%d/width=%d", n, width), func(t *testing.T) {
				got := start.clone()
				r := compileWidth(got.k, width).NewMachine().Run(got.work(20))
				same(t, got, want)
				checkResult(t, r, start, want, nil)
			})
		}
	}
}

func BenchmarkRun(b *testing.B) {
	for _, stop := range []string{"never", "spread"} {
		for _, upto := range []uint32{1, 64, 1000} {
			b.Run(fmt.Sprintf("kernel=oscillator/n=10240/stop=%s/upto=%d", stop, upto), func(b *testing.B) {
				rule := func(int) uint64 { return 1 << 40 }
				if stop == "spread" {
					rule = func(i int) uint64 {
						return uint64(math.Ceil(math.Exp(draw(i, 4, math.Log(10), math.Log(1000)))))
					}
				}
				batch := oscillators(b, 10240, rule)
				m := Compile(batch.k).NewMachine()
				var steps uint64
				for b.Loop() {
					b.StopTimer()
					c := batch.clone()
					w := c.work(upto)
					b.StartTimer()
					steps += m.Run(w).SampleSteps
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(steps), "ns/sample-step")
			})
		}
	}
}
