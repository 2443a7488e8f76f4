package mathlib

// Round32 is the nearest whole number in float32, halves away from zero. Special cases as [Round]. Exact.
func Round32(x float32) float32 {
	ax := abs32(x)
	y := ax
	if ax < 0x1p23 {
		t := float32(int32(ax))
		if ax-t >= 0.5 { // the difference is exact
			t++
		}
		y = t
	}
	if negative32(x) {
		y = -y
	}
	if x != x {
		y = nan32()
	}
	return y
}

// Dim32 is x - y in float32 where that is positive, else 0. Special cases as [Dim].
func Dim32(x, y float32) float32 {
	d := x - y
	if d <= 0 {
		d = 0
	}
	if d != d {
		d = nan32()
	}
	return d
}

// wholeParts32 splits a positive finite x = m 2^e with 2^23 <= m < 2^24.
func wholeParts32(x float32) (m, e int32) {
	if x < 0x1p-126 {
		x *= 0x1p24
		e = -24
	}
	bits := bits32(x)
	m = int32(bits&(1<<23-1) | 1<<23)
	e += int32(bits>>23) - 150
	return
}

// Mod32 is the remainder of x/y in float32. Special cases and method as [Mod], seven bits a turn. Exact.
func Mod32(x, y float32) float32 {
	ax, ay := abs32(x), abs32(y)
	r := ax // where |x| < |y|
	if ax >= ay && ay > 0 && ax <= maxFloat32 {
		rest, ex := wholeParts32(ax)
		m, ey := wholeParts32(ay)
		if rest >= m {
			rest -= m
		}
		left := ex - ey
		for turn := 0; turn < 40; turn++ { // left is at most 276
			if left <= 0 {
				break
			}
			n := min(left, 7)
			left -= n
			rest <<= uint32(n)
			rest -= int32(float32(rest)/float32(m)) * m
			if rest < 0 {
				rest += m
			}
			if rest >= m {
				rest -= m
			}
		}
		r = scale32(float32(rest), ey)
	}
	if negative32(x) {
		r = -r
	}
	if !(ax <= maxFloat32) || ay == 0 || y != y {
		r = nan32()
	}
	return r
}
