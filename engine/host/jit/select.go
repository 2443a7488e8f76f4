package jit

import "github.com/eaglet-workbench/eaglet/kernels/ir"

// Operations without effects: which instructions each becomes. What a NaN's sign and payload are is left
// open, as the interpreter shows neither: stores, Bits, Abs and Copysign see the one canonical NaN.

// Predicates of comparisons of floats, without signalling.
const (
	floatEqual        = 0x00
	floatUnordered    = 0x03
	floatNotEqual     = 0x04 // or unordered
	floatOrdered      = 0x07
	floatLess         = 0x11
	floatLessEqual    = 0x12
	floatGreaterEqual = 0x1D
	floatGreater      = 0x1E
)

// Roundings, without the inexact exception.
const (
	roundEven  = 0x08
	roundFloor = 0x09
	roundCeil  = 0x0A
	roundTrunc = 0x0B
)

// pick is the instruction for elements of t's size.
func pick(t ir.Type, wide, narrow op) op { return bySize(size(t), wide, narrow) }

func bySize(size uint8, wide, narrow op) op {
	if size == 8 {
		return wide
	}
	return narrow
}

func size(t ir.Type) uint8 { return uint8(t.Bytes()) }

// Emitters: a new value of two or one others.

func (l *lowering) logic(o op, a, b value) value { return l.isa.logic(l, o, a, b) }

func (l *lowering) vector3(o op, a, b value) value {
	return l.emit(inst{op: o, dst: l.newVector(l.isa.insns[o].size), a: a, b: b})
}

func (l *lowering) vectorImm(o op, a, b value, imm uint8) value {
	return l.emit(inst{op: o, dst: l.newVector(l.isa.insns[o].size), a: a, b: b, imm: imm})
}

// unary is a vector of elements of the given size, of b.
func (l *lowering) unary(o op, size uint8, b value) value {
	return l.emit(inst{op: o, dst: l.newVector(size), b: b})
}

func (l *lowering) merge(size uint8, x, y, on value) value { return l.isa.merge(l, size, x, y, on) }

// choose is c ? x : y.
func (l *lowering) choose(t ir.Type, c, x, y value) value {
	switch {
	case x == y:
		return x
	case t == ir.Bool:
		return l.isa.chooseMask(l, c, x, y)
	}
	return l.merge(size(t), y, x, c)
}

// fresh is x, as a value that no variable changes: an operation that changes nothing needs it.
func (l *lowering) fresh(x value) value {
	if l.infos[x].variable {
		return l.copyOf(x)
	}
	return x
}

// floatConst is a float of type t.
func (l *lowering) floatConst(t ir.Type, wide uint64, narrow uint32) value {
	if t == ir.F64 {
		return l.constant(8, wide)
	}
	return l.constant(4, uint64(narrow))
}

func (l *lowering) signBit(t ir.Type) value { return l.floatConst(t, 1<<63, 1<<31) }
func (l *lowering) restBits(t ir.Type) value {
	return l.floatConst(t, 1<<63-1, 1<<31-1)
}

