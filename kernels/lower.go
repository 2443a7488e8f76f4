package kernels

import (
	"go/ast"
	"go/types"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// Lowering is partial evaluation of the syntax tree into the IR. Every variable is a run of cells in one
// flat memory, and a cell holds a scalar: a constant, or an SSA value. Running a statement changes cells
// and appends instructions; what is constant is computed at once and leaves no instruction, so an if whose
// condition is constant vanishes with the branch not taken.
//
//	lower.go         scalars, memory, instructions, limits
//	lower_branch.go  if: both branches on the same memory, merged by a trail of changes
//	lower_stmt.go    statements; early return, break and continue as flags
//	lower_loop.go    loops: unrolled, or one OpLoop
//	lower_expr.go    expressions; lower_place.go what can be assigned; lower_call.go calls, expanded
//	lower_array.go   arrays that are indexed when the step runs, table planes
//	lower_math.go    package math; lower_float.go precision=f32; lower_table.go package-level tables
//	lower_cond.go    the finish condition, taken apart
//	compile.go       Step, Init and observables put together

// Limits of lowering, for a whole kernel.
const (
	maxInstrs = 200_000 // instructions of one entry
	maxOpen   = 300     // regions inside each other
	maxCalls  = 200     // calls inside each other
)

// maxWork bounds statements, expressions and cells touched, dropped attempts included: two or three seconds.
// A variable, so that a test need not take them.
var maxWork = 2_000_000

// scalar is what a cell holds. A constant has val 0.
type scalar struct {
	typ  ir.Type
	val  ir.Value
	bits uint64
}

func (s scalar) constant() bool { return s.val == 0 }
func (s scalar) isTrue() bool   { return s.val == 0 && s.bits != 0 }
func (s scalar) isFalse() bool  { return s.val == 0 && s.bits == 0 }

func boolean(b bool) scalar {
	if b {
		return scalar{typ: ir.Bool, bits: 1}
	}
	return scalar{typ: ir.Bool}
}

func integer(n int64) scalar { return scalar{typ: ir.I64, bits: uint64(n)} }

// program is what the entries of a kernel share.
type program struct {
	*reporter
	kernel   *ir.Kernel
	contract bool
	layouts  layouts
	work     int
	tables   map[*table]int // those read by OpTable, as indexes of kernel.Tables

	packageTables map[*packageVar]*table
	looked        map[int]bool // planes read by OpLookup or OpLen
}

// lowering is the work on one entry: Step, Init, an observable, or a constant of the package.
type lowering struct {
	*program
	vals    *ir.Values
	region  *ir.Region // where instructions go
	frame   *frame     // the function being expanded
	mem     []scalar
	trail   []change // what branches changed, newest last
	tracked int      // open branches and attempts: changes are recorded
	open    int      // regions inside each other
	trying  int      // attempts inside each other: the first problem ends the innermost
	rolling int      // bodies of OpLoops tried before unrolling: no array may be indexed by search
	emitted int
	faults  bool     // what would panic in Go makes a fault; observables have none
	loaded  []change // cells that the current statement has read, with what they held
	here    ast.Node // the current statement

	pool   []*ir.Instr // constants, defined before everything else
	consts map[scalar]ir.Value
	values map[ir.Value]scalar // the constants of pool by value
	defs   []*ir.Instr         // by value, as far as there are any
	conds  map[ir.Value]*condInfo

	cells    int              // mem[:cells] is the sample
	assigned map[int]ast.Node // cells of the sample that were assigned, with the first assignment
	problem  *Diagnostic      // why the last attempt failed

	*memo
	step         bool     // the entry is Step: roles are not known yet
	constantOnly bool     // what is lowered must come out constant
	extents      []extent // what variables, temporaries and planes lie where, by first cell
	arrays       []memArray
	arrayIDs     map[arrayKey]int
	reads        map[int]bool // planes that the entry reads by lookup
	puts         map[int]int  // by local array: writes so far
	demoting     int          // attempts to keep a loop at the price of arrays in memory
	ranges       map[ir.Value]interval
	spans        map[ast.Node]ir.Pos
}

// change is a cell of memory before it was changed.
type change struct {
	cell int
	old  scalar
}

// bail ends an attempt, or the lowering of an entry; the reason is in problem or reported.
type bail struct{}

// lower makes the work on one entry, whose instructions go to region.
func (p *program) lower(vals *ir.Values, region *ir.Region) *lowering {
	return &lowering{
		program: p, vals: vals, region: region,
		consts: make(map[scalar]ir.Value), values: make(map[ir.Value]scalar), conds: make(map[ir.Value]*condInfo),
		assigned: make(map[int]ast.Node), spans: make(map[ast.Node]ir.Pos),
		memo: &memo{}, arrayIDs: make(map[arrayKey]int), reads: make(map[int]bool), puts: make(map[int]int), ranges: make(map[ir.Value]interval),
	}
}

// memo is what one lowering of an entry tells the next (lower_array.go).
type memo struct {
	demoted []arrayKey
	written map[int]bool // planes that the entry assigns
}

// fail reports a problem at a node and gives up the innermost attempt, or the entry.
func (l *lowering) fail(code string, n span, what ...any) {
	if l.frame != nil && l.frame.site != nil {
		n = l.frame.site // inside mathlib: the user sees the call
	}
	r := l.reporter
	if l.trying > 0 {
		r = &reporter{fset: r.fset, files: r.files, seen: make(map[spot]bool)}
	}
	l.problem = r.at(code, n, what...)
	panic(bail{})
}

// soft is fail for a problem after which lowering can go on to find more: outside of attempts it returns.
func (l *lowering) soft(code string, n span, what ...any) {
	l.entry(func() { l.fail(code, n, what...) })
	if l.trying > 0 {
		panic(bail{})
	}
}

// raise reports the problem of a failed attempt: to the attempt round it, or to the user, and then
// lowering goes on to find more.
func (l *lowering) raise() {
	if l.trying > 0 {
		panic(bail{})
	}
	l.adopt(l.problem)
}

// entry runs f and says whether it came to its end without a problem.
func (l *lowering) entry(f func()) (ok bool) {
	defer func() {
		if x := recover(); x != nil {
			if _, is := x.(bail); !is {
				panic(x)
			}
			ok = false
		}
	}()
	f()
	return true
}

// attempt runs f, and undoes everything when it has a problem, which is then in l.problem.
func (l *lowering) attempt(f func()) bool {
	region, instrs, emitted := l.region, len(l.region.Instrs), l.emitted
	fr, targets, top, mark := l.frame, len(l.frame.targets), len(l.mem), len(l.trail)
	tracked, open, trying, rolling, demoting, faults := l.tracked, l.open, l.trying, l.rolling, l.demoting, l.faults
	l.tracked++
	l.trying++
	ok := l.entry(f)
	l.tracked, l.open, l.trying, l.rolling, l.demoting, l.faults = tracked, open, trying, rolling, demoting, faults
	if !ok {
		l.region, l.frame, l.emitted = region, fr, emitted
		region.Instrs = region.Instrs[:instrs]
		fr.targets = fr.targets[:targets]
		l.undo(mark, top)
		l.shrink(top)
	}
	if l.tracked == 0 {
		l.trail = l.trail[:0]
	}
	return ok
}

// undo takes back the changes since mark, of cells below top.
func (l *lowering) undo(mark, top int) {
	for i := len(l.trail) - 1; i >= mark; i-- {
		if c := l.trail[i]; c.cell < top {
			l.mem[c.cell] = c.old
		}
	}
	l.trail = l.trail[:mark]
}

// tick counts n units of work at a node.
func (l *lowering) tick(n int, at span) {
	if l.work += n; l.work > maxWork {
		l.trying = 0 // no other attempt would end
		l.fail("E060", at, "the kernel takes too long to compile")
	}
}

// Memory.

// alloc makes room for a value of type t, zeroed, and returns its first cell.
func (l *lowering) alloc(t types.Type, at span) int {
	base := len(l.mem)
	for _, typ := range l.scalarsOf(t, at) {
		l.mem = append(l.mem, scalar{typ: typ})
	}
	if len(l.mem) > 2*maxCells {
		l.fail("E065", at)
	}
	return base
}

// scalarsOf are the types of the scalars of t.
func (l *lowering) scalarsOf(t types.Type, at span) []ir.Type {
	n := l.sizeOf(t, at)
	l.tick(n, at)
	return l.layouts.scalars(make([]ir.Type, 0, n), t, l.single())
}

// sizeOf is the number of scalars of t.
func (l *lowering) sizeOf(t types.Type, at span) int {
	n := l.layouts.size(t)
	switch n {
	case sizeRefused:
		l.fail("E046", at, "the type %s is refused", types.TypeString(t, func(*types.Package) string { return "" }))
	case sizeTooBig:
		l.fail("E065", at)
	}
	return n
}

// set changes a cell.
func (l *lowering) set(cell int, s scalar) {
	if len(l.arrays) > 0 {
		if a := l.arrayAt(cell); a != nil {
			l.put(a.id, integer(int64(cell-a.base)), s, l.here)
			return
		}
	}
	old := l.mem[cell]
	if old == s {
		return
	}
	if old.typ != s.typ {
		panic("kernels: a cell of " + old.typ.String() + " is given " + s.typ.String())
	}
	if l.tracked > 0 {
		l.trail = append(l.trail, change{cell, old})
	}
	l.mem[cell] = s
}

// Instructions.

// pos is the position of instructions made for a node: its own, or the call of the math function that it
// is part of.
func (l *lowering) pos(n span) ir.Pos {
	if l.frame != nil && l.frame.site != nil {
		n = l.frame.site
	}
	node, ok := n.(ast.Node)
	if !ok || node == nil {
		if n == nil {
			return ir.Pos{}
		}
		return l.position(n)
	}
	p, ok := l.spans[node]
	if !ok {
		p = l.position(n)
		l.spans[node] = p
	}
	return p
}

// use makes a scalar a value.
func (l *lowering) use(s scalar) ir.Value {
	if s.val != 0 {
		return s.val
	}
	v, ok := l.consts[s]
	if !ok {
		v = l.vals.New(s.typ)
		l.consts[s], l.values[v] = v, s
		l.pool = append(l.pool, &ir.Instr{Op: ir.OpConst, Type: s.typ, Imm: s.bits, Results: []ir.Value{v}})
	}
	return v
}

// append adds an instruction.
func (l *lowering) append(in *ir.Instr, at span) {
	if l.emitted++; l.emitted > maxInstrs {
		l.fail("E060", at, "the kernel is too large, more than %d instructions", maxInstrs)
	}
	in.Pos = l.pos(at)
	l.region.Instrs = append(l.region.Instrs, in)
	for _, r := range in.Results {
		for int(r) >= len(l.defs) {
			l.defs = append(l.defs, nil)
		}
		l.defs[r] = in
	}
}

// def is the instruction that makes a value, nil for parameters and constants.
func (l *lowering) def(v ir.Value) *ir.Instr {
	if int(v) < len(l.defs) {
		return l.defs[v]
	}
	return nil
}

// operation is an instruction with one result, in one piece of memory.
type operation struct {
	ir.Instr
	args   [3]ir.Value
	result [1]ir.Value
}

// emit computes an operation of type t: at once when all arguments are constant.
func (l *lowering) emit(at span, op ir.Op, t ir.Type, args ...scalar) scalar {
	return l.emitFrom(at, op, t, ir.Invalid, args...)
}

func (l *lowering) emitFrom(at span, op ir.Op, t, from ir.Type, args ...scalar) scalar {
	result := t
	if op.Compare() {
		result = ir.Bool
	}
	if s, ok := l.fold(op, t, from, args); ok {
		s.typ = result
		return s
	}
	in := &operation{Instr: ir.Instr{Op: op, Type: t, From: from}}
	for i, a := range args {
		in.args[i] = l.use(a)
	}
	v := l.vals.New(result)
	in.result[0] = v
	in.Args, in.Results = in.args[:len(args):len(args)], in.result[:]
	l.append(&in.Instr, at)
	return scalar{typ: result, val: v}
}

// fold computes what needs no instruction: constants, and bools that one constant decides.
func (l *lowering) fold(op ir.Op, t, from ir.Type, args []scalar) (scalar, bool) {
	all := true
	var store [3]uint64 // no operation has more arguments
	bits := store[:len(args)]
	for i, a := range args {
		all = all && a.constant()
		bits[i] = a.bits
	}
	if all {
		return scalar{bits: interp.Eval(op, t, from, bits...)}, true
	}
	switch {
	case op == ir.OpSelect && args[0].isTrue():
		return args[1], true
	case op == ir.OpSelect && args[0].isFalse(), op == ir.OpSelect && args[1] == args[2]:
		return args[2], true
	case t == ir.Bool && (op == ir.OpAnd || op == ir.OpOr):
		for i, a := range args {
			if a.constant() {
				if (op == ir.OpAnd) == a.isTrue() {
					return args[1-i], true
				}
				return a, true
			}
		}
	}
	return scalar{}, false
}

func (l *lowering) not(at span, x scalar) scalar {
	if d := l.def(x.val); d != nil && d.Op == ir.OpNot {
		return scalar{typ: ir.Bool, val: d.Args[0]}
	}
	return l.emit(at, ir.OpNot, ir.Bool, x)
}

func (l *lowering) convert(at span, x scalar, t ir.Type) scalar {
	if x.typ == t {
		return x
	}
	return l.emitFrom(at, ir.OpConvert, t, x.typ, x)
}

// fault makes the sample fault when cond holds.
func (l *lowering) fault(at span, kind ir.FaultKind, cond scalar) {
	if cond.isFalse() || !l.faults {
		return
	}
	l.append(&ir.Instr{Op: ir.OpFault, Imm: uint64(kind), Args: []ir.Value{l.use(cond)}}, at)
}
