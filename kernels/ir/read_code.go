package ir

import (
	"math"
	"strconv"
	"strings"
)

// open begins the values of a Step or Func.
func (p *reader) open(v *Values) {
	p.values, p.names, p.arrays = v, make(map[string]Value), nil
}

// locals takes the declarations of local arrays.
func (p *reader) locals() {
	p.arrays = make(map[string]int)
	for p.accept("local") {
		var a Array
		a.Name = p.name(p.arrays, len(p.values.Arrays), "local array")
		a.Type = p.typ()
		p.expect("[")
		a.Len = int(p.integer("number of cells", 1, MaxArrayCells))
		p.expect("]")
		p.values.Arrays = append(p.values.Arrays, a)
	}
}

func (p *reader) head() {
	if p.seen["trip"] {
		p.fail("the head must come before the trip")
		return
	}
	p.open(&p.k.Step.Values)
	p.step = p.names
	p.expect("{")
	p.instrs(&p.k.Step.Head)
	p.yield(&p.k.Step.Head)
	p.expect("}")
}

func (p *reader) trip() {
	s := &p.k.Step
	if p.step == nil {
		p.step = make(map[string]Value)
	}
	p.values, p.names = &s.Values, p.step
	p.expect("(")
	for p.more(")") {
		if len(s.Trip.Params) > 0 {
			p.expect(",")
		}
		s.Trip.Params = append(s.Trip.Params, p.param())
		p.expect("=")
		s.Carry = append(s.Carry, p.cell())
	}
	p.expect("{")
	p.locals()
	p.instrs(&s.Trip)
	p.yield(&s.Trip)
	p.expect("}")
}

func (p *reader) function(name string) *Func {
	f := &Func{Name: name}
	if p.accept("unit") {
		f.Unit = p.take(tokenString, "a unit")
	}
	f.Doc = p.comment()
	p.open(&f.Values)
	p.expect("{")
	p.locals()
	p.instrs(&f.Body)
	p.expect("yield")
	for p.more("}") {
		if len(f.Body.Yield) > 0 {
			p.expect(",")
		}
		if p.tok.kind == tokenWord {
			f.Stores = append(f.Stores, p.cell())
			p.expect("=")
		}
		f.Body.Yield = append(f.Body.Yield, p.value())
		if f.Stores != nil && len(f.Stores) != len(f.Body.Yield) {
			p.fail("a yield without a cell among yields with one")
		}
	}
	return f
}

// cell takes a cell: x, or pos[2].
func (p *reader) cell() Cell {
	line := p.tok.line
	c := Cell{Plane: p.resolve(p.planes, "plane")}
	if p.accept("[") {
		c.Comp = int32(p.integer("component", 0, MaxWidth-1))
		p.expect("]")
	} else if p.err == nil && p.k.Planes[c.Plane].Dims != nil {
		p.failAt(line, "plane %q is an array: a component is missing", p.k.Planes[c.Plane].Name)
	}
	return c
}

// define takes a new value; its type may be set later by way of p.values.
func (p *reader) define(t Type) Value {
	line := p.tok.line
	name := p.take(tokenValue, "a value")
	if p.err != nil {
		return 0
	}
	if _, err := strconv.ParseUint(name, 10, 31); err != nil {
		p.fail("%%%s is no value", name)
		return 0
	}
	if _, taken := p.names[name]; taken {
		p.failAt(line, "value %%%s is defined twice", name)
		return 0
	}
	x := p.values.New(t)
	p.names[name] = x
	return x
}

// value takes a value that is defined above.
func (p *reader) value() Value {
	x, ok := p.names[p.tok.text]
	if p.tok.kind == tokenValue && !ok {
		p.fail("value %v is not defined before its use", p.tok)
	}
	p.take(tokenValue, "a value")
	return x
}

// list takes one or more values.
func (p *reader) list() []Value {
	xs := []Value{p.value()}
	for p.accept(",") {
		xs = append(xs, p.value())
	}
	return xs
}

// param takes a parameter with its type.
func (p *reader) param() Value {
	x := p.define(Invalid)
	t := p.typ()
	if p.err == nil {
		p.values.Types[x] = t
	}
	return x
}

// yield takes the yield of a region when it has one.
func (p *reader) yield(r *Region) {
	if p.accept("yield") {
		r.Yield = p.list()
	}
}

// instrs takes the instructions up to the yield or the end of a region.
func (p *reader) instrs(r *Region) {
	if p.depth++; p.depth > MaxNest+1 {
		p.fail("regions nest deeper than %d", MaxNest)
	}
	for p.tok.kind != tokenEnd && !p.is("}") && !p.is("yield") {
		r.Instrs = append(r.Instrs, p.instr())
	}
	p.depth--
}

// inner takes a region in braces.
func (p *reader) inner(r *Region) {
	p.expect("{")
	p.instrs(r)
	p.yield(r)
	p.expect("}")
}

