package interp

import "unsafe"

// lanes is the number of lanes in a block.
const lanes = 8

// row is where an operation finds the lanes of one value: block i starts i*step bytes after p. A uniform
// value has one block and step 0. Bool lanes are bytes, 0 or 1.
type row struct {
	p    unsafe.Pointer
	step uintptr
}

// at is block i of r.
func at[T any](r row, i int) *[lanes]T {
	return (*[lanes]T)(unsafe.Add(r.p, uintptr(i)*r.step))
}

// word is block i of a bool row as one machine word, a lane per byte.
func word(r row, i int) *uint64 { return (*uint64)(unsafe.Add(r.p, uintptr(i)*r.step)) }

// strip is an operation on n blocks: r = op(x, y, z), lane by lane. r may be the same row as an argument
// with elements of the same size; else rows do not overlap. Arguments that an operation does not have are
// zero.
type strip func(n int, r, x, y, z row)

type integer interface {
	int32 | int64 | uint32 | uint64
}

type float interface{ float32 | float64 }

type number interface{ integer | float }

// The arithmetic below is written with a conversion around every operation, which the Go specification
// makes a rounding: no compiler may fuse x*y with an addition that follows. Addition, subtraction and
// multiplication are unrolled by hand, the others are not worth it.

// add is x+y; integers wrap around.
func add[T number](n int, r, x, y, _ row) {
	for i := range n {
		r, x, y := at[T](r, i), at[T](x, i), at[T](y, i)
		r[0], r[1], r[2], r[3] = T(x[0]+y[0]), T(x[1]+y[1]), T(x[2]+y[2]), T(x[3]+y[3])
		r[4], r[5], r[6], r[7] = T(x[4]+y[4]), T(x[5]+y[5]), T(x[6]+y[6]), T(x[7]+y[7])
	}
}

// sub is x-y; integers wrap around.
func sub[T number](n int, r, x, y, _ row) {
	for i := range n {
		r, x, y := at[T](r, i), at[T](x, i), at[T](y, i)
		r[0], r[1], r[2], r[3] = T(x[0]-y[0]), T(x[1]-y[1]), T(x[2]-y[2]), T(x[3]-y[3])
		r[4], r[5], r[6], r[7] = T(x[4]-y[4]), T(x[5]-y[5]), T(x[6]-y[6]), T(x[7]-y[7])
	}
}

// mul is x*y; integers wrap around.
func mul[T number](n int, r, x, y, _ row) {
	for i := range n {
		r, x, y := at[T](r, i), at[T](x, i), at[T](y, i)
		r[0], r[1], r[2], r[3] = T(x[0]*y[0]), T(x[1]*y[1]), T(x[2]*y[2]), T(x[3]*y[3])
		r[4], r[5], r[6], r[7] = T(x[4]*y[4]), T(x[5]*y[5]), T(x[6]*y[6]), T(x[7]*y[7])
	}
}

// divFloat is x/y, IEEE 754.
func divFloat[T float](n int, r, x, y, _ row) {
	for i := range n {
		r, x, y := at[T](r, i), at[T](x, i), at[T](y, i)
		for l := range r {
			r[l] = T(x[l] / y[l])
		}
	}
}

// divInt is x/y truncated; x/0 is 0 and MinInt/-1 is MinInt, as the Go specification has it.
func divInt[T integer](n int, r, x, y, _ row) {
	for i := range n {
		r, x, y := at[T](r, i), at[T](x, i), at[T](y, i)
		for l := range r {
			if y[l] == 0 {
				r[l] = 0
			} else {
				r[l] = x[l] / y[l]
			}
		}
	}
}

// remInt is x%y with the sign of x; x%0 is 0 and MinInt%-1 is 0.
func remInt[T integer](n int, r, x, y, _ row) {
	for i := range n {
		r, x, y := at[T](r, i), at[T](x, i), at[T](y, i)
		for l := range r {
			if y[l] == 0 {
				r[l] = 0
			} else {
				r[l] = x[l] % y[l]
			}
		}
	}
}

// neg is -x; it flips the sign of zeros and NaNs, and MinInt stays.
func neg[T number](n int, r, x, _, _ row) {
	for i := range n {
		r, x := at[T](r, i), at[T](x, i)
		for l := range r {
			r[l] = -x[l]
		}
	}
}

func and[T integer](n int, r, x, y, _ row) {
	for i := range n {
		r, x, y := at[T](r, i), at[T](x, i), at[T](y, i)
		for l := range r {
			r[l] = x[l] & y[l]
		}
	}
}

func or[T integer](n int, r, x, y, _ row) {
	for i := range n {
		r, x, y := at[T](r, i), at[T](x, i), at[T](y, i)
		for l := range r {
			r[l] = x[l] | y[l]
		}
	}
}

func xor[T integer](n int, r, x, y, _ row) {
	for i := range n {
		r, x, y := at[T](r, i), at[T](x, i), at[T](y, i)
		for l := range r {
			r[l] = x[l] ^ y[l]
		}
	}
}

