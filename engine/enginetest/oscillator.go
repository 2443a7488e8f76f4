package enginetest

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels"
)

// Run is the suite: the oracles of runner.md, section 11, that this engine's slice can meet, and the
// properties, on the library's oscillator and on [CountKernel]. Engine tests hand it their constructor.
func Run(t *testing.T, newEngine func(t *testing.T) engine.Engine) {
	oscillator, err := OscillatorWorkload()
	if err != nil {
		t.Fatal(err)
	}
	RunWorkloads(t, newEngine, CountWorkload(), oscillator)
}

// OscillatorWorkload is workload O of runner.md on the library's oscillator: omega~U(1,10),
// zeta~U(0.01,0.2), x, v~U(-1,1), dt 0.01. The native step is the classical Runge-Kutta method in the
// library's order of operations, every product rounded by a conversion, so that no compiler fuses it.
func OscillatorWorkload() (*Workload, error) {
	k, diagnostics := kernels.Load("oscillator")
	if k == nil {
		return nil, fmt.Errorf("the library's oscillator does not load: %v", diagnostics)
	}
	return &Workload{
		Name: "oscillator", Kernel: k.IR,
		Fill: func(p *engine.Planes, stops Stops, s int32, seed uint64) {
			rng := rand.New(rand.NewPCG(seed, 2))
			omega, zeta := view[float64](p, "omega"), view[float64](p, "zeta")
			x, v := view[float64](p, "x"), view[float64](p, "v")
			kk, nstop := view[int32](p, "k"), view[int32](p, "nstop")
			view[float64](p, "dt")[0] = 0.01
			for i := range p.N {
				omega[i], zeta[i] = 1+9*rng.Float64(), 0.01+0.19*rng.Float64()
				x[i], v[i] = 2*rng.Float64()-1, 2*rng.Float64()-1
				kk[i], nstop[i] = 0, stops(rng, i, p.N, s)
			}
		},
		Plain: func(p *engine.Planes) Plain {
			omega, zeta, dt := view[float64](p, "omega"), view[float64](p, "zeta"), view[float64](p, "dt")
			x, v := view[float64](p, "x"), view[float64](p, "v")
			k, nstop := view[int32](p, "k"), view[int32](p, "nstop")
			return Plain{
				Step: func(i int) bool {
					x[i], v[i] = rungeKutta(omega[i], zeta[i], dt[0], x[i], v[i])
					k[i]++
					return true
				},
				Finished: func(i int) bool { return k[i] >= nstop[i] },
			}
		},
	}, nil
}

// rungeKutta is one step of x” = -omega² x - 2 zeta omega x'.
func rungeKutta(omega, zeta, dt, x, v float64) (x1, v1 float64) {
	c1, c2 := -float64(omega*omega), float64(float64(2*zeta)*omega)
	slope := func(x, v float64) float64 { return float64(c1*x) - float64(c2*v) }
	h, sixth := dt/2, dt/6
	va, a := v, slope(x, v)
	vb := v + float64(h*a)
	b := slope(x+float64(h*va), vb)
	vc := v + float64(h*b)
	c := slope(x+float64(h*vb), vc)
	vd := v + float64(dt*c)
	d := slope(x+float64(dt*vc), vd)
	x1 = x + float64(sixth*((va+float64(2*vb))+(float64(2*vc)+vd)))
	v1 = v + float64(sixth*((a+float64(2*b))+(float64(2*c)+d)))
	return x1, v1
}
