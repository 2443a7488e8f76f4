package generate

import (
	"encoding/binary"
	"math"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// putter returns the function that stores values as elements of type t from the start of dst on. The rule
// matters for float32 only: there rounding must not reach the open end of a range.
func putter(t ir.Type, in ir.Init) func(dst []byte, values []float64) {
	switch t {
	case ir.Bool:
		return func(dst []byte, values []float64) {
			for i, x := range values {
				dst[i] = 0
				if x >= 0.5 {
					dst[i] = 1
				}
			}
		}
	case ir.I32:
		return words(func(x float64) uint32 { return uint32(int32(floorWithin(x, math.MinInt32, math.MaxInt32))) })
	case ir.U32:
		return words(func(x float64) uint32 { return uint32(floorWithin(x, 0, math.MaxUint32)) })
	case ir.I64:
		return longs(func(x float64) uint64 {
			if x >= 0x1p63 {
				return math.MaxInt64
			}
			return uint64(int64(floorWithin(x, math.MinInt64, 0x1p63)))
		})
	case ir.U64:
		return longs(func(x float64) uint64 {
			if x >= 0x1p64 {
				return math.MaxUint64
			}
			return uint64(floorWithin(x, 0, 0x1p64))
		})
	case ir.F32:
		if in.Kind == ir.InitUniform || in.Kind == ir.InitLogUniform {
			a, b := in.Args[0], in.Args[1]
			return words(func(x float64) uint32 { return math.Float32bits(single(x, a, b)) })
		}
		return words(func(x float64) uint32 { return math.Float32bits(float32(x)) })
	}
	return longs(math.Float64bits)
}

func words(convert func(float64) uint32) func(dst []byte, values []float64) {
	return func(dst []byte, values []float64) {
		for i, x := range values {
			binary.NativeEndian.PutUint32(dst[4*i:], convert(x))
		}
	}
}

func longs(convert func(float64) uint64) func(dst []byte, values []float64) {
	return func(dst []byte, values []float64) {
		for i, x := range values {
			binary.NativeEndian.PutUint64(dst[8*i:], convert(x))
		}
	}
}

// floorWithin is the floor of x, cut to [least, most].
func floorWithin(x, least, most float64) float64 {
	return min(max(math.Floor(x), least), most)
}

// single is x of [a, b) as a float32 of [a, b), where there is one.
func single(x, a, b float64) float32 {
	f := float32(x)
	if float64(f) >= b && a < b {
		if down := math.Nextafter32(f, float32(math.Inf(-1))); float64(down) >= a {
			return down
		}
	}
	return f
}

// putIndices stores the indices from at on, modulo the size of the type t.
func putIndices(dst []byte, t ir.Type, at uint64, n int) {
	for i := range n {
		if t.Bytes() == 4 {
			binary.NativeEndian.PutUint32(dst[4*i:], uint32(at+uint64(i)))
		} else {
			binary.NativeEndian.PutUint64(dst[8*i:], at+uint64(i))
		}
	}
}
