package mathlib

// The twin of double.go in float32: a number is the unevaluated sum hi + lo of two float32, some 48 bits. With
// it the float32 functions need no float64, which many GPUs compute at a thirty-second or a sixty-fourth of
// the speed. Sources are those of double.go. Products are wrapped in float32() for the same reason.

// sumOrdered32 gives hi + lo = a + b exactly, for |a| >= |b| or a = 0.
func sumOrdered32(a, b float32) (hi, lo float32) {
	hi = a + b
	lo = b - (hi - a)
	return
}

// sum32 gives hi + lo = a + b exactly.
func sum32(a, b float32) (hi, lo float32) {
	hi = a + b
	t := hi - a
	lo = (a - (hi - t)) + (b - t)
	return
}

// head32 is x rounded to 12 bits, and x - head32(x) has 12 bits too: Dekker's split. For |x| < 2^115.
func head32(x float32) float32 {
	c := float32(4097 * x)
	return c - (c - x)
}

// product32 gives hi + lo = a*b exactly, for |a|, |b| < 2^115, unless it overflows or is below 2^-100.
func product32(a, b float32) (hi, lo float32) {
	hi = float32(a * b)
	a1 := head32(a)
	b1 := head32(b)
	a2 := a - a1
	b2 := b - b1
	lo = float32(a1*b1) - hi
	lo += float32(a1 * b2)
	lo += float32(a2 * b1)
	lo += float32(a2 * b2)
	return
}

// multiply32 gives the product of a1 + a2 and b1 + b2 to within about 2^-44 of it.
func multiply32(a1, a2, b1, b2 float32) (hi, lo float32) {
	h, l := product32(a1, b1)
	l += float32(a1*b2) + float32(a2*b1)
	return sumOrdered32(h, l)
}

// divide32 gives the quotient of a1 + a2 and b1 + b2 to within about 2^-44 of it.
func divide32(a1, a2, b1, b2 float32) (hi, lo float32) {
	q := a1 / b1
	p, e := product32(q, b1)
	rest := ((a1 - p) - e) + (a2 - float32(q*b2))
	return sumOrdered32(q, rest/b1)
}

// root32 gives the square root of a1 + a2 to within about 2^-44 of it, for a1 > 0.
func root32(a1, a2 float32) (hi, lo float32) {
	s := sqrt32(a1)
	p, e := product32(s, s)
	rest := ((a1 - p) - e) + a2
	return sumOrdered32(s, rest/float32(2*s))
}

// nearest32 is the whole number nearest to x, halves to even, for |x| < 2^22: the sum has no room for a
// fraction.
func nearest32(x float32) float32 { return (x + 0x1.8p23) - 0x1.8p23 }

// abs32 is |x|. The difference makes -0 to +0.
func abs32(x float32) float32 {
	if x <= 0 {
		x = 0 - x
	}
	return x
}

// twoTo32 is 2^k for -126 <= k <= 127.
func twoTo32(k int32) float32 { return fromBits32(uint32(k+127) << 23) }

// scale32 is x * 2^k, rounded once, for |k| <= 252, in two steps as in scale.
func scale32(x float32, k int32) float32 {
	half := k >> 1
	return float32(float32(x*twoTo32(half)) * twoTo32(k-half))
}
