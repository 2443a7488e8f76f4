package host

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// oscillators binds n damped oscillators that never stop (workload O of runner.md, RK4, 41 flops a step).
func oscillators(t testing.TB, workers, n int) (*bound, *engine.Planes) {
	t.Helper()
	text, err := os.ReadFile("../../kernels/ir/interp/testdata/oscillator.ir")
	if err != nil {
		t.Fatal(err)
	}
	k, err := ir.Read(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(k); err != nil {
		t.Fatal(err)
	}
	planes := engine.NewPlanes(k.Planes, n)
	omega, zeta := engine.View[float64](planes, planes.Index("omega")), engine.View[float64](planes, planes.Index("zeta"))
	x, v := engine.View[float64](planes, planes.Index("x")), engine.View[float64](planes, planes.Index("v"))
	nstop := engine.View[int64](planes, planes.Index("nstop"))
	engine.View[float64](planes, planes.Index("dt"))[0] = 0.01
	for i := range n {
		f := float64(i%1000) / 1000
		omega[i], zeta[i], x[i], v[i], nstop[i] = 1+9*f, 0.01+0.19*f, 2*f-1, 1-f, math.MaxInt64
	}
	p, err := New(WithWorkers(workers)).Compile(k)
	if err != nil {
		t.Fatal(err)
	}
	b, err := p.Bind(planes, make([]byte, n))
	if err != nil {
		t.Fatal(err)
	}
	return b.(*bound), planes
}

// plainOscillators is the loop one would write by hand: one sample at a time, all of its steps at once.
func plainOscillators(p *engine.Planes, steps int) {
	omega, zeta := engine.View[float64](p, 0), engine.View[float64](p, 1)
	dt := engine.View[float64](p, 3)[0]
	xs, vs, ks := engine.View[float64](p, 4), engine.View[float64](p, 5), engine.View[int64](p, 6)
	for i := range xs {
		c1, c2 := -float64(omega[i]*omega[i]), float64(float64(2*zeta[i])*omega[i])
		h, s6 := 0.5*dt, dt/6
		x, v := xs[i], vs[i]
		for range steps {
			a1 := float64(c1*x) - float64(c2*v)
			x1, v1 := x+float64(h*v), v+float64(h*a1)
			a2 := float64(c1*x1) - float64(c2*v1)
			x2, v2 := x+float64(h*v1), v+float64(h*a2)
			a3 := float64(c1*x2) - float64(c2*v2)
			x3, v3 := x+float64(dt*v2), v+float64(dt*a3)
			a4 := float64(c1*x3) - float64(c2*v3)
			x, v = x+float64(s6*((v+float64(2*v1))+(float64(2*v2)+v3))), v+float64(s6*((a1+float64(2*a2))+(float64(2*a3)+a4)))
		}
		xs[i], vs[i] = x, v
		ks[i] += int64(steps)
	}
}

func TestOscillatorsEqualAHandWrittenLoop(t *testing.T) {
	b, planes := oscillators(t, 2, 700)
	want := planes.Clone()
	for upto := uint32(1); upto <= 64; upto *= 2 {
		if _, err := b.Launch(nil, upto); err != nil {
			t.Fatal(err)
		}
	}
	plainOscillators(want, 64)
	for i := range planes.Spec {
		if string(planes.Bytes(i)) != string(want.Bytes(i)) {
			t.Errorf("plane %s differs", planes.Spec[i].Name)
		}
	}
}

// BenchmarkLaunch is launches of a bound program; neither compiling nor binding is in it.
func BenchmarkLaunch(b *testing.B) {
	for _, n := range []int{1000, 10240, 1000000} {
		for _, word := range []uint32{1, 8, 64} {
			for _, workers := range []int{1, 2} {
				b.Run(fmt.Sprintf("kernel=oscillator/n=%d/word=%d/workers=%d", n, word, workers), func(b *testing.B) {
					bd, _ := oscillators(b, workers, n)
					var steps uint64
					upto := uint32(0)
					for b.Loop() {
						upto += word
						s, err := bd.Launch(nil, upto)
						if err != nil {
							b.Fatal(err)
						}
						steps += s.SampleSteps
					}
					report(b, steps)
				})
			}
		}
	}
}

// BenchmarkPlain is what BenchmarkLaunch is to be compared with.
func BenchmarkPlain(b *testing.B) {
	b.Run("kernel=oscillator/n=10240/word=64/workers=1", func(b *testing.B) {
		_, planes := oscillators(b, 1, 10240)
		var steps uint64
		for b.Loop() {
			plainOscillators(planes, 64)
			steps += 10240 * 64
		}
		report(b, steps)
	})
}

func report(b *testing.B, steps uint64) {
	b.ReportMetric(float64(steps)/b.Elapsed().Seconds(), "sample-steps/s")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(steps), "ns/sample-step")
}
