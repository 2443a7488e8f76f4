package kepler

import (
	"math"
	"testing"
)

const degree = math.Pi / 180

// body makes a sample from elements in degrees, as catalogues give them; q or a in au.
func body(a, q, e, i, node, peri, m0 float64) Kepler {
	return Kepler{
		A: a, Q: q, E: e, I: i * degree, Node: node * degree, Peri: peri * degree, M0: m0 * degree,
		Revs: 1, Mu: 0.01720209895 * 0.01720209895, Tol: 1e-10,
	}
}

// Osculating elements from the NASA/JPL Small-Body Database, J2000 ecliptic.
var closedOrbits = []struct {
	name   string
	sample Kepler
}{
	{"1 Ceres, nearly a circle", body(2.766619044655007, 0, 0.07863575691875528, 10.58679512153367, 80.2664361119415, 73.53162522557164, 334.3271698971151)},
	{"(2015 GA56), far out", body(51.19761337397044, 0, 0.3079817272662881, 14.55746842425979, 192.2337002683846, 120.5139675473354, 291.968163357298)},
	{"(2013 BL76), e = 0.992, started at a mean anomaly", body(1028.122591874751, 0, 0.9918452111102892, 98.56602271620167, 180.0138773965196, 166.0471106540391, 0.1069047216254728)},
	{"1P/Halley, retrograde, started at the perihelion", body(0, 0.585978111516909, 0.967142908462304, 162.262690579161, 58.42008097656843, 111.3324851045177, 0)},
	{"a circle in the plane", body(1, 0, 0, 0, 0, 0, 0)},
}

func run(t *testing.T, s *Kepler) {
	t.Helper()
	for n := 1; !s.Step(); n++ {
		if n == 5000 {
			t.Fatalf("not finished after %d attempts: t %v of %v, h %v", n, s.T, s.TEnd, s.H)
		}
	}
	if s.T != s.TEnd {
		t.Errorf("finished at t = %v, want exactly %v", s.T, s.TEnd)
	}
}

func TestReturnsAfterOnePeriod(t *testing.T) {
	for _, c := range closedOrbits {
		t.Run(c.name, func(t *testing.T) {
			s := c.sample
			s.Init()
			start := s.Energy()
			if want := -s.Mu * (1 - s.E) / (2 * s.Scale); math.Abs(start/want-1) > 1e-12/(1-s.E) {
				t.Errorf("energy at the start %g, want %g", start, want)
			}
			run(t, &s)
			t.Logf("miss %.2g au, bound %.2g au, %d accepted, %d rejected", s.Miss(), s.MissBound(), s.Accepted, s.Rejected)
			if !(s.Miss() <= s.MissBound()) {
				t.Errorf("miss %g au, bound %g au", s.Miss(), s.MissBound())
			}
			if drift := math.Abs(s.Energy()-start) * s.Scale / s.Mu; drift > 7.2*s.Tol*float64(s.Accepted+1) {
				t.Errorf("energy drifts by %g mu/q in %d steps", drift, s.Accepted)
			}
		})
	}
}

// TestMissBoundCanFail integrates with a tolerance far above the stated one: the bound must notice.
func TestMissBoundCanFail(t *testing.T) {
	s := closedOrbits[0].sample
	s.Init()
	s.Tol = 1e-3
	run(t, &s)
	if s.Tol = 1e-10; s.Miss() <= s.MissBound() {
		t.Errorf("integrated at 1e-3: miss %g au lies below the bound for 1e-10, %g au", s.Miss(), s.MissBound())
	}
}

// TestAgainstAnalyticOrbit compares positions on the way, at fractions of a period and after several, with
// the orbit from Kepler's equation, solved here by bisection.
func TestAgainstAnalyticOrbit(t *testing.T) {
	for _, c := range closedOrbits {
		for _, revs := range []float64{0.01, 0.37, 0.5, 3.25} {
			s := c.sample
			s.Revs = revs
			s.Init()
			run(t, &s)
			a := s.Scale / (1 - s.E)
			m := s.M0 + 2*math.Pi*revs
			if s.Q > 0 {
				m = 2 * math.Pi * revs
			}
			x, y := inPlane(a, s.E, m)
			want := rotate(&s, x, y)
			miss := math.Hypot(math.Hypot(s.Pos[0]-want[0], s.Pos[1]-want[1]), s.Pos[2]-want[2])
			// MissBound speaks of the end at the start's place; here the end may be where speed is highest.
			bound := s.MissBound() * math.Sqrt(2*s.Mu/s.Scale) / math.Hypot(math.Hypot(s.Vel0[0], s.Vel0[1]), s.Vel0[2])
			if !(miss <= bound) {
				t.Errorf("%s, after %v periods: %g au from the analytic orbit, bound %g au", c.name, revs, miss, bound)
			}
		}
	}
}

