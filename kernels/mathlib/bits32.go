package mathlib

import "math"

// maxFloat32 is the largest float32.
const maxFloat32 = math.MaxFloat32

// The operations of float32 that the kernel language has for float64 only. Each is exact: the way over
// float64 gives the bits that an operation of float32 would give.

// sqrt32 is the square root, correctly rounded: rounding the float64 root again does no harm, because that
// has more than twice the digits (Figueroa, "When is double rounding innocuous?", SIGNUM Newsletter 30,
// 1995).
func sqrt32(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// bits32 is the bit pattern of a positive normal x, or of +Inf; some other pattern for any other x.
func bits32(x float32) uint32 {
	return uint32((math.Float64bits(float64(x)) - (1023-127)<<52) >> 29)
}

// fromBits32 is the positive normal float32 with the given bits.
func fromBits32(b uint32) float32 {
	return float32(math.Float64frombits(uint64(b)<<29 + (1023-127)<<52))
}

// negative32 says whether the sign bit of x is set; for NaN it is false.
func negative32(x float32) bool { return math.Float64bits(float64(x))>>63 == 1 }

// nan32 is the one NaN, 0x7FC00000.
func nan32() float32 { return float32(math.NaN()) }

// inf32 is +Inf.
func inf32() float32 { return float32(math.Inf(1)) }
