// Package native is what a kernel is compiled with when the Go compiler stands in for eaglet: the
// operations whose bits Go leaves open, and the program that runs samples.
// Its source is copied into modules of their own, so it imports the standard library only; it knows
// nothing of IR, and shares no code with what it checks.
package native

import (
	"math"
	"math/big"
	"unsafe"
)

// number are the types that conversions and products may have.
type number interface {
	~int | ~int32 | ~int64 | ~uint | ~uint32 | ~uint64 | ~float32 | ~float64
}

func isFloat[T number]() bool { return T(1)/T(2) != 0 }

// Convert is T(x), with an answer where Go has none: a float that T cannot hold gives the end of T that is
// nearest, NaN gives 0.
func Convert[T, F number](x F) T {
	if isFloat[T]() || !isFloat[F]() {
		return T(x)
	}
	width := int(unsafe.Sizeof(T(0))) * 8
	lowest, past := 0.0, math.Ldexp(1, width)
	if T(0)-1 < 0 {
		lowest, past = -math.Ldexp(1, width-1), math.Ldexp(1, width-1)
	}
	v := math.Trunc(float64(x))
	switch {
	case math.IsNaN(v):
		return 0
	case v < lowest:
		return T(lowest)
	case v >= past:
		return T(past/2) - 1 + T(past/2)
	}
	return T(v)
}

// Round gives x, and keeps the compiler from fusing the product that x is with an addition.
//
//go:noinline
func Round[T number](x T) T { return x }

// FMA is x*y+z, rounded once for floats.
func FMA[T number](x, y, z T) T {
	switch {
	case !isFloat[T]():
		return x*y + z
	case unsafe.Sizeof(x) == 4:
		return T(fma32(float32(x), float32(y), float32(z)))
	}
	return T(math.FMA(float64(x), float64(y), float64(z)))
}

// FMS is x*y-z, rounded once for floats.
func FMS[T number](x, y, z T) T { return FMA(x, y, -z) }

// AddProduct is z+x*y, rounded once for floats.
func AddProduct[T number](z, x, y T) T { return FMA(x, y, z) }

// SubProduct is z-x*y, rounded once for floats.
func SubProduct[T number](z, x, y T) T { return FMA(-x, y, z) }

// fma32 rounds the exact sum of z and the product, which float64 holds, to float32.
func fma32(x, y, z float32) float32 {
	p, q := float64(x)*float64(y), float64(z)
	s := float64(p) + q
	if s == 0 || math.IsNaN(s) || math.IsInf(s, 0) {
		return float32(s) // zero: exact, and with the right sign
	}
	exact := new(big.Float).SetPrec(1200)
	exact.Add(new(big.Float).SetFloat64(p), new(big.Float).SetFloat64(q))
	out, _ := exact.Float32()
	return out
}

// canonical is x, or the one NaN that kernels see.
func canonical(x float64) float64 {
	if x != x {
		return math.Float64frombits(0x7FF8000000000000)
	}
	return x
}

// Float64bits is math.Float64bits with one NaN.
func Float64bits(x float64) uint64 { return math.Float64bits(canonical(x)) }

// Signbit is math.Signbit with one NaN.
func Signbit(x float64) bool { return math.Signbit(canonical(x)) }

// Copysign is math.Copysign with one NaN.
func Copysign(x, sign float64) float64 { return math.Copysign(canonical(x), canonical(sign)) }

// CapExhausted is the panic of a loop that wants one turn more than its //eaglet:cap allows.
type CapExhausted struct{}

// Turn counts a turn of a capped loop.
func Turn(taken *int, most int) {
	if *taken == most {
		panic(CapExhausted{})
	}
	*taken++
}

// The functions of math that are exact, on float32, for kernels with precision=f32.

// Sqrt32 may go through float64, which has more than twice the bits (Figueroa, When is double rounding
// innocuous?, 1995).
func Sqrt32(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// Abs32 is math.Abs.
func Abs32(x float32) float32 { return float32(math.Abs(float64(x))) }

// Floor32 is math.Floor.
func Floor32(x float32) float32 { return float32(math.Floor(float64(x))) }

// Ceil32 is math.Ceil.
func Ceil32(x float32) float32 { return float32(math.Ceil(float64(x))) }

// Trunc32 is math.Trunc.
func Trunc32(x float32) float32 { return float32(math.Trunc(float64(x))) }

// RoundToEven32 is math.RoundToEven.
func RoundToEven32(x float32) float32 { return float32(math.RoundToEven(float64(x))) }

// Copysign32 is math.Copysign with one NaN.
func Copysign32(x, sign float32) float32 { return float32(Copysign(float64(x), float64(sign))) }

// Min32 is math.Min.
func Min32(x, y float32) float32 { return float32(math.Min(float64(x), float64(y))) }

// Max32 is math.Max.
func Max32(x, y float32) float32 { return float32(math.Max(float64(x), float64(y))) }

// FMA32 is math.FMA, rounded to float32 once.
func FMA32(x, y, z float32) float32 { return fma32(x, y, z) }

// IsNaN32 is math.IsNaN.
func IsNaN32(x float32) bool { return x != x }

// IsInf32 is math.IsInf.
func IsInf32(x float32, sign int) bool { return math.IsInf(float64(x), sign) }

// Signbit32 is math.Signbit with one NaN.
func Signbit32(x float32) bool { return Signbit(float64(x)) }

// Inf32 is math.Inf.
func Inf32(sign int) float32 { return float32(math.Inf(sign)) }

// NaN32 is math.NaN.
func NaN32() float32 { return float32(math.NaN()) }
