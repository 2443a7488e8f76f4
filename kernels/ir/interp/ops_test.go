package interp

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// The meaning of the operations, stated a second time: on exact integers and rationals of math/big with
// one rounding at the end, and by tables where IEEE 754 and Go's math have special cases. A statement
// takes the evaluator under test, so that mutants can be shown to be rejected.

type evaluator func(op ir.Op, t, from ir.Type, args ...uint64) uint64

var statements = []struct {
	name  string
	check func(ev evaluator) error
}{
	{"integers are exact and wrap around", integersWrap},
	{"shifts are total", shiftsTotal},
	{"bools", boolTables},
	{"float arithmetic is exact and rounded once", floatsRoundOnce},
	{"float arithmetic on infinities, NaN and zeros", floatSpecials},
	{"min and max as math.Min and math.Max", minMaxTables},
	{"rounding to integers", roundings},
	{"NaN is canonical where bits and signs are looked at", canonicalNaN},
	{"comparisons", comparisons},
	{"select passes bits", selects},
	{"conversions saturate, wrap and round", conversions},
}

func TestEval(t *testing.T) {
	for _, s := range statements {
		t.Run(s.name, func(t *testing.T) {
			if err := s.check(Eval); err != nil {
				t.Error(err)
			}
		})
	}
}

// Each mutant is one plausible mistake in one operation; the statement named must notice.
func TestEvalMutantsAreRejected(t *testing.T) {
	swap := func(op ir.Op, typ ir.Type, f func(args []uint64) uint64) evaluator {
		return func(o ir.Op, t, from ir.Type, args ...uint64) uint64 {
			if o == op && t == typ {
				return f(args)
			}
			return Eval(o, t, from, args...)
		}
	}
	single := func(b uint64) float64 { return float64(math.Float32frombits(uint32(b))) }
	double := math.Float64frombits
	for _, c := range []struct {
		name, statement string
		mutant          evaluator
	}{
		{"fma of float32 rounds twice", "float arithmetic is exact and rounded once", swap(ir.OpFMA, ir.F32, func(a []uint64) uint64 {
			return uint64(math.Float32bits(float32(math.FMA(single(a[0]), single(a[1]), single(a[2])))))
		})},
		{"fma of float64 rounds twice", "float arithmetic is exact and rounded once", swap(ir.OpFMA, ir.F64, func(a []uint64) uint64 {
			return math.Float64bits(float64(double(a[0])*double(a[1])) + double(a[2]))
		})},
		{"quotient as a product with the reciprocal", "float arithmetic is exact and rounded once", swap(ir.OpDiv, ir.F64, func(a []uint64) uint64 {
			return math.Float64bits(double(a[0]) * (1 / double(a[1])))
		})},
		{"min by comparing", "min and max as math.Min and math.Max", swap(ir.OpMin, ir.F64, func(a []uint64) uint64 {
			if double(a[0]) < double(a[1]) {
				return a[0]
			}
			return a[1]
		})},
		{"shift counts taken modulo the width", "shifts are total", swap(ir.OpShl, ir.U32, func(a []uint64) uint64 {
			return uint64(uint32(a[0]) << (a[1] % 32))
		})},
		{"round half away from zero", "rounding to integers", swap(ir.OpRoundEven, ir.F64, func(a []uint64) uint64 {
			return math.Float64bits(math.Round(double(a[0])))
		})},
		{"float to integer wraps", "conversions saturate, wrap and round", swap(ir.OpConvert, ir.I32, func(a []uint64) uint64 {
			return uint64(uint32(int64(double(a[0]))))
		})},
		{"remainder with the sign of y", "integers are exact and wrap around", swap(ir.OpRem, ir.I32, func(a []uint64) uint64 {
			x, y := int32(a[0]), int32(a[1])
			if y == 0 {
				return 0
			}
			return uint64(uint32((int64(x)%int64(y) + int64(y)) % int64(y)))
		})},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, s := range statements {
				if s.name == c.statement && s.check(c.mutant) != nil {
					return
				}
			}
			t.Errorf("not noticed by: %s", c.statement)
		})
	}
}

