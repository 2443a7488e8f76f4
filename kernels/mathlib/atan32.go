package mathlib

// atanTable32 holds atan(i/8) for i = 0 to 8 as atanTable does.
var atanTable32 = [16][2]float32{
	{0, 0},
	{0x1.fd5baap-4, -0x1.54f424p-30},
	{0x1.f5b760p-3, -0x1.b4dfc8p-29},
	{0x1.6f6194p-2, 0x1.e4defp-30},
	{0x1.dac670p-2, 0x1.586ed4p-28},
	{0x1.1e00bap-1, 0x1.7bdfd6p-26},
	{0x1.4978fap-1, 0x1.934f70p-28},
	{0x1.700a7cp-1, 0x1.5e118cp-27},
	{0x1.921fb6p-1, -0x1.777a5cp-26},
}

// pi and pi/2 as double float32.
const (
	piHigh32     = 0x1.921fb6p+1
	piLow32      = -0x1.777a5cp-24
	halfPiHigh32 = 0x1.921fb6p+0
	halfPiLow32  = -0x1.777a5cp-25
)

// atanQuotient32 is atan((n + nLow)/(d + dLow)) as hi + lo for 0 <= n <= d, d > 0, the quotient at most a
// rounding above 1. d lies between 2^-70 and 2^101, and nLow and dLow are 0 where the quotient is below 2^-14.
// Method as atanQuotient, the series up to t^7/7.
func atanQuotient32(n, nLow, d, dLow float32) (hi, lo float32) {
	quotient := n / d
	i := nearest32(float32(8 * quotient))
	c := float32(0.125 * i)
	p, pLow := product32(c, d)
	num, numLow := sum32(n-p, (nLow-pLow)-float32(c*dLow)) // n - p is exact: they are within a factor of two
	q, qLow := product32(c, n)
	den, denLow := sumOrdered32(d, q)
	t, tLow := divide32(num, numLow, den, denLow+(qLow+(dLow+float32(c*nLow))))

	z := float32(t * t)
	s := float32(-1.0 / 7)
	s = 1.0/5 + float32(z*s)
	s = -1.0/3 + float32(z*s)
	tail := tLow + float32(float32(t*z)*s)

	row := int32(i) & 15
	hi, lo = sumOrdered32(atanTable32[row][0], t)
	hi, lo = sumOrdered32(hi, lo+(atanTable32[row][1]+tail))
	if quotient < 0x1p-14 { // the rest has no say, and near the subnormals is wrong
		hi, lo = quotient, 0
	}
	return
}

// quarterTurnMinus32 is pi/2 - (a + aLow) as a double, for 0 <= a <= pi/2.
func quarterTurnMinus32(a, aLow float32) (hi, lo float32) {
	h, l := sumOrdered32(halfPiHigh32, -a)
	return sumOrdered32(h, l+(halfPiLow32-aLow))
}

// angle32 is the angle of the point (x + xLow, y + yLow), both not negative and not both 0, as a double in
// [0, pi/2].
func angle32(y, yLow, x, xLow float32) (hi, lo float32) {
	n, nLow, d, dLow := y, yLow, x, xLow
	if y > x {
		n, nLow, d, dLow = x, xLow, y, yLow
	}
	hi, lo = atanQuotient32(n, nLow, d, dLow)
	if y > x {
		hi, lo = quarterTurnMinus32(hi, lo)
	}
	return
}

// Atan32 is the arc tangent of x in float32. Special cases and method as [Atan].
func Atan32(x float32) float32 {
	ax := abs32(x)
	if ax > 0x1p30 { // pi/2 from here on
		ax = 0x1p30
	}
	y, _ := angle32(ax, 0, 1, 0)
	if x < 0 {
		y = -y
	}
	if ax < 0x1p-13 {
		y = x
	}
	if x != x {
		y = nan32()
	}
	return y
}

// Atan232 is the angle of the point (x, y) in float32. Special cases as [Atan2].
func Atan232(y, x float32) float32 {
	ay, ax := abs32(y), abs32(x)
	yInf, xInf := ay > maxFloat32, ax > maxFloat32
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
	// Away from overflow and from where a double would lose its lower half.
	if ay > 0x1p100 || ax > 0x1p100 {
		ay, ax = float32(0x1p-28*ay), float32(0x1p-28*ax)
	}
	if ay < 0x1p-60 && ax < 0x1p-60 {
		ay, ax = float32(0x1p80*ay), float32(0x1p80*ax)
	}
	hi, lo := angle32(ay, 0, ax, 0)
	if negative32(x) {
		h, l := sumOrdered32(piHigh32, -hi)
		hi = h + (l + (piLow32 - lo))
	}
	if negative32(y) {
		hi = -hi
	}
	if x != x || y != y {
		hi = nan32()
	}
	return hi
}

// cosineOf32 is sqrt(1 - x^2) as a double for 0 < x < 1.
func cosineOf32(x float32) (hi, lo float32) {
	p, pLow := product32(x, x)
	a, b := sumOrdered32(1, -p)
	a, b = sumOrdered32(a, b-pLow)
	return root32(a, b)
}

// Asin32 is the arc sine of x in float32. Special cases and method as [Asin].
func Asin32(x float32) float32 {
	ax := abs32(x)
	y := ax
	if !(ax <= 1) {
		y = nan32()
	} else if ax == 1 {
		y = halfPiHigh32
	} else if ax >= 0x1p-13 {
		c, cLow := cosineOf32(ax)
		y, _ = angle32(ax, 0, c, cLow)
	}
	if x < 0 && x >= -1 {
		y = -y
	}
	if x == 0 {
		y = x
	}
	return y
}

// Acos32 is the arc cosine of x in float32. Special cases and method as [Acos].
func Acos32(x float32) float32 {
	ax := abs32(x)
	hi, lo := nan32(), float32(0)
	if ax == 1 {
		hi = 0
	} else if ax < 0x1p-30 {
		hi, lo = halfPiHigh32, halfPiLow32
	} else if ax < 1 {
		s, sLow := cosineOf32(ax)
		hi, lo = angle32(s, sLow, ax, 0)
	}
	y := hi
	if x < 0 && x >= -1 {
		h, l := sumOrdered32(piHigh32, -hi)
		y = h + (l + (piLow32 - lo))
	}
	return y
}
