package ir

import "fmt"

// Op is an operation. Package interp says in full what each one means.
type Op uint8

// The operations. x, y, z are arguments in order; T is the instruction's Type, the type the operation
// works on, which is also the result's type unless said otherwise.
const (
	OpInvalid Op = iota

	OpConst // the constant whose bits are Imm: floats IEEE 754, integers two's complement, bool 0 or 1; bits above the type's width are 0
	OpLoad  // component Comp of plane Imm of this sample; bool planes: non-zero is true
	OpTable // cell x (i64) of constant table Imm; out of range gives cell 0

	// Planes that a step does not write. Lookup: cell x (i64) of table plane Imm, or component x of input
	// or param plane Imm of this sample; out of range gives cell 0, and 0 when the table is empty.
	OpLookup
	OpLen // the number of cells of table plane Imm, as T = i64; no arguments

	OpAdd  // x+y, wraps around for integers
	OpSub  // x-y, wraps around
	OpMul  // x*y, wraps around
	OpDiv  // x/y; integers truncate, x/0 is 0, MinInt/-1 wraps
	OpRem  // integers: x%y as Go, x%0 is 0, MinInt%-1 is 0
	OpNeg  // -x
	OpAnd  // x&y, also bool
	OpOr   // x|y, also bool
	OpXor  // x^y, also bool
	OpNot  // ^x, or !x for bool
	OpShl  // x<<y, y u64; y >= width gives 0
	OpShr  // x>>y, y u64; arithmetic for signed types; y >= width gives 0 or -1
	OpSqrt // correctly rounded square root
	OpFMA  // x*y+z rounded once
	OpAbs  // |x|; NaN gives the canonical NaN
	OpFloor
	OpCeil
	OpTrunc
	OpRoundEven // nearest integer, ties to even
	OpCopysign  // |x| with the sign of y; NaNs are canonical before they are looked at
	OpMin       // floats: as Go's math.Min (-Inf before NaN, NaN before the rest, -0 < 0); plain for integers
	OpMax       // floats: as Go's math.Max (+Inf before NaN, NaN before the rest); plain for integers

	OpEq // x==y; result bool, T is the type of x and y
	OpNe // x!=y; result bool
	OpLt // x<y; result bool
	OpLe // x<=y; result bool
	OpGt // x>y; result bool
	OpGe // x>=y; result bool

	OpSelect   // x (bool) ? y : z
	OpConvert  // x, of type From, as T: float to integer truncates and saturates, NaN gives 0; integer to integer wraps
	OpBits     // the bits of x (From f64 -> T u64, f32 -> u32); any NaN gives the canonical one
	OpFromBits // the float with bits x (From u64 -> T f64, u32 -> f32)

	OpIf    // x (bool) ? Then : Else; results are what the regions yield
	OpLoop  // results = Args; at most Imm turns: run Body with params = results; results = yield[1:]; leave when yield[0] is false
	OpFault // if x (bool): this sample faults, kind Imm; no result; ordered, guarded by its path

	// Local arrays: memory of one sample during one step (or one Func), Imm is an index of Values.Arrays and
	// T the type of its cells. They are statements, ordered and guarded by their path like faults.
	OpArray // every cell of the array is x; no result. The array is visible from here on, as a value would be
	OpGet   // cell x (i64) of the array; out of range gives cell 0
	OpPut   // cell x (i64) of the array becomes y; out of range writes nothing; no result
)

// FaultKind says why a sample faulted; it is the Imm of an OpFault.
type FaultKind uint8

// The faults (kernels.md: what would panic in Go, and a cap that runs out).
const (
	FaultNone FaultKind = iota
	FaultDivide
	FaultIndex
	FaultShift
	FaultCap
)

// String says the fault as a user reads it.
func (k FaultKind) String() string {
	if int(k) < len(faultTexts) {
		return faultTexts[k]
	}
	return fmt.Sprintf("fault(%d)", uint8(k))
}

var faultTexts = [...]string{"none", "integer division by zero", "index out of range", "negative shift count", "loop cap exhausted"}

// faultNames are the words of the text form.
var faultNames = [...]string{"none", "divide", "index", "shift", "cap"}

// opKind is how the verifier types an operation.
type opKind uint8

const (
	kindSpecial opKind = iota // checked by a case of its own
	kindUnary                 // T -> T
	kindBinary                // T, T -> T
	kindTernary               // T, T, T -> T
	kindShift                 // T, u64 -> T
	kindCompare               // T, T -> bool
)

// typeSet is the set of types an operation takes as T.
type typeSet uint8

const (
	anyFloat   typeSet = 1<<F32 | 1<<F64
	anyInteger typeSet = 1<<I32 | 1<<I64 | 1<<U32 | 1<<U64
	anyNumber          = anyFloat | anyInteger
	anyType            = anyNumber | 1<<Bool
	bitwise            = anyInteger | 1<<Bool
)

func (s typeSet) has(t Type) bool { return t != Invalid && t <= F64 && s>>t&1 == 1 }

type opInfo struct {
	name  string
	kind  opKind
	types typeSet
	flop  bool // counted as one floating-point operation by the sidecar
}

