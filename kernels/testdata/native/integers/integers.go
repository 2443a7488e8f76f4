// Package integers has every operation on every integer type, and what would panic.
package integers

// Integers is one sample.
//
//eaglet:kernel
type Integers struct {
	A, B int32
	C, D int64
	E, F uint32
	G, H uint64
	X    float64
	Y    float32
	K    int
	U    uint
	N    int32
}

// Step mixes them.
func (s *Integers) Step() (done bool) {
	s.A, s.B = s.A*3+s.B, s.A-s.B^s.A&s.B
	s.C, s.D = s.C*-7+s.D|s.C, s.D&^s.C
	s.E, s.F = s.E+s.F*5, ^s.E-s.F
	s.G, s.H = s.G*6364136223846793005+1442695040888963407, s.H^s.G>>11
	s.A <<= 1
	s.C >>= 3
	s.E <<= s.F & 63
	s.G >>= s.H & 127
	s.H |= s.H << 40
	s.A ^= int32(s.C)
	s.B += int32(s.G)
	s.C -= int64(s.E)
	s.D = -s.D + int64(s.A)*int64(s.B)
	s.F %= 1000003
	s.K += int(s.A) % 17
	s.U -= uint(s.E) / 3
	if s.B != 0 {
		s.A /= s.B
		s.C = s.C%int64(s.B) + s.D/int64(s.B)
	}
	s.K = min(s.K, int(s.A), 50)
	s.U = max(s.U, uint(s.F))
	s.X = float64(s.G) + float64(s.D) - float64(s.E)
	s.Y = float32(s.H) + float32(s.A)
	s.A += int32(float64(s.A) / 3)
	s.N++
	if s.N > 3 {
		s.D = 100 / (s.D % 5)        // may divide by zero
		s.C += 1 << (s.K%8 + 1)      // the count may be negative
		s.H /= uint64(s.E%4) + s.H%2 // may divide by zero
	}
	s.D--
	s.N += s.A % 2 & 1
	return s.N > 20 || s.C == s.D
}
