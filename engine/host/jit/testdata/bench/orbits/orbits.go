// Package orbits is Kepler orbits with an adaptive step: one attempt of RKF7(8), mu = 1, to t = 64.
package orbits

import "math"

// Orbit is one sample.
//
//eaglet:kernel steps=auto guard=active_set
type Orbit struct {
	Pos [3]float64
	Vel [3]float64
	T   float64
	H   float64 `init:"0.01"`
	K   int32
}

func pull(x, y, z float64) float64 {
	r2 := (x*x + y*y) + z*z
	return -1 / (r2 * math.Sqrt(r2))
}

// Step makes one attempt.
func (s *Orbit) Step() (terminated bool) {
	left := 64 - s.T
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
	eh := h * estimate
	for c := 0; c < 6; c++ {
		sum := result[5] * k[5][c]
		for j := 6; j < 13; j++ {
			if result[j] != 0 {
				sum += result[j] * k[j][c]
			}
		}
		next[c] = y[c] + h*sum
		e := math.Abs(eh * ((k[0][c] + k[10][c]) - (k[11][c] + k[12][c])))
		worst = math.Max(worst, e/(1e-10+1e-10*math.Max(math.Abs(y[c]), math.Abs(next[c]))))
	}
	if worst <= 1 {
		for c := 0; c < 3; c++ {
			s.Pos[c], s.Vel[c] = next[c], next[c+3]
		}
		s.T += h
		if last {
			s.T = 64
		}
	}
	factor := 0.9 / math.Sqrt(math.Sqrt(math.Sqrt(worst)))
	s.H = h * math.Min(5, math.Max(0.2, factor))
	s.K++
	terminated = s.T >= 64
	return
}