// ops is the table of operations, in the order of the constants.
var ops = [...]opInfo{
	OpInvalid:   {"invalid", kindSpecial, 0, false},
	OpConst:     {"const", kindSpecial, anyType, false},
	OpLoad:      {"load", kindSpecial, anyType, false},
	OpTable:     {"table", kindSpecial, anyType, false},
	OpLookup:    {"lookup", kindSpecial, anyType, false},
	OpLen:       {"len", kindSpecial, 1 << I64, false},
	OpAdd:       {"add", kindBinary, anyNumber, true},
	OpSub:       {"sub", kindBinary, anyNumber, true},
	OpMul:       {"mul", kindBinary, anyNumber, true},
	OpDiv:       {"div", kindBinary, anyNumber, true},
	OpRem:       {"rem", kindBinary, anyInteger, false},
	OpNeg:       {"neg", kindUnary, anyNumber, true},
	OpAnd:       {"and", kindBinary, bitwise, false},
	OpOr:        {"or", kindBinary, bitwise, false},
	OpXor:       {"xor", kindBinary, bitwise, false},
	OpNot:       {"not", kindUnary, bitwise, false},
	OpShl:       {"shl", kindShift, anyInteger, false},
	OpShr:       {"shr", kindShift, anyInteger, false},
	OpSqrt:      {"sqrt", kindUnary, anyFloat, true},
	OpFMA:       {"fma", kindTernary, anyFloat, true},
	OpAbs:       {"abs", kindUnary, anyFloat, true},
	OpFloor:     {"floor", kindUnary, anyFloat, true},
	OpCeil:      {"ceil", kindUnary, anyFloat, true},
	OpTrunc:     {"trunc", kindUnary, anyFloat, true},
	OpRoundEven: {"roundeven", kindUnary, anyFloat, true},
	OpCopysign:  {"copysign", kindBinary, anyFloat, true},
	OpMin:       {"min", kindBinary, anyNumber, true},
	OpMax:       {"max", kindBinary, anyNumber, true},
	OpEq:        {"eq", kindCompare, anyType, false},
	OpNe:        {"ne", kindCompare, anyType, false},
	OpLt:        {"lt", kindCompare, anyNumber, false},
	OpLe:        {"le", kindCompare, anyNumber, false},
	OpGt:        {"gt", kindCompare, anyNumber, false},
	OpGe:        {"ge", kindCompare, anyNumber, false},
	OpSelect:    {"select", kindSpecial, anyType, false},
	OpConvert:   {"convert", kindSpecial, anyNumber, false},
	OpBits:      {"bits", kindSpecial, 1<<U32 | 1<<U64, false},
	OpFromBits:  {"frombits", kindSpecial, anyFloat, false},
	OpIf:        {"if", kindSpecial, 0, false},
	OpLoop:      {"loop", kindSpecial, 0, false},
	OpFault:     {"fault", kindSpecial, 0, false},
	OpArray:     {"array", kindSpecial, anyType, false},
	OpGet:       {"get", kindSpecial, anyType, false},
	OpPut:       {"put", kindSpecial, anyType, false},
}

// NumOps is the number of operations, for tables indexed by Op.
const NumOps = int(OpPut) + 1

// String gives the name used in printed IR.
func (o Op) String() string {
	if int(o) < len(ops) {
		return ops[o].name
	}
	return fmt.Sprintf("op(%d)", uint8(o))
}

// Compare says whether o is one of the six comparisons.
func (o Op) Compare() bool { return int(o) < len(ops) && ops[o].kind == kindCompare }

// Flop says whether one o on floats counts as a floating-point operation.
func (o Op) Flop() bool { return int(o) < len(ops) && ops[o].flop }

// Takes says whether o works on type t, that is, whether an instruction of o may have it as its Type.
func (o Op) Takes(t Type) bool { return int(o) < len(ops) && ops[o].types.has(t) }

// Pure says whether an instruction of o is one result of its fields and arguments alone, so that equal
// instructions may become one and an unused one may go. It is false for OpIf, OpLoop, OpFault and the
// operations on local arrays; an OpLoad is pure because planes do not change while a head or a Func runs,
// and an OpLookup because nothing writes its plane.
func (o Op) Pure() bool { return o > OpInvalid && o < OpIf }

// OnArray says whether o works on a local array.
func (o Op) OnArray() bool { return o >= OpArray && o <= OpPut }

// Arity is the number of arguments of a pure operation, -1 for any other.
func (o Op) Arity() int {
	switch {
	case !o.Pure():
		return -1
	case o == OpConst || o == OpLoad || o == OpLen:
		return 0
	case o == OpSelect:
		return 3
	case ops[o].kind == kindTernary:
		return 3
	case ops[o].kind == kindBinary, ops[o].kind == kindShift, ops[o].kind == kindCompare:
		return 2
	}
	return 1
}

// ArgType is the type of argument i of a pure operation o on type t, from type from where o converts.
func (o Op) ArgType(t, from Type, i int) Type {
	switch {
	case o == OpTable || o == OpLookup:
		return I64
	case o == OpSelect && i == 0:
		return Bool
	case o.Converts():
		return from
	case int(o) < len(ops) && ops[o].kind == kindShift && i == 1:
		return U64
	}
	return t
}

// ResultType is the type of the result of a pure operation o on type t.
func (o Op) ResultType(t Type) Type {
	if o.Compare() {
		return Bool
	}
	return t
}

// Converts says whether o uses an instruction's From.
func (o Op) Converts() bool { return o == OpConvert || o == OpBits || o == OpFromBits }

// TakesFrom says whether o, which converts, takes an argument of type from to type t.
func (o Op) TakesFrom(t, from Type) bool {
	if o == OpConvert {
		return o.Takes(t) && o.Takes(from)
	}
	return o.Converts() && o.Takes(t) && from == sameWidth(t)
}

// sameWidth is the other type of OpBits and OpFromBits.
func sameWidth(t Type) Type {
	switch t {
	case U32:
		return F32
	case U64:
		return F64
	case F32:
		return U32
	case F64:
		return U64
	}
	return Invalid
}

// OpNamed returns the operation with the given printed name, OpInvalid when there is none.
func OpNamed(name string) Op {
	for o := range ops {
		if ops[o].name == name {
			return Op(o)
		}
	}
	return OpInvalid
}
