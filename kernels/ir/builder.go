package ir

// Builder appends instructions to the innermost open region of a Step or Func. It neither folds nor
// checks: that is the work of lowering, the passes and [Verify]. Not for concurrent use.
type Builder struct {
	v     *Values
	stack []*Region
	pos   Pos
}

// NewBuilder returns a builder whose values are made in v and whose instructions go to r.
func NewBuilder(v *Values, r *Region) *Builder {
	return &Builder{v: v, stack: []*Region{r}}
}

// Values are where new values are made.
func (b *Builder) Values() *Values { return b.v }

// Region is the innermost open region.
func (b *Builder) Region() *Region { return b.stack[len(b.stack)-1] }

// Depth is the number of open regions, 1 for a new builder.
func (b *Builder) Depth() int { return len(b.stack) }

// Push opens r: what follows is appended to it until [Builder.Pop].
func (b *Builder) Push(r *Region) { b.stack = append(b.stack, r) }

// Pop closes the innermost region and returns it. Closing the builder's first region is a mistake of
// the caller and panics.
func (b *Builder) Pop() *Region {
	if len(b.stack) == 1 {
		panic("ir: Builder.Pop without Push")
	}
	r := b.Region()
	b.stack = b.stack[:len(b.stack)-1]
	return r
}

// SetPos sets the position of the instructions that follow.
func (b *Builder) SetPos(p Pos) { b.pos = p }

// Pos is the position given to new instructions.
func (b *Builder) Pos() Pos { return b.pos }

// Append adds in as it is, with the builder's position when it has none.
func (b *Builder) Append(in *Instr) {
	if in.Pos == (Pos{}) {
		in.Pos = b.pos
	}
	r := b.Region()
	r.Instrs = append(r.Instrs, in)
}

// Emit appends op on type t and returns its result. It is for operations with exactly one result whose
// meaning lies in op, t and args alone; the others have emitters of their own.
func (b *Builder) Emit(op Op, t Type, args ...Value) Value {
	return b.emit(&Instr{Op: op, Type: t, Args: args})
}

// EmitConst appends the constant of type t with the given bits (see [OpConst]).
func (b *Builder) EmitConst(t Type, bits uint64) Value {
	return b.emit(&Instr{Op: OpConst, Type: t, Imm: bits})
}

// EmitLoad appends the load of component comp of plane, whose elements have type t.
func (b *Builder) EmitLoad(t Type, plane int, comp int32) Value {
	return b.emit(&Instr{Op: OpLoad, Type: t, Imm: uint64(plane), Comp: comp})
}

// EmitTable appends the read of cell index (i64) of a constant table, whose cells have type t.
func (b *Builder) EmitTable(t Type, table int, index Value) Value {
	return b.emit(&Instr{Op: OpTable, Type: t, Imm: uint64(table), Args: []Value{index}})
}

// EmitLookup appends the read of cell index (i64) of a table plane, or of component index of an input or
// param plane, whose elements have type t.
func (b *Builder) EmitLookup(t Type, plane int, index Value) Value {
	return b.emit(&Instr{Op: OpLookup, Type: t, Imm: uint64(plane), Args: []Value{index}})
}

// EmitLen appends the number of cells of a table plane.
func (b *Builder) EmitLen(plane int) Value {
	return b.emit(&Instr{Op: OpLen, Type: I64, Imm: uint64(plane)})
}

// EmitArray appends the fill of a local array with x, EmitGet the read of its cell index (i64), and EmitPut
// the write of x to it.
func (b *Builder) EmitArray(array int, x Value) {
	b.Append(&Instr{Op: OpArray, Type: b.v.Arrays[array].Type, Imm: uint64(array), Args: []Value{x}})
}

func (b *Builder) EmitGet(array int, index Value) Value {
	return b.emit(&Instr{Op: OpGet, Type: b.v.Arrays[array].Type, Imm: uint64(array), Args: []Value{index}})
}

func (b *Builder) EmitPut(array int, index, x Value) {
	b.Append(&Instr{Op: OpPut, Type: b.v.Arrays[array].Type, Imm: uint64(array), Args: []Value{index, x}})
}

// EmitConvert appends OpConvert, OpBits or OpFromBits of x to type t.
func (b *Builder) EmitConvert(op Op, t Type, x Value) Value {
	return b.emit(&Instr{Op: op, Type: t, From: b.v.Type(x), Args: []Value{x}})
}

// EmitFault appends the fault of the given kind under cond.
func (b *Builder) EmitFault(kind FaultKind, cond Value) {
	b.Append(&Instr{Op: OpFault, Imm: uint64(kind), Args: []Value{cond}})
}

// EmitIf appends an if on cond with finished regions; the results have the types of what then yields.
func (b *Builder) EmitIf(cond Value, then, els *Region) []Value {
	in := &Instr{Op: OpIf, Args: []Value{cond}, Then: then, Else: els}
	for _, y := range then.Yield {
		in.Results = append(in.Results, b.v.New(b.v.Type(y)))
	}
	b.Append(in)
	return in.Results
}

// EmitLoop appends a loop of at most limit turns over a finished body; the results have the types of
// the carried values, whose first values are args.
func (b *Builder) EmitLoop(limit uint64, args []Value, body *Region) []Value {
	in := &Instr{Op: OpLoop, Imm: limit, Args: args, Body: body}
	for _, a := range args {
		in.Results = append(in.Results, b.v.New(b.v.Type(a)))
	}
	b.Append(in)
	return in.Results
}

// emit appends in with one new result of the type that its operation gives.
func (b *Builder) emit(in *Instr) Value {
	x := b.v.New(in.Op.ResultType(in.Type))
	in.Results = []Value{x}
	b.Append(in)
	return x
}
