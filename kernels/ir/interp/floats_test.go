package interp

import (
	"math"
	"math/big"
	"math/rand/v2"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

func asBits(x float64, t ir.Type) uint64 {
	if t == ir.F32 {
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

func isNaN(bits uint64, t ir.Type) bool { return math.IsNaN(asFloat(bits, t)) }

func isFinite(bits uint64, t ir.Type) bool {
	f := asFloat(bits, t)
	return !math.IsNaN(f) && !math.IsInf(f, 0)
}

func nan(t ir.Type) uint64 {
	if t == ir.F32 {
		return uint64(ir.NaN32)
	}
	return ir.NaN64
}

// precision is enough bits for sums and products of three float64 to be exact.
const precision = 4400

// rational is a float exactly; infinities stay, NaN must not be asked for.
func rational(bits uint64, t ir.Type) *big.Float {
	return new(big.Float).SetPrec(precision).SetFloat64(asFloat(bits, t))
}

// rounded is x rounded once to type t, to nearest even, subnormals and overflow as IEEE 754 has them.
func rounded(x *big.Float, t ir.Type) uint64 {
	if t == ir.F32 {
		f, _ := x.Float32()
		return uint64(math.Float32bits(f))
	}
	f, _ := x.Float64()
	return math.Float64bits(f)
}

// floatBits are floats at the edges and at random, of many magnitudes.
func floatBits(t ir.Type, rng *rand.Rand) []uint64 {
	list := []uint64{}
	for _, f := range []float64{
		0, 1, 0.5, 1.5, 2.5, 3, 0.1, 1.0 / 3, 1e10, 1e-10, math.Pi, 1 << 23, 1<<24 + 2, 1<<24 - 1, 1 << 52, 1<<53 - 1,
		math.MaxFloat32, math.SmallestNonzeroFloat32, 0x1p-126, 0x1.fffffcp-127, math.MaxFloat64, math.SmallestNonzeroFloat64,
		0x1p-1022, 0x0.fffffffffffffp-1022, 1 + 0x1p-52, 1 + 0x1p-23, 1 - 0x1p-53, 1 - 0x1p-24, math.Inf(1),
	} {
		list = append(list, asBits(f, t), asBits(-f, t))
	}
	list = append(list, nan(t), nan(t)|1, nan(t)|1<<(width(t)-1))
	for range 20 {
		list = append(list, rng.Uint64()&(^uint64(0)>>(64-width(t)))) // any exponent
		list = append(list, asBits((rng.Float64()-0.5)*8, t))         // near each other
	}
	return list
}

// floatsRoundOnce checks results of finite operands against exact ones rounded once. Zero results are left
// to floatSpecials, for big.Float has other rules for their sign.
func floatsRoundOnce(ev evaluator) error {
	rng := rand.New(rand.NewPCG(7, 8))
	big2 := map[ir.Op]func(x, y *big.Float) *big.Float{
		ir.OpAdd: func(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(precision).Add(x, y) },
		ir.OpSub: func(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(precision).Sub(x, y) },
		ir.OpMul: func(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(precision).Mul(x, y) },
		ir.OpDiv: func(x, y *big.Float) *big.Float {
			if y.Sign() == 0 {
				return new(big.Float)
			}
			// Not exact; but no quotient of two float64 comes closer than 2^-110 to a tie that it is not.
			return new(big.Float).SetPrec(precision).Quo(x, y)
		},
	}
	for _, t := range []ir.Type{ir.F64, ir.F32} {
		list := finite(floatBits(t, rng), t)
		for _, x := range list {
			if f := rational(x, t); f.Sign() > 0 {
				want := rounded(new(big.Float).SetPrec(300).Sqrt(f), t)
				if err := agree(ev(ir.OpSqrt, t, 0, x), want, ir.OpSqrt, t, 0, x); err != nil {
					return err
				}
			}
			for _, y := range list {
				for op, f := range big2 {
					exact := f(rational(x, t), rational(y, t))
					if exact.Sign() == 0 {
						continue
					}
					if err := agree(ev(op, t, 0, x, y), rounded(exact, t), op, t, 0, x, y); err != nil {
						return err
					}
				}
			}
		}
		for i := range 3000 {
			x, y, z := list[rng.IntN(len(list))], list[rng.IntN(len(list))], list[rng.IntN(len(list))]
			if i%2 == 0 {
				x, y, z = tie(rng, t)
			}
			p := new(big.Float).SetPrec(precision).Mul(rational(x, t), rational(y, t))
			exact := new(big.Float).SetPrec(precision).Add(p, rational(z, t))
			if exact.Sign() == 0 {
				continue
			}
			if err := agree(ev(ir.OpFMA, t, 0, x, y, z), rounded(exact, t), ir.OpFMA, t, 0, x, y, z); err != nil {
				return err
			}
		}
	}
	return nil
}

func finite(list []uint64, t ir.Type) (kept []uint64) {
	for _, x := range list {
		if isFinite(x, t) {
			kept = append(kept, x)
		}
	}
	return kept
}

// tie is x, y, z with x*y+z so close to the middle of two floats of type t that rounding the sum to
// float64 first may fall on the middle: z ends the product half a unit of x*y from it, give or take a
// term far below.
func tie(rng *rand.Rand, t ir.Type) (x, y, z uint64) {
	digits := 24
	if t == ir.F64 {
		digits = 53
	}
	unit := math.Ldexp(1, 1-digits)
	scale := math.Ldexp(1, rng.IntN(40)-20)
	a := 1 + float64(rng.IntN(1<<20))*unit
	half := unit / 2
	tiny := math.Ldexp(1, -rng.IntN(30)-2*digits/2-6)
	// (half+-tiny) as a product of two floats: half*(1+-2^-k).
	f := 1 + float64(rng.IntN(3)-1)*math.Max(tiny, unit)
	return asBits(half*scale, t), asBits(f, t), asBits(a*scale, t)
}

func floatSpecials(ev evaluator) error {
	inf, neg0 := math.Inf(1), math.Copysign(0, -1)
	nan := math.NaN()
	for _, c := range []struct {
		op   ir.Op
		args []float64
		want float64
	}{
		{ir.OpAdd, []float64{inf, -inf}, nan},
		{ir.OpAdd, []float64{inf, 1}, inf},
		{ir.OpAdd, []float64{neg0, neg0}, neg0},
		{ir.OpAdd, []float64{neg0, 0}, 0},
		{ir.OpAdd, []float64{1, -1}, 0},
		{ir.OpAdd, []float64{nan, 1}, nan},
		{ir.OpSub, []float64{inf, inf}, nan},
		{ir.OpSub, []float64{neg0, 0}, neg0},
		{ir.OpSub, []float64{0, 0}, 0},
		{ir.OpMul, []float64{inf, 0}, nan},
		{ir.OpMul, []float64{-inf, 2}, -inf},
		{ir.OpMul, []float64{neg0, 3}, neg0},
		{ir.OpMul, []float64{neg0, -3}, 0},
		{ir.OpDiv, []float64{0, 0}, nan},
		{ir.OpDiv, []float64{1, 0}, inf},
		{ir.OpDiv, []float64{1, neg0}, -inf},
		{ir.OpDiv, []float64{inf, inf}, nan},
		{ir.OpDiv, []float64{-1, inf}, neg0},
		{ir.OpNeg, []float64{0}, neg0},
		{ir.OpNeg, []float64{neg0}, 0},
		{ir.OpNeg, []float64{inf}, -inf},
		{ir.OpNeg, []float64{2.5}, -2.5},
		{ir.OpSqrt, []float64{neg0}, neg0},
		{ir.OpSqrt, []float64{0}, 0},
		{ir.OpSqrt, []float64{-1}, nan},
		{ir.OpSqrt, []float64{inf}, inf},
		{ir.OpSqrt, []float64{nan}, nan},
		{ir.OpFMA, []float64{inf, 0, 1}, nan},
		{ir.OpFMA, []float64{inf, 1, -inf}, nan},
		{ir.OpFMA, []float64{1, 1, -inf}, -inf},
		{ir.OpFMA, []float64{2, 3, -6}, 0},
		{ir.OpFMA, []float64{neg0, 3, neg0}, neg0},
		{ir.OpFMA, []float64{neg0, 3, 0}, 0},
		{ir.OpFMA, []float64{1, 2, nan}, nan},
		{ir.OpAbs, []float64{neg0}, 0},
		{ir.OpAbs, []float64{-inf}, inf},
		{ir.OpAbs, []float64{-1.5}, 1.5},
		{ir.OpAbs, []float64{3}, 3},
		{ir.OpCopysign, []float64{3, -1}, -3},
		{ir.OpCopysign, []float64{-3, 0}, 3},
		{ir.OpCopysign, []float64{0, -inf}, neg0},
		{ir.OpCopysign, []float64{inf, neg0}, -inf},
	} {
		if err := checkFloats(ev, c.op, c.args, c.want); err != nil {
			return err
		}
	}
	return nil
}

// checkFloats evaluates in both float types; a NaN comes out as the canonical one.
func checkFloats(ev evaluator, op ir.Op, args []float64, want float64) error {
	for _, t := range []ir.Type{ir.F32, ir.F64} {
		var bits []uint64
		for _, a := range args {
			bits = append(bits, asBits(a, t))
		}
		w := asBits(want, t)
		if math.IsNaN(want) {
			w = nan(t)
		}
		if err := agree(ev(op, t, 0, bits...), w, op, t, 0, bits...); err != nil {
			return err
		}
	}
	return nil
}

// minMaxTables: the special cases that the documentation of math.Min and math.Max lists, in its order.
func minMaxTables(ev evaluator) error {
	inf, neg0, nan := math.Inf(1), math.Copysign(0, -1), math.NaN()
	for _, c := range []struct{ x, y, min, max float64 }{
		{-inf, 3, -inf, 3},
		{inf, 3, 3, inf},
		{-inf, nan, -inf, nan},
		{inf, nan, nan, inf},
		{3, nan, nan, nan},
		{neg0, 0, neg0, 0},
		{neg0, neg0, neg0, neg0},
		{0, 0, 0, 0},
		{-inf, inf, -inf, inf},
		{1, 2, 1, 2},
		{-1, -2, -2, -1},
		{neg0, 1, neg0, 1},
	} {
		for _, args := range [][]float64{{c.x, c.y}, {c.y, c.x}} {
			if err := checkFloats(ev, ir.OpMin, args, c.min); err != nil {
				return err
			}
			if err := checkFloats(ev, ir.OpMax, args, c.max); err != nil {
				return err
			}
		}
	}
	return nil
}

// roundings: the columns are floor, ceil, trunc, roundeven; negative arguments follow by symmetry.
func roundings(ev evaluator) error {
	inf := math.Inf(1)
	for _, c := range []struct{ x, floor, ceil, trunc, even float64 }{
		{0, 0, 0, 0, 0},
		{math.SmallestNonzeroFloat32, 0, 1, 0, 0},
		{0.25, 0, 1, 0, 0},
		{0.5, 0, 1, 0, 0},
		{0.75, 0, 1, 0, 1},
		{1, 1, 1, 1, 1},
		{1.5, 1, 2, 1, 2},
		{2.5, 2, 3, 2, 2},
		{3.5, 3, 4, 3, 4},
		{1<<22 + 0.5, 1 << 22, 1<<22 + 1, 1 << 22, 1 << 22},
		{1<<22 + 1.5, 1<<22 + 1, 1<<22 + 2, 1<<22 + 1, 1<<22 + 2},
		{1 << 24, 1 << 24, 1 << 24, 1 << 24, 1 << 24},
		{1 << 60, 1 << 60, 1 << 60, 1 << 60, 1 << 60},
		{0x1p100, 0x1p100, 0x1p100, 0x1p100, 0x1p100},
		{inf, inf, inf, inf, inf},
		{math.NaN(), math.NaN(), math.NaN(), math.NaN(), math.NaN()},
	} {
		for _, x := range []struct {
			op      ir.Op
			x, want float64
		}{
			{ir.OpFloor, c.x, c.floor},
			{ir.OpFloor, -c.x, -c.ceil},
			{ir.OpCeil, c.x, c.ceil},
			{ir.OpCeil, -c.x, -c.floor},
			{ir.OpTrunc, c.x, c.trunc},
			{ir.OpTrunc, -c.x, -c.trunc},
			{ir.OpRoundEven, c.x, c.even},
			{ir.OpRoundEven, -c.x, -c.even},
		} {
			if err := checkFloats(ev, x.op, []float64{x.x}, x.want); err != nil {
				return err
			}
		}
	}
	for _, c := range []struct{ x, want float64 }{ // float64 only
		{0.49999999999999994, 0},
		{1<<51 + 0.5, 1 << 51},
		{1<<51 + 1.5, 1<<51 + 2},
		{1<<52 + 1, 1<<52 + 1},
	} {
		if err := agree(ev(ir.OpRoundEven, ir.F64, 0, math.Float64bits(c.x)), math.Float64bits(c.want), ir.OpRoundEven, ir.F64, 0, math.Float64bits(c.x)); err != nil {
			return err
		}
	}
	return nil
}

// canonicalNaN: NaNs of every kind, quiet and signalling, of both signs.
func canonicalNaN(ev evaluator) error {
	for _, c := range []struct {
		f, u ir.Type
		nans []uint64
		sign uint64
	}{
		{ir.F64, ir.U64, []uint64{ir.NaN64, ir.NaN64 | 1, 0x7FF0000000000001, 0xFFF8000000000000, 0xFFFFFFFFFFFFFFFF, 0xFFF0000000000001}, 1 << 63},
		{ir.F32, ir.U32, []uint64{uint64(ir.NaN32), 0x7FC00001, 0x7F800001, 0xFFC00000, 0xFFFFFFFF, 0xFF800001}, 1 << 31},
	} {
		canon := nan(c.f)
		one := asBits(1, c.f)
		for _, x := range c.nans {
			for _, check := range []struct {
				op   ir.Op
				t    ir.Type
				from ir.Type
				args []uint64
				want uint64
			}{
				{ir.OpBits, c.u, c.f, []uint64{x}, canon},
				{ir.OpAbs, c.f, 0, []uint64{x}, canon},
				{ir.OpCopysign, c.f, 0, []uint64{one | c.sign, x}, one}, // a NaN y is positive
				{ir.OpFromBits, c.f, c.u, []uint64{x}, canon},           // what Eval gives is canonical
			} {
				if err := agree(ev(check.op, check.t, check.from, check.args...), check.want, check.op, check.t, check.from, check.args...); err != nil {
					return err
				}
			}
		}
		for _, x := range []uint64{0, c.sign, one, one | c.sign, 1, asBits(math.Inf(1), c.f)} {
			if err := agree(ev(ir.OpBits, c.u, c.f, x), x, ir.OpBits, c.u, c.f, x); err != nil {
				return err
			}
			if err := agree(ev(ir.OpFromBits, c.f, c.u, x), x, ir.OpFromBits, c.f, c.u, x); err != nil {
				return err
			}
		}
	}
	return nil
}

// conversions: every pair of number types, through exact numbers.
func conversions(ev evaluator) error {
	rng := rand.New(rand.NewPCG(9, 10))
	all := append([]ir.Type{ir.F32, ir.F64}, integerTypes...)
	for _, from := range all {
		var list []uint64
		if from.Float() {
			list = floatBits(from, rng)
			for _, edge := range []float64{1 << 31, 1<<31 - 1, 1 << 32, 1<<32 - 1, 1 << 63, 1 << 64, 1<<31 - 0.5, 1<<32 - 0.5, 0.9999, 123456.75} {
				for _, f := range []float64{edge, math.Nextafter(edge, 0), math.Nextafter(edge, math.Inf(1))} {
					list = append(list, asBits(f, from), asBits(-f, from))
				}
			}
		} else {
			list = integers(from, rng)
			for _, x := range []uint64{1<<24 + 1, 1<<24 + 3, 1<<53 + 1, 1<<53 + 3, 1<<63 + 1<<10, 1<<63 + 1<<10 + 1, 1<<63 + 1<<39, 1<<63 + 1<<39 + 1, 1<<62 + 1<<38 + 1} {
				list = append(list, x&(^uint64(0)>>(64-width(from))))
			}
		}
		for _, to := range all {
			for _, x := range list {
				if err := agree(ev(ir.OpConvert, to, from, x), converted(x, from, to), ir.OpConvert, to, from, x); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func converted(x uint64, from, to ir.Type) uint64 {
	switch {
	case from.Float() && to.Float():
		if isNaN(x, from) {
			return nan(to)
		}
		return rounded(rational(x, from), to)
	case to.Float():
		if exact(x, from).Sign() == 0 {
			return 0
		}
		return rounded(new(big.Float).SetPrec(64).SetInt(exact(x, from)), to)
	case !from.Float():
		return wrapped(exact(x, from), to)
	}
	if isNaN(x, from) {
		return 0
	}
	least, most := new(big.Int), new(big.Int)
	one := big.NewInt(1)
	if to.Signed() {
		most.Sub(new(big.Int).Lsh(one, width(to)-1), one)
		least.Not(most)
	} else {
		most.Sub(new(big.Int).Lsh(one, width(to)), one)
	}
	f := rational(x, from)
	if f.IsInf() {
		if f.Sign() > 0 {
			return wrapped(most, to)
		}
		return wrapped(least, to)
	}
	i, _ := f.Int(nil) // truncates
	switch {
	case i.Cmp(most) > 0:
		i = most
	case i.Cmp(least) < 0:
		i = least
	}
	return wrapped(i, to)
}
