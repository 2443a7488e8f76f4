package ir

import "fmt"

// Type is the type of a value or of a plane's elements.
type Type uint8

// The types. A bool plane holds one byte per element, 0 or 1.
const (
	Invalid Type = iota
	Bool
	I32
	I64
	U32
	U64
	F32
	F64
)

var typeNames = [...]string{"invalid", "bool", "i32", "i64", "u32", "u64", "f32", "f64"}

// String gives the name used in printed IR: f64, i32, bool.
func (t Type) String() string {
	if int(t) < len(typeNames) {
		return typeNames[t]
	}
	return fmt.Sprintf("type(%d)", uint8(t))
}

// Valid says whether t is one of the types, not Invalid.
func (t Type) Valid() bool { return t > Invalid && t <= F64 }

// Mask has the bits that a constant of type t may have: 1 for bool, 32 or 64 ones for the others.
func (t Type) Mask() uint64 {
	switch t {
	case Bool:
		return 1
	case I32, U32, F32:
		return 1<<32 - 1
	}
	return 1<<64 - 1
}

// GoName gives the name a kernel's author wrote: float64, int32, bool.
func (t Type) GoName() string {
	return [...]string{"invalid", "bool", "int32", "int64", "uint32", "uint64", "float32", "float64"}[t]
}

// TypeNamed returns the type with the given printed name, Invalid when there is none.
func TypeNamed(name string) Type {
	for t, s := range typeNames {
		if s == name && t != 0 {
			return Type(t)
		}
	}
	return Invalid
}

// Bytes is the size of one element in a plane.
func (t Type) Bytes() int { return [...]int{0, 1, 4, 8, 4, 8, 4, 8}[t] }

// Float says whether t is F32 or F64.
func (t Type) Float() bool { return t == F32 || t == F64 }

// Integer says whether t is one of the four integer types.
func (t Type) Integer() bool { return t >= I32 && t <= U64 }

// Signed says whether t is I32 or I64.
func (t Type) Signed() bool { return t == I32 || t == I64 }

// The one NaN that planes, Float64bits, Signbit, Copysign and Abs see instead of any NaN (kernels.md).
const (
	NaN64 uint64 = 0x7FF8000000000000
	NaN32 uint32 = 0x7FC00000
)