// not is ^x.
func not[T integer](n int, r, x, _, _ row) {
	for i := range n {
		r, x := at[T](r, i), at[T](x, i)
		for l := range r {
			r[l] = ^x[l]
		}
	}
}

// The same on bools, a block at a time.

func andBool(n int, r, x, y, _ row) {
	for i := range n {
		*word(r, i) = *word(x, i) & *word(y, i)
	}
}

func orBool(n int, r, x, y, _ row) {
	for i := range n {
		*word(r, i) = *word(x, i) | *word(y, i)
	}
}

// xorBool is also x != y.
func xorBool(n int, r, x, y, _ row) {
	for i := range n {
		*word(r, i) = *word(x, i) ^ *word(y, i)
	}
}

// allTrue is a block of eight true bools.
const allTrue = 0x0101010101010101

func notBool(n int, r, x, _, _ row) {
	for i := range n {
		*word(r, i) = *word(x, i) ^ allTrue
	}
}

func eqBool(n int, r, x, y, _ row) {
	for i := range n {
		*word(r, i) = *word(x, i) ^ *word(y, i) ^ allTrue
	}
}

// shl is x<<y for y of type u64; y >= the width of T gives 0. Go's shift is total in the same way.
func shl[T integer](n int, r, x, y, _ row) {
	for i := range n {
		r, x, y := at[T](r, i), at[T](x, i), at[uint64](y, i)
		for l := range r {
			r[l] = x[l] << y[l]
		}
	}
}

// shr is x>>y for y of type u64, arithmetic for signed types; y >= the width of T gives 0, or -1 for
// negative x. Go's shift is total in the same way.
func shr[T integer](n int, r, x, y, _ row) {
	for i := range n {
		r, x, y := at[T](r, i), at[T](x, i), at[uint64](y, i)
		for l := range r {
			r[l] = x[l] >> y[l]
		}
	}
}

func minInt[T integer](n int, r, x, y, _ row) {
	for i := range n {
		r, x, y := at[T](r, i), at[T](x, i), at[T](y, i)
		for l := range r {
			r[l] = min(x[l], y[l])
		}
	}
}

func maxInt[T integer](n int, r, x, y, _ row) {
	for i := range n {
		r, x, y := at[T](r, i), at[T](x, i), at[T](y, i)
		for l := range r {
			r[l] = max(x[l], y[l])
		}
	}
}

// truth is b as a bool lane.
func truth(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// Comparisons; those of floats are false when an operand is NaN, except ne.

func eq[T number](n int, r, x, y, _ row) {
	for i := range n {
		r, x, y := at[uint8](r, i), at[T](x, i), at[T](y, i)
		for l := range r {
			r[l] = truth(x[l] == y[l])
		}
	}
}

func ne[T number](n int, r, x, y, _ row) {
	for i := range n {
		r, x, y := at[uint8](r, i), at[T](x, i), at[T](y, i)
		for l := range r {
			r[l] = truth(x[l] != y[l])
		}
	}
}

func lt[T number](n int, r, x, y, _ row) {
	for i := range n {
		r, x, y := at[uint8](r, i), at[T](x, i), at[T](y, i)
		for l := range r {
			r[l] = truth(x[l] < y[l])
		}
	}
}

func le[T number](n int, r, x, y, _ row) {
	for i := range n {
		r, x, y := at[uint8](r, i), at[T](x, i), at[T](y, i)
		for l := range r {
			r[l] = truth(x[l] <= y[l])
		}
	}
}

func gt[T number](n int, r, x, y, _ row) {
	for i := range n {
		r, x, y := at[uint8](r, i), at[T](x, i), at[T](y, i)
		for l := range r {
			r[l] = truth(x[l] > y[l])
		}
	}
}

func ge[T number](n int, r, x, y, _ row) {
	for i := range n {
		r, x, y := at[uint8](r, i), at[T](x, i), at[T](y, i)
		for l := range r {
			r[l] = truth(x[l] >= y[l])
		}
	}
}

// choose is x ? y : z on elements of any type of T's size, as bits, so that NaNs pass unchanged.
func choose[T uint8 | uint32 | uint64](n int, r, x, y, z row) {
	for i := range n {
		r, x, y, z := at[T](r, i), at[uint8](x, i), at[T](y, i), at[T](z, i)
		for l := range r {
			v := z[l]
			if x[l] != 0 {
				v = y[l]
			}
			r[l] = v
		}
	}
}

// move is x, as bits.
func move[T uint8 | uint32 | uint64](n int, r, x, _, _ row) {
	for i := range n {
		*at[T](r, i) = *at[T](x, i)
	}
}

// convert is x of type F as T where Go's conversion says it: integer to integer wraps, integer to float
// and float to float round to nearest even.
func convert[F, T number](n int, r, x, _, _ row) {
	for i := range n {
		r, x := at[T](r, i), at[F](x, i)
		for l := range r {
			r[l] = T(x[l])
		}
	}
}