// pure emits an operation without effects and gives its result.
func (l *lowering) pure(in *ir.Instr) value {
	t := in.Type
	arg := func(i int) value { return l.env[in.Args[i]] }
	two := func(wide, narrow op) value { return l.vector3(pick(t, wide, narrow), arg(0), arg(1)) }
	switch in.Op {
	case ir.OpConst:
		return l.constant(size(t), in.Imm)
	case ir.OpAdd:
		if t.Float() {
			return two(vaddpd, vaddps)
		}
		return two(vpaddq, vpaddd)
	case ir.OpSub:
		if t.Float() {
			return two(vsubpd, vsubps)
		}
		return two(vpsubq, vpsubd)
	case ir.OpMul:
		switch {
		case t.Float():
			return two(vmulpd, vmulps)
		case t.Bytes() == 4:
			return l.vector3(vpmulld, arg(0), arg(1))
		}
		return l.isa.multiply64(l, arg(0), arg(1))
	case ir.OpDiv, ir.OpRem:
		return l.divide(in.Op, t, arg(0), arg(1))
	case ir.OpNeg:
		if t.Float() {
			return l.vector3(pick(t, vpxorq, vpxord), arg(0), l.signBit(t))
		}
		return l.vector3(pick(t, vpsubq, vpsubd), l.constant(size(t), 0), arg(0))
	case ir.OpAnd, ir.OpOr, ir.OpXor:
		i := in.Op - ir.OpAnd
		if t == ir.Bool {
			return l.logic([...]op{kandb, korb, kxorb}[i], arg(0), arg(1))
		}
		return two([...]op{vpandq, vporq, vpxorq}[i], [...]op{vpandd, vpord, vpxord}[i])
	case ir.OpNot:
		if t == ir.Bool {
			return l.isa.not(l, arg(0))
		}
		return l.vector3(pick(t, vpxorq, vpxord), arg(0), l.constant(size(t), t.Mask()))
	case ir.OpShl, ir.OpShr:
		return l.isa.shift(l, t, in.Op == ir.OpShl, arg(0), arg(1))
	case ir.OpSqrt:
		return l.unary(pick(t, vsqrtpd, vsqrtps), size(t), arg(0))
	case ir.OpFMA:
		r := l.variable(t)
		l.assign(r, arg(0), 0)
		return l.emit(inst{op: pick(t, vfmadd213pd, vfmadd213ps), dst: r, a: arg(1), b: arg(2)})
	case ir.OpAbs:
		return l.vector3(pick(t, vpandq, vpandd), arg(0), l.restBits(t))
	case ir.OpFloor, ir.OpCeil, ir.OpTrunc, ir.OpRoundEven:
		mode := [...]uint8{roundFloor, roundCeil, roundTrunc, roundEven}[in.Op-ir.OpFloor]
		return l.vectorImm(pick(t, vrndscalepd, vrndscaleps), 0, arg(0), mode)
	case ir.OpCopysign:
		rest := l.vector3(pick(t, vpandq, vpandd), arg(0), l.restBits(t))
		return l.vector3(pick(t, vporq, vpord), rest, l.isa.sign(l, t, arg(1)))
	case ir.OpMin, ir.OpMax:
		return l.extreme(in.Op, t, arg(0), arg(1))
	case ir.OpEq, ir.OpNe, ir.OpLt, ir.OpLe, ir.OpGt, ir.OpGe:
		return l.comparison(in.Op, t, arg(0), arg(1))
	case ir.OpSelect:
		return l.fresh(l.choose(t, arg(0), arg(1), arg(2)))
	case ir.OpConvert:
		return l.convert(t, in.From, arg(0))
	case ir.OpBits:
		x := arg(0)
		nan := l.isa.floats(l, in.From, x, x, floatUnordered)
		return l.merge(size(t), x, l.floatConst(in.From, ir.NaN64, ir.NaN32), nan)
	case ir.OpFromBits:
		return l.fresh(arg(0))
	case ir.OpTable:
		cells := len(l.k.Tables[in.Imm].Bits)
		index := l.inside(arg(0), l.constant(8, uint64(max(cells, 1))))
		return l.read(t, index, l.addressOf(scalarTable, int(in.Imm)), 0)
	case ir.OpLookup:
		return l.planeLookup(in, arg(0))
	case ir.OpLen:
		return l.length(int(in.Imm))
	}
	return l.fail("operation %v", in.Op)
}

// divide is the quotient or the rest.
func (l *lowering) divide(o ir.Op, t ir.Type, x, y value) value {
	switch {
	case t.Float():
		return l.vector3(pick(t, vdivpd, vdivps), x, y)
	case t.Bytes() == 4:
		return l.isa.divide32(l, o == ir.OpRem, t, x, y)
	}
	var how uint8
	if t.Signed() {
		how |= divideSigned
	}
	if o == ir.OpRem {
		how |= divideRest
	}
	return l.emit(inst{op: opDivide, dst: l.newVector(8), a: x, b: y, imm: how})
}

