package mathlib

import "math"

// logReduce splits a positive finite x = 2^k (1 + f) with sqrt(1/2) <= 1+f < sqrt 2; f is exact.
func logReduce(x float64) (k, f float64) {
	e := int64(0)
	if x < 0x1p-1022 {
		x *= 0x1p54
		e = -54
	}
	// Moving the bits of sqrt(1/2) to those of 1 makes the split an integer one.
	const offset = 0x3ff0000000000000 - 0x3fe6a09e667f3bcd
	bits := math.Float64bits(x) + offset
	e += int64(bits>>52) - 1023
	m := math.Float64frombits(bits&(1<<52-1) + 0x3fe6a09e667f3bcd)
	return float64(e), m - 1
}

// atanhTail is 2/5 z + 2/7 z^2 + ... + 2/23 z^10 for 0 <= z <= 0.0296: what 2 atanh(s) has after the terms
// 2 s + 2/3 s^3, divided by s^3, with z = s^2. The next term is below 2^-58 of the first.
func atanhTail(z float64) float64 {
	p := 2.0 / 23
	p = 2.0/21 + float64(z*p)
	p = 2.0/19 + float64(z*p)
	p = 2.0/17 + float64(z*p)
	p = 2.0/15 + float64(z*p)
	p = 2.0/13 + float64(z*p)
	p = 2.0/11 + float64(z*p)
	p = 2.0/9 + float64(z*p)
	p = 2.0/7 + float64(z*p)
	p = 2.0/5 + float64(z*p)
	return float64(z * p)
}

// atanhDouble is 2 atanh(s + low) as hi + lo for |s| <= 0.172, to within 2^-63 of it.
func atanhDouble(s, low float64) (hi, lo float64) {
	z, zLow := multiply(s, low, s, low)
	c, cLow := sumOrdered(0x1.5555555555555p-1, atanhTail(z)) // 2/3 + ...
	c, cLow = multiply(z, zLow, c, cLow+0x1.5555555555555p-55)
	c, cLow = multiply(s, low, c, cLow)
	hi, lo = sumOrdered(float64(2*s), c)
	lo += float64(2*low) + cLow
	return sumOrdered(hi, lo)
}

// logDouble is ln x as hi + lo for a positive finite x, to within 2^-63 of it. For the logarithm of x + low,
// add low/x to lo.
func logDouble(x float64) (hi, lo float64) {
	k, f := logReduce(x)
	d, dLow := sumOrdered(2, f)
	s, sLow := divide(f, 0, d, dLow)
	h, l := atanhDouble(s, sLow)
	a, b := sumOrdered(float64(k*ln2a), h) // the product is exact
	return sumOrdered(a, b+(float64(k*ln2b)+l))
}

// Log is the natural logarithm. Log(+-0) = -Inf, Log(x < 0) = NaN, Log(+Inf) = +Inf, Log(NaN) = NaN.
//
// Method: x = 2^k (1 + f), s = f/(2 + f), and ln(1 + f) = 2 atanh(s) = f - f^2/2 + s (f^2/2 + s^2 (2/3 + ...)),
// arranged so that the large terms f and k ln 2 are added last (Ng, in the "Freely Distributable Libm" of Sun
// Microsystems, 1993; here with the Taylor coefficients).
func Log(x float64) float64 {
	k, f := logReduce(x)
	s := f / (2 + f)
	z := float64(s * s)
	half := float64(0.5 * float64(f*f))
	r := float64(z * (2.0/3 + atanhTail(z)))
	small := float64(s*(half+r)) + float64(k*ln2b)
	hi, lo := sumOrdered(float64(k*ln2a), f)
	y := hi + (lo + (small - half))
	if !(x > 0 && x <= math.MaxFloat64) {
		y = logSpecial(x)
	}
	return y
}

// logSpecial is the logarithm, to whatever base, of what is not positive and finite.
func logSpecial(x float64) float64 {
	y := x // +Inf and NaN
	if x < 0 {
		y = math.NaN()
	}
	if x == 0 {
		y = math.Inf(-1)
	}
	return y
}

// Log2 is the logarithm to base 2, exact for powers of two. Special cases as [Log].
func Log2(x float64) float64 {
	k, f := logReduce(x)
	d, dLow := sumOrdered(2, f)
	s, sLow := divide(f, 0, d, dLow)
	h, l := atanhDouble(s, sLow)
	h, l = multiply(h, l, log2e, 0x1.777d0ffda0d24p-56)
	hi, lo := sumOrdered(k, h)
	y := hi + (lo + l)
	if !(x > 0 && x <= math.MaxFloat64) {
		y = logSpecial(x)
	}
	return y
}

// Log10 is the logarithm to base 10, exact for powers of ten. Special cases as [Log].
func Log10(x float64) float64 {
	h, l := logDouble(x)
	y, _ := multiply(h, l, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57)
	if !(x > 0 && x <= math.MaxFloat64) {
		y = logSpecial(x)
	}
	return y
}

// Log1p is ln(1 + x), accurate near 0 too. Log1p(+-0) = +-0, Log1p(-1) = -Inf, Log1p(x < -1) = NaN,
// Log1p(+Inf) = +Inf, Log1p(NaN) = NaN.
func Log1p(x float64) float64 {
	y := x // |x| < 2^-54
	if !(x > -1 && x <= math.MaxFloat64) {
		y = logSpecial(1 + x)
	} else if x > -0.29 && x < 0.41 {
		if math.Abs(x) >= 0x1p-54 {
			d, dLow := sum(2, x)
			s, sLow := divide(x, 0, d, dLow)
			y, _ = atanhDouble(s, sLow)
		}
	} else {
		u, low := sum(1, x)
		hi, lo := logDouble(u)
		y = hi + (lo + low/u)
	}
	return y
}
