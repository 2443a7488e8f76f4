package emu

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// scalar is what an instruction without memory and without other lanes gives for the bits of its arguments.
type scalar func(x []uint64) uint64

// types that suffixes name, as those of the IR; bits are unsigned.
var irType = map[string]ir.Type{
	"pred": ir.Bool, "s32": ir.I32, "u32": ir.U32, "b32": ir.U32, "s64": ir.I64, "u64": ir.U64, "b64": ir.U64,
	"f32": ir.F32, "f64": ir.F64,
}

// form is how an operation's suffixes and operands look.
type form struct {
	suffixes []string // between the name and the type; "" for none, several are choices
	types    string   // that it takes, by spaces
	operands string   // of the operands: t the type, others as they are
	meaning  func(in *instr, t string) scalar
}

// eval is the interpreter's meaning of an operation; both sides round alike, and where a device differs from
// it eaglet emits something else.
func eval(op ir.Op) func(*instr, string) scalar {
	return func(_ *instr, t string) scalar {
		typ := irType[t]
		return func(x []uint64) uint64 { return anyNaN(typ, interp.Eval(op, typ, 0, x...)) }
	}
}

// anyNaN is x, but another NaN than the canonical one where it is one: a device's may be any.
func anyNaN(t ir.Type, x uint64) uint64 {
	if f := toFloat(t, x); t.Float() && f != f {
		return nan(t)
	}
	return x
}

const (
	ints   = "s32 u32 s64 u64"
	floats = "f32 f64"
	raw    = "b32 b64"
)

var forms = map[string][]form{
	"add": {{[]string{""}, ints, "t t t", eval(ir.OpAdd)}, {[]string{"rn"}, floats, "t t t", eval(ir.OpAdd)}},
	"sub": {{[]string{""}, ints, "t t t", eval(ir.OpSub)}, {[]string{"rn"}, floats, "t t t", eval(ir.OpSub)}},
	"mul": {
		{[]string{"lo"}, ints, "t t t", eval(ir.OpMul)},
		{[]string{"rn"}, floats, "t t t", eval(ir.OpMul)},
		{[]string{"wide"}, "u32", "b64 t t", mulWide},
	},
	"mad":      {{[]string{"lo"}, ints, "t t t t", madLow}, {[]string{"wide"}, "u32", "b64 t t b64", madWide}},
	"div":      {{[]string{""}, ints, "t t t", divide(ir.OpDiv)}, {[]string{"rn"}, floats, "t t t", eval(ir.OpDiv)}},
	"rem":      {{[]string{""}, ints, "t t t", divide(ir.OpRem)}},
	"neg":      {{[]string{""}, "s32 s64 f32 f64", "t t", eval(ir.OpNeg)}},
	"abs":      {{[]string{""}, floats, "t t", eval(ir.OpAbs)}},
	"min":      {{[]string{""}, ints, "t t t", eval(ir.OpMin)}, {[]string{""}, floats, "t t t", number(ir.OpMin)}},
	"max":      {{[]string{""}, ints, "t t t", eval(ir.OpMax)}, {[]string{""}, floats, "t t t", number(ir.OpMax)}},
	"and":      {{[]string{""}, "pred b32 b64", "t t t", eval(ir.OpAnd)}},
	"or":       {{[]string{""}, "pred b32 b64", "t t t", eval(ir.OpOr)}},
	"xor":      {{[]string{""}, "pred b32 b64", "t t t", eval(ir.OpXor)}},
	"not":      {{[]string{""}, "pred b32 b64", "t t", eval(ir.OpNot)}},
	"shl":      {{[]string{""}, raw, "t t b32", shift(ir.OpShl)}},
	"shr":      {{[]string{""}, ints, "t t b32", shift(ir.OpShr)}},
	"sqrt":     {{[]string{"rn"}, floats, "t t", eval(ir.OpSqrt)}},
	"fma":      {{[]string{"rn"}, floats, "t t t t", eval(ir.OpFMA)}},
	"copysign": {{[]string{""}, floats, "t t t", copySign}},
	"mov":      {{[]string{""}, "pred b32 b64 u32 u64 f32 f64", "t t", move}},
	"selp":     {{[]string{""}, "b32 b64 u32 f32 f64", "t t t pred", selectOf}},
	"popc":     {{[]string{""}, raw, "b32 t", count(bits.OnesCount64)}},
	"brev": {{[]string{""}, "b32", "t t", func(*instr, string) scalar {
		return func(x []uint64) uint64 { return uint64(bits.Reverse32(uint32(x[0]))) }
	}}},
	"clz": {{[]string{""}, "b32", "b32 t", count(func(x uint64) int { return bits.LeadingZeros32(uint32(x)) })}},
}

