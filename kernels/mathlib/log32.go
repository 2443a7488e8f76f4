package mathlib

// logReduce32 splits a positive finite x = 2^k (1 + f) with sqrt(1/2) <= 1+f < sqrt 2; f is exact.
func logReduce32(x float32) (k, f float32) {
	e := int32(0)
	if x < 0x1p-126 {
		x *= 0x1p24
		e = -24
	}
	// Moving the bits of sqrt(1/2) to those of 1 makes the split an integer one.
	const offset = 0x3f800000 - 0x3f3504f3
	bits := bits32(x) + offset
	e += int32(bits>>23) - 127
	m := fromBits32(bits&(1<<23-1) + 0x3f3504f3)
	return float32(e), m - 1
}

// atanhTail32 is 2/5 z + 2/7 z^2 + ... + 2/13 z^5 for 0 <= z <= 0.0296: what 2 atanh(s) has after the terms
// 2 s + 2/3 s^3, divided by s^3, with z = s^2. The next term is below 2^-30 of the first.
func atanhTail32(z float32) float32 {
	p := float32(2.0 / 13)
	p = 2.0/11 + float32(z*p)
	p = 2.0/9 + float32(z*p)
	p = 2.0/7 + float32(z*p)
	p = 2.0/5 + float32(z*p)
	return float32(z * p)
}

// atanhDouble32 is 2 atanh(s + low) as hi + lo for |s| <= 0.172, to within 2^-35 of it.
func atanhDouble32(s, low float32) (hi, lo float32) {
	z, zLow := multiply32(s, low, s, low)
	c, cLow := sumOrdered32(0x1.555556p-1, atanhTail32(z)) // 2/3 + ...
	c, cLow = multiply32(z, zLow, c, cLow-0x1.555556p-26)
	c, cLow = multiply32(s, low, c, cLow)
	hi, lo = sumOrdered32(float32(2*s), c)
	lo += float32(2*low) + cLow
	return sumOrdered32(hi, lo)
}

// logDouble32 is ln x as hi + lo for a positive finite x, to within 2^-35 of it. For the logarithm of x + low,
// add low/x to lo.
func logDouble32(x float32) (hi, lo float32) {
	k, f := logReduce32(x)
	d, dLow := sumOrdered32(2, f)
	s, sLow := divide32(f, 0, d, dLow)
	h, l := atanhDouble32(s, sLow)
	a, b := sumOrdered32(float32(k*ln2a32), h) // the product is exact
	return sumOrdered32(a, b+(float32(k*ln2b32)+l))
}

// logParts32 gives half = f^2/2 and rest with ln(1 + f) = f - half + rest, for 1 + f between sqrt(1/2) and
// sqrt 2.
func logParts32(f float32) (half, rest float32) {
	s := f / (2 + f)
	z := float32(s * s)
	half = float32(0.5 * float32(f*f))
	r := float32(z * (2.0/3 + atanhTail32(z)))
	return half, float32(s * (half + r))
}

// logSum32 is k ln 2 + ln(1 + f) + low for a low far below a unit in the last place of 1 + f.
func logSum32(k, f, low float32) float32 {
	half, rest := logParts32(f)
	small := rest + (float32(k*ln2b32) + low)
	hi, lo := sumOrdered32(float32(k*ln2a32), f)
	return hi + (lo + (small - half))
}

// Log32 is the natural logarithm in float32. Special cases and method as [Log].
func Log32(x float32) float32 {
	k, f := logReduce32(x)
	y := logSum32(k, f, 0)
	if !(x > 0 && x <= maxFloat32) {
		y = logSpecial32(x)
	}
	return y
}

// logSpecial32 is the logarithm, to whatever base, of what is not positive and finite.
func logSpecial32(x float32) float32 {
	y := x // +Inf
	if !(x >= 0) {
		y = nan32()
	}
	if x == 0 {
		y = -inf32()
	}
	return y
}

// 1/ln 2, 1/ln 10 in two parts, the first of 12 bits, and lg 2 in two parts, the first of 16 bits.
const (
	log2ea32  = 0x1.716p+0
	log2eb32  = -0x1.7135a8p-13
	log10ea32 = 0x1.bccp-2
	log10eb32 = -0x1.09d5b2p-15
	log10of2a = 0x1.3442p-2
	log10of2b = -0x1.95ec10p-19
)

// logScaled32 is (ln(1 + f))(a + b) as hi + lo, for a of at most 12 bits and a small b: ln(1 + f) is split
// into 12 bits and a rest, so that the large product is exact (after Zimmermann and the FreeBSD project,
// msun/src/e_log2f.c, 2011).
func logScaled32(f, a, b float32) (hi, lo float32) {
	half, rest := logParts32(f)
	h := head32(f - half)
	l := ((f - h) - half) + rest
	return float32(h * a), float32((h+l)*b) + float32(l*a)
}

// Log232 is the logarithm to base 2 in float32, exact for powers of two. Special cases as [Log].
func Log232(x float32) float32 {
	k, f := logReduce32(x)
	h, l := logScaled32(f, log2ea32, log2eb32)
	hi, lo := sumOrdered32(k, h)
	y := hi + (lo + l)
	if !(x > 0 && x <= maxFloat32) {
		y = logSpecial32(x)
	}
	return y
}

// Log1032 is the logarithm to base 10 in float32, exact for powers of ten. Special cases as [Log].
func Log1032(x float32) float32 {
	k, f := logReduce32(x)
	h, l := logScaled32(f, log10ea32, log10eb32)
	hi, lo := sumOrdered32(float32(k*log10of2a), h)
	y := hi + (lo + (l + float32(k*log10of2b)))
	if !(x > 0 && x <= maxFloat32) {
		y = logSpecial32(x)
	}
	return y
}

// Log1p32 is ln(1 + x) in float32, accurate near 0 too. Special cases as [Log1p].
func Log1p32(x float32) float32 {
	y := x // |x| < 2^-25
	if !(x > -1 && x <= maxFloat32) {
		y = logSpecial32(1 + x)
	} else if x <= -0x1p-25 || x >= 0x1p-25 {
		u, low := sum32(1, x)
		k, f := logReduce32(u)
		c := low / u
		if x > -0.29 && x < 0.41 { // x is the exact f
			k, f, c = 0, x, 0
		}
		y = logSum32(k, f, c)
	}
	return y
}
