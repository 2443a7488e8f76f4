package mathlib

import "math"

// Round is the nearest whole number, halves away from zero. Round(+-0) = +-0, Round(+-Inf) = +-Inf,
// Round(NaN) = NaN. Exact.
func Round(x float64) float64 {
	t := math.Trunc(x)
	if math.Abs(x-t) >= 0.5 { // the difference is exact
		t += math.Copysign(1, x)
	}
	return t
}

// Dim is x - y where that is positive, else 0. Dim of two infinities of one sign is NaN, as is Dim with a NaN.
func Dim(x, y float64) float64 {
	d := x - y
	if d <= 0 {
		d = 0
	}
	return d
}

// wholeParts splits a positive finite x = m 2^e with 2^52 <= m < 2^53.
func wholeParts(x float64) (m, e int64) {
	if x < 0x1p-1022 {
		x *= 0x1p54
		e = -54
	}
	bits := math.Float64bits(x)
	m = int64(bits&(1<<52-1) | 1<<52)
	e += int64(bits>>52) - 1075
	return
}

// Mod is the remainder of x/y that has the sign of x and a magnitude below |y|. Exact.
// Mod(+-Inf, y) = Mod(x, 0) = NaN, Mod(x, +-Inf) = x, NaN for a NaN.
//
// Method: long division of the whole parts, ten bits a turn; the quotient's digit comes from a floating-point
// division, off by one at most.
func Mod(x, y float64) float64 {
	ax, ay := math.Abs(x), math.Abs(y)
	r := ax // where |x| < |y|
	if ax >= ay && ay > 0 && ax <= math.MaxFloat64 {
		rest, ex := wholeParts(ax)
		m, ey := wholeParts(ay)
		if rest >= m {
			rest -= m
		}
		left := ex - ey
		for turn := 0; turn < 210; turn++ { // left is at most 2098
			if left <= 0 {
				break
			}
			n := min(left, 10)
			left -= n
			rest <<= uint64(n)
			rest -= int64(float64(rest)/float64(m)) * m
			if rest < 0 {
				rest += m
			}
			if rest >= m {
				rest -= m
			}
		}
		r = scale(float64(rest), ey)
	}
	r = math.Copysign(r, x)
	if !(ax <= math.MaxFloat64) || ay == 0 || y != y {
		r = math.NaN()
	}
	return r
}
