package interp

import (
	"math"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Operations on floats that need more than Go's operators. Each is a loop over lanes round one scalar.

func sqrtFloat[T float](n int, r, x, _, _ row) {
	for i := range n {
		r, x := at[T](r, i), at[T](x, i)
		for l := range r {
			r[l] = sqrt(x[l])
		}
	}
}

// sqrt is the correctly rounded square root. A float32 may go through float64: 53 bits are at least
// 2*24+2, so rounding twice gives what rounding once would (Figueroa, When is double rounding
// innocuous?, 1995).
func sqrt[T float](x T) T { return T(math.Sqrt(float64(x))) }

func fma64(n int, r, x, y, z row) {
	for i := range n {
		r, x, y, z := at[float64](r, i), at[float64](x, i), at[float64](y, i), at[float64](z, i)
		for l := range r {
			r[l] = math.FMA(x[l], y[l], z[l])
		}
	}
}

func fma32(n int, r, x, y, z row) {
	for i := range n {
		r, x, y, z := at[float32](r, i), at[float32](x, i), at[float32](y, i), at[float32](z, i)
		for l := range r {
			r[l] = fmaSingle(x[l], y[l], z[l])
		}
	}
}

// fmaSingle is x*y+z rounded once to float32.
//
// The product is exact in float64. The sum is rounded to odd: when it is inexact, of the two float64
// around it the one with an odd last bit. Rounding that to float32 gives the rounding of the exact value
// (Boldo and Melquiond, Emulation of a FMA and correctly rounded sums, 2008, theorem 2), subnormal
// results included.
func fmaSingle(x, y, z float32) float32 {
	p, q := float64(x)*float64(y), float64(z)
	s := float64(p) + q
	// The rounding error of the sum, exact (Knuth's two-sum). It is NaN when s is not finite.
	v := s - p
	err := float64(p-float64(s-v)) + float64(q-v)
	bits := math.Float64bits(s)
	if bits&1 == 0 && (err < 0 || err > 0) {
		if (err > 0) == (s > 0) {
			bits++
		} else {
			bits--
		}
	}
	return float32(math.Float64frombits(bits))
}

// absFloat is |x|; any NaN gives the canonical one.
func absFloat[T float](n int, r, x, _, _ row) {
	for i := range n {
		r, x := at[T](r, i), at[T](x, i)
		for l := range r {
			r[l] = T(math.Abs(float64(canonical(x[l]))))
		}
	}
}

// canonical is x with any NaN replaced by the one of ir.NaN64 and ir.NaN32.
func canonical[T float](x T) T {
	if x == x { // false for NaN only
		return x
	}
	if unsafe.Sizeof(x) == 4 {
		return T(math.Float32frombits(ir.NaN32))
	}
	return T(math.Float64frombits(ir.NaN64))
}

// The roundings to an integer go through float64, which holds every float32 and every integer that a
// float32 could be rounded to.

func floor[T float](n int, r, x, _, _ row) {
	for i := range n {
		r, x := at[T](r, i), at[T](x, i)
		for l := range r {
			r[l] = T(math.Floor(float64(x[l])))
		}
	}
}

func ceil[T float](n int, r, x, _, _ row) {
	for i := range n {
		r, x := at[T](r, i), at[T](x, i)
		for l := range r {
			r[l] = T(math.Ceil(float64(x[l])))
		}
	}
}

func trunc[T float](n int, r, x, _, _ row) {
	for i := range n {
		r, x := at[T](r, i), at[T](x, i)
		for l := range r {
			r[l] = T(math.Trunc(float64(x[l])))
		}
	}
}

func roundEven[T float](n int, r, x, _, _ row) {
	for i := range n {
		r, x := at[T](r, i), at[T](x, i)
		for l := range r {
			r[l] = T(math.RoundToEven(float64(x[l])))
		}
	}
}

// copysign is |x| with the sign of y. NaNs are made canonical first: a NaN y is positive, a NaN x gives a
// NaN with the sign of y.
func copysign[T float](n int, r, x, y, _ row) {
	for i := range n {
		r, x, y := at[T](r, i), at[T](x, i), at[T](y, i)
		for l := range r {
			r[l] = T(math.Copysign(float64(canonical(x[l])), float64(canonical(y[l]))))
		}
	}
}

// minFloat is math.Min: an infinity that decides wins over NaN, NaN wins over the rest, and -0 < 0.
func minFloat[T float](n int, r, x, y, _ row) {
	for i := range n {
		r, x, y := at[T](r, i), at[T](x, i), at[T](y, i)
		for l := range r {
			r[l] = T(math.Min(float64(x[l]), float64(y[l])))
		}
	}
}

// maxFloat is math.Max, likewise.
func maxFloat[T float](n int, r, x, y, _ row) {
	for i := range n {
		r, x, y := at[T](r, i), at[T](x, i), at[T](y, i)
		for l := range r {
			r[l] = T(math.Max(float64(x[l]), float64(y[l])))
		}
	}
}

// saturate is the float x truncated towards zero to an integer; NaN gives 0, and what lies outside T gives
// its nearest end. Go's own conversion is left to values that T holds.
func saturate[F float, T integer](n int, r, x, _, _ row) {
	least, most, past := ends[T]()
	low := float64(least)
	for i := range n {
		r, x := at[T](r, i), at[F](x, i)
		for l := range r {
			switch v := float64(x[l]); {
			case v != v: // NaN
				r[l] = 0
			case v <= low:
				r[l] = least
			case v >= past:
				r[l] = most
			default:
				r[l] = T(v)
			}
		}
	}
}

// ends are the least and the largest value of T, and the power of two after the largest.
func ends[T integer]() (least, most T, past float64) {
	width := int(unsafe.Sizeof(least)) * 8
	if ^least > 0 { // unsigned
		return 0, ^least, math.Ldexp(1, width)
	}
	least = T(1) << (width - 1)
	return least, ^least, math.Ldexp(1, width-1)
}

// bits64 is the bits of a float64, any NaN giving the canonical one.
func bits64(n int, r, x, _, _ row) {
	for i := range n {
		r, x := at[uint64](r, i), at[float64](x, i)
		for l := range r {
			r[l] = math.Float64bits(canonical(x[l]))
		}
	}
}

// bits32 is the bits of a float32, any NaN giving the canonical one.
func bits32(n int, r, x, _, _ row) {
	for i := range n {
		r, x := at[uint32](r, i), at[float32](x, i)
		for l := range r {
			r[l] = math.Float32bits(canonical(x[l]))
		}
	}
}
