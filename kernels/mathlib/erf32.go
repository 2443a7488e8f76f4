package mathlib

// erfcSeries32 is the twin of erfcSeries in u = (x - 2.25)/(x + 2.25): Chebyshev interpolation of degree 10
// on |u| <= 0.643, which is x from 0.49 to 10.3, made with mpmath at 300 bits; it is off by at most 2^-30.9 of
// the value.
var erfcSeries32 = [10]float32{
	0x1.93fcc4p-13, 0x1.79a31ap-12, -0x1.2d9a86p-10, -0x1.547766p-9, 0x1.091450p-7, 0x1.76c570p-7,
	-0x1.548278p-4, 0x1.52721ep-3, -0x1.0bd670p-3, -0x1.c39b66p-4,
}

// The constant term: the value at x = 2.25.
const (
	erfcMiddleHigh32 = 0x1.455efp+0
	erfcMiddleLow32  = 0x1.66766ap-25
)

const (
	twoOverRootPiHigh32 = 0x1.20dd76p+0 // 2/sqrt(pi)
	twoOverRootPiLow32  = -0x1.f7ac92p-25
)

// erfSmall32 is erf(x) as a double for 0 <= x < 0.5: its Taylor series, whose next term is below 2^-35. The
// product that counts is taken of 2^60 x, so that a subnormal x loses no digits on the way.
func erfSmall32(x float32) (hi, lo float32) {
	z := float32(x * x)
	p := float32(-1.0 / (5040 * 15))
	p = 1.0/(720*13) + float32(z*p)
	p = -1.0/(120*11) + float32(z*p)
	p = 1.0/(24*9) + float32(z*p)
	p = -1.0/(6*7) + float32(z*p)
	p = 1.0/(2*5) + float32(z*p)
	p = -1.0/3 + float32(z*p)
	up := float32(0x1p60 * x)
	h, l := product32(up, twoOverRootPiHigh32)
	h, l = sumOrdered32(h, l+(float32(up*twoOverRootPiLow32)+float32(h*float32(z*p))))
	return float32(0x1p-60 * h), float32(0x1p-60 * l)
}

// erfcLarge32 is erfc(x) as (hi + lo) 2^k for 0.5 <= x <= 10.1.
func erfcLarge32(x float32) (hi, lo float32, k int32) {
	u := (x - 2.25) / (x + 2.25)
	p := erfcSeries32[0]
	for i := 1; i < 10; i++ {
		p = erfcSeries32[i] + float32(u*p)
	}
	g, gLow := sumOrdered32(erfcMiddleHigh32, float32(u*p))
	d, dLow := sumOrdered32(float32(2*x), 1)
	g, gLow = divide32(g, gLow+erfcMiddleLow32, d, dLow)

	square, squareLow := product32(x, x)
	n, r, rest := expReduce32(-square)
	r, rest = sum32(r, rest-squareLow) // the second may be large next to r
	a, b := sumOrdered32(1, r)
	hi, lo = multiply32(a, b+expTail32(r, rest), g, gLow)
	k = int32(n)
	return
}

// Erf32 is the error function in float32, within 2 units in the last place. Special cases as [Erf].
func Erf32(x float32) float32 {
	ax := abs32(x)
	y := ax
	if ax >= 4 {
		y = 1
	} else if ax >= 0.5 {
		hi, lo, k := erfcLarge32(ax)
		y = 1 - scale32(hi+lo, k)
	} else {
		y, _ = erfSmall32(ax)
	}
	if x < 0 {
		y = -y
	}
	if x == 0 {
		y = x
	}
	if x != x {
		y = nan32()
	}
	return y
}

// Erfc32 is 1 - erf(x) in float32, within 2 units in the last place. Special cases as [Erfc].
func Erfc32(x float32) float32 {
	ax := abs32(x)
	y := nan32()
	if ax >= 0.5 {
		if ax > 10.1 { // 0 from 10.06 on
			ax = 10.1
		}
		hi, lo, k := erfcLarge32(ax)
		y = scale32(hi+lo, k)
		if x < 0 {
			y = 2 - y
		}
	} else if ax < 0.5 {
		hi, lo := erfSmall32(ax)
		if x < 0 {
			hi, lo = -hi, -lo
		}
		a, b := sumOrdered32(1, -hi)
		y = a + (b - lo)
	}
	return y
}
