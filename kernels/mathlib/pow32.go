package mathlib

// Pow32 is x^y in float32, within 2 units in the last place. Special cases and method as [Pow].
func Pow32(x, y float32) float32 {
	big := abs32(y) >= 0x1p24 // then y is whole and even, and so are the infinities
	digits := int32(0)
	if abs32(y) < 0x1p24 {
		digits = int32(y)
	}
	whole := big || float32(digits) == y
	odd := whole && digits&1 == 1
	z := powAbs32(abs32(x), y)
	if negative32(x) {
		if odd {
			z = -z
		}
		if !whole && x < 0 && x >= -maxFloat32 {
			z = nan32()
		}
	}
	if x != x || y != y {
		z = nan32()
	}
	if y == 0 || x == 1 {
		z = 1
	}
	return z
}

// powAbs32 is x^y for x >= 0, y != 0.
func powAbs32(x, y float32) float32 {
	z := float32(0)
	if x == 1 {
		z = 1
	} else if x == 0 || !(x <= maxFloat32) || !(abs32(y) <= maxFloat32) {
		// The logarithm of x is -Inf, +Inf or the product infinite: all that matters is its sign.
		if (x > 1) == (y > 0) {
			z = inf32()
		}
	} else {
		h, l := logDouble32(x)
		p := float32(y * h)
		low := float32(0)
		if p > expLimit32 {
			p = expLimit32
		} else if p < -expLimit32 {
			p = -expLimit32
		} else if abs32(y) < 0x1p100 { // else the product is beyond the limits, or x is 1
			p, low = product32(y, h)
			p, low = sumOrdered32(p, low+float32(y*l))
		}
		k, r, rest := expReduce32(p)
		r, low = sum32(r, low+rest) // low may be large next to r
		hi, lo := sumOrdered32(1, r)
		z = scale32(hi+(lo+expTail32(r, low)), int32(k))
	}
	return z
}
