package passes

import (
	"math"
	"math/bits"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// rule rewrites one pure operation. It returns the value that in always equals, or rewrites in to a
// simpler operation and says so. Every rule keeps the bits for every input: NaN, infinities, -0 and
// subnormals too; all NaNs are one value.
type rule func(f *folder, in *ir.Instr) (same ir.Value, changed bool)

// rules by operation; those without an entry have no rewrites. It is filled in init because the rules
// name it by way of the folder.
var rules [ir.NumOps]rule

func init() {
	rules = [ir.NumOps]rule{
		ir.OpAdd: foldAdd, ir.OpSub: foldSub, ir.OpMul: foldMul, ir.OpDiv: foldDiv, ir.OpRem: foldRem,
		ir.OpNeg: foldNeg, ir.OpAnd: foldAnd, ir.OpOr: foldOr, ir.OpXor: foldXor, ir.OpNot: foldNot,
		ir.OpShl: foldShift, ir.OpShr: foldShift, ir.OpFMA: foldFMA, ir.OpAbs: foldAbs,
		ir.OpMin: foldMinMax, ir.OpMax: foldMinMax,
		ir.OpEq: foldCompare, ir.OpNe: foldCompare, ir.OpLt: foldCompare,
		ir.OpLe: foldCompare, ir.OpGt: foldCompare, ir.OpGe: foldCompare,
		ir.OpSelect: foldSelect, ir.OpConvert: foldConvert, ir.OpFromBits: foldFromBits,
	}
}

// number is the bits of the small number x in type t; -0 is itself in floats and 0 in integers.
func numberBits(t ir.Type, x float64) uint64 {
	switch t {
	case ir.F32:
		return uint64(math.Float32bits(float32(x)))
	case ir.F64:
		return math.Float64bits(x)
	}
	return uint64(int64(x)) & t.Mask()
}

// isNumber says whether x is the constant number want of type t, bit for bit.
func (f *folder) isNumber(x ir.Value, t ir.Type, want float64) bool {
	c, ok := f.constant(x)
	return ok && c == numberBits(t, want)
}

// isOnes says whether x is the constant of all bits of t: -1, the largest unsigned, true.
func (f *folder) isOnes(x ir.Value, t ir.Type) bool {
	c, ok := f.constant(x)
	return ok && c == t.Mask()
}

func (f *folder) isZero(x ir.Value) bool {
	c, ok := f.constant(x)
	return ok && c == 0
}

// argOf is the argument of x when x is op of one argument, 0 otherwise.
func (f *folder) argOf(op ir.Op, x ir.Value) ir.Value {
	if d := f.def[x]; d != nil && d.Op == op {
		return d.Args[0]
	}
	return 0
}

// rewrite makes in the operation op on args, of the type it has.
func rewrite(in *ir.Instr, op ir.Op, args ...ir.Value) (ir.Value, bool) {
	in.Op, in.Args = op, args
	return 0, true
}

// negativeZero is the neutral element of float addition: x + -0 is x for -0 and +0 both, x + 0 is not.
var negativeZero = math.Copysign(0, -1)

func foldAdd(f *folder, in *ir.Instr) (ir.Value, bool) {
	x, y, t := in.Args[0], in.Args[1], in.Type
	switch {
	case f.isNumber(y, t, negativeZero):
		return x, false
	case f.isNumber(x, t, negativeZero):
		return y, false
	}
	if n := f.argOf(ir.OpNeg, y); n != 0 {
		return rewrite(in, ir.OpSub, x, n)
	}
	if n := f.argOf(ir.OpNeg, x); n != 0 {
		return rewrite(in, ir.OpSub, y, n)
	}
	return 0, false
}

func foldSub(f *folder, in *ir.Instr) (ir.Value, bool) {
	x, y, t := in.Args[0], in.Args[1], in.Type
	switch {
	case f.isZero(y): // +0 for floats: x - 0 is x for -0 too
		return x, false
	case t.Integer() && x == y:
		f.become(in, t, 0)
		return 0, true
	case f.isNumber(x, t, negativeZero):
		return rewrite(in, ir.OpNeg, y)
	}
	if n := f.argOf(ir.OpNeg, y); n != 0 {
		return rewrite(in, ir.OpAdd, x, n)
	}
	return 0, false
}

func foldMul(f *folder, in *ir.Instr) (ir.Value, bool) {
	x, y, t := in.Args[0], in.Args[1], in.Type
	switch {
	case f.isNumber(y, t, 1):
		return x, false
	case f.isNumber(x, t, 1):
		return y, false
	case f.isNumber(y, t, -1):
		return rewrite(in, ir.OpNeg, x)
	case f.isNumber(x, t, -1):
		return rewrite(in, ir.OpNeg, y)
	case t.Integer() && f.isZero(x):
		return x, false
	case t.Integer() && f.isZero(y):
		return y, false
	}
	return 0, false
}

func foldDiv(f *folder, in *ir.Instr) (ir.Value, bool) {
	x, y, t := in.Args[0], in.Args[1], in.Type
	switch {
	case f.isNumber(y, t, 1):
		return x, false
	case (t.Float() || t.Signed()) && f.isNumber(y, t, -1):
		return rewrite(in, ir.OpNeg, x)
	case t.Integer() && f.isZero(y): // x/0 is 0
		return y, false
	case t.Integer() && f.isZero(x):
		return x, false
	}
	if c, ok := f.constant(y); ok && t.Float() {
		if r, exact := reciprocal(t, c); exact {
			return rewrite(in, ir.OpMul, x, f.emit(in, t, r))
		}
	}
	return 0, false
}

// reciprocal is 1/c of the float constant c, when c is a power of two and 1/c is normal: then x/c and
// x*(1/c) round the same real number.
func reciprocal(t ir.Type, c uint64) (uint64, bool) {
	v := math.Float64frombits(c)
	if t == ir.F32 {
		v = float64(math.Float32frombits(uint32(c)))
	}
	if frac, _ := math.Frexp(v); math.Abs(frac) != 0.5 {
		return 0, false
	}
	r := 1 / v // exact: f32 powers of two and their reciprocals are normal in float64
	if t == ir.F32 {
		b := math.Float32bits(float32(r))
		exponent := b >> 23 & 0xFF
		return uint64(b), exponent != 0 && exponent != 0xFF
	}
	b := math.Float64bits(r)
	exponent := b >> 52 & 0x7FF
	return b, exponent != 0 && exponent != 0x7FF
}

func foldRem(f *folder, in *ir.Instr) (ir.Value, bool) {
	x, y, t := in.Args[0], in.Args[1], in.Type
	switch {
	case f.isZero(y), f.isNumber(y, t, 1), t.Signed() && f.isNumber(y, t, -1), x == y:
		f.become(in, t, 0)
		return 0, true
	case f.isZero(x):
		return x, false
	}
	return 0, false
}

func foldNeg(f *folder, in *ir.Instr) (ir.Value, bool) {
	return f.argOf(ir.OpNeg, in.Args[0]), false
}

func foldAnd(f *folder, in *ir.Instr) (ir.Value, bool) {
	x, y, t := in.Args[0], in.Args[1], in.Type
	switch {
	case x == y, f.isOnes(y, t), f.isZero(x):
		return x, false
	case f.isOnes(x, t), f.isZero(y):
		return y, false
	}
	return 0, false
}

func foldOr(f *folder, in *ir.Instr) (ir.Value, bool) {
	x, y, t := in.Args[0], in.Args[1], in.Type
	switch {
	case x == y, f.isZero(y), f.isOnes(x, t):
		return x, false
	case f.isZero(x), f.isOnes(y, t):
		return y, false
	}
	return 0, false
}

func foldXor(f *folder, in *ir.Instr) (ir.Value, bool) {
	x, y, t := in.Args[0], in.Args[1], in.Type
	switch {
	case x == y:
		f.become(in, t, 0)
		return 0, true
	case f.isZero(y):
		return x, false
	case f.isZero(x):
		return y, false
	case f.isOnes(y, t):
		return rewrite(in, ir.OpNot, x)
	case f.isOnes(x, t):
		return rewrite(in, ir.OpNot, y)
	}
	return 0, false
}

// opposite is the comparison that is true exactly when op is not, on types without NaN; for floats only
// == and != are opposites.
var opposite = map[ir.Op]ir.Op{
	ir.OpEq: ir.OpNe, ir.OpNe: ir.OpEq, ir.OpLt: ir.OpGe, ir.OpGe: ir.OpLt, ir.OpGt: ir.OpLe, ir.OpLe: ir.OpGt,
}

func foldNot(f *folder, in *ir.Instr) (ir.Value, bool) {
	x := in.Args[0]
	if n := f.argOf(ir.OpNot, x); n != 0 {
		return n, false
	}
	d := f.def[x]
	if d == nil || !d.Op.Compare() || d.Type.Float() && d.Op != ir.OpEq && d.Op != ir.OpNe {
		return 0, false
	}
	in.Type = d.Type
	return rewrite(in, opposite[d.Op], d.Args[0], d.Args[1])
}

func foldShift(f *folder, in *ir.Instr) (ir.Value, bool) {
	x, t := in.Args[0], in.Type
	if f.isZero(x) {
		return x, false
	}
	n, ok := f.constant(in.Args[1])
	switch {
	case ok && n == 0:
		return x, false
	case ok && n >= uint64(bits.Len64(t.Mask())) && (in.Op == ir.OpShl || !t.Signed()):
		f.become(in, t, 0)
		return 0, true
	}
	return 0, false
}

func foldFMA(f *folder, in *ir.Instr) (ir.Value, bool) {
	x, y, z, t := in.Args[0], in.Args[1], in.Args[2], in.Type
	switch {
	case f.isNumber(y, t, 1): // x*1 is exact, so the sum is rounded once either way
		return rewrite(in, ir.OpAdd, x, z)
	case f.isNumber(x, t, 1):
		return rewrite(in, ir.OpAdd, y, z)
	}
	return 0, false
}

func foldAbs(f *folder, in *ir.Instr) (ir.Value, bool) {
	x := in.Args[0]
	if f.argOf(ir.OpAbs, x) != 0 {
		return x, false
	}
	if n := f.argOf(ir.OpNeg, x); n != 0 {
		return rewrite(in, ir.OpAbs, n)
	}
	return 0, false
}

func foldMinMax(_ *folder, in *ir.Instr) (ir.Value, bool) {
	if in.Args[0] == in.Args[1] {
		return in.Args[0], false
	}
	return 0, false
}

func foldCompare(f *folder, in *ir.Instr) (ir.Value, bool) {
	x, y := in.Args[0], in.Args[1]
	if in.Type == ir.Bool {
		return f.foldBoolCompare(in)
	}
	if x != y {
		return 0, false
	}
	switch in.Op {
	case ir.OpLt, ir.OpGt: // false for a NaN too
		f.become(in, ir.Bool, 0)
		return 0, true
	case ir.OpNe:
		if in.Type.Integer() {
			f.become(in, ir.Bool, 0)
			return 0, true
		}
	default:
		if in.Type.Integer() {
			f.become(in, ir.Bool, 1)
			return 0, true
		}
	}
	return 0, false
}

// foldBoolCompare folds == and != of bools: x == true is x, x == false is !x.
func (f *folder) foldBoolCompare(in *ir.Instr) (ir.Value, bool) {
	x, y := in.Args[0], in.Args[1]
	if x == y {
		f.become(in, ir.Bool, numberBits(ir.Bool, b2f(in.Op == ir.OpEq)))
		return 0, true
	}
	if _, ok := f.constant(x); ok {
		x, y = y, x
	}
	c, ok := f.constant(y)
	switch {
	case !ok:
		return 0, false
	case (c == 1) == (in.Op == ir.OpEq):
		return x, false
	}
	return rewrite(in, ir.OpNot, x)
}

func b2f(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func foldSelect(f *folder, in *ir.Instr) (ir.Value, bool) {
	c, x, y, t := in.Args[0], in.Args[1], in.Args[2], in.Type
	if value, ok := f.known(c); ok {
		if value {
			return x, false
		}
		return y, false
	}
	if x == y {
		return x, false
	}
	if n := f.argOf(ir.OpNot, c); n != 0 {
		return rewrite(in, ir.OpSelect, n, y, x)
	}
	if t != ir.Bool {
		return 0, false
	}
	switch {
	case f.isOnes(x, t) && f.isZero(y):
		return c, false
	case f.isZero(x) && f.isOnes(y, t):
		return rewrite(in, ir.OpNot, c)
	case f.isZero(y):
		return rewrite(in, ir.OpAnd, c, x)
	case f.isOnes(x, t):
		return rewrite(in, ir.OpOr, c, y)
	}
	return 0, false
}

// foldConvert drops a conversion to the same type, and the way there and back through a type that holds
// every value of the first.
func foldConvert(f *folder, in *ir.Instr) (ir.Value, bool) {
	if in.Type == in.From {
		return in.Args[0], false
	}
	if d := f.def[in.Args[0]]; d != nil && d.Op == ir.OpConvert && d.From == in.Type && holds(d.Type, d.From) {
		return d.Args[0], false
	}
	return 0, false
}

// holds says whether converting from small to big and back gives the value again.
func holds(big, small ir.Type) bool {
	switch {
	case small == ir.F32:
		return big == ir.F64
	case small.Integer() && small.Bytes() == 4:
		return big == ir.F64 || big.Integer()
	case small.Integer():
		return big.Integer() && big.Bytes() == 8
	}
	return false
}

// foldFromBits: the bits of a float made into a float again; only a NaN's payload is lost.
func foldFromBits(f *folder, in *ir.Instr) (ir.Value, bool) {
	return f.argOf(ir.OpBits, in.Args[0]), false
}
