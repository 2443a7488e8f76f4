package mathlib

// sinTail32 is sin(r + low) - r for |r| <= pi/4: Taylor terms up to r^11/11!, the next is below 2^-36 of r.
func sinTail32(r, low float32) float32 {
	z := float32(r * r)
	p := float32(-1.0 / 39916800)
	p = 1.0/362880 + float32(z*p)
	p = -1.0/5040 + float32(z*p)
	p = 1.0/120 + float32(z*p)
	p = -1.0/6 + float32(z*p)
	return float32(float32(z*r)*p) + (low - float32(float32(0.5*z)*low))
}

// cosTail32 is cos(r + low) - 1 + r^2/2 for z = r^2 rounded: terms up to r^10/10!, the next is below 2^-33.
func cosTail32(z, r, low float32) float32 {
	p := float32(-1.0 / 3628800)
	p = 1.0/40320 + float32(z*p)
	p = -1.0/720 + float32(z*p)
	p = 1.0/24 + float32(z*p)
	return float32(float32(z*z)*p) - float32(r*low)
}

// cosKernel32 is cos(r + low).
func cosKernel32(r, low float32) float32 {
	z := float32(r * r)
	half := float32(0.5 * z)
	w := 1 - half
	return w + (((1 - w) - half) + cosTail32(z, r, low))
}

// Sin32 is the sine of x radians in float32, for every size of x. Special cases as [Sin].
func Sin32(x float32) float32 {
	sin, _ := Sincos32(x)
	return sin
}

// Cos32 is the cosine of x radians in float32, for every size of x. Special cases as [Cos].
func Cos32(x float32) float32 {
	_, cos := Sincos32(x)
	return cos
}

// Sincos32 is Sin32(x), Cos32(x).
func Sincos32(x float32) (sin, cos float32) {
	n, r, low := trigReduce32(x)
	s := r + sinTail32(r, low)
	c := cosKernel32(r, low)
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
	ax := abs32(x)
	if ax < 0x1p-13 {
		sin = x // also keeps -0
	}
	if !(ax <= maxFloat32) {
		sin, cos = nan32(), nan32()
	}
	return
}

// Tan32 is the tangent of x radians in float32, for every size of x. Special cases and method as [Tan].
func Tan32(x float32) float32 {
	n, r, low := trigReduce32(x)
	s, sLow := sumOrdered32(r, sinTail32(r, low))
	z, zLow := product32(r, r)
	// What -r^3/6 lost by the rounding of r^2 and of 1/6.
	sLow += float32(r * (float32(z*0x1.555556p-28) - float32(zLow*(1.0/6))))
	c, cLow := sumOrdered32(1, -float32(0.5*z))
	c, cLow = sumOrdered32(c, cLow+(cosTail32(z, r, low)-float32(0.5*zLow)))
	if n&1 != 0 {
		s, sLow, c, cLow = -c, -cLow, s, sLow
	}
	y, _ := divide32(s, sLow, c, cLow)
	ax := abs32(x)
	if ax < 0x1p-13 {
		y = x
	}
	if !(ax <= maxFloat32) {
		y = nan32()
	}
	return y
}

// pi/2 in four parts, the first three of at most 13 bits, so that their products with a whole number below
// 2^11 are exact.
const (
	halfPi1of32 = 0x1.922p+0
	halfPi2of32 = -0x1.2afp-18
	halfPi3of32 = 0x1.0b4p-34
	halfPi4of32 = 0x1.84698ap-48
)

const twoOverPi32 = 0x1.45f306p-1

// trigReduce32 splits x = n pi/2 + r + low with |r| <= pi/4 (a rounding more at most), for finite x; n modulo
// 4 is what counts.
func trigReduce32(x float32) (n int32, r, low float32) {
	if abs32(x) < 2048 {
		n, r, low = trigReduceSmall32(x)
	} else {
		n, r, low = trigReduceLarge32(x)
	}
	return
}

// trigReduceSmall32 is the twin of trigReduceSmall, for |x| < 2048.
func trigReduceSmall32(x float32) (n int32, r, low float32) {
	k := nearest32(float32(x * twoOverPi32))
	a := x - float32(k*halfPi1of32) // exact
	b, bLow := sum32(a, -float32(k*halfPi2of32))
	c, cLow := sum32(b, -float32(k*halfPi3of32))
	r, low = sumOrdered32(c, (bLow+cLow)-float32(k*halfPi4of32))
	n = int32(k)
	return
}

// trigReduceLarge32 is the twin of trigReduceLarge, for |x| >= 2048, in integers up to the last step.
//
// x = m 2^e with a whole m below 2^24. 96 bits of 2/pi are taken from the one of weight 2^(1-e) on. The
// product modulo 2^64 has the quadrant in its top two bits, and the fraction after them is right to 2^-61. It
// is at least 2^-30, because no float32 lies closer to a multiple of pi/2, so that 31 bits remain (Muller,
// "Elementary Functions", 2nd edition, table 9.1).
func trigReduceLarge32(x float32) (n int32, r, low float32) {
	bits := bits32(abs32(x))
	m := uint64(bits&(1<<23-1) | 1<<23)
	first := uint64(bits>>23) - 150 + 62 // of the bits taken, counted from the start of the table: e + 62
	word, shift := first>>6, first&63
	t0, t1, t2 := twoOverPiBits[word&31], twoOverPiBits[(word+1)&31], twoOverPiBits[(word+2)&31]
	w0 := t0<<shift | t1>>(64-shift)
	w1 := (t1<<shift | t2>>(64-shift)) >> 32
	q := m*w0 + (m*w1)>>32

	n = int32(q >> 62)
	f := int64(q << 2) // the fraction times 2^64, less 2^64 from a half on
	if f < 0 {
		n++
	}
	// Three pieces, which are exact in float32, as a double.
	a, b := sumOrdered32(float32(float32(int32(f>>40))*0x1p-24), float32(float32(int32(f>>16&0xffffff))*0x1p-48))
	a, b = sumOrdered32(a, b+float32(float32(int32(f&0xffff))*0x1p-64))
	r, low = multiply32(a, b, halfPiHigh32, halfPiLow32)
	if x < 0 {
		n, r, low = -n, -r, -low
	}
	return
}
