// Package floats has floating-point operations and the functions of math that are exact.
package floats

import "math"

// Floats is one sample.
//
//eaglet:kernel
type Floats struct {
	X, Y, Z float64
	P, Q    float32
	B       uint64
	N       int32
	Flags   [8]bool
	Out     [6]float64
}

// Step uses them.
func (s *Floats) Step() (done bool) {
	x, y := s.X, s.Y
	s.Out[0] = min(x, y, 3) - max(x, 0.5)
	s.Out[1] = min(x, y)
	s.Out[2] = max(y, x, math.Inf(-1))
	s.Out[3] = math.Min(x, y) * math.Max(x, y)
	s.Out[4] = math.Floor(x) + math.Ceil(y) - math.Trunc(x/3) + math.RoundToEven(y*0.5)
	if y == y {
		s.Out[5] = math.Copysign(x, y)
	}
	s.Flags = [8]bool{x < y, x <= y, x > y, x >= y, x == y, x != y, math.IsNaN(x), y == y && math.Signbit(y)}
	if math.IsInf(x, 0) || math.IsInf(y, 1) || math.IsInf(x*y, int(s.N)-2) {
		s.N += 2
	}
	s.Z = math.FMA(x, y, s.Z) / math.Sqrt(math.Abs(y))
	s.P = s.P*1.25 + s.Q/3
	s.Q = float32(x) - s.P*s.P
	s.Z += float64(s.Q)
	if !math.IsNaN(s.Z) { // the bits of a NaN differ between machines
		s.B ^= math.Float64bits(s.Z)
	}
	s.X = x*1.5 - -y
	s.Y = math.Float64frombits(s.B>>12|0x3ff<<52) + math.Inf(-1+int(s.N&1)*2)*0
	if !(s.Y > -1e300) {
		s.Y = math.NaN()
		if s.N&2 == 0 {
			s.Y = -0.5
		}
	}
	var u, v float32 = 1.5, math.MaxFloat32
	s.P += min(u, s.Q) + max(v, s.P)/v
	if s.Z == s.Z { // NaN as an integer is 0 here, and whatever the machine has in Go
		s.N += int32(max(-100, min(100, s.Z)))
	}
	s.N++
	return s.N > 30 || s.N < -200
}
