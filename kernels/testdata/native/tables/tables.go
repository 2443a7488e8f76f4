// Package tables has package-level tables, read at constant and at computed indexes.
package tables

import "math"

const h = 1.0 / 3

var (
	weights = [][]float64{{}, {h}, {0, 1.0 / 7}, {0.1, 0, math.Pi}}
	grid    = [3][4]float64{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}
	curve   = [...]float64{10: 1, 2, 4: math.Sqrt2, 0.5}
	primes  = []int32{2, 3, 5, 7, 11, 13}
	flags   = [4]bool{1: true, 3: true}
	scale   = math.Sqrt(2) * float64(primes[2])
	origin  = point{y: 2}
	points  = [2]point{{1, 2}, {3, 4}}
	count   int
)

type point struct{ x, y float64 }

// Tables is one sample.
//
//eaglet:kernel
type Tables struct {
	I, J int64
	X, Y float64
	W    uint32
	Far  bool
}

// Step reads them.
func (s *Tables) Step() (done bool) {
	for i := range weights {
		for j, w := range weights[i] {
			if w != 0 {
				s.X += w * float64(i+j)
			}
		}
	}
	for i := 0; i < len(points); i++ {
		s.Y += points[i].x*origin.y + float64(len(primes)+count)
	}
	s.Y = scale - s.Y/2
	s.X += curve[s.I&7] + curve[s.W%12]
	row := grid[s.J&1]
	s.Y += row[3] + grid[2][s.I&3]
	if flags[s.J&3] {
		s.W += uint32(primes[s.J]) // may be out of range
	}
	for i, p := range primes {
		if int64(p) == s.I {
			s.J += int64(i)
		}
	}
	s.X += grid[s.J][s.I%4] // may be out of range
	s.I++
	s.J += s.I & 1
	s.W++
	s.Far = s.X > 1000
	return s.Far || s.I > 40
}
