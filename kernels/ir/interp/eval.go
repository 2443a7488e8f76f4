package interp

import (
	"math"
	"sync"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Eval is one value: what op gives for args, for folding constants at compile time. It runs the loop that
// strips run, on one block, so there is no second opinion about what an operation means.
//
// t is the instruction's Type, from its From; args and the result are bits as in an OpConst's Imm. A NaN
// comes out canonical, so that folding gives the same text on every machine. Operations with regions,
// memory or tables have no value here: asking for one, or for a type that op does not take, panics.
func Eval(op ir.Op, t, from ir.Type, args ...uint64) uint64 {
	s := mustStrip(op, t, from)
	block := evalBlocks.Get().(*[4][lanes]uint64)
	defer evalBlocks.Put(block)
	*block = [4][lanes]uint64{}
	var rows [4]row
	for i := range rows {
		rows[i].p = unsafe.Pointer(&block[i])
	}
	for i, a := range args {
		put(rows[1+i].p, argType(op, t, from, i), a)
	}
	s(1, rows[0], rows[1], rows[2], rows[3])
	return get(rows[0].p, resultType(op, t))
}

// evalBlocks are rows of one block: the result and the arguments. Compiling a kernel asks for a great many
// values.
var evalBlocks = sync.Pool{New: func() any { return new([4][lanes]uint64) }}

// argType is the type of argument i of an operation that Eval takes.
func argType(op ir.Op, t, from ir.Type, i int) ir.Type {
	switch op {
	case ir.OpConvert, ir.OpBits, ir.OpFromBits:
		return from
	case ir.OpShl, ir.OpShr:
		if i == 1 {
			return ir.U64
		}
	case ir.OpSelect:
		if i == 0 {
			return ir.Bool
		}
	}
	return t
}

func resultType(op ir.Op, t ir.Type) ir.Type {
	if op.Compare() {
		return ir.Bool
	}
	return t
}

// put writes lane 0 of a block.
func put(p unsafe.Pointer, t ir.Type, bits uint64) {
	switch t.Bytes() {
	case 1:
		*(*uint8)(p) = truth(bits != 0)
	case 4:
		*(*uint32)(p) = uint32(bits)
	case 8:
		*(*uint64)(p) = bits
	}
}

// get reads lane 0 of a block.
func get(p unsafe.Pointer, t ir.Type) uint64 {
	switch t {
	case ir.F64:
		return math.Float64bits(canonical(*(*float64)(p)))
	case ir.F32:
		return uint64(math.Float32bits(canonical(*(*float32)(p))))
	case ir.Bool:
		return uint64(*(*uint8)(p))
	}
	if t.Bytes() == 4 {
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}
