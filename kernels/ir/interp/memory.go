package interp

import (
	"math"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// The ways between lanes and planes. A plane's row is w*n elements, component-major; lanes are in the
// order in which samples were taken up, so most of these go through a list of samples.

// elements is memory as a slice of n elements.
func elements[T any](b []byte, n int) []T {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), n)
}

// component is the n elements of a component of a plane, as T of the plane's size.
func component[T any](plane []byte, comp, n int) []T {
	var zero T
	size := int(unsafe.Sizeof(zero)) * n
	return elements[T](plane[comp*size:(comp+1)*size], n)
}

// gather fills lanes [lo, lo+len(samples)) of a row from their samples' cells of type t. dense: the samples
// follow each other.
func gather(r row, lo int, plane []byte, comp, n int, t ir.Type, samples []uint32, dense bool) {
	if len(samples) == 0 {
		return
	}
	switch t {
	case ir.Bool:
		dst, src := lanesOf[uint8](r, lo, len(samples)), component[uint8](plane, comp, n)
		for i, s := range samples {
			dst[i] = truth(src[s] != 0)
		}
	case ir.I32, ir.U32, ir.F32:
		pick(lanesOf[uint32](r, lo, len(samples)), component[uint32](plane, comp, n), samples, dense)
	default:
		pick(lanesOf[uint64](r, lo, len(samples)), component[uint64](plane, comp, n), samples, dense)
	}
}

func lanesOf[T any](r row, lo, n int) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Add(r.p, lo*int(unsafe.Sizeof(zero)))), n)
}

// pick is dst[i] = src[samples[i]].
func pick[T any](dst, src []T, samples []uint32, dense bool) {
	if dense {
		copy(dst, src[samples[0]:])
		return
	}
	for i, s := range samples {
		dst[i] = src[s]
	}
}

// scatter stores the listed lanes of a row into their samples' cells of type t; a NaN is stored as the
// canonical one. samples is by lane.
func scatter(r row, list []int32, plane []byte, comp, n int, t ir.Type, samples []uint32) {
	switch t {
	case ir.Bool:
		spread(lanesOf[uint8](r, 0, len(samples)), component[uint8](plane, comp, n), list, samples)
	case ir.F32:
		spreadFloat(lanesOf[float32](r, 0, len(samples)), component[float32](plane, comp, n), list, samples)
	case ir.F64:
		spreadFloat(lanesOf[float64](r, 0, len(samples)), component[float64](plane, comp, n), list, samples)
	case ir.I32, ir.U32:
		spread(lanesOf[uint32](r, 0, len(samples)), component[uint32](plane, comp, n), list, samples)
	default:
		spread(lanesOf[uint64](r, 0, len(samples)), component[uint64](plane, comp, n), list, samples)
	}
}

func spread[T any](src, dst []T, list []int32, samples []uint32) {
	for _, l := range list {
		dst[samples[l]] = src[l]
	}
}

func spreadFloat[T float](src, dst []T, list []int32, samples []uint32) {
	for _, l := range list {
		dst[samples[l]] = canonical(src[l])
	}
}

// relocate applies the moves in order: lane to[i] takes over lane from[i].
func relocate(r row, t ir.Type, to, from []int32, n int) {
	switch t.Bytes() {
	case 1:
		shift(lanesOf[uint8](r, 0, n), to, from)
	case 4:
		shift(lanesOf[uint32](r, 0, n), to, from)
	default:
		shift(lanesOf[uint64](r, 0, n), to, from)
	}
}

func shift[T any](a []T, to, from []int32) {
	for i, t := range to {
		a[t] = a[from[i]]
	}
}

// broadcast fills a block of type t with one value, given as bits.
func broadcast(p unsafe.Pointer, t ir.Type, bits uint64) {
	r := row{p: p}
	switch t.Bytes() {
	case 1:
		*at[uint8](r, 0) = repeat(truth(bits != 0))
	case 4:
		*at[uint32](r, 0) = repeat(uint32(bits))
	case 8:
		*at[uint64](r, 0) = repeat(bits)
	}
}

func repeat[T any](v T) (b [lanes]T) {
	for i := range b {
		b[i] = v
	}
	return b
}

// cellBits is one element of a plane, as the Imm of an OpConst.
func cellBits(plane []byte, i int, t ir.Type) uint64 {
	switch t.Bytes() {
	case 1:
		return uint64(truth(plane[i] != 0))
	case 4:
		return uint64(elements[uint32](plane, i+1)[i])
	default:
		return elements[uint64](plane, i+1)[i]
	}
}

// asFloat is bits of type t as a float64; integers beyond 2^53 are rounded.
func asFloat(bits uint64, t ir.Type) float64 {
	switch t {
	case ir.I32:
		return float64(int32(bits))
	case ir.I64:
		return float64(int64(bits))
	case ir.F32:
		return float64(math.Float32frombits(uint32(bits)))
	case ir.F64:
		return math.Float64frombits(bits)
	}
	return float64(bits)
}

// copyLane is lane l of x into lane l of r; x may be uniform.
func copyLane(r, x row, t ir.Type, l int) {
	switch t.Bytes() {
	case 1:
		at[uint8](r, l/lanes)[l%lanes] = at[uint8](x, l/lanes)[l%lanes]
	case 4:
		at[uint32](r, l/lanes)[l%lanes] = at[uint32](x, l/lanes)[l%lanes]
	default:
		at[uint64](r, l/lanes)[l%lanes] = at[uint64](x, l/lanes)[l%lanes]
	}
}

// laneBits is lane l of a row, as the Imm of an OpConst; NaNs are canonical.
func laneBits(r row, t ir.Type, l int) uint64 {
	return get(unsafe.Add(r.p, l*t.Bytes()), t)
}
