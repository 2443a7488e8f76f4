package mathlib

import "math"

// ln 2 in two parts. The first has 33 bits, so that its product with an exponent is exact.
const (
	ln2a = 0x1.62e42fefp-1
	ln2b = 0x1.473de6af278edp-34
)

const log2e = 0x1.71547652b82fep+0 // 1/ln 2

// expTail is e^(r + low) - 1 - r for |r| <= 0.3467 and a low of at most half a unit in the last place of r:
// the Taylor series up to r^13/13!, whose next term is below 2^-57. Its error is below 0.2 units in the last
// place of e^r.
func expTail(r, low float64) float64 { return expTailFrom(1.0/6227020800, r, low) }

// expTailWide is expTail for |r| <= 0.5: the series goes up to r^15/15!.
func expTailWide(r, low float64) float64 {
	p := 1.0 / 1307674368000
	p = 1.0/87178291200 + float64(r*p)
	p = 1.0/6227020800 + float64(r*p)
	return expTailFrom(p, r, low)
}

// expTailFrom is the series from the coefficient p of r^13 down.
func expTailFrom(p, r, low float64) float64 {
	p = 1.0/479001600 + float64(r*p)
	p = 1.0/39916800 + float64(r*p)
	p = 1.0/3628800 + float64(r*p)
	p = 1.0/362880 + float64(r*p)
	p = 1.0/40320 + float64(r*p)
	p = 1.0/5040 + float64(r*p)
	p = 1.0/720 + float64(r*p)
	p = 1.0/120 + float64(r*p)
	p = 1.0/24 + float64(r*p)
	p = 1.0/6 + float64(r*p)
	p = 0.5 + float64(r*p)
	return low + float64(float64(r*r)*p)
}

// expReduce splits x = k ln 2 + r + low with |r| <= ln(2)/2 and k a whole number, for |x| <= 1500.
func expReduce(x float64) (k, r, low float64) {
	k = math.RoundToEven(x * log2e)
	high := x - float64(k*ln2a) // exact
	c := float64(k * ln2b)
	r = high - c
	low = (high - r) - c
	return
}

// expDouble is e^x as (hi + lo) 2^k, for |x| <= 1500. hi lies within a rounding of [0.707, 1.415]. The error is
// below 0.2 units in the last place of hi.
func expDouble(x float64) (hi, lo float64, k int64) {
	n, r, low := expReduce(x)
	hi, lo = sumOrdered(1, r)
	lo += expTail(r, low)
	k = int64(n)
	return
}

// Exp is e^x. Exp(+Inf) = +Inf, Exp(-Inf) = 0, Exp(NaN) = NaN; the result overflows to +Inf above
// 709.78 and goes through the subnormals to 0 below -745.13.
//
// Method: x = k ln 2 + r, Taylor series of e^r, added to 1 + r without loss (Tang, "Table-driven implementation
// of the exponential function in IEEE floating-point arithmetic", ACM TOMS 15, 1989, with no table).
func Exp(x float64) float64 {
	// Beyond these the result is +Inf or 0 whatever x is; within them k fits scale.
	if x > 710 {
		x = 710
	}
	if x < -746 {
		x = -746
	}
	hi, lo, k := expDouble(x)
	return scale(hi+lo, k)
}

// Exp2 is 2^x, exact for whole x. Exp2(+Inf) = +Inf, Exp2(-Inf) = 0, Exp2(NaN) = NaN.
//
// Method: x = k + f with |f| <= 1/2, then as [Exp] with f ln 2 in double-double.
func Exp2(x float64) float64 {
	if x > 1025 {
		x = 1025
	}
	if x < -1076 {
		x = -1076
	}
	k := math.RoundToEven(x)
	r, low := product(x-k, 0x1.62e42fefa39efp-1)
	low += float64((x - k) * 0x1.abc9e3b39803fp-56)
	hi, lo := sumOrdered(1, r)
	return scale(hi+(lo+expTail(r, low)), int64(k))
}

// expm1Double is e^x - 1 as hi + lo, for |x| <= 60. Its error is below 0.5 units in the last place of hi. Up to
// 1/2 there is no reduction: next to 2^k - 1 for k = 1 and -1 the rounding of the tail would count for more.
func expm1Double(x float64) (hi, lo float64) {
	n, r, rest := expReduce(x)
	if x > -0.5 && x < 0.5 {
		n, r, rest = 0, x, 0
	}
	power := twoTo(int64(n))
	// 2^k + 2^k r - 1 without loss, then the tail.
	a, b := sumOrdered(power, float64(power*r))
	c, d := sum(a, -1)
	return sumOrdered(c, (b+d)+float64(power*expTailWide(r, rest)))
}

// Expm1 is e^x - 1, accurate near 0 too. Expm1(+-0) = +-0, Expm1(+Inf) = +Inf, Expm1(-Inf) = -1,
// Expm1(NaN) = NaN.
func Expm1(x float64) float64 {
	y := x // |x| < 2^-54, and NaN
	if x > 60 {
		y = Exp(x) // 1 is less than half a unit in the last place
	} else if x < -40 {
		y = -1
	} else if math.Abs(x) >= 0x1p-54 {
		y, _ = expm1Double(x)
	}
	return y
}