func (p *reader) instr() *Instr {
	in := &Instr{}
	if p.tok.kind == tokenValue {
		in.Results = append(in.Results, p.define(Invalid))
		for p.accept(",") {
			in.Results = append(in.Results, p.define(Invalid))
		}
		p.expect("=")
	}
	name, types, _ := strings.Cut(p.tok.text, ".")
	if p.tok.kind != tokenWord {
		p.fail("expected an operation, found %v", p.tok)
		return in
	}
	in.Op = p.op(name)
	switch in.Op {
	case OpIf:
		p.untyped(types)
		p.ifInstr(in)
	case OpLoop:
		p.untyped(types)
		p.loop(in)
	case OpFault:
		p.untyped(types)
		in.Imm = uint64(p.oneOf(faultNames[:], "kind of fault"))
		in.Args = p.list()
		in.Pos = p.pos()
	case OpArray, OpGet, OpPut:
		p.onArray(in, types)
		in.Pos = p.pos()
	default:
		p.simple(in, types)
		in.Pos = p.pos()
	}
	return in
}

// onArray takes an operation on a local array.
func (p *reader) onArray(in *Instr, typ string) {
	in.Type = TypeNamed(typ)
	results := 0
	if in.Op == OpGet {
		results = 1
	}
	switch {
	case in.Type == Invalid:
		p.fail("%v: malformed types", p.tok)
	case len(in.Results) != results:
		p.fail("%v has %d results, want %d", p.tok, len(in.Results), results)
	}
	p.advance()
	in.Imm = uint64(p.resolve(p.arrays, "local array"))
	if in.Op != OpArray {
		p.expect("[")
		in.Args = []Value{p.value()}
		p.expect("]")
	}
	if in.Op != OpGet {
		in.Args = append(in.Args, p.value())
	}
	if p.err == nil && results == 1 {
		p.values.Types[in.Results[0]] = in.Type
	}
}

// op is the operation with the given name.
func (p *reader) op(name string) Op {
	op := OpNamed(name)
	if op == OpInvalid && p.err == nil {
		p.fail("%q is no operation", name)
	}
	return op
}

// untyped takes the word of an operation that has no type.
func (p *reader) untyped(types string) {
	if types != "" {
		p.fail("%v: the operation has no type", p.tok)
	}
	p.advance()
}

// simple takes an operation with one result.
func (p *reader) simple(in *Instr, types string) {
	to, from, two := strings.Cut(types, ".")
	in.Type, in.From = TypeNamed(to), TypeNamed(from)
	if in.Type == Invalid || two != in.Op.Converts() || two && in.From == Invalid {
		p.fail("%v: malformed types", p.tok)
	}
	if len(in.Results) != 1 {
		p.fail("%v has %d results, want 1", p.tok, len(in.Results))
	}
	p.advance()
	switch in.Op {
	case OpConst:
		in.Imm = p.literal(in.Type)
	case OpLoad:
		c := p.cell()
		in.Imm, in.Comp = uint64(c.Plane), c.Comp
	case OpTable:
		in.Imm = uint64(p.resolve(p.tables, "table"))
		p.expect("[")
		in.Args = []Value{p.value()}
		p.expect("]")
	case OpLookup:
		in.Imm = uint64(p.resolve(p.planes, "plane"))
		p.expect("[")
		in.Args = []Value{p.value()}
		p.expect("]")
	case OpLen:
		in.Imm = uint64(p.resolve(p.planes, "plane"))
	default:
		in.Args = p.list()
	}
	if p.err == nil {
		p.values.Types[in.Results[0]] = in.Op.ResultType(in.Type)
	}
}

func (p *reader) ifInstr(in *Instr) {
	in.Args = []Value{p.value()}
	in.Pos = p.pos()
	in.Then, in.Else = &Region{}, &Region{}
	p.inner(in.Then)
	p.expect("else")
	p.inner(in.Else)
	p.resultTypes(in, in.Then.Yield)
}

func (p *reader) loop(in *Instr) {
	in.Imm = uint64(p.integer("number of turns", 0, math.MaxInt64))
	in.Body = &Region{}
	p.expect("(")
	for p.more(")") {
		if len(in.Args) > 0 {
			p.expect(",")
		}
		in.Body.Params = append(in.Body.Params, p.param())
		p.expect("=")
		in.Args = append(in.Args, p.value())
	}
	in.Pos = p.pos()
	p.inner(in.Body)
	p.resultTypes(in, in.Body.Params)
}

// resultTypes gives the results of in the types of from.
func (p *reader) resultTypes(in *Instr, from []Value) {
	if p.err != nil {
		return
	}
	if len(in.Results) != len(from) {
		p.fail("%v has %d results, and its region gives %d", in.Op, len(in.Results), len(from))
		return
	}
	for i, x := range in.Results {
		p.values.Types[x] = p.values.Types[from[i]]
	}
}
