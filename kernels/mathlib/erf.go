package mathlib

import "math"

// erfcSeries holds (1 + 2x) e^(x^2) erfc(x) as a polynomial in u = (x - 3.75)/(x + 3.75), the highest power
// first, without its constant term: the choice of variable and function is Shepherd and Laframboise's
// ("Chebyshev approximation of (1+2x)exp(x^2)erfc x in 0 <= x < inf", Mathematics of Computation 36, 1981).
// The coefficients are those of the Chebyshev interpolation of degree 22 on |u| <= 0.77, which is x from
// 0.4873 to 28.85, made with mpmath at 300 bits; it is off by at most 2^-60.9 of the value.
var erfcSeries = [22]float64{
	-0x1.11bd0e50950cfp-28, -0x1.7dbe9a211fce5p-29, 0x1.41e19cf09abd9p-25, 0x1.7a6649f35c0afp-26,
	-0x1.156969ca5f66dp-22, -0x1.e48377f588ae5p-25, 0x1.d64fc6502a830p-20, -0x1.0568295e482c0p-20,
	-0x1.80045a032ec27p-17, 0x1.778b95edef94cp-16, 0x1.b1440f3269d1ap-15, -0x1.303fa2b325f82p-12,
	0x1.33fb255703b90p-12, 0x1.cc3a0e51c2a26p-10, -0x1.3f603c343e401p-7, 0x1.d0b0037d88fafp-6,
	-0x1.e0d0fa6dff725p-5, 0x1.7a14188a9a885p-4, -0x1.bda9309a288bcp-4, 0x1.510169d0967b5p-4,
	0x1.d5f2948159d1dp-9, -0x1.1f367683f89a7p-3,
}

// The constant term: the value at x = 3.75.
const (
	erfcMiddleHigh = 0x1.3ccda0b5d5dc2p+0
	erfcMiddleLow  = 0x1.e65b158f28ce5p-54
)

const (
	twoOverRootPiHigh = 0x1.20dd750429b6dp+0 // 2/sqrt(pi)
	twoOverRootPiLow  = 0x1.1ae3a914fed80p-56
)

// erfSmall is erf(x) as a double-double for 0x1p-28 <= x < 0.5: its Taylor series. The next term is below
// 2^-63.
func erfSmall(x float64) (hi, lo float64) {
	z := float64(x * x)
	p := 1.0 / (479001600 * 25)
	p = -1.0/(39916800*23) + float64(z*p)
	p = 1.0/(3628800*21) + float64(z*p)
	p = -1.0/(362880*19) + float64(z*p)
	p = 1.0/(40320*17) + float64(z*p)
	p = -1.0/(5040*15) + float64(z*p)
	p = 1.0/(720*13) + float64(z*p)
	p = -1.0/(120*11) + float64(z*p)
	p = 1.0/(24*9) + float64(z*p)
	p = -1.0/(6*7) + float64(z*p)
	p = 1.0/(2*5) + float64(z*p)
	p = -1.0/3 + float64(z*p)
	h, l := product(x, twoOverRootPiHigh)
	return sumOrdered(h, l+(float64(x*twoOverRootPiLow)+float64(h*float64(z*p))))
}

// erfcLarge is erfc(x) as (hi + lo) 2^k for 0.5 <= x <= 28.
func erfcLarge(x float64) (hi, lo float64, k int64) {
	u := (x - 3.75) / (x + 3.75)
	p := erfcSeries[0]
	for i := 1; i < 22; i++ {
		p = erfcSeries[i] + float64(u*p)
	}
	g, gLow := sumOrdered(erfcMiddleHigh, float64(u*p))
	d, dLow := sumOrdered(float64(2*x), 1)
	g, gLow = divide(g, gLow+erfcMiddleLow, d, dLow)

	square, squareLow := product(x, x)
	n, r, rest := expReduce(-square)
	r, rest = sum(r, rest-squareLow) // the second may be large next to r
	a, b := sumOrdered(1, r)
	hi, lo = multiply(a, b+expTail(r, rest), g, gLow)
	k = int64(n)
	return
}

// Erf is the error function 2/sqrt(pi) times the integral of e^(-t^2) from 0 to x. Erf(+-0) = +-0,
// Erf(+-Inf) = +-1, Erf(NaN) = NaN. Within 2 units in the last place.
func Erf(x float64) float64 {
	ax := math.Abs(x)
	y := ax // NaN
	if ax >= 6 {
		y = 1
	} else if ax >= 0.5 {
		hi, lo, k := erfcLarge(ax)
		y = 1 - scale(hi+lo, k)
	} else if ax >= 0x1p-28 {
		y, _ = erfSmall(ax)
	} else if ax > 0 {
		// x 2/sqrt(pi), where a subnormal x must not lose digits on the way.
		up := 0x1p100 * ax
		y = 0x1p-100 * (float64(up*twoOverRootPiHigh) + float64(up*twoOverRootPiLow))
	}
	return math.Copysign(y, x)
}

// Erfc is 1 - Erf(x), accurate where that is small too. Erfc(+Inf) = 0, Erfc(-Inf) = 2, Erfc(NaN) = NaN.
// Within 2 units in the last place.
func Erfc(x float64) float64 {
	ax := math.Abs(x)
	y := x + 1 // NaN
	if ax >= 0.5 {
		hi, lo, k := erfcLarge(min(ax, 28)) // 0 from 27.3 on
		y = scale(hi+lo, k)
		if x < 0 {
			y = 2 - y
		}
	} else if ax < 0.5 {
		hi, lo := ax*twoOverRootPiHigh, 0.0
		if ax >= 0x1p-28 {
			hi, lo = erfSmall(ax)
		}
		if x < 0 {
			hi, lo = -hi, -lo
		}
		a, b := sumOrdered(1, -hi)
		y = a + (b - lo)
	}
	return y
}
