package mathlib

// Sinh32 is the hyperbolic sine of x in float32. Special cases and method as [Sinh].
func Sinh32(x float32) float32 {
	ax := abs32(x)
	y := ax
	if ax < 1 {
		z := float32(ax * ax)
		p := float32(1.0 / 39916800)
		p = 1.0/362880 + float32(z*p)
		p = 1.0/5040 + float32(z*p)
		p = 1.0/120 + float32(z*p)
		p = 1.0/6 + float32(z*p)
		y = ax + float32(float32(ax*z)*p)
	} else {
		y = halfSum32(ax, -1)
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

// Cosh32 is the hyperbolic cosine of x in float32. Special cases as [Cosh].
func Cosh32(x float32) float32 {
	y := halfSum32(abs32(x), 1)
	if x != x {
		y = nan32()
	}
	return y
}

// halfSum32 is (e^x + sign e^-x)/2 for x >= 0.
func halfSum32(x, sign float32) float32 {
	if x > 92 { // the result overflows
		x = 92
	}
	hi, lo, k := expDouble32(x)
	y := scale32(hi+lo, k-1) // e^-x no longer counts
	if x < 10 {
		half := twoTo32(k - 1)
		hi = float32(hi * half)
		lo = float32(lo * half)
		a, b := sumOrdered32(hi, sign*0.25/(hi+lo))
		y = a + (b + lo)
	}
	return y
}

// Tanh32 is the hyperbolic tangent of x in float32. Special cases and method as [Tanh].
func Tanh32(x float32) float32 {
	ax := abs32(x)
	y := ax
	if ax > 10 {
		y = 1
	} else if ax >= 0x1p-13 {
		t, tLow := expm1Double32(float32(2 * ax))
		d, dLow := sum32(t, 2)
		y, _ = divide32(t, tLow, d, dLow+tLow)
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

// Asinh32 is the inverse hyperbolic sine of x in float32. Special cases and method as [Asinh].
func Asinh32(x float32) float32 {
	ax := abs32(x)
	y := ax // small, infinite
	if ax > 0x1p14 && ax <= maxFloat32 {
		y = logTwice32(ax)
	} else if ax >= 0x1p-13 && ax <= 0x1p14 {
		p, pLow := product32(ax, ax)
		a, b := sum32(p, 1)
		s, sLow := root32(a, b+pLow)
		if ax < 0.35 {
			d, dLow := sum32(1, s)
			t, tLow := divide32(ax, 0, d, dLow+sLow)
			y, _ = atanhDouble32(t, tLow)
		} else {
			u, low := sum32(s, ax)
			hi, lo := logDouble32(u)
			y = hi + (lo + (low+sLow)/u)
		}
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

// logTwice32 is ln 2x for a positive finite x.
func logTwice32(x float32) float32 {
	hi, lo := logDouble32(x)
	hi, l := sum32(hi, ln2High32)
	return hi + (l + (lo + ln2Low32))
}

// Acosh32 is the inverse hyperbolic cosine of x in float32. Special cases and method as [Acosh].
func Acosh32(x float32) float32 {
	y := x // infinite
	if !(x >= 1) {
		y = nan32()
	} else if x == 1 {
		y = 0
	} else if x < 1.06 {
		d, dLow := sum32(x, 1)
		q, qLow := divide32(x-1, 0, d, dLow)
		s, sLow := root32(q, qLow)
		y, _ = atanhDouble32(s, sLow)
	} else if x <= 0x1p14 {
		p, pLow := product32(x, x)
		a, b := sum32(p, -1)
		s, sLow := root32(a, b+pLow)
		u, low := sum32(x, s)
		hi, lo := logDouble32(u)
		y = hi + (lo + (low+sLow)/u)
	} else if x <= maxFloat32 {
		y = logTwice32(x)
	}
	return y
}

// Atanh32 is the inverse hyperbolic tangent of x in float32. Special cases and method as [Atanh].
func Atanh32(x float32) float32 {
	ax := abs32(x)
	y := ax // small
	if !(ax <= 1) {
		y = nan32()
	} else if ax == 1 {
		y = inf32()
	} else if ax >= 0.17 {
		n, nLow := sumOrdered32(1, ax)
		d, dLow := sumOrdered32(1, -ax)
		q, qLow := divide32(n, nLow, d, dLow)
		hi, lo := logDouble32(q)
		y = 0.5 * (hi + (lo + qLow/q))
	} else if ax >= 0x1p-13 {
		hi, _ := atanhDouble32(ax, 0)
		y = 0.5 * hi
	}
	if x < 0 && x >= -1 {
		y = -y
	}
	if x == 0 {
		y = x
	}
	return y
}
