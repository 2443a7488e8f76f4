package oscillator

import (
	"math"
	"testing"
)

// fuses says whether this machine's Go compiler forms fused multiply-adds. There the last place of a
// plain build differs from eaglet's, which follows the source.
//
//go:noinline
func fuses(x, y, z float64) bool { return x*y+z != float64(x*y)+z }

// TestBits holds the arithmetic, operation by operation, against the same steps written in C (gcc 12,
// -ffp-contract=off) from the same inputs.
func TestBits(t *testing.T) {
	if fuses(1+0x1p-30, 1-0x1p-30, -1) {
		t.Skip("this build fuses multiply-adds, so bits differ from unfused arithmetic")
	}
	for _, c := range []struct {
		omega, zeta, x, v float64
		nstop             int32
		wantX, wantV      float64
	}{
		{0x1.cf88bf09d06fcp+2, 0x1.11f1b484d4265p-6, -0x1.f660d16df1712p-1, -0x1.6c925ae8010e4p-2, 854, -0x1.61863579db6ccp-3, -0x1.1722820e58603p+1},
		{0x1.d8f991badab93p+2, 0x1.786c50393751ep-3, -0x1.70dccbd5d1756p-1, -0x1.9e471f73e3c5cp-1, 17, -0x1.7ddef1053e263p-2, 0x1.fb04e3640106fp+1},
		{0x1.7f10ab0c5d1d5p+0, 0x1.fbd7e2780cb2cp-5, 0x1.8c0f36598854p-5, 0x1.c55be1da6c694p-2, 39, 0x1.951c1557a9833p-3, 0x1.36d68fce2901p-2},
		{0x1.62536462cb52bp+2, 0x1.1e882b1f083a9p-3, 0x1.11ca5b2d0a66ap-1, 0x1.7b2b15c2aa0f8p-3, 502, -0x1.a5f27c0c75d8fp-8, -0x1.7173bd41e7867p-5},
		{0x1.4c3bfa72b59fap+2, 0x1.84f97ed906579p-5, 0x1.f13b9525407ep-3, -0x1.468ac93b4e028p-1, 391, -0x1.d4b7147f805bap-6, -0x1.000e337ce6dep-1},
		{0x1.ffb435247b9ddp+2, 0x1.7ed7130c57261p-4, -0x1.8b5efa4b7c6c4p-1, -0x1.f1e3e48b950aep-1, 473, -0x1.6c4823a05618ep-6, -0x1.2e11b0ea3641dp-5},
		{0x1.e35e7c6ffe5c9p+2, 0x1.2df26321d9046p-3, 0x1.09db9cd2b6efp-1, 0x1.6ef98c740f264p-2, 33, -0x1.ceefb93a2b2c2p-3, -0x1.ef85586be5a0ep+0},
		{0x1.3b6bb4360190fp+3, 0x1.9dffe34fff914p-4, 0x1.178c7f0bf925ap-1, 0x1.2ca22225a0b5p-4, 23, -0x1.e2ef431e784eep-3, -0x1.afd5e064799a5p+1},
	} {
		s := Oscillator{Omega: c.omega, Zeta: c.zeta, Nstop: c.nstop, Dt: 0.01, X: c.x, V: c.v}
		for !s.Step() {
		}
		if s.K != c.nstop {
			t.Errorf("omega %v: finished after %d steps, want %d", c.omega, s.K, c.nstop)
		}
		if s.X != c.wantX || s.V != c.wantV {
			t.Errorf("omega %v after %d steps: x, v = %x, %x, want %x, %x", c.omega, s.K, s.X, s.V, c.wantX, c.wantV)
		}
	}
}

// TestAgainstSolution compares with the closed form and its error law; halving the step must pay 16-fold.
func TestAgainstSolution(t *testing.T) {
	const omega, zeta, x0, v0, end = 7.0, 0.05, 0.8, -0.3, 3.0
	damped := omega * math.Sqrt(1-zeta*zeta)
	want := math.Exp(-zeta*omega*end) *
		(x0*math.Cos(damped*end) + (v0+zeta*omega*x0)/damped*math.Sin(damped*end))

	miss := func(steps int32) float64 {
		s := Oscillator{Omega: omega, Zeta: zeta, Nstop: steps, Dt: end / float64(steps), X: x0, V: v0}
		for !s.Step() {
		}
		return math.Abs(s.X - want)
	}
	coarse, fine := miss(300), miss(600)
	if law := math.Pow(omega*end/300, 4) * omega * end / 120; coarse > 2*law {
		t.Errorf("error %g with 300 steps, the doc's law gives %g", coarse, law)
	}
	if ratio := coarse / fine; ratio < 14 || ratio > 18 {
		t.Errorf("errors %g and %g with 300 and 600 steps: ratio %.2f, want about 16", coarse, fine, ratio)
	}
}

func TestEnergyFalls(t *testing.T) {
	s := Oscillator{Omega: 5, Zeta: 0.1, Nstop: 200, Dt: 0.01, X: 1}
	if s.Energy() != 12.5 {
		t.Fatalf("energy at the start %v, want 12.5", s.Energy())
	}
	last := s.Energy()
	for !s.Step() {
		if e := s.Energy(); e >= last {
			t.Fatalf("step %d: energy rose from %v to %v", s.K, last, e)
		}
		last = s.Energy()
	}
}
