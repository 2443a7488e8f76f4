package mathlib

import "math"

// Sinh is the hyperbolic sine of x. Sinh(+-0) = +-0, Sinh(+-Inf) = +-Inf, Sinh(NaN) = NaN.
//
// Method: Taylor series below 1, else (e^x - e^-x)/2 with e^x in double-double.
func Sinh(x float64) float64 {
	ax := math.Abs(x)
	y := ax
	if ax < 1 {
		z := float64(ax * ax)
		p := 1.0 / 121645100408832000
		p = 1.0/355687428096000 + float64(z*p)
		p = 1.0/1307674368000 + float64(z*p)
		p = 1.0/6227020800 + float64(z*p)
		p = 1.0/39916800 + float64(z*p)
		p = 1.0/362880 + float64(z*p)
		p = 1.0/5040 + float64(z*p)
		p = 1.0/120 + float64(z*p)
		p = 1.0/6 + float64(z*p)
		y = ax + float64(float64(ax*z)*p)
	} else {
		y = halfSum(ax, -1)
	}
	return math.Copysign(y, x)
}

// Cosh is the hyperbolic cosine of x. Cosh(+-Inf) = +Inf, Cosh(NaN) = NaN.
func Cosh(x float64) float64 { return halfSum(math.Abs(x), 1) }

// halfSum is (e^x + sign e^-x)/2 for x >= 0, or NaN.
func halfSum(x, sign float64) float64 {
	if x > 712 { // the result overflows
		x = 712
	}
	hi, lo, k := expDouble(x)
	y := scale(hi+lo, k-1) // e^-x no longer counts
	if x < 22 {
		half := twoTo(k - 1)
		hi = float64(hi * half)
		lo = float64(lo * half)
		a, b := sumOrdered(hi, sign*0.25/(hi+lo))
		y = a + (b + lo)
	}
	return y
}

// Tanh is the hyperbolic tangent of x. Tanh(+-0) = +-0, Tanh(+-Inf) = +-1, Tanh(NaN) = NaN.
//
// Method: t/(t + 2) with t = e^2x - 1 in double-double.
func Tanh(x float64) float64 {
	ax := math.Abs(x)
	y := ax // small, and NaN
	if ax > 22 {
		y = 1
	} else if ax >= 0x1p-28 {
		t, tLow := expm1Double(2 * ax)
		d, dLow := sum(t, 2)
		y, _ = divide(t, tLow, d, dLow+tLow)
	}
	return math.Copysign(y, x)
}

// Asinh is the inverse hyperbolic sine of x. Asinh(+-0) = +-0, Asinh(+-Inf) = +-Inf, Asinh(NaN) = NaN.
//
// Method: ln(x + sqrt(x^2 + 1)); for small x the same as 2 atanh(x/(1 + sqrt(1 + x^2))).
func Asinh(x float64) float64 {
	ax := math.Abs(x)
	y := ax // small, infinite, NaN
	if ax > 0x1p30 && ax <= math.MaxFloat64 {
		y = logTwice(ax)
	} else if ax >= 0x1p-28 && ax <= 0x1p30 {
		p, pLow := product(ax, ax)
		a, b := sum(p, 1)
		s, sLow := root(a, b+pLow)
		if ax < 0.35 {
			d, dLow := sum(1, s)
			t, tLow := divide(ax, 0, d, dLow+sLow)
			y, _ = atanhDouble(t, tLow)
		} else {
			u, low := sum(s, ax)
			hi, lo := logDouble(u)
			y = hi + (lo + (low+sLow)/u)
		}
	}
	return math.Copysign(y, x)
}

// logTwice is ln 2x for a positive finite x.
func logTwice(x float64) float64 {
	hi, lo := logDouble(x)
	hi, l := sum(hi, 0x1.62e42fefa39efp-1)
	return hi + (l + (lo + 0x1.abc9e3b39803fp-56))
}

// Acosh is the inverse hyperbolic cosine of x. Acosh(x < 1) = NaN, Acosh(+Inf) = +Inf, Acosh(NaN) = NaN.
//
// Method: ln(x + sqrt(x^2 - 1)); near 1 the same as 2 atanh(sqrt((x - 1)/(x + 1))).
func Acosh(x float64) float64 {
	y := x // infinite, NaN
	if x < 1 {
		y = math.NaN()
	} else if x == 1 {
		y = 0
	} else if x < 1.06 {
		d, dLow := sum(x, 1)
		q, qLow := divide(x-1, 0, d, dLow)
		s, sLow := root(q, qLow)
		y, _ = atanhDouble(s, sLow)
	} else if x <= 0x1p30 {
		p, pLow := product(x, x)
		a, b := sum(p, -1)
		s, sLow := root(a, b+pLow)
		u, low := sum(x, s)
		hi, lo := logDouble(u)
		y = hi + (lo + (low+sLow)/u)
	} else if x <= math.MaxFloat64 {
		y = logTwice(x)
	}
	return y
}

// Atanh is the inverse hyperbolic tangent of x. Atanh(+-0) = +-0, Atanh(+-1) = +-Inf, Atanh(|x| > 1) = NaN,
// Atanh(NaN) = NaN.
//
// Method: ln((1 + x)/(1 - x))/2, the quotient in double-double; the series itself below 0.17.
func Atanh(x float64) float64 {
	ax := math.Abs(x)
	y := ax // small, NaN
	if ax > 1 {
		y = math.NaN()
	} else if ax == 1 {
		y = math.Inf(1)
	} else if ax >= 0.17 {
		n, nLow := sumOrdered(1, ax)
		d, dLow := sumOrdered(1, -ax)
		q, qLow := divide(n, nLow, d, dLow)
		hi, lo := logDouble(q)
		y = 0.5 * (hi + (lo + qLow/q))
	} else if ax >= 0x1p-28 {
		hi, _ := atanhDouble(ax, 0)
		y = 0.5 * hi
	}
	return math.Copysign(y, x)
}
