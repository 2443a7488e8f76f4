package main

import (
	"math"

	"github.com/eaglet-workbench/eaglet/engine"
)

// draw is that of bench/peers/workloads.h: the same inputs in every language, whatever n is.
func draw(sample, which uint64, lo, hi float64) float64 {
	z := 0x5eed + sample*16 + which
	z += 0x9e3779b97f4a7c15
	z *= 0x9e3779b97f4a7c15
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	z ^= z >> 31
	return lo + (hi-lo)*(float64(z>>11)*0x1p-53)
}

// stopStep is after how many steps a sample stops.
func stopStep(dist string, i uint64) int32 {
	scale := 1000.0
	switch dist {
	case "uniform":
		return 1000
	case "spread-100":
		scale = 100
	}
	s := math.Ceil(math.Exp(draw(i, 4, math.Log(scale/100), math.Log(scale))))
	return int32(min(max(s, 1), scale))
}

// fill writes a workload's initial planes.
func fill(p *engine.Planes, dist string) {
	f := func(name string) []float64 { return engine.View[float64](p, p.Index(name)) }
	if dist == "orbits" {
		fillOrbits(f("pos"), f("vel"), f("h"))
		return
	}
	omega, zeta, x, v := f("omega"), f("zeta"), f("x"), f("v")
	nstop := engine.View[int32](p, p.Index("nstop"))
	for i := range nstop {
		s := uint64(i)
		omega[i], zeta[i] = draw(s, 0, 1, 10), draw(s, 1, 0.01, 0.2)
		x[i], v[i] = draw(s, 2, -1, 1), draw(s, 3, -1, 1)
		nstop[i] = stopStep(dist, s)
	}
}

// fillOrbits begins every orbit at its periapsis, turned by a random quaternion.
func fillOrbits(pos, vel, h []float64) {
	n := len(h)
	for i := range n {
		s := uint64(i)
		e, u := draw(s, 8, 0, 0.9), draw(s, 9, 0, 1)
		sp, cp := math.Sincos(draw(s, 10, 0, 2*math.Pi))
		sq, cq := math.Sincos(draw(s, 11, 0, 2*math.Pi))
		a, b, c, w := math.Sqrt(1-u)*sp, math.Sqrt(1-u)*cp, math.Sqrt(u)*sq, math.Sqrt(u)*cq
		r, speed := 1-e, math.Sqrt((1+e)/(1-e))
		pos[i], pos[n+i], pos[2*n+i] = r*(1-2*(b*b+c*c)), r*2*(a*b+c*w), r*2*(a*c-b*w)
		vel[i], vel[n+i], vel[2*n+i] = speed*2*(a*b-c*w), speed*(1-2*(a*a+c*c)), speed*2*(b*c+a*w)
		h[i] = 0.01
	}
}