// width is the bits of a type.
func width(t string) int {
	switch {
	case t == "pred":
		return 1
	case strings.HasSuffix(t, "8"):
		return 8
	case strings.HasSuffix(t, "16"):
		return 16
	case strings.HasSuffix(t, "32"):
		return 32
	}
	return 64
}

func mulWide(*instr, string) scalar {
	return func(x []uint64) uint64 { return uint64(uint32(x[0])) * uint64(uint32(x[1])) }
}

func madWide(*instr, string) scalar {
	return func(x []uint64) uint64 { return uint64(uint32(x[0]))*uint64(uint32(x[1])) + x[2] }
}

func madLow(_ *instr, t string) scalar {
	w := width(t)
	return func(x []uint64) uint64 { return x[0]*x[1] + x[2]&(1<<w-1) }
}

// divide gives what is not said a value that shows.
func divide(op ir.Op) func(*instr, string) scalar {
	return func(_ *instr, t string) scalar {
		typ := irType[t]
		mask := typ.Mask()
		return func(x []uint64) uint64 {
			least := typ.Signed() && x[0]&mask == mask>>1+1 && x[1]&mask == mask
			if x[1]&mask == 0 || least {
				return 0xBADBADBADBADBAD & mask
			}
			return interp.Eval(op, typ, 0, x...)
		}
	}
}

// number is min or max as a device has it: of a number and a NaN the number, and zeros in either order.
func number(op ir.Op) func(*instr, string) scalar {
	return func(_ *instr, t string) scalar {
		typ := irType[t]
		return func(x []uint64) uint64 {
			a, b := toFloat(typ, x[0]), toFloat(typ, x[1])
			switch {
			case a != a && b != b:
				return nan(typ)
			case a != a:
				return x[1]
			case b != b || a == b:
				return x[0]
			}
			return interp.Eval(op, typ, 0, x...)
		}
	}
}

func toFloat(t ir.Type, x uint64) float64 {
	if t == ir.F32 {
		return float64(math.Float32frombits(uint32(x)))
	}
	return math.Float64frombits(x)
}

// nan is a NaN that is not the canonical one.
func nan(t ir.Type) uint64 {
	if t == ir.F32 {
		return 0xFFFFFFFF
	}
	return 0xFFF8000000000BAD
}

func shift(op ir.Op) func(*instr, string) scalar {
	return func(_ *instr, t string) scalar {
		typ := irType[t]
		return func(x []uint64) uint64 { return interp.Eval(op, typ, 0, x[0], uint64(uint32(x[1]))) }
	}
}

// copySign gives its second argument the sign of the first, NaNs too.
func copySign(_ *instr, t string) scalar {
	sign := uint64(1) << (width(t) - 1)
	return func(x []uint64) uint64 { return x[1]&^sign | x[0]&sign }
}

func move(*instr, string) scalar { return func(x []uint64) uint64 { return x[0] } }

func selectOf(*instr, string) scalar {
	return func(x []uint64) uint64 {
		if x[2] != 0 {
			return x[0]
		}
		return x[1]
	}
}

func count(f func(uint64) int) func(*instr, string) scalar {
	return func(*instr, string) scalar { return func(x []uint64) uint64 { return uint64(f(x[0])) } }
}

// special instructions are run by the warp; the operands of each by its suffix.
var specials = map[string]string{
	"bra": "label", "ret": "", "membar.gl": "", "membar.sys": "", "bar.sync": "const",
	"vote.sync.ballot.b32": "b32 pred mask", "shfl.sync.bfly.b32": "b32 b32 const const mask",
	"shfl.sync.idx.b32": "b32 b32 b32 const mask", "shfl.sync.up.b32": "b32 b32 const const mask",
	"call.uni": "label pair",
}

// resolve finds the meaning and the types of the operands.
func (in *instr) resolve() error {
	if operands, ok := specials[in.op]; ok {
		in.types = strings.Fields(operands)
		return in.counted()
	}
	name, t := in.parts[0], in.parts[len(in.parts)-1]
	middle := strings.Join(in.parts[1:max(1, len(in.parts)-1)], ".")
	switch name {
	case "ld", "st", "red", "atom":
		return in.resolveMemory(name, t, middle)
	case "setp":
		return in.resolveCompare()
	case "cvt":
		return in.resolveConvert()
	case "mov":
		if t == "b64" && (in.args[0].kind == pair || in.args[1].kind == pair) {
			in.types = []string{"b64", "b64"}
			return in.counted()
		}
	}
	for _, f := range forms[name] {
		if !slices.Contains(f.suffixes, middle) || !slices.Contains(strings.Fields(f.types), t) {
			continue
		}
		for _, o := range strings.Fields(f.operands) {
			if o == "t" {
				o = t
			}
			in.types = append(in.types, o)
		}
		in.run = f.meaning(in, t)
		return in.counted()
	}
	return fmt.Errorf("%s is no instruction that is emitted", in.op)
}

