package projectile

import (
	"math"
	"testing"
)

func shot(speed, elevation, drag float64) Projectile {
	s := Projectile{Speed: speed, Elevation: elevation, Drag: drag, G: 9.80665, Dt: 0.02}
	s.Init()
	return s
}

func fly(t *testing.T, s *Projectile) {
	t.Helper()
	for n := 0; !s.Step(); n++ {
		if n == 10000 {
			t.Fatalf("still in the air after %d steps, at z = %v", n, s.Z)
		}
	}
	if s.Z != 0 {
		t.Errorf("landed at z = %v, want 0", s.Z)
	}
}

// TestVacuum: without air range and time of flight are known, but for the chord of the last step.
func TestVacuum(t *testing.T) {
	for _, c := range []struct{ speed, elevation float64 }{{20, 0.3}, {77, 0.8}, {150, 1.2}, {200, 1.4}} {
		s := shot(c.speed, c.elevation, 0)
		fly(t, &s)
		vx, vz := s.Speed*math.Cos(s.Elevation), s.Speed*math.Sin(s.Elevation)
		bound := s.G * s.Dt * s.Dt / (8 * (vz - s.G*s.Dt))
		if want := 2 * vz / s.G; math.Abs(s.T-want) > bound {
			t.Errorf("%v m/s at %v: %v s in the air, want %v within %g", c.speed, c.elevation, s.T, want, bound)
		}
		if want := 2 * vx * vz / s.G; math.Abs(s.X-want) > bound*vx || math.Abs(s.RangeRatio()-1) > bound*vx/want+1e-12 {
			t.Errorf("%v m/s at %v: lands at %v m, want %v", c.speed, c.elevation, s.X, want)
		}
	}
}

// TestFall: a body falling straight down in still air has z = z0 - (vt^2/g) ln cosh(g t/vt) with the terminal
// speed vt = sqrt(g/k).
func TestFall(t *testing.T) {
	s := shot(0, 0, 0.01)
	s.Z = 300
	vt := math.Sqrt(s.G / s.Drag)
	for n := 1; n <= 400; n++ {
		s.Step()
		at := float64(n) * s.Dt
		if want := 300 - vt*vt/s.G*math.Log(math.Cosh(s.G*at/vt)); math.Abs(s.Z-want) > 1e-6 {
			t.Fatalf("after %v s: z = %v, want %v", at, s.Z, want)
		}
		if want := -vt * math.Tanh(s.G*at/vt); math.Abs(s.VZ-want) > 1e-7 {
			t.Fatalf("after %v s: vz = %v, want %v", at, s.VZ, want)
		}
	}
}

// TestWind: the table is the law it names, interpolation is linear, and a tail wind carries further.
func TestWind(t *testing.T) {
	for i, got := range windTable {
		if want := 5 * math.Pow(float64(i)*windStep/10, 1.0/7); math.Abs(got-want) > 0.005+1e-9 {
			t.Errorf("row %d: %v m/s, the power law gives %v", i, got, want)
		}
	}
	end := float64(len(windTable)-1) * windStep
	for _, c := range []struct{ z, want float64 }{
		{-5, windTable[0]},
		{0, windTable[0]},
		{50, windTable[1]},
		{75, (windTable[1] + windTable[2]) / 2},
		{end, windTable[len(windTable)-1]},
		{end + 1, windTable[len(windTable)-1]},
		{1e300, windTable[len(windTable)-1]},
	} {
		if got := wind(c.z); math.Abs(got-c.want) > 1e-14 {
			t.Errorf("wind at %v m is %v, want %v", c.z, got, c.want)
		}
	}
	still, tail, head := shot(100, 0.8, 1e-3), shot(100, 0.8, 1e-3), shot(100, 0.8, 1e-3)
	tail.Wind, head.Wind = 1, -1
	fly(t, &still)
	fly(t, &tail)
	fly(t, &head)
	if !(head.X < still.X-10 && still.X+10 < tail.X) {
		t.Errorf("head wind %v m, still air %v m, tail wind %v m", head.X, still.X, tail.X)
	}
}
