package mathlib

import "math"

// Double-double arithmetic: a number is the unevaluated sum hi + lo of two floats, with |lo| about half a
// unit in the last place of hi or less, which gives some 106 bits. Algorithms: Dekker, "A floating-point
// technique for extending the available precision", Numerische Mathematik 18, 1971; Knuth, "The Art of
// Computer Programming" volume 2, section 4.2.2.
//
// Products are wrapped in float64() here and everywhere in this package, so that no Go compiler fuses them
// with the addition that follows: fused, results would be other bits. That goes for products with powers of two
// too, which are exact and would not need it, so that the rule has no exceptions.

// sumOrdered gives hi + lo = a + b exactly, for |a| >= |b| or a = 0.
func sumOrdered(a, b float64) (hi, lo float64) {
	hi = a + b
	lo = b - (hi - a)
	return
}

// sum gives hi + lo = a + b exactly.
func sum(a, b float64) (hi, lo float64) {
	hi = a + b
	t := hi - a
	lo = (a - (hi - t)) + (b - t)
	return
}

// head is x with the lower 27 of its 53 bits cleared: x = head(x) + (x - head(x)), 26 and 27 bits, without
// the overflow of a split by multiplication.
func head(x float64) float64 {
	return math.Float64frombits(math.Float64bits(x) &^ (1<<27 - 1))
}

// product gives hi = a*b rounded and hi + lo = a*b to within 2^-105 of it (the product of the two lower
// parts may take 54 bits). Underflow loses lo; an infinite hi comes with a NaN.
func product(a, b float64) (hi, lo float64) {
	hi = float64(a * b)
	a1 := head(a)
	b1 := head(b)
	a2 := a - a1
	b2 := b - b1
	lo = float64(a1*b1) - hi
	lo += float64(a1 * b2)
	lo += float64(a2 * b1)
	lo += float64(a2 * b2)
	return
}

// multiply gives the product of a1 + a2 and b1 + b2 to within about 2^-102 of it.
func multiply(a1, a2, b1, b2 float64) (hi, lo float64) {
	h, l := product(a1, b1)
	l += float64(a1*b2) + float64(a2*b1)
	return sumOrdered(h, l)
}

// divide gives the quotient of a1 + a2 and b1 + b2 to within about 2^-102 of it.
func divide(a1, a2, b1, b2 float64) (hi, lo float64) {
	q := a1 / b1
	p, e := product(q, b1)
	rest := ((a1 - p) - e) + (a2 - float64(q*b2))
	return sumOrdered(q, rest/b1)
}

// root gives the square root of a1 + a2 to within about 2^-102 of it, for a1 > 0.
func root(a1, a2 float64) (hi, lo float64) {
	s := math.Sqrt(a1)
	p, e := product(s, s)
	rest := ((a1 - p) - e) + a2
	return sumOrdered(s, rest/(2*s))
}

// twoTo is 2^k for -1022 <= k <= 1023.
func twoTo(k int64) float64 { return math.Float64frombits(uint64(k+1023) << 52) }

// scale is x * 2^k, rounded once, for |k| <= 2044. The factor is in two parts, because 2^k itself may overflow
// where the product does not. The first product is exact when x is within 2^+-1 of 1.
func scale(x float64, k int64) float64 {
	half := k >> 1
	return float64(x * twoTo(half) * twoTo(k-half))
}