func (in *instr) counted() error {
	if len(in.args) != len(in.types) {
		return fmt.Errorf("%s has %d operands, want %d", in.op, len(in.args), len(in.types))
	}
	return nil
}

func (in *instr) resolveMemory(name, t, middle string) error {
	switch name {
	case "ld":
		in.types = []string{t, "address"}
		if !slices.Contains([]string{"global", "global.nc", "volatile.global", "local", "shared", "param", "volatile.shared"}, middle) {
			return fmt.Errorf("no load from %s", middle)
		}
	case "st":
		in.types = []string{"address", t}
		if !slices.Contains([]string{"global", "volatile.global", "local", "shared", "param"}, middle) {
			return fmt.Errorf("no store to %s", middle)
		}
	case "red":
		in.types = []string{"address", t}
		if !slices.Contains([]string{"global.add", "global.max", "shared.add"}, middle) {
			return fmt.Errorf("no reduction %s", middle)
		}
	default:
		in.types = []string{t, "address", t}
		if middle != "global.add" && middle != "shared.add" {
			return fmt.Errorf("no atomic %s", middle)
		}
	}
	if !slices.Contains([]string{"u8", "u16", "u32", "s32", "u64", "s64", "b32", "b64", "f32", "f64"}, t) || name != "ld" && name != "st" && t != "u32" && t != "u64" {
		return fmt.Errorf("no element %s", t)
	}
	return in.counted()
}

func (in *instr) resolveCompare() error {
	t := in.parts[len(in.parts)-1]
	how, join := in.parts[1], ""
	if len(in.parts) == 4 {
		join = in.parts[2]
	}
	typ, ok := irType[t]
	if !ok || t == "pred" || len(in.parts) > 4 || join != "" && join != "and" && join != "or" {
		return fmt.Errorf("no comparison %s", in.op)
	}
	op := map[string]ir.Op{"eq": ir.OpEq, "ne": ir.OpNe, "neu": ir.OpNe, "lt": ir.OpLt, "le": ir.OpLe, "gt": ir.OpGt, "ge": ir.OpGe}[how]
	var test func(x []uint64) bool
	unordered := func(x []uint64) bool {
		a, b := toFloat(typ, x[0]), toFloat(typ, x[1])
		return a != a || b != b
	}
	compare := func(x []uint64) bool { return interp.Eval(op, typ, 0, x[0], x[1]) != 0 }
	switch {
	case how == "nan" && typ.Float():
		test = unordered
	case how == "equ" && typ.Float():
		test = func(x []uint64) bool { return unordered(x) || interp.Eval(ir.OpEq, typ, 0, x[0], x[1]) != 0 }
	case how == "ne" && typ.Float():
		test = func(x []uint64) bool { return !unordered(x) && compare(x) }
	case op != ir.OpInvalid && (how != "neu" || typ.Float()):
		test = compare
	default:
		return fmt.Errorf("no comparison %s", in.op)
	}
	in.types = []string{"pred", t, t}
	if join != "" {
		in.types = append(in.types, "pred")
	}
	in.run = func(x []uint64) uint64 {
		r := test(x)
		switch join {
		case "and":
			r = r && x[2] != 0
		case "or":
			r = r || x[2] != 0
		}
		if r {
			return 1
		}
		return 0
	}
	return in.counted()
}

// resolveConvert is cvt; a float beyond the integers gives their end, a NaN what no caller may see.
func (in *instr) resolveConvert() error {
	n := len(in.parts)
	to, from := irType[in.parts[n-2]], irType[in.parts[n-1]]
	round := strings.Join(in.parts[1:n-2], ".")
	in.types = []string{in.parts[n-2], in.parts[n-1]}
	good := false
	op := ir.OpConvert
	switch {
	case to == ir.Invalid || from == ir.Invalid || to == ir.Bool || from == ir.Bool:
	case to.Integer() && from.Integer():
		good = round == "" && to.Bytes() != from.Bytes()
	case to.Integer():
		good = round == "rzi"
	case from.Integer():
		good = round == "rn"
	case to != from:
		good = to == ir.F64 && round == "" || to == ir.F32 && round == "rn"
	default:
		op = map[string]ir.Op{"rmi": ir.OpFloor, "rpi": ir.OpCeil, "rzi": ir.OpTrunc, "rni": ir.OpRoundEven}[round]
		good = op != ir.OpInvalid
	}
	if !good {
		return fmt.Errorf("no conversion %s", in.op)
	}
	in.run = func(x []uint64) uint64 {
		if f := toFloat(from, x[0]); to.Integer() && from.Float() && f != f {
			return 0xBADBADBADBADBAD & to.Mask()
		}
		if op != ir.OpConvert {
			return anyNaN(to, interp.Eval(op, to, 0, x[0]))
		}
		return anyNaN(to, interp.Eval(op, to, from, x[0]))
	}
	return in.counted()
}
