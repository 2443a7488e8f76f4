package kepler

import "math"

// Miss is the distance between the body and where it started, in au. After whole revolutions of a closed
// orbit (t_end left to Init, revs a whole number) it is the error of the integration.
func (s *Kepler) Miss() float64 {
	return length(s.Pos[0]-s.Pos0[0], s.Pos[1]-s.Pos0[1], s.Pos[2]-s.Pos0[2])
}

// MissBound is an upper bound of Miss after whole revolutions of a closed orbit, in au, from the number of
// accepted steps so far and the tolerance. An open orbit never returns: +Inf.
//
// It is an a-priori bound, to first order in the tolerance: every step errs by all that the norm allows and
// all errors add up. The true error is some orders of magnitude smaller, because the result carried on is
// the better one of the pair and because signs differ. For nearly parabolic orbits the bound passes the
// perihelion distance: the period of such an orbit depends so strongly on its energy that nothing can be
// promised of its return at this tolerance.
//
// Derivation, in the orbit's own units (q = 1, mu = 1; then a >= 1, 1 <= r <= 2a, v^2 = 2/r - 1/a < 2/r).
//
// One step errs by dr and dv with |dr| <= tol (sqrt 3 + r), |dv| <= tol (sqrt 3 + v): the norm allows
// tol (1 + |y_c|) in each component.
//
//  1. Energy. dE = v.dv + r.dr/r^3 is at most tol (v (sqrt 3 + v) + (sqrt 3 + r)/r^2), which is largest at
//     the perihelion: below 7.2 tol. By Kepler's third law every later revolution is late by
//     dP = 3 a P dE = 6 pi a^(5/2) dE < 136 a^(5/2) tol.
//  2. Shape. In Levi-Civita's variables (position u^2 in the complex plane, dt = r ds) the orbit is a
//     harmonic oscillator of frequency w = 1/(2 sqrt a), and |u|^2 + |u'|^2/w^2 = 2a. The error is
//     |du| = |dr|/(2 sqrt r), |du'| <= sqrt(r) |dv|/2 + 3 v |dr|/(4 sqrt r), so its amplitude
//     D = |du| + |du'|/w stays below (2.5 a + 8 sqrt a + 0.9) tol <= 11.4 a tol for ever. The error of w,
//     dw/w = a dE, adds at most B (1 + w s) with B = sqrt(2a) a dE < 10.2 a^(3/2) tol.
//  3. From the step to the end are some whole revolutions, which only make late (1), and a part of one
//     more, in which w s < pi. In this part |du| <= D + B (1 + w s), and time runs wrong by
//     dt = integral of 2 |u| |du| ds, at most 2 sqrt(P) times the root of the integral of |du|^2
//     (Cauchy-Schwarz; |u|^2 ds = dt): below 4 pi a (D + 2.74 B) < 500 a^(5/2) tol.
//  4. At the end, with distance r0 and speed v0 there, position is wrong by at most
//     v0 (lateness of 1 and 3) + 2 sqrt(r0) max |du|, where 2 max |du| <= 2 (D + 4.15 B) < 108 a^(3/2) tol.
//
// Over n steps and R revolutions, back in au:
//
//	q n tol ((136 R + 500) a^(5/2) v0 + 108 a^(3/2) sqrt r0),      a, v0, r0 in the orbit's units
//
// One more step and 2^-50 on top of tol stand for rounding, in the start as in every step.
func (s *Kepler) MissBound() float64 {
	if !(s.E < 1) {
		return math.Inf(1)
	}
	a := 1 / (1 - s.E)
	period := 2 * math.Pi * a * math.Sqrt(a) * math.Sqrt(s.Scale*s.Scale*s.Scale/s.Mu)
	revs := s.TEnd / period
	r0 := length(s.Pos0[0], s.Pos0[1], s.Pos0[2]) / s.Scale
	v0 := length(s.Vel0[0], s.Vel0[1], s.Vel0[2]) / math.Sqrt(s.Mu/s.Scale)
	errors := float64(s.Accepted+1) * (s.Tol + 0x1p-50)
	return s.Scale * errors * a * math.Sqrt(a) * ((136*revs+500)*a*v0 + 108*math.Sqrt(r0))
}