var integerTypes = []ir.Type{ir.I32, ir.I64, ir.U32, ir.U64}

func width(t ir.Type) uint { return uint(t.Bytes() * 8) }

// exact is the integer that bits of type t stand for.
func exact(bits uint64, t ir.Type) *big.Int {
	switch t {
	case ir.I32:
		return big.NewInt(int64(int32(bits)))
	case ir.I64:
		return big.NewInt(int64(bits))
	case ir.U32:
		return big.NewInt(int64(uint32(bits)))
	}
	return new(big.Int).SetUint64(bits)
}

// wrapped is x modulo 2^width, as bits.
func wrapped(x *big.Int, t ir.Type) uint64 {
	m := new(big.Int).Lsh(big.NewInt(1), width(t))
	return new(big.Int).Mod(x, m).Uint64() // Mod is Euclidean
}

// integers are values of t at the edges and at random.
func integers(t ir.Type, rng *rand.Rand) []uint64 {
	w := width(t)
	mask := ^uint64(0) >> (64 - w)
	list := []uint64{0, 1, 2, 3, 7, 10, mask, mask - 1, mask >> 1, mask>>1 + 1, mask>>1 + 2, mask >> 2, 0x55555555, mask - 9}
	for range 12 {
		list = append(list, rng.Uint64()&mask, rng.Uint64()>>rng.UintN(64)&mask)
	}
	return list
}

