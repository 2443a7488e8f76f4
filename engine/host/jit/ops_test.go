package jit

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/irtest"
)

var types = []ir.Type{ir.Bool, ir.I32, ir.I64, ir.U32, ir.U64, ir.F32, ir.F64}

// specials are values of a type at which operations are special, as bits.
func specials(t ir.Type) []uint64 {
	switch {
	case t == ir.Bool:
		return []uint64{0, 1}
	case t.Integer():
		var out []uint64
		for _, v := range []int64{0, 1, -1, 2, -2, 3, 7, -8, 31, 32, 33, 63, 64, 65, 1 << 24, 1<<24 + 1, math.MaxInt32, math.MinInt32, math.MaxUint32, 1<<53 + 1, math.MaxInt64, math.MinInt64, math.MinInt64 + 1} {
			out = append(out, uint64(v)&t.Mask())
		}
		return out
	}
	fs := []float64{
		0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 0.1, 3, 1e-310, -1e-40, 0x1p-1074, 0x1p-149, 0x1p-126,
		1 << 31, -(1 << 31), 1<<31 - 1, 1 << 32, 1<<32 - 1, 0x1p63, -0x1p63, 0x1p64, 0x1p53, 1e30, -1e30, math.MaxFloat32, math.MaxFloat64, math.Inf(1), math.Inf(-1),
	}
	var out []uint64
	for _, f := range fs {
		if t == ir.F32 {
			out = append(out, uint64(math.Float32bits(float32(f))))
		} else {
			out = append(out, math.Float64bits(f))
		}
	}
	if t == ir.F32 { // NaNs: canonical, negative, with a payload, signalling
		return append(out, 0x7FC00000, 0xFFC00000, 0x7FC12345, 0x7F800001, 0xFF812345)
	}
	return append(out, 0x7FF8<<48, 0xFFF8<<48, 0x7FF8<<48|12345, 0x7FF0<<48|1, 0xFFF1<<48)
}

// opKernel is a kernel of one operation: r becomes op of the inputs, and q the same with the second
// argument constant.
func opKernel(op ir.Op, t, from ir.Type, second uint64) *ir.Kernel {
	k := &ir.Kernel{Name: "op", Files: []string{"op.go"}, Steps: 1, StepsMax: 1, Precision: ir.F64}
	s := &k.Step
	b := ir.NewBuilder(&s.Values, &s.Head)
	var args []ir.Value
	for i := range op.Arity() {
		at := op.ArgType(t, from, i)
		k.Planes = append(k.Planes, ir.Plane{Name: fmt.Sprintf("x%d", i), Field: fmt.Sprintf("X%d", i), Type: at, Role: ir.RoleInput, Init: ir.Init{Args: []float64{0}}})
		args = append(args, b.EmitLoad(at, i, 0))
	}
	b.Push(&s.Trip)
	emit := func(args []ir.Value) ir.Value {
		if op.Converts() {
			return b.EmitConvert(op, t, args[0])
		}
		return b.Emit(op, t, slices.Clone(args)...)
	}
	results := []ir.Value{emit(args)}
	if len(args) > 1 {
		args[1] = b.EmitConst(op.ArgType(t, from, 1), second)
		results = append(results, emit(args))
	}
	for i, r := range results {
		rt := op.ResultType(t)
		k.Planes = append(k.Planes, ir.Plane{Name: fmt.Sprintf("r%d", i), Field: fmt.Sprintf("R%d", i), Type: rt, Role: ir.RoleOutput, Init: ir.Init{Args: []float64{0}}})
		s.Carry = append(s.Carry, ir.Cell{Plane: len(k.Planes) - 1})
		s.Trip.Params = append(s.Trip.Params, s.New(rt))
		s.Trip.Yield = append(s.Trip.Yield, r)
	}
	s.Trip.Yield = append([]ir.Value{b.EmitConst(ir.Bool, 0)}, s.Trip.Yield...)
	b.Pop()
	return k
}

// TestEveryOperationOnSpecialValues compares all pairs of special values of every operation and type, and
// random third arguments, with the interpreter, bits for bits.
func TestEveryOperationOnSpecialValues(t *testing.T) {
	tried := 0
	typedOperations(func(op ir.Op, typ, from ir.Type) {
		tried++
		t.Run(fmt.Sprintf("%v.%v.%v", op, typ, from), func(t *testing.T) { oneOp(t, op, typ, from) })
	})
	if tried < 150 {
		t.Errorf("only %d operations were tried", tried)
	}
}

// typedOperations calls f for every operation without memory, with every type that it takes. from is Bool
// where there is no type to convert from.
func typedOperations(f func(op ir.Op, typ, from ir.Type)) {
	for op := ir.OpAdd; op < ir.OpIf; op++ {
		for _, typ := range types {
			for _, from := range types {
				switch {
				case !op.Takes(typ), op.Converts() && !op.TakesFrom(typ, from), !op.Converts() && from != ir.Bool:
					continue
				}
				f(op, typ, from)
			}
		}
	}
}

// everyOperation is a kernel for every operation and type, and random ones with memory and control flow.
func everyOperation(t *testing.T) (all []*ir.Kernel) {
	t.Helper()
	typedOperations(func(op ir.Op, typ, from ir.Type) { all = append(all, opKernel(op, typ, from, 1)) })
	for seed := range uint64(300) {
		all = append(all, irtest.Kernel(seed, 40))
	}
	return all
}

func oneOp(t *testing.T, op ir.Op, typ, from ir.Type) {
	first := specials(op.ArgType(typ, from, 0))
	second := []uint64{0}
	if op.Arity() > 1 {
		second = specials(op.ArgType(typ, from, 1))
	}
	seconds := second
	if testing.Short() {
		seconds = second[:min(4, len(second))]
	}
	for _, c := range seconds {
		k := opKernel(op, typ, from, c)
		if err := ir.Verify(k); err != nil {
			t.Fatal(err)
		}
		b := newBatch(k, len(first)*len(second))
		r := rand.New(rand.NewPCG(1, c))
		for i := range op.Arity() {
			for j := range b.n {
				bits := first[j%len(first)]
				switch i {
				case 1:
					bits = second[j/len(first)]
				case 2:
					bits = irtest.Bits(r, k.Planes[i].Type)
				}
				switch size := k.Planes[i].Type.Bytes(); size {
				case 1:
					b.planes[i][j] = byte(bits)
				case 4:
					binary.LittleEndian.PutUint32(b.planes[i][4*j:], uint32(bits))
				default:
					binary.LittleEndian.PutUint64(b.planes[i][8*j:], bits)
				}
			}
		}
		agree(t, k, b, 1, 1)
		if len(k.Step.Carry) == 1 {
			break
		}
	}
}
