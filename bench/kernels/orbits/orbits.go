// Package orbits is workload K of the benchmark: Kepler orbits by adaptive Runge-Kutta-Fehlberg steps of order 7(8)
// to a common final time.
//
// The arithmetic is that of k_step in bench/peers/workloads.h, operation by operation (mu = 1, a = 1, eccentricity up
// to 0.9, one tolerance for all components); the library's kepler kernel is the same method with units.
package orbits

import "math"

// Orbit is one sample. A step is one attempt.
//
//eaglet:kernel steps=auto guard=mask
type Orbit struct {
	Pos [3]float64
	Vel [3]float64
	T   float64
	H   float64 `init:"0.01"`
	K   int32   // attempts
}

const (
	tEnd = 64.0
	tol  = 1e-10
)

func pull(x, y, z float64) float64 {
	r2 := (x*x + y*y) + z*z
	return -1 / (r2 * math.Sqrt(r2))
}

// Step makes one attempt. Sums run in the order of the stages and skip the zeros of the tableau.
func (s *Orbit) Step() (terminated bool) {
	left := tEnd - s.T
	last := s.H >= left
	h := s.H
	if last {
		h = left
	}

	var y, z, next [6]float64
	var k [13][6]float64
	g := pull(s.Pos[0], s.Pos[1], s.Pos[2])
	for c := 0; c < 3; c++ {
		y[c], y[c+3] = s.Pos[c], s.Vel[c]
		k[0][c], k[0][c+3] = s.Vel[c], g*s.Pos[c]
	}
	for i := 1; i < 13; i++ {
		for c := 0; c < 6; c++ {
			sum := weights[i][0] * k[0][c]
			for j := 1; j < i; j++ {
				if weights[i][j] != 0 {
					sum += weights[i][j] * k[j][c]
				}
			}
			z[c] = y[c] + h*sum
		}
		g = pull(z[0], z[1], z[2])
		for c := 0; c < 3; c++ {
			k[i][c], k[i][c+3] = z[c+3], g*z[c]
		}
	}

	worst := 0.0
	eh := h * (41.0 / 840)
	for c := 0; c < 6; c++ {
		sum := result[5] * k[5][c]
		for j := 6; j < 13; j++ {
			if result[j] != 0 {
				sum += result[j] * k[j][c]
			}
		}
		next[c] = y[c] + h*sum
		e := math.Abs(eh * ((k[0][c] + k[10][c]) - (k[11][c] + k[12][c])))
		worst = math.Max(worst, e/(tol+tol*math.Max(math.Abs(y[c]), math.Abs(next[c]))))
	}
	factor := math.Min(5, math.Max(0.2, 0.9/math.Sqrt(math.Sqrt(math.Sqrt(worst)))))
	if worst <= 1 {
		for c := 0; c < 3; c++ {
			s.Pos[c], s.Vel[c] = next[c], next[c+3]
		}
		s.T += h
		if last {
			s.T = tEnd
		}
	}
	s.H = h * factor
	s.K++
	terminated = s.T >= tEnd
	return
}

// weights[i][j] is the weight of the derivative of stage j in the argument of stage i (Fehlberg, NASA TR R-287, 1968).
var weights = [13][13]float64{
	{},
	{2.0 / 27},
	{1.0 / 36, 1.0 / 12},
	{1.0 / 24, 0, 1.0 / 8},
	{5.0 / 12, 0, -25.0 / 16, 25.0 / 16},
	{1.0 / 20, 0, 0, 1.0 / 4, 1.0 / 5},
	{-25.0 / 108, 0, 0, 125.0 / 108, -65.0 / 27, 125.0 / 54},
	{31.0 / 300, 0, 0, 0, 61.0 / 225, -2.0 / 9, 13.0 / 900},
	{2, 0, 0, -53.0 / 6, 704.0 / 45, -107.0 / 9, 67.0 / 90, 3},
	{-91.0 / 108, 0, 0, 23.0 / 108, -976.0 / 135, 311.0 / 54, -19.0 / 60, 17.0 / 6, -1.0 / 12},
	{2383.0 / 4100, 0, 0, -341.0 / 164, 4496.0 / 1025, -301.0 / 82, 2133.0 / 4100, 45.0 / 82, 45.0 / 164, 18.0 / 41},
	{3.0 / 205, 0, 0, 0, 0, -6.0 / 41, -3.0 / 205, -3.0 / 41, 3.0 / 41, 6.0 / 41},
	{-1777.0 / 4100, 0, 0, -341.0 / 164, 4496.0 / 1025, -289.0 / 82, 2193.0 / 4100, 51.0 / 82, 33.0 / 164, 12.0 / 41, 0, 1},
}

// result holds the weights of the eighth-order result.
var result = [13]float64{
	0, 0, 0, 0, 0, 34.0 / 105, 9.0 / 35, 9.0 / 35, 9.0 / 280, 9.0 / 280, 0, 41.0 / 840, 41.0 / 840,
}
