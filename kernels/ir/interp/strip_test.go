package interp

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

var allTypes = []ir.Type{ir.Bool, ir.I32, ir.I64, ir.U32, ir.U64, ir.F32, ir.F64}

// arity is the number of arguments of an operation without regions, memory or tables.
func arity(op ir.Op) int {
	switch op {
	case ir.OpNeg, ir.OpNot, ir.OpSqrt, ir.OpAbs, ir.OpFloor, ir.OpCeil, ir.OpTrunc, ir.OpRoundEven, ir.OpConvert, ir.OpBits, ir.OpFromBits:
		return 1
	case ir.OpFMA, ir.OpSelect:
		return 3
	}
	return 2
}

// eachOperation calls f for every operation that Eval takes, on every type.
func eachOperation(f func(op ir.Op, t, from ir.Type)) {
	for op := ir.OpAdd; op <= ir.OpFromBits; op++ {
		for _, t := range allTypes {
			switch op {
			case ir.OpConvert, ir.OpBits, ir.OpFromBits:
				for _, from := range allTypes {
					f(op, t, from)
				}
			default:
				f(op, t, ir.Invalid)
			}
		}
	}
}

// accepted asks the verifier whether an operation takes a type.
func accepted(op ir.Op, t, from ir.Type) bool {
	k := &ir.Kernel{Name: "one", StepsMax: 64, Precision: ir.F64}
	f := &ir.Func{Name: "value"}
	b := ir.NewBuilder(&f.Values, &f.Body)
	in := &ir.Instr{Op: op, Type: t, From: from}
	for i := range arity(op) {
		in.Args = append(in.Args, b.EmitConst(argType(op, t, from, i), 0))
	}
	in.Results = []ir.Value{b.Values().New(resultType(op, t))}
	b.Append(in)
	f.Body.Yield = in.Results
	k.Observables = []*ir.Func{f}
	trip := ir.NewBuilder(&k.Step.Values, &k.Step.Trip)
	k.Step.Trip.Yield = []ir.Value{trip.EmitConst(ir.Bool, 0)}
	return ir.Verify(k) == nil
}

func TestEveryVerifiedOperationHasAMeaning(t *testing.T) {
	count := 0
	eachOperation(func(op ir.Op, typ, from ir.Type) {
		has := stripOf(op, typ, from) != nil
		if want := accepted(op, typ, from); has != want {
			t.Errorf("%v.%v from %v: has a loop: %v, the verifier takes it: %v", op, typ, from, has, want)
		}
		if has {
			count++
		}
	})
	if count < 150 {
		t.Errorf("only %d operations were found", count)
	}
}

// Lanes must not know of each other, an argument may be uniform, and the result may lie on an argument of
// the same size.
func TestLanesAreAlike(t *testing.T) {
	const n = 3
	rng := rand.New(rand.NewPCG(11, 12))
	eachOperation(func(op ir.Op, typ, from ir.Type) {
		f := stripOf(op, typ, from)
		if f == nil {
			return
		}
		for uniform := range 1 << arity(op) {
			for alias := -1; alias < arity(op); alias++ {
				var memory [4][n * lanes]uint64
				var rows [4]row
				var args [3][]uint64 // by argument and lane
				result := resultType(op, typ)
				for a := range arity(op) {
					at := argType(op, typ, from, a)
					rows[1+a] = row{unsafe.Pointer(&memory[1+a]), uintptr(lanes * at.Bytes())}
					if uniform>>a&1 == 1 {
						rows[1+a].step = 0
					}
					for l := range n * lanes {
						args[a] = append(args[a], operand(at, rng))
						if uniform>>a&1 == 1 {
							args[a][l] = args[a][l%lanes]
						}
						put(unsafe.Add(rows[1+a].p, l*at.Bytes()), at, args[a][l])
					}
				}
				rows[0] = row{unsafe.Pointer(&memory[0]), uintptr(lanes * result.Bytes())}
				if alias >= 0 {
					if uniform>>alias&1 == 1 || argType(op, typ, from, alias).Bytes() != result.Bytes() {
						continue
					}
					rows[0] = rows[1+alias]
				}
				f(n, rows[0], rows[1], rows[2], rows[3])
				for l := range n * lanes {
					var a []uint64
					for i := range arity(op) {
						a = append(a, args[i][l])
					}
					if got, want := laneBits(rows[0], result, l), Eval(op, typ, from, a...); got != want {
						t.Fatalf("%v.%v from %v, lane %d of %#x, uniform %b, result on argument %d: got %#x, want %#x", op, typ, from, l, a, uniform, alias, got, want)
					}
				}
			}
		}
	})
}

// operand is a value of a type, often a small one.
func operand(t ir.Type, rng *rand.Rand) uint64 {
	switch {
	case t == ir.Bool:
		return rng.Uint64() & 1
	case t.Float():
		return asBits((rng.Float64()-0.5)*float64(rng.IntN(200)), t)
	}
	return rng.Uint64() >> rng.UintN(64) & (^uint64(0) >> (64 - width(t)))
}

func TestTableReads(t *testing.T) {
	for _, typ := range allTypes {
		table := &ir.Table{Type: typ, Bits: []uint64{1, 0, 1, 1}}
		var memory [2][lanes]uint64
		index := []int64{0, 1, 3, 4, -1, 1 << 40, -1 << 63, 2}
		for l, x := range index {
			memory[1][l] = uint64(x)
		}
		r := row{p: unsafe.Pointer(&memory[0])}
		tableStrip(table)(1, r, row{p: unsafe.Pointer(&memory[1])}, row{}, row{})
		for l, x := range index {
			want := table.Bits[0]
			if x >= 0 && x < 4 {
				want = table.Bits[x]
			}
			if got := laneBits(r, typ, l); got != want {
				t.Errorf("cell %d of a %v table of 4: got %#x, want %#x", x, typ, got, want)
			}
		}
	}
}
