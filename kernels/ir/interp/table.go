package interp

import (
	"fmt"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// stripOf returns the loop of an operation without regions, memory or tables on type t (and, for
// conversions, from type from). Nil: the operation does not take the type.
func stripOf(op ir.Op, t, from ir.Type) strip {
	switch op {
	case ir.OpAdd:
		return numbers{add[int32], add[int64], add[uint32], add[uint64], add[float32], add[float64]}.of(t)
	case ir.OpSub:
		return numbers{sub[int32], sub[int64], sub[uint32], sub[uint64], sub[float32], sub[float64]}.of(t)
	case ir.OpMul:
		return numbers{mul[int32], mul[int64], mul[uint32], mul[uint64], mul[float32], mul[float64]}.of(t)
	case ir.OpDiv:
		return numbers{divInt[int32], divInt[int64], divInt[uint32], divInt[uint64], divFloat[float32], divFloat[float64]}.of(t)
	case ir.OpRem:
		return numbers{remInt[int32], remInt[int64], remInt[uint32], remInt[uint64], nil, nil}.of(t)
	case ir.OpNeg:
		return numbers{neg[int32], neg[int64], neg[uint32], neg[uint64], neg[float32], neg[float64]}.of(t)
	case ir.OpAnd:
		return orBoolean(t, andBool, numbers{and[int32], and[int64], and[uint32], and[uint64], nil, nil})
	case ir.OpOr:
		return orBoolean(t, orBool, numbers{or[int32], or[int64], or[uint32], or[uint64], nil, nil})
	case ir.OpXor:
		return orBoolean(t, xorBool, numbers{xor[int32], xor[int64], xor[uint32], xor[uint64], nil, nil})
	case ir.OpNot:
		return orBoolean(t, notBool, numbers{not[int32], not[int64], not[uint32], not[uint64], nil, nil})
	case ir.OpShl:
		return numbers{shl[int32], shl[int64], shl[uint32], shl[uint64], nil, nil}.of(t)
	case ir.OpShr:
		return numbers{shr[int32], shr[int64], shr[uint32], shr[uint64], nil, nil}.of(t)
	case ir.OpSqrt:
		return floats(t, sqrtFloat[float32], sqrtFloat[float64])
	case ir.OpFMA:
		return floats(t, fma32, fma64)
	case ir.OpAbs:
		return floats(t, absFloat[float32], absFloat[float64])
	case ir.OpFloor:
		return floats(t, floor[float32], floor[float64])
	case ir.OpCeil:
		return floats(t, ceil[float32], ceil[float64])
	case ir.OpTrunc:
		return floats(t, trunc[float32], trunc[float64])
	case ir.OpRoundEven:
		return floats(t, roundEven[float32], roundEven[float64])
	case ir.OpCopysign:
		return floats(t, copysign[float32], copysign[float64])
	case ir.OpMin:
		return numbers{minInt[int32], minInt[int64], minInt[uint32], minInt[uint64], minFloat[float32], minFloat[float64]}.of(t)
	case ir.OpMax:
		return numbers{maxInt[int32], maxInt[int64], maxInt[uint32], maxInt[uint64], maxFloat[float32], maxFloat[float64]}.of(t)
	case ir.OpEq:
		return orBoolean(t, eqBool, numbers{eq[int32], eq[int64], eq[uint32], eq[uint64], eq[float32], eq[float64]})
	case ir.OpNe:
		return orBoolean(t, xorBool, numbers{ne[int32], ne[int64], ne[uint32], ne[uint64], ne[float32], ne[float64]})
	case ir.OpLt:
		return numbers{lt[int32], lt[int64], lt[uint32], lt[uint64], lt[float32], lt[float64]}.of(t)
	case ir.OpLe:
		return numbers{le[int32], le[int64], le[uint32], le[uint64], le[float32], le[float64]}.of(t)
	case ir.OpGt:
		return numbers{gt[int32], gt[int64], gt[uint32], gt[uint64], gt[float32], gt[float64]}.of(t)
	case ir.OpGe:
		return numbers{ge[int32], ge[int64], ge[uint32], ge[uint64], ge[float32], ge[float64]}.of(t)
	case ir.OpSelect:
		return bySize(t, choose[uint8], choose[uint32], choose[uint64])
	case ir.OpConvert:
		return conversion(t, from)
	case ir.OpBits:
		return floats(from, only(t == ir.U32, bits32), only(t == ir.U64, bits64))
	case ir.OpFromBits:
		return floats(t, only(from == ir.U32, move[uint32]), only(from == ir.U64, move[uint64]))
	}
	return nil
}

// mustStrip is stripOf for verified IR.
func mustStrip(op ir.Op, t, from ir.Type) strip {
	s := stripOf(op, t, from)
	if s == nil {
		panic(fmt.Sprintf("interp: no meaning for %v of type %v from type %v", op, t, from))
	}
	return s
}

// numbers are the loops of one operation by type, from I32 to F64.
type numbers [6]strip

func (s numbers) of(t ir.Type) strip {
	if t < ir.I32 || t > ir.F64 {
		return nil
	}
	return s[t-ir.I32]
}

func orBoolean(t ir.Type, b strip, s numbers) strip {
	if t == ir.Bool {
		return b
	}
	return s.of(t)
}

func floats(t ir.Type, single, double strip) strip {
	return numbers{4: single, 5: double}.of(t)
}

func bySize(t ir.Type, one, four, eight strip) strip {
	switch t.Bytes() {
	case 1:
		return one
	case 4:
		return four
	case 8:
		return eight
	}
	return nil
}

func only(ok bool, s strip) strip {
	if ok {
		return s
	}
	return nil
}

// conversion is OpConvert from one number type to another.
func conversion(t, from ir.Type) strip {
	switch from {
	case ir.I32:
		return fromInteger[int32](t)
	case ir.I64:
		return fromInteger[int64](t)
	case ir.U32:
		return fromInteger[uint32](t)
	case ir.U64:
		return fromInteger[uint64](t)
	case ir.F32:
		return fromFloat[float32](t)
	case ir.F64:
		return fromFloat[float64](t)
	}
	return nil
}

func fromInteger[F integer](t ir.Type) strip {
	return numbers{convert[F, int32], convert[F, int64], convert[F, uint32], convert[F, uint64], convert[F, float32], convert[F, float64]}.of(t)
}

func fromFloat[F float](t ir.Type) strip {
	return numbers{saturate[F, int32], saturate[F, int64], saturate[F, uint32], saturate[F, uint64], convert[F, float32], convert[F, float64]}.of(t)
}

// moveOf copies rows of type t.
func moveOf(t ir.Type) strip { return bySize(t, move[uint8], move[uint32], move[uint64]) }

// tableStrip reads cell x of t; an index out of range gives cell 0, and an empty table 0.
func tableStrip(t *ir.Table) strip {
	bits := t.Bits
	if len(bits) == 0 {
		bits = []uint64{0}
	}
	switch t.Type.Bytes() {
	case 1:
		return lookup[uint8](bits)
	case 4:
		return lookup[uint32](bits)
	}
	return lookup[uint64](bits)
}

func lookup[T uint8 | uint32 | uint64](bits []uint64) strip {
	cells := make([]T, len(bits))
	for i, b := range bits {
		cells[i] = T(b)
	}
	return func(n int, r, x, _, _ row) {
		for i := range n {
			r, x := at[T](r, i), at[int64](x, i)
			for l := range r {
				j := uint64(x[l])
				if j >= uint64(len(cells)) {
					j = 0
				}
				r[l] = cells[j]
			}
		}
	}
}
