package mathlib

import "math"

// Cbrt is the cube root of x. Cbrt(+-0) = +-0, Cbrt(+-Inf) = +-Inf, Cbrt(NaN) = NaN.
//
// Method: x = m 8^q with 1 <= m < 8; a parabola as the first guess (least largest relative error, 1.6%), two
// steps of Halley's method, and one of Newton's with the remainder in double-double.
func Cbrt(x float64) float64 {
	ax := math.Abs(x)
	q := int64(-341) // the exponent's bias, 1023, is a multiple of 3
	if ax < 0x1p-1022 {
		ax *= 0x1p54
		q -= 18
	}
	bits := math.Float64bits(ax)
	e := int64(bits >> 52)
	third := (e * 21846) >> 16 // e/3 rounded down, for 0 <= e < 2048
	q += third
	m := float64(math.Float64frombits(bits&(1<<52-1)|1<<52*1023) * twoTo(e-3*third))

	y := 0.7625026 + float64(m*(0.2680756-float64(m*0.01467066)))
	cube := float64(float64(y*y) * y)
	y = float64(y * ((cube + float64(2*m)) / (float64(2*cube) + m)))
	cube = float64(float64(y*y) * y)
	y = float64(y * ((cube + float64(2*m)) / (float64(2*cube) + m)))

	s, sLow := product(y, y)
	c, cLow := product(s, y)
	cLow += float64(sLow * y)
	y += ((m - c) - cLow) / (3 * s)

	y *= twoTo(q)
	if ax == 0 || !(ax <= math.MaxFloat64) {
		y = ax
	}
	return math.Copysign(y, x)
}

// Hypot is sqrt(p^2 + q^2) without overflow or underflow on the way. Hypot is +Inf when p or q is infinite,
// even with a NaN, and else NaN when one is NaN.
func Hypot(p, q float64) float64 {
	a, b := math.Abs(p), math.Abs(q)
	if a < b {
		a, b = b, a
	}
	factor := 1.0
	if a > 0x1p500 {
		factor = 0x1p600
	}
	if a < 0x1p-400 {
		factor = 0x1p-600
	}
	a /= factor // exact, or too small to matter
	b /= factor
	s, sLow := product(a, a)
	t, tLow := product(b, b)
	s, t = sumOrdered(s, t)
	y, _ := root(s, t+(sLow+tLow))
	y *= factor
	if a == 0 {
		y = 0
	}
	if p != p || q != q {
		y = math.NaN()
	}
	if math.Abs(p) > math.MaxFloat64 || math.Abs(q) > math.MaxFloat64 {
		y = math.Inf(1)
	}
	return y
}