func integersWrap(ev evaluator) error {
	rng := rand.New(rand.NewPCG(1, 2))
	zero := new(big.Int)
	binary := map[ir.Op]func(x, y *big.Int) *big.Int{
		ir.OpAdd: func(x, y *big.Int) *big.Int { return new(big.Int).Add(x, y) },
		ir.OpSub: func(x, y *big.Int) *big.Int { return new(big.Int).Sub(x, y) },
		ir.OpMul: func(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) },
		ir.OpDiv: func(x, y *big.Int) *big.Int {
			if y.Sign() == 0 {
				return zero
			}
			return new(big.Int).Quo(x, y)
		},
		ir.OpRem: func(x, y *big.Int) *big.Int {
			if y.Sign() == 0 {
				return zero
			}
			return new(big.Int).Rem(x, y)
		},
		ir.OpAnd: func(x, y *big.Int) *big.Int { return new(big.Int).And(x, y) },
		ir.OpOr:  func(x, y *big.Int) *big.Int { return new(big.Int).Or(x, y) },
		ir.OpXor: func(x, y *big.Int) *big.Int { return new(big.Int).Xor(x, y) },
		ir.OpMin: func(x, y *big.Int) *big.Int {
			if x.Cmp(y) < 0 {
				return x
			}
			return y
		},
		ir.OpMax: func(x, y *big.Int) *big.Int {
			if x.Cmp(y) > 0 {
				return x
			}
			return y
		},
	}
	unary := map[ir.Op]func(x *big.Int) *big.Int{
		ir.OpNeg: func(x *big.Int) *big.Int { return new(big.Int).Neg(x) },
		ir.OpNot: func(x *big.Int) *big.Int { return new(big.Int).Not(x) },
	}
	for _, t := range integerTypes {
		list := integers(t, rng)
		for _, x := range list {
			for op, f := range unary {
				if err := agree(ev(op, t, 0, x), wrapped(f(exact(x, t)), t), op, t, 0, x); err != nil {
					return err
				}
			}
			for _, y := range list {
				for op, f := range binary {
					if err := agree(ev(op, t, 0, x, y), wrapped(f(exact(x, t), exact(y, t)), t), op, t, 0, x, y); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

func agree(got, want uint64, op ir.Op, t, from ir.Type, args ...uint64) error {
	if got == want {
		return nil
	}
	return fmt.Errorf("%v.%v (from %v) of %#x: got %#x, want %#x", op, t, from, args, got, want)
}

func shiftsTotal(ev evaluator) error {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, t := range integerTypes {
		for _, x := range integers(t, rng) {
			for _, y := range []uint64{0, 1, 5, 31, 32, 33, 63, 64, 65, 1 << 31, 1 << 32, 1<<32 + 1, 1 << 63, math.MaxUint64} {
				left, right := new(big.Int), new(big.Int)
				if y < 64 {
					left.Lsh(exact(x, t), uint(y))
					right.Rsh(exact(x, t), uint(y)) // rounds down, as an arithmetic shift does
				} else if exact(x, t).Sign() < 0 {
					right.SetInt64(-1)
				}
				if err := agree(ev(ir.OpShl, t, 0, x, y), wrapped(left, t), ir.OpShl, t, 0, x, y); err != nil {
					return err
				}
				if err := agree(ev(ir.OpShr, t, 0, x, y), wrapped(right, t), ir.OpShr, t, 0, x, y); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func boolTables(ev evaluator) error {
	for op, table := range map[ir.Op][4]uint64{ // of 00, 01, 10, 11
		ir.OpAnd: {0, 0, 0, 1}, ir.OpOr: {0, 1, 1, 1}, ir.OpXor: {0, 1, 1, 0}, ir.OpEq: {1, 0, 0, 1}, ir.OpNe: {0, 1, 1, 0},
	} {
		for i, want := range table {
			x, y := uint64(i>>1), uint64(i&1)
			if err := agree(ev(op, ir.Bool, 0, x, y), want, op, ir.Bool, 0, x, y); err != nil {
				return err
			}
		}
	}
	for x := range uint64(2) {
		if err := agree(ev(ir.OpNot, ir.Bool, 0, x), 1-x, ir.OpNot, ir.Bool, 0, x); err != nil {
			return err
		}
	}
	return nil
}

func comparisons(ev evaluator) error {
	rng := rand.New(rand.NewPCG(5, 6))
	truths := map[ir.Op][4]uint64{ // of less, equal, greater, unordered
		ir.OpEq: {0, 1, 0, 0}, ir.OpNe: {1, 0, 1, 1},
		ir.OpLt: {1, 0, 0, 0}, ir.OpLe: {1, 1, 0, 0}, ir.OpGt: {0, 0, 1, 0}, ir.OpGe: {0, 1, 1, 0},
	}
	for op, table := range truths {
		for _, t := range integerTypes {
			list := integers(t, rng)
			for _, x := range list {
				for _, y := range list {
					want := table[1+exact(x, t).Cmp(exact(y, t))]
					if err := agree(ev(op, t, 0, x, y), want, op, t, 0, x, y); err != nil {
						return err
					}
				}
			}
		}
		for _, t := range []ir.Type{ir.F32, ir.F64} {
			list := floatBits(t, rng)
			for _, x := range list {
				for _, y := range list {
					order := 3
					if !isNaN(x, t) && !isNaN(y, t) {
						order = 1 + rational(x, t).Cmp(rational(y, t))
					}
					if err := agree(ev(op, t, 0, x, y), table[order], op, t, 0, x, y); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

func selects(ev evaluator) error {
	for _, t := range []ir.Type{ir.Bool, ir.I32, ir.I64, ir.U32, ir.U64, ir.F32, ir.F64} {
		y, z := uint64(1), uint64(0)
		if t != ir.Bool {
			y, z = 0x3f812345, 0x40054321
		}
		if err := agree(ev(ir.OpSelect, t, 0, 1, y, z), y, ir.OpSelect, t, 0, 1, y, z); err != nil {
			return err
		}
		if err := agree(ev(ir.OpSelect, t, 0, 0, y, z), z, ir.OpSelect, t, 0, 0, y, z); err != nil {
			return err
		}
	}
	return nil
}
