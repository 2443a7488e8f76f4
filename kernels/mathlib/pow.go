package mathlib

import "math"

// Pow is x^y. Special cases, in order:
//
//	Pow(x, +-0) = 1 and Pow(1, y) = 1 for any x, y, NaN too
//	Pow(x, NaN) = Pow(NaN, y) = NaN
//	Pow(+-0, y) = +-Inf for y an odd whole number < 0, +Inf for other y < 0
//	Pow(+-0, y) = +-0 for y an odd whole number > 0, +0 for other y > 0
//	Pow(-1, +-Inf) = 1
//	Pow(x, +Inf) = +Inf for |x| > 1, +0 for |x| < 1; Pow(x, -Inf) the other way round
//	Pow(+Inf, y) = +Inf for y > 0, +0 for y < 0
//	Pow(-Inf, y) = Pow(-0, -y)
//	Pow(x, y) = NaN for finite x < 0 and y not whole
//
// Method: e^(y ln |x|) with the logarithm and the product in double-double.
func Pow(x, y float64) float64 {
	whole := math.Trunc(y) == y // from 2^53 on every y is whole and even; so are the infinities
	odd := whole && math.Abs(y) < 0x1p53 && int64(y)&1 == 1
	negative := math.Copysign(1, x) < 0
	z := powAbs(math.Abs(x), y)
	if negative {
		if odd {
			z = -z
		}
		if !whole && x < 0 && x >= -math.MaxFloat64 {
			z = math.NaN()
		}
	}
	if y == 0 || x == 1 {
		z = 1
	}
	return z
}

// powAbs is x^y for x >= 0, y != 0, or NaN.
func powAbs(x, y float64) float64 {
	z := x + y // NaN when x or y is
	if x == 1 && y == y {
		z = 1
	} else if x == 0 || x > math.MaxFloat64 || math.Abs(y) > math.MaxFloat64 {
		// The logarithm of x is -Inf, +Inf or the product infinite: all that matters is its sign.
		if x == x && y == y {
			z = 0
			if (x > 1) == (y > 0) {
				z = math.Inf(1)
			}
		}
	} else if x == x && y == y {
		h, l := logDouble(x)
		p := y * h
		low := 0.0
		if p > 1000 {
			p = 1000
		} else if p < -1000 {
			p = -1000
		} else {
			p, low = product(y, h)
			p, low = sumOrdered(p, low+float64(y*l))
		}
		k, r, rest := expReduce(p)
		r, low = sum(r, low+rest) // low may be large next to r
		hi, lo := sumOrdered(1, r)
		z = scale(hi+(lo+expTail(r, low)), int64(k))
	}
	return z
}
