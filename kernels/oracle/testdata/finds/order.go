// Package order has calls in one statement that change nothing which it reads: they were once taken for
// such that do, after their temporaries had come to lie where earlier ones were.
package order

import "math"

type vec [3]float64

func turned(v vec, by float64) vec { return vec{v[1], v[2] + by, v[0]} }

//eaglet:kernel
type Order struct {
	V     vec
	X, Y  float64
	Count int32
}

func (s *Order) Step() bool {
	s.X = turned(s.V, s.X)[1]*0.5 + math.Atan(s.Y)/(2+math.Abs(turned(s.V, s.Y)[1]))
	s.V = turned(s.V, math.Sin(s.X)+turned(s.V, 1)[2])
	s.Count++
	return s.Count > 9
}
