package robertson

import "math"

// Coefficients of RODAS3 (Sandu et al. 1997), in the form in which the stages are solved for the g_i:
//
//	(1/(gamma h) - J) g_i = f(y + sum of a_ij g_j) + sum of (c_ij/h) g_j
//
// with y' = y + 2 g_1 + g_3 + g_4 and the error estimate g_4. Stages 1 and 2 have the argument y, stage 3 has
// y + 2 g_1, and stage 4 has y + 2 g_1 + g_3, which is also the result of order 2.
const (
	gamma = 0.5
	c21   = 4.0
	c31   = 1.0
	c32   = -1.0
	c41   = 1.0
	c42   = -1.0
	c43   = -8.0 / 3
)

// attempt is the state after a step of h, and the estimate of its error.
func (s *Robertson) attempt(h float64) (next, e [3]float64) {
	m := s.jacobian(s.Y)
	for r := 0; r < 3; r++ {
		for c := 0; c < 3; c++ {
			m[r][c] = -m[r][c]
		}
		m[r][r] += 1 / (gamma * h)
	}
	f := factor(m)

	rate := s.rate(s.Y)
	g1 := solve(f, rate)
	var at, right [3]float64
	for c := 0; c < 3; c++ {
		right[c] = rate[c] + c21*g1[c]/h
	}
	g2 := solve(f, right)
	for c := 0; c < 3; c++ {
		at[c] = s.Y[c] + 2*g1[c]
	}
	rate = s.rate(at)
	for c := 0; c < 3; c++ {
		right[c] = rate[c] + (c31*g1[c]+c32*g2[c])/h
	}
	g3 := solve(f, right)
	for c := 0; c < 3; c++ {
		at[c] += g3[c]
	}
	rate = s.rate(at)
	for c := 0; c < 3; c++ {
		right[c] = rate[c] + (c41*g1[c]+c42*g2[c]+c43*g3[c])/h
	}
	e = solve(f, right)
	for c := 0; c < 3; c++ {
		next[c] = at[c] + e[c]
	}
	return
}

// lu is a factored 3x3 matrix: m holds L below its diagonal (which is 1) and U, swap says which rows were
// exchanged, in this order: 0 with 1, then 0 with 2, then 1 with 2.
type lu struct {
	m    [3][3]float64
	swap [3]bool
}

// factor is Gaussian elimination with partial pivoting. A row moves up whenever its candidate is larger,
// which puts the largest on top without an index that is known at run time only.
func factor(m [3][3]float64) lu {
	f := lu{m: m}
	n := 0
	for c := 0; c < 2; c++ {
		for r := c + 1; r < 3; r++ {
			f.swap[n] = math.Abs(f.m[r][c]) > math.Abs(f.m[c][c])
			if f.swap[n] {
				f.m[c], f.m[r] = f.m[r], f.m[c]
			}
			n++
		}
		for r := c + 1; r < 3; r++ {
			f.m[r][c] /= f.m[c][c]
			for k := c + 1; k < 3; k++ {
				f.m[r][k] -= f.m[r][c] * f.m[c][k]
			}
		}
	}
	return f
}

// solve is the x of m x = b.
func solve(f lu, b [3]float64) [3]float64 {
	if f.swap[0] {
		b[0], b[1] = b[1], b[0]
	}
	if f.swap[1] {
		b[0], b[2] = b[2], b[0]
	}
	if f.swap[2] {
		b[1], b[2] = b[2], b[1]
	}
	b[1] -= f.m[1][0] * b[0]
	b[2] -= f.m[2][0]*b[0] + f.m[2][1]*b[1]
	b[2] /= f.m[2][2]
	b[1] = (b[1] - f.m[1][2]*b[2]) / f.m[1][1]
	b[0] = (b[0] - (f.m[0][1]*b[1] + f.m[0][2]*b[2])) / f.m[0][0]
	return b
}
