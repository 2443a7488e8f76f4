package mathlib

// ln 2 in two parts. The first has 15 bits, so that its product with a whole number below 2^9 is exact.
const (
	ln2a32 = 0x1.62e4p-1
	ln2b32 = 0x1.7f7d1cp-20
)

const (
	ln2High32  = 0x1.62e43p-1
	ln2Low32   = -0x1.05c610p-29
	log2e32    = 0x1.715476p+0
	expLimit32 = 150 // e^150 overflows float32, e^-150 underflows
)

// expTail32 is e^(r + low) - 1 - r for |r| <= 0.5 and a low of at most half a unit in the last place of r: the
// Taylor series up to r^9/9!, whose next term is below 2^-31.
func expTail32(r, low float32) float32 {
	p := float32(1.0 / 362880)
	p = 1.0/40320 + float32(r*p)
	p = 1.0/5040 + float32(r*p)
	p = 1.0/720 + float32(r*p)
	p = 1.0/120 + float32(r*p)
	p = 1.0/24 + float32(r*p)
	p = 1.0/6 + float32(r*p)
	p = 0.5 + float32(r*p)
	return low + float32(float32(r*r)*p)
}

// expReduce32 splits x = k ln 2 + r + low with |r| <= ln(2)/2 and k a whole number, for |x| <= 150.
func expReduce32(x float32) (k, r, low float32) {
	k = nearest32(float32(x * log2e32))
	high := x - float32(k*ln2a32) // exact
	c := float32(k * ln2b32)
	r = high - c
	low = (high - r) - c
	return
}

// expDouble32 is e^x as (hi + lo) 2^k, for |x| <= 150. hi lies within a rounding of [0.707, 1.415].
func expDouble32(x float32) (hi, lo float32, k int32) {
	n, r, low := expReduce32(x)
	hi, lo = sumOrdered32(1, r)
	lo += expTail32(r, low)
	k = int32(n)
	return
}

// Exp32 is e^x in float32. Special cases and method as [Exp]; the result overflows to +Inf above 88.72 and
// goes through the subnormals to 0 below -103.97.
func Exp32(x float32) float32 {
	a := x
	if a > expLimit32 {
		a = expLimit32
	}
	if a < -expLimit32 {
		a = -expLimit32
	}
	hi, lo, k := expDouble32(a)
	y := scale32(hi+lo, k)
	if x != x {
		y = nan32()
	}
	return y
}

// Exp232 is 2^x in float32, exact for whole x. Special cases and method as [Exp2].
func Exp232(x float32) float32 {
	a := x
	if a > 200 {
		a = 200
	}
	if a < -200 {
		a = -200
	}
	k := nearest32(a)
	r, low := product32(a-k, ln2High32)
	low += float32((a - k) * ln2Low32)
	hi, lo := sumOrdered32(1, r)
	y := scale32(hi+(lo+expTail32(r, low)), int32(k))
	if x != x {
		y = nan32()
	}
	return y
}

// expm1Double32 is e^x - 1 as hi + lo, for |x| <= 25. Up to 1/2 there is no reduction: next to 2^k - 1 for
// k = 1 and -1 the rounding of the tail would count for more.
func expm1Double32(x float32) (hi, lo float32) {
	n, r, rest := expReduce32(x)
	if x > -0.5 && x < 0.5 {
		n, r, rest = 0, x, 0
	}
	power := twoTo32(int32(n))
	// 2^k + 2^k r - 1 without loss, then the tail.
	a, b := sumOrdered32(power, float32(power*r))
	c, d := sum32(a, -1)
	return sumOrdered32(c, (b+d)+float32(power*expTail32(r, rest)))
}

// Expm132 is e^x - 1 in float32, accurate near 0 too. Special cases as [Expm1].
func Expm132(x float32) float32 {
	y := x // |x| < 2^-25
	if x > 25 {
		y = Exp32(x) // 1 is less than half a unit in the last place
	} else if x < -20 {
		y = -1
	} else if abs32(x) >= 0x1p-25 {
		y, _ = expm1Double32(x)
	}
	if x != x {
		y = nan32()
	}
	return y
}
