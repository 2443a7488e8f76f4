package ir

import "strconv"

// Kernel is one step of one sample, and what is needed to run a batch of them. It is immutable once it
// has passed [Verify]; passes build a new one (see [Kernel.Clone]).
type Kernel struct {
	Name   string   // package name of the source, e.g. "oscillator"
	Files  []string // source files; Pos.File indexes it
	Planes []Plane
	Tables []Table

	Step        Step
	Init        *Func   // nil without an Init method; Func.Stores says where its results go
	Observables []*Func // one result each
	Finish      *Finish // nil when Step declares none: the kernel can run a number of steps, never until done

	Guard     Guard
	Steps     int // steps per launch of a fixed-K kernel, >= 1; 0 means auto
	StepsMax  int // auto kernels: the band's upper clamp
	Precision Type
	FMA       bool // contract: fused multiply-adds were formed at lowering
}

// DefaultStepsMax is steps_max of an auto kernel (runner.md, section 4).
const DefaultStepsMax = 64

// Guard says what a boundary between launches does for a kernel.
type Guard uint8

// The guards.
const (
	GuardMask      Guard = iota // launches test the mask
	GuardActiveSet              // launches go through a map of live slots that compaction rebuilds
)

// String gives the name used in directives and printed IR.
func (g Guard) String() string { return nameOf(guardNames[:], g) }

var guardNames = [...]string{"mask", "active_set"}

// Role is how a step uses a plane.
type Role uint8

// The roles of kernels.md.
const (
	RoleState  Role = iota // the step assigns it, and reads it or keeps it
	RoleInput              // only read, one value per sample
	RoleParam              // only read, one value for the batch
	RoleOutput             // assigned on every path, never read
	RoleTable              // only read; any number of cells, of which any sample reads any
)

// String gives the name used in plane:"..." tags, sidecars and printed IR.
func (r Role) String() string { return nameOf(roleNames[:], r) }

var roleNames = [...]string{"state", "input", "param", "output", "table"}

// Plane is one exported field of the sample type. A plane of Width w over n samples is w rows of n
// elements: element c*n+i is component c of sample i. A param plane has n = 1. A table plane has a number
// of cells of its own and no Dims.
type Plane struct {
	Name  string // snake case, as in files and on the command line
	Field string // as in the source
	Type  Type
	Dims  []int // array dimensions as declared, nil for a scalar
	Role  Role
	Len   int    // of a table plane: cells when the caller gives no values; 0: the caller must give them
	Unit  string // from the unit tag, "" when none
	Init  Init
	Doc   string // the field's comment, one line
	Pos   Pos
}

// Width is the number of components of one sample: the product of Dims.
func (p *Plane) Width() int {
	w := 1
	for _, d := range p.Dims {
		w *= d
	}
	return w
}

// InitKind is the rule by which a plane is filled when the caller gives no values.
type InitKind uint8

// The rules of the init tag. A plane without a tag is InitConst with 0.
const (
	InitConst      InitKind = iota // Args[0]
	InitUniform                    // [Args[0], Args[1])
	InitLogUniform                 // exp of a uniform on [ln Args[0], ln Args[1])
	InitNormal                     // mean Args[0], standard deviation Args[1]
	InitLinspace                   // Args[0] at sample 0 to Args[1] at sample n-1
	InitLogspace                   // the same in the logarithm; the arguments are the end values themselves
	InitChoice                     // one of Args, equally likely
	InitIndex                      // the global sample index
)

// String gives the name used in tags.
func (k InitKind) String() string { return nameOf(initNames[:], k) }

var initNames = [...]string{"const", "uniform", "loguniform", "normal", "linspace", "logspace", "choice", "index"}

// Init is a parsed init tag. Text is as written ("" when the field has none).
type Init struct {
	Kind InitKind
	Args []float64
	Text string
}

// Table is a constant table of the package, flattened in row-major order; never written.
type Table struct {
	Name string
	Type Type
	Bits []uint64 // as the Imm of an OpConst
}

// Pos is a range of columns on one line of a source file; columns are 1-based bytes, End is one past the
// last column. The zero Pos means none (made by the compiler).
type Pos struct{ File, Line, Col, End int32 }

// Value names an SSA value of a Func or Step; index into its Types. 0 is no value.
type Value int32

