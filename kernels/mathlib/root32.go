package mathlib

// Cbrt32 is the cube root of x in float32. Special cases and method as [Cbrt], with one step of Halley's
// method.
func Cbrt32(x float32) float32 {
	ax := abs32(x)
	m := ax
	q := int32(-43) // the exponent's bias, 127, and 2 are a multiple of 3
	if m < 0x1p-126 {
		m *= 0x1p24
		q -= 8
	}
	bits := bits32(m)
	e := int32(bits>>23) + 2
	third := (e * 21846) >> 16 // e/3 rounded down, for 0 <= e < 258
	q += third
	m = float32(fromBits32(bits&(1<<23-1)|127<<23) * twoTo32(e-3*third))

	y := 0.7625026 + float32(m*(0.2680756-float32(m*0.01467066)))
	cube := float32(float32(y*y) * y)
	y = float32(y * ((cube + float32(2*m)) / (float32(2*cube) + m)))

	s, sLow := product32(y, y)
	c, cLow := product32(s, y)
	cLow += float32(sLow * y)
	y += ((m - c) - cLow) / float32(3*s)

	y *= twoTo32(q)
	if x < 0 {
		y = -y
	}
	if x == 0 || ax > maxFloat32 {
		y = x
	}
	if x != x {
		y = nan32()
	}
	return y
}

// Hypot32 is sqrt(p^2 + q^2) in float32 without overflow or underflow on the way. Special cases as [Hypot].
func Hypot32(p, q float32) float32 {
	ap, aq := abs32(p), abs32(q)
	a, b := ap, aq
	if a < b {
		a, b = b, a
	}
	down, up := float32(1), float32(1)
	if a > 0x1p50 {
		down, up = 0x1p-80, 0x1p80
	}
	if a < 0x1p-40 {
		down, up = 0x1p100, 0x1p-100
	}
	a *= down // exact, or too small to matter
	b *= down
	s, sLow := product32(a, a)
	t, tLow := product32(b, b)
	s, t = sumOrdered32(s, t)
	y, _ := root32(s, t+(sLow+tLow))
	y *= up
	if ap == 0 && aq == 0 {
		y = 0
	}
	if p != p || q != q {
		y = nan32()
	}
	if ap > maxFloat32 || aq > maxFloat32 {
		y = inf32()
	}
	return y
}
