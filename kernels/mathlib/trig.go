package mathlib

import "math"

// The kernels below take |r| <= pi/4 and a low of at most half a unit in the last place of r, and sum Taylor
// series. The arrangement, which adds the large term last, is Ng's ("Freely Distributable Libm", Sun
// Microsystems, 1993).

// sinTail is sin(r + low) - r: terms up to r^17/17!, the next is below 2^-63 of r.
func sinTail(r, low float64) float64 {
	z := float64(r * r)
	p := 1.0 / 355687428096000
	p = -1.0/1307674368000 + float64(z*p)
	p = 1.0/6227020800 + float64(z*p)
	p = -1.0/39916800 + float64(z*p)
	p = 1.0/362880 + float64(z*p)
	p = -1.0/5040 + float64(z*p)
	p = 1.0/120 + float64(z*p)
	p = -1.0/6 + float64(z*p)
	return float64(float64(z*r)*p) + (low - float64(float64(0.5*z)*low))
}

// cosTail is cos(r + low) - 1 + r^2/2 for z = r^2 rounded: terms up to r^16/16!, the next is below 2^-58.
func cosTail(z, r, low float64) float64 {
	p := 1.0 / 20922789888000
	p = -1.0/87178291200 + float64(z*p)
	p = 1.0/479001600 + float64(z*p)
	p = -1.0/3628800 + float64(z*p)
	p = 1.0/40320 + float64(z*p)
	p = -1.0/720 + float64(z*p)
	p = 1.0/24 + float64(z*p)
	return float64(float64(z*z)*p) - float64(r*low)
}

// cosKernel is cos(r + low).
func cosKernel(r, low float64) float64 {
	z := float64(r * r)
	half := float64(0.5 * z)
	w := 1 - half
	return w + (((1 - w) - half) + cosTail(z, r, low))
}

// Sin is the sine of x radians, for every size of x. Sin(+-0) = +-0, Sin(+-Inf) = NaN, Sin(NaN) = NaN.
func Sin(x float64) float64 {
	sin, _ := Sincos(x)
	return sin
}

// Cos is the cosine of x radians, for every size of x. Cos(+-Inf) = NaN, Cos(NaN) = NaN.
func Cos(x float64) float64 {
	_, cos := Sincos(x)
	return cos
}

// Sincos is Sin(x), Cos(x).
func Sincos(x float64) (sin, cos float64) {
	n, r, low := trigReduce(x)
	s := r + sinTail(r, low)
	c := cosKernel(r, low)
	sin, cos = s, c
	if n&1 != 0 {
		sin, cos = c, s
	}
	if n&2 != 0 {
		sin = -sin
	}
	if (n+1)&2 != 0 {
		cos = -cos
	}
	if math.Abs(x) < 0x1p-27 {
		sin = x // also keeps -0
	}
	if !(math.Abs(x) <= math.MaxFloat64) {
		sin, cos = math.NaN(), math.NaN()
	}
	return
}

// Tan is the tangent of x radians, for every size of x. Tan(+-0) = +-0, Tan(+-Inf) = NaN, Tan(NaN) = NaN.
//
// Method: sine over cosine, both as double-doubles, so that only the last step rounds.
func Tan(x float64) float64 {
	n, r, low := trigReduce(x)
	s, sLow := sumOrdered(r, sinTail(r, low))
	z, zLow := product(r, r)
	c, cLow := sumOrdered(1, -float64(0.5*z))
	c, cLow = sumOrdered(c, cLow+(cosTail(z, r, low)-float64(0.5*zLow)))
	if n&1 != 0 {
		s, sLow, c, cLow = -c, -cLow, s, sLow
	}
	y, _ := divide(s, sLow, c, cLow)
	if math.Abs(x) < 0x1p-27 {
		y = x
	}
	if !(math.Abs(x) <= math.MaxFloat64) {
		y = math.NaN()
	}
	return y
}