// Values are the value types of one Func or Step, and its local arrays; Types[0] is unused (Invalid).
type Values struct {
	Types  []Type
	Arrays []Array
}

// Array is a local array: Len cells, which a step or func fills before it uses them (see OpArray). Nothing
// of it outlives the step.
type Array struct {
	Name string
	Type Type
	Len  int
}

// New makes a value of type t.
func (v *Values) New(t Type) Value {
	if len(v.Types) == 0 {
		v.Types = append(v.Types, Invalid)
	}
	v.Types = append(v.Types, t)
	return Value(len(v.Types) - 1)
}

// Type of a value.
func (v *Values) Type(x Value) Type { return v.Types[x] }

// Instr is one instruction. Which fields an Op uses is said in the table of op.go.
type Instr struct {
	Op      Op
	Type    Type // the type the operation works on
	From    Type // OpConvert, OpBits, OpFromBits: the argument's type
	Comp    int32
	Imm     uint64
	Args    []Value
	Results []Value
	Then    *Region // OpIf
	Else    *Region // OpIf; never nil, may be empty
	Body    *Region // OpLoop
	Pos     Pos
}

// Region is a list of instructions with parameters and results. Values defined in a region are visible
// in it, after their definition, and in the regions inside it.
//
// Params: OpLoop body: the carried values; the trip: the carried cells at entry.
// Yield: OpIf: the results; OpLoop body: continue (bool), then the next carried values; the trip: exit
// (bool; false for ever without a finish declaration), then the new values of the carried cells.
type Region struct {
	Params []Value
	Instrs []*Instr
	Yield  []Value
}

// Cell is one component of a plane.
type Cell struct {
	Plane int
	Comp  int32
}

// Step is the code of one step. Head has no Params and no Yield; its values are visible in Trip.
// OpLoad appears in Head only. Carry[i] belongs to Trip.Params[i] and Trip.Yield[1+i]; before the first
// trip the parameter has the cell's value in memory. The tail stores every carried cell; a store to a
// float plane makes any NaN canonical.
type Step struct {
	Values
	Head  Region
	Trip  Region
	Carry []Cell
}

// Func is Init or an observable: straight code with loads from the sample's planes and results.
type Func struct {
	Values
	Name   string // snake case for an observable ("energy"), "init"
	Doc    string
	Unit   string
	Body   Region
	Stores []Cell // Init: Body.Yield[i] is stored to Stores[i]; nil for an observable
}

// Finish is the finish declaration, taken apart so that a user can see why a sample is not done. Its
// values are values of the trip.
type Finish struct {
	Name string // the named result of Step, the mask's plane name: "terminated"
	Text string // source text of the condition
	Pos  Pos
	Cond *Cond
}

// CondKind is the shape of a node of the finish condition.
type CondKind uint8

// The shapes.
const (
	CondCompare CondKind = iota // LHS Op RHS
	CondAnd                     // all Kids
	CondOr                      // any of Kids
	CondNot                     // not Kids[0]
	CondOpaque                  // a bool that is not taken apart further
)

// String gives the name used in sidecars and printed IR.
func (k CondKind) String() string { return nameOf(condNames[:], k) }

var condNames = [...]string{"compare", "and", "or", "not", "opaque"}

// Cond is a node of the finish condition. Result is its bool value; LHS and RHS are the operands of a
// comparison, with their source text.
type Cond struct {
	Kind             CondKind
	Op               Op
	Result, LHS, RHS Value
	LHSText, RHSText string
	Kids             []*Cond
	Pos              Pos
}

// Walk calls f for c and everything below it, parents first.
func (c *Cond) Walk(f func(*Cond)) {
	f(c)
	for _, k := range c.Kids {
		k.Walk(f)
	}
}

// Plane returns the index of the plane with the given name, -1 when there is none.
func (k *Kernel) Plane(name string) int {
	for i := range k.Planes {
		if k.Planes[i].Name == name {
			return i
		}
	}
	return -1
}

// Auto says whether the runner chooses the steps per launch.
func (k *Kernel) Auto() bool { return k.Steps == 0 }

// nameOf is the i-th of names; a number for what is not among them, so that a malformed kernel can be shown.
func nameOf[T ~uint8](names []string, i T) string {
	if int(i) < len(names) {
		return names[i]
	}
	return "?" + strconv.Itoa(int(i))
}