// inPlane is the analytic position at mean anomaly m, x towards the perihelion.
func inPlane(a, e, m float64) (x, y float64) {
	m = math.Remainder(m, 2*math.Pi)
	lo, hi := -math.Pi, math.Pi
	for range 80 {
		mid := lo + (hi-lo)/2
		if mid-e*math.Sin(mid) < m {
			lo = mid
		} else {
			hi = mid
		}
	}
	return a * (math.Cos(lo) - e), a * math.Sqrt(1-e*e) * math.Sin(lo)
}

// rotate turns a position in the plane of the orbit by peri about z, i about x, node about z.
func rotate(s *Kepler, x, y float64) [3]float64 {
	turn := func(a, b, angle float64) (float64, float64) {
		return a*math.Cos(angle) - b*math.Sin(angle), a*math.Sin(angle) + b*math.Cos(angle)
	}
	x, y = turn(x, y, s.Peri)
	y, z := turn(y, 0, s.I)
	x, y = turn(x, y, s.Node)
	return [3]float64{x, y, z}
}

// TestOpenOrbits: parabolas and hyperbolas run out for a finite time and keep what an orbit keeps.
func TestOpenOrbits(t *testing.T) {
	for _, c := range []struct {
		name   string
		sample Kepler
	}{
		{"C/-43 K1, a parabola", body(0, 0.22, 1, 110, 170, 17, 0)},
		{"C/2019 Q4 (Borisov), from outside the solar system", body(0, 2.006581893840375, 3.356215101434632, 44.05257068647377, 308.1487262895379, 209.12367864, 0)},
		{"the same by its semi-major axis, negative by convention", body(2.006581893840375/(1-3.356215101434632), 0, 3.356215101434632, 44.05257068647377, 308.1487262895379, 209.12367864, 77)},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := c.sample
			s.Init()
			e0, l0 := s.Energy(), momentum(&s)
			if want := s.Mu * (s.E - 1) / (2 * s.Scale); math.Abs(e0-want) > 1e-14*s.Mu/s.Scale {
				t.Errorf("energy at the start %g, want %g", e0, want)
			}
			if math.Abs(s.Radius()/s.Scale-1) > 1e-14 {
				t.Errorf("starts at %v au, want the perihelion, %v", s.Radius(), s.Scale)
			}
			run(t, &s)
			if drift := math.Abs(s.Energy()-e0) * s.Scale / s.Mu; drift > 1e-8 {
				t.Errorf("energy drifts by %g mu/q", drift)
			}
			for i, l := range momentum(&s) {
				if drift := math.Abs(l-l0[i]) / math.Sqrt(s.Mu*s.Scale); drift > 1e-8 {
					t.Errorf("component %d of the angular momentum drifts by %g sqrt(mu q)", i, drift)
				}
			}
			if s.E == 1 && math.Abs(s.Radius()/(10*s.Scale)-1) > 1e-7 {
				t.Errorf("a parabola is at %v q at the end, want 10", s.Radius()/s.Scale)
			}
			if s.E > 1 && s.Radius() < 10*s.Scale {
				t.Errorf("a hyperbola is at %v q at the end, want more than 10", s.Radius()/s.Scale)
			}
			if !math.IsInf(s.MissBound(), 1) {
				t.Errorf("bound of the return error %v, want +Inf: it never returns", s.MissBound())
			}
		})
	}
}

func momentum(s *Kepler) [3]float64 {
	p, v := s.Pos, s.Vel
	return [3]float64{p[1]*v[2] - p[2]*v[1], p[2]*v[0] - p[0]*v[2], p[0]*v[1] - p[1]*v[0]}
}