// extreme is the minimum or maximum; of floats as Go's math.Min and math.Max: the infinity that decides
// wins over a NaN, a NaN over the rest, and -0 is less than 0.
func (l *lowering) extreme(o ir.Op, t ir.Type, x, y value) value {
	if t.Float() && l.plain(t, x) {
		x, y = y, x
	}
	if t.Float() && l.plain(t, y) { // the instruction gives its second operand where one is a NaN
		if o == ir.OpMin {
			return l.vector3(pick(t, vminpd, vminps), y, x)
		}
		return l.vector3(pick(t, vmaxpd, vmaxps), y, x)
	}
	return l.isa.extreme(l, o == ir.OpMin, t, x, y)
}

// plain says whether x is known to be a finite number other than zero.
func (l *lowering) plain(t ir.Type, x value) bool {
	bits, ok := l.known[x]
	if !ok {
		return false
	}
	if t == ir.F32 {
		return bits<<33 != 0 && bits&(1<<31-1) < 0x7F800000
	}
	return bits<<1 != 0 && bits&(1<<63-1) < 0x7FF<<52
}

func (l *lowering) comparison(o ir.Op, t ir.Type, x, y value) value {
	switch {
	case t == ir.Bool && o == ir.OpEq:
		return l.logic(kxnorb, x, y)
	case t == ir.Bool:
		return l.logic(kxorb, x, y)
	case t.Float():
		p := [...]uint8{floatEqual, floatNotEqual, floatLess, floatLessEqual, floatGreater, floatGreaterEqual}[o-ir.OpEq]
		return l.isa.floats(l, t, x, y, p)
	}
	return l.isa.integers(l, o, t, x, y)
}

// convert is x of type from as t.
func (l *lowering) convert(t, from ir.Type, x value) value {
	if t == from || t.Integer() && from.Integer() && size(t) == size(from) {
		return l.fresh(x)
	}
	return l.isa.convert(l, t, from, x)
}

// inside is the index where it is a cell of n, elsewhere 0.
func (l *lowering) inside(x, n value) value {
	return l.isa.keep(l, 8, x, l.isa.integers(l, ir.OpLt, ir.U64, x, n))
}

// read reads elements of the memory whose address the frame holds at base, in the lanes of on (0: all);
// elsewhere they are 0.
func (l *lowering) read(t ir.Type, index value, base int32, on value) value {
	if on == 0 {
		on = l.constMask(true)
	}
	r := l.isa.gather(l, max(size(t), 4), index, base, 0, on)
	if t == ir.Bool {
		return l.isa.fromCell(l, r)
	}
	return r
}

func (l *lowering) length(plane int) value {
	return l.scalarValue(l.addScalar(scalar{kind: scalarLen, plane: plane, typ: ir.I64}))
}

// planeLookup reads a plane that no step writes.
func (l *lowering) planeLookup(in *ir.Instr, x value) value {
	p, t := &l.k.Planes[in.Imm], in.Type
	base := l.addressOf(scalarAddress, int(in.Imm))
	var index, on value
	switch p.Role {
	case ir.RoleTable:
		cells := l.length(int(in.Imm))
		index, on = l.inside(x, cells), l.isa.nonZero(l, 8, cells)
	case ir.RoleParam:
		index = l.inside(x, l.constant(8, uint64(p.Width())))
	default:
		g := &l.groups[l.group]
		if g.sample == 0 {
			g.sample = l.frame.vector(1)
		}
		row := l.inside(x, l.constant(8, uint64(p.Width())))
		n := l.scalarValue(l.addScalar(scalar{kind: scalarSamples, typ: ir.U64}))
		index = l.vector3(vpaddq, l.isa.multiply64(l, row, n), l.at(ir.I64, g.sample, false))
	}
	if t == ir.Bool { // bytes; an empty plane has one, which is 0
		bytes := l.emit(inst{op: opBytes, dst: l.newVector(8), b: index, base: base})
		return l.isa.nonZero(l, 8, bytes)
	}
	return l.read(t, index, base, on)
}
