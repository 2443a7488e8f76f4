package mathlib

import "math"

// pi/2 in four parts, the first three of 33 bits, so that their products with a whole number below 2^20
// are exact.
const (
	halfPi1 = 0x1.921fb544p+0
	halfPi2 = 0x1.0b4611a6p-34
	halfPi3 = 0x1.3198a2ep-69
	halfPi4 = 0x1.b839a252049c1p-104
)

const twoOverPi = 0x1.45f306dc9c883p-1

// trigReduce splits x = n pi/2 + r + low with |r| <= pi/4 (a rounding more at most), for finite x; n modulo
// 4 is what counts. The error is below 2^-60 of r for every float64, the closest to a multiple of pi/2
// included.
func trigReduce(x float64) (n int64, r, low float64) {
	if math.Abs(x) < 0x1p20 {
		n, r, low = trigReduceSmall(x)
	} else {
		n, r, low = trigReduceLarge(x)
	}
	return
}

// trigReduceSmall subtracts n pi/2 part by part, the small parts in double-double: Cody and Waite, "Software
// Manual for the Elementary Functions", 1980. For |x| < 2^20.
func trigReduceSmall(x float64) (n int64, r, low float64) {
	k := math.RoundToEven(x * twoOverPi)
	a := x - float64(k*halfPi1) // exact
	b, bLow := sum(a, -float64(k*halfPi2))
	c, cLow := sum(b, -float64(k*halfPi3))
	r, low = sumOrdered(c, (bLow+cLow)-float64(k*halfPi4))
	n = int64(k)
	return
}

// twoOverPiBits holds the first 1216 bits of 2/pi after a word of zeros: bit 63 of word 1 has weight 1/2.
// The words of zeros at the end make the length a power of two, so that every masked index is in range.
var twoOverPiBits = [32]uint64{
	0,
	0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
	0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
	0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
	0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
	0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
}

// wideProduct is the 128-bit product of two words.
func wideProduct(x, y uint64) (hi, lo uint64) {
	x0, x1 := x&0xffffffff, x>>32
	y0, y1 := y&0xffffffff, y>>32
	middle := x1*y0 + (x0*y0)>>32
	middle2 := x0*y1 + middle&0xffffffff
	return x1*y1 + middle>>32 + middle2>>32, x * y
}

// piece is the lower 32 bits of w times a power of two.
func piece(w uint64, power float64) float64 { return float64(float64(int64(w&0xffffffff)) * power) }

// trigReduceLarge multiplies x with those bits of 2/pi that matter for the product modulo 4: Payne and Hanek,
// "Radian reduction for trigonometric functions", SIGNUM Newsletter 18, 1983. For finite |x| >= 1.
//
// x = m 2^e with a whole m below 2^53. Bits of 2/pi of weight 2^(2-e) and more contribute multiples of 4.
// From the next one on, 192 bits are taken: the product modulo 2^192 has the quadrant in its top two bits,
// and of the fraction after them more than 126 bits are right. The fraction is at least 2^-62 or so, because
// no float64 lies closer to a multiple of pi/2, so that 64 bits remain.
func trigReduceLarge(x float64) (n int64, r, low float64) {
	bits := math.Float64bits(x)
	m := bits&(1<<52-1) | 1<<52
	first := (bits>>52)&0x7ff - 1075 + 62 // of the bits taken, counted from the start of the table: e + 62
	word, shift := first>>6, first&63
	t0, t1 := twoOverPiBits[word&31], twoOverPiBits[(word+1)&31]
	t2, t3 := twoOverPiBits[(word+2)&31], twoOverPiBits[(word+3)&31]
	w0 := t0<<shift | t1>>(64-shift)
	w1 := t1<<shift | t2>>(64-shift)
	w2 := t2<<shift | t3>>(64-shift)

	// The top 128 bits of m (w0 w1 w2) modulo 2^192.
	h1, l1 := wideProduct(m, w1)
	h2, _ := wideProduct(m, w2)
	q1 := l1 + h2
	q0 := m*w0 + h1
	if q1 < l1 {
		q0++
	}

	n = int64(q0 >> 62)
	f0 := q0<<2 | q1>>62
	f1 := q1 << 2
	negative := x < 0
	if f0>>63 == 1 { // more than half a quadrant: from the next multiple down
		n++
		negative = !negative
		f0 = ^f0
		if f1 == 0 {
			f0++
		}
		f1 = -f1
	}
	if x < 0 {
		n = -n
	}

	// The fraction as a double-double: four pieces of 32 bits, whose sums are exact but for the last.
	a, b := sumOrdered(piece(f0>>32, 0x1p-32), piece(f0, 0x1p-64))
	a, c := sumOrdered(a, piece(f1>>32, 0x1p-96))
	a, b = sumOrdered(a, b+(c+piece(f1, 0x1p-128)))
	r, low = multiply(a, b, 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54)
	if negative {
		r, low = -r, -low
	}
	return
}
