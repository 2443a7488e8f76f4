package mathlib

import "math"

// atanTable holds atan(i/8) for i = 0 to 8, rounded, and what rounding took away. The entries beyond make the
// length a power of two, so that every masked index is in range.
var atanTable = [16][2]float64{
	{0, 0},
	{0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
	{0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
	{0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
	{0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
	{0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
	{0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
	{0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
	{0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
}

// pi and pi/2 as double-doubles.
const (
	piHigh     = 0x1.921fb54442d18p+1
	piLow      = 0x1.1a62633145c07p-53
	halfPiHigh = 0x1.921fb54442d18p+0
	halfPiLow  = 0x1.1a62633145c07p-54
)

// atanQuotient is atan((n + nLow)/(d + dLow)) as hi + lo for 0 <= n <= d, d > 0, the quotient at most a
// rounding above
// 1. d lies between 2^-800 and 2^1022, and nLow and dLow are 0 where the quotient is below 2^-60. The error is
// below 2^-60 of the result, or half a unit in the last place where the quotient is below 2^-60.
//
// Method: with c the multiple of 1/8 nearest to n/d, atan(n/d) = atan(c) + atan(t), t = (n - c d)/(d + c n) and
// |t| <= 1/16: a table, a division in double-double, and the Taylor series up to t^15/15.
func atanQuotient(n, nLow, d, dLow float64) (hi, lo float64) {
	quotient := n / d
	i := math.RoundToEven(8 * quotient)
	c := 0.125 * i
	p, pLow := product(c, d)
	num, numLow := sum(n-p, (nLow-pLow)-float64(c*dLow)) // n - p is exact: they are within a factor of two
	q, qLow := product(c, n)
	den, denLow := sumOrdered(d, q)
	t, tLow := divide(num, numLow, den, denLow+(qLow+(dLow+float64(c*nLow))))

	z := float64(t * t)
	s := -1.0 / 15
	s = 1.0/13 + float64(z*s)
	s = -1.0/11 + float64(z*s)
	s = 1.0/9 + float64(z*s)
	s = -1.0/7 + float64(z*s)
	s = 1.0/5 + float64(z*s)
	s = -1.0/3 + float64(z*s)
	tail := tLow + float64(float64(t*z)*s)

	row := int64(i) & 15
	hi, lo = sumOrdered(atanTable[row][0], t)
	hi, lo = sumOrdered(hi, lo+(atanTable[row][1]+tail))
	if quotient < 0x1p-60 { // the rest has no say, and near the subnormals is wrong
		hi, lo = quotient, 0
	}
	return
}

// quarterTurnMinus is pi/2 - (a + aLow) as a double-double, for 0 <= a <= pi/2.
func quarterTurnMinus(a, aLow float64) (hi, lo float64) {
	h, l := sumOrdered(halfPiHigh, -a)
	return sumOrdered(h, l+(halfPiLow-aLow))
}

// angle is the angle of the point (x + xLow, y + yLow), both not negative and not both 0, as a double-double in
// [0, pi/2].
func angle(y, yLow, x, xLow float64) (hi, lo float64) {
	n, nLow, d, dLow := y, yLow, x, xLow
	if y > x {
		n, nLow, d, dLow = x, xLow, y, yLow
	}
	hi, lo = atanQuotient(n, nLow, d, dLow)
	if y > x {
		hi, lo = quarterTurnMinus(hi, lo)
	}
	return
}

// Atan is the arc tangent of x in radians, between -pi/2 and pi/2. Atan(+-0) = +-0, Atan(+-Inf) = +-pi/2,
// Atan(NaN) = NaN.
func Atan(x float64) float64 {
	ax := math.Abs(x)
	if ax > 0x1p60 { // pi/2 from here on
		ax = 0x1p60
	}
	y, _ := angle(ax, 0, 1, 0)
	if x != x || ax < 0x1p-27 {
		y = x
	}
	return math.Copysign(y, x)
}

// Atan2 is the angle of the point (x, y) in radians, between -pi and pi. Special cases:
//
//	Atan2(y, NaN) = Atan2(NaN, x) = NaN
//	Atan2(+-0, x) = +-0 for x > 0 or x = +0, +-pi for x < 0 or x = -0
//	Atan2(y, +-0) = +-pi/2 with the sign of y
//	Atan2(+-Inf, +Inf) = +-pi/4, Atan2(+-Inf, -Inf) = +-3pi/4
//	Atan2(y, +Inf) = +-0, Atan2(y, -Inf) = +-pi with the sign of y
//	Atan2(+-Inf, x) = +-pi/2
func Atan2(y, x float64) float64 {
	ay, ax := math.Abs(y), math.Abs(x)
	yInf, xInf := ay > math.MaxFloat64, ax > math.MaxFloat64
	if yInf || xInf || (ay == 0 && ax == 0) {
		// Points in the same directions. For two zeros: that of the x axis.
		ay, ax = 0, 1
		if yInf {
			ay = 1
			if !xInf {
				ax = 0
			}
		}
	}
	// Away from overflow and from where a double-double would lose its lower half.
	if ay > 0x1p1020 || ax > 0x1p1020 {
		ay, ax = 0.25*ay, 0.25*ax
	}
	if ay < 0x1p-500 && ax < 0x1p-500 {
		ay, ax = 0x1p500*ay, 0x1p500*ax
	}
	hi, lo := angle(ay, 0, ax, 0)
	if math.Copysign(1, x) < 0 {
		h, l := sumOrdered(piHigh, -hi)
		hi = h + (l + (piLow - lo))
	}
	a := math.Copysign(hi, y)
	if x != x || y != y {
		a = math.NaN()
	}
	return a
}

// cosineOf is sqrt(1 - x^2) as a double-double for 0 < x < 1.
func cosineOf(x float64) (hi, lo float64) {
	p, pLow := product(x, x)
	a, b := sumOrdered(1, -p)
	a, b = sumOrdered(a, b-pLow)
	return root(a, b)
}

// Asin is the arc sine of x in radians, between -pi/2 and pi/2. Asin(+-0) = +-0, Asin(|x| > 1) = NaN,
// Asin(NaN) = NaN.
//
// Method: the angle of the point (sqrt(1 - x^2), x).
func Asin(x float64) float64 {
	ax := math.Abs(x)
	y := x // small, and NaN
	if ax > 1 {
		y = math.NaN()
	} else if ax == 1 {
		y = halfPiHigh
	} else if ax >= 0x1p-27 {
		c, cLow := cosineOf(ax)
		y, _ = angle(ax, 0, c, cLow)
	}
	return math.Copysign(y, x)
}

// Acos is the arc cosine of x in radians, between 0 and pi. Acos(|x| > 1) = NaN, Acos(NaN) = NaN.
//
// Method: the angle of the point (x, sqrt(1 - x^2)).
func Acos(x float64) float64 {
	ax := math.Abs(x)
	hi, lo := ax, 0.0 // NaN
	if ax > 1 {
		hi = math.NaN()
	} else if ax == 1 {
		hi = 0
	} else if ax < 0x1p-60 {
		hi = halfPiHigh
	} else if ax < 1 {
		s, sLow := cosineOf(ax)
		hi, lo = angle(s, sLow, ax, 0)
	}
	y := hi
	if x < 0 && ax >= 0x1p-60 {
		h, l := sumOrdered(piHigh, -hi)
		y = h + (l + (piLow - lo))
	}
	return y
}