func TestElementsThatAreNoOrbit(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name   string
		sample Kepler
	}{
		{"neither a nor q", body(0, 0, 0.1, 0, 0, 0, 0)},
		{"a parabola without q", body(1, 0, 1, 0, 0, 0, 0)},
		{"a negative eccentricity", body(1, 0, -0.1, 0, 0, 0, 0)},
		{"an eccentricity that is not a number", body(1, 0, nan, 0, 0, 0, 0)},
		{"an infinite perihelion distance", body(1, math.Inf(1), 0.5, 0, 0, 0, 0)},
	} {
		s := c.sample
		s.Init()
		if !s.Step() {
			t.Errorf("%s: does not finish at the first step", c.name)
		}
		if !math.IsNaN(s.Pos[0]) || !math.IsNaN(s.Vel[1]) {
			t.Errorf("%s: state %v %v, want NaN", c.name, s.Pos, s.Vel)
		}
	}
}

// TestRejectedStep: an attempt that is far too large moves nothing and shrinks the step five-fold.
func TestRejectedStep(t *testing.T) {
	s := closedOrbits[0].sample
	s.Init()
	s.H = s.TEnd / 2
	before := s
	if s.Step() {
		t.Fatal("finished")
	}
	if s.Pos != before.Pos || s.Vel != before.Vel || s.T != before.T || s.Accepted != 0 || s.Rejected != 1 {
		t.Errorf("a rejected step changed the state: %+v", s)
	}
	if s.H != before.H*0.2 {
		t.Errorf("next step %v d, want a fifth of %v", s.H, before.H)
	}
}

// TestCollisionIsRejected: a body at rest falls into the centre; stages beyond it must not make NaN a state.
func TestCollisionIsRejected(t *testing.T) {
	s := closedOrbits[4].sample
	s.Init()
	s.Pos, s.Vel = [3]float64{1e-3, 0, 0}, [3]float64{}
	s.H = 1
	for range 2000 {
		s.Step()
		if s.Pos[0] != s.Pos[0] || s.H != s.H {
			t.Fatalf("a state of NaN was accepted: %+v", s)
		}
	}
}

// TestTableau checks the coefficients by what they must satisfy: stages in consistent order, and the
// quadrature conditions sum b c^k = 1/(k+1) up to order eight, and that the estimate vanishes to order seven.
func TestTableau(t *testing.T) {
	nodes := [13]float64{0, 2. / 27, 1. / 9, 1. / 6, 5. / 12, 1. / 2, 5. / 6, 1. / 6, 2. / 3, 1. / 3, 1, 0, 1}
	for i := range weights {
		sum := 0.0
		for j, w := range weights[i] {
			if j >= i && w != 0 {
				t.Errorf("weight [%d][%d] = %v: a stage uses itself or a later one", i, j, w)
			}
			sum += w
		}
		if math.Abs(sum-nodes[i]) > 1e-14 {
			t.Errorf("the weights of stage %d sum to %v, want %v", i, sum, nodes[i])
		}
	}
	for k := range 8 {
		sum, diff := 0.0, 0.0
		for i, b := range result {
			sum += b * math.Pow(nodes[i], float64(k))
		}
		for i, sign := range map[int]float64{0: 1, 10: 1, 11: -1, 12: -1} {
			diff += sign * estimate * math.Pow(nodes[i], float64(k))
		}
		if want := 1 / float64(k+1); math.Abs(sum-want) > 1e-14 {
			t.Errorf("sum b c^%d = %v, want %v", k, sum, want)
		}
		if math.Abs(diff) > 1e-14 {
			t.Errorf("the estimate of the integral of t^%d is %v, want 0", k, diff)
		}
	}
}

func TestEccentricAnomaly(t *testing.T) {
	for _, e := range []float64{0, 0.1, 0.5, 0.9, 0.99, 0.999} {
		for i := -300; i <= 300; i++ {
			m := float64(i) / 100
			ecc := eccentricAnomaly(m, e)
			if back := ecc - e*math.Sin(ecc); math.Abs(back-m) > 1e-15*math.Max(1, math.Abs(ecc)) {
				t.Fatalf("e = %v, m = %v: E = %v gives back %v", e, m, ecc, back)
			}
		}
		for _, m := range []float64{0, 1e-300, 1e-9, math.Pi} {
			ecc := eccentricAnomaly(m, e)
			if back := ecc - e*math.Sin(ecc); math.Abs(back-m) > 1e-15*ecc+1e-30 {
				t.Fatalf("e = %v, m = %v: E = %v gives back %v", e, m, ecc, back)
			}
		}
	}
	if ecc := eccentricAnomaly(7, 0.3); math.Abs(ecc-eccentricAnomaly(7-2*math.Pi, 0.3)) > 1e-14 {
		t.Errorf("m = 7 is not taken round the circle: %v", ecc)
	}
}
