package ir

import "math"

// body writes the instructions of r, one level deeper, and what it yields when it yields something.
func (p *printer) body(r *Region) {
	p.instrs(r)
	if len(r.Yield) == 0 {
		return
	}
	p.depth++
	p.indent()
	p.put("yield ")
	p.values(r.Yield)
	p.put("\n")
	p.depth--
}

func (p *printer) instrs(r *Region) {
	p.depth++
	for _, in := range r.Instrs {
		p.indent()
		if in == nil {
			p.put("?")
		} else {
			p.instr(in)
		}
		p.put("\n")
	}
	p.depth--
}

func (p *printer) value(x Value) {
	if x > 0 && int(x) < len(p.number) && p.number[x] != 0 {
		p.put("%")
		p.int(int64(p.number[x]))
		return
	}
	p.put("%?")
	p.int(int64(x))
}

func (p *printer) values(xs []Value) {
	for i, x := range xs {
		p.comma(i)
		p.value(x)
	}
}

// param writes a parameter with its type.
func (p *printer) param(x Value) {
	p.value(x)
	t := Invalid
	if x > 0 && int(x) < len(p.types) {
		t = p.types[x]
	}
	p.put(" ", t.String())
}

func (p *printer) instr(in *Instr) {
	if len(in.Results) > 0 {
		p.values(in.Results)
		p.put(" = ")
	}
	p.put(in.Op.String())
	switch in.Op {
	case OpIf:
		p.ifInstr(in)
		return
	case OpLoop:
		p.loop(in)
		return
	case OpFault:
		p.put(" ", nameOf(faultNames[:], FaultKind(min(in.Imm, 255))), " ")
		p.values(in.Args)
	case OpArray, OpGet, OpPut:
		p.onArray(in)
	default:
		p.simple(in)
	}
	p.pos(in.Pos)
}

func (p *printer) simple(in *Instr) {
	p.put(".", in.Type.String())
	if in.Op.Converts() {
		p.put(".", in.From.String())
	}
	switch in.Op {
	case OpConst:
		p.put(" ")
		p.literal(in.Type, in.Imm)
	case OpLoad:
		p.put(" ", p.k.cellName(Cell{int(min(in.Imm, math.MaxInt32)), in.Comp}))
	case OpTable:
		name := "?"
		if in.Imm < uint64(len(p.k.Tables)) {
			name = p.k.Tables[in.Imm].Name
		}
		p.put(" ", name, "[")
		p.values(in.Args)
		p.put("]")
	case OpLookup:
		p.put(" ", p.planeName(in.Imm), "[")
		p.values(in.Args)
		p.put("]")
	case OpLen:
		p.put(" ", p.planeName(in.Imm))
	default:
		p.put(" ")
		p.values(in.Args)
	}
}

func (p *printer) planeName(i uint64) string {
	if i < uint64(len(p.k.Planes)) {
		return p.k.Planes[i].Name
	}
	return "?"
}

// onArray writes array.f64 acc %1, get.f64 acc[%2], put.f64 acc[%2] %3.
func (p *printer) onArray(in *Instr) {
	name := "?"
	if in.Imm < uint64(len(p.arrays)) {
		name = p.arrays[in.Imm].Name
	}
	p.put(".", in.Type.String(), " ", name)
	args := in.Args
	if in.Op != OpArray && len(args) > 0 {
		p.put("[")
		p.value(args[0])
		p.put("]")
		args = args[1:]
	}
	if in.Op != OpGet {
		p.put(" ")
		p.values(args)
	}
}

func (p *printer) ifInstr(in *Instr) {
	p.put(" ")
	p.values(in.Args)
	p.pos(in.Pos)
	p.put(" {\n")
	p.inner(in.Then)
	p.indent()
	p.put("} else {\n")
	p.inner(in.Else)
	p.indent()
	p.put("}")
}

func (p *printer) loop(in *Instr) {
	p.put(" ")
	p.int(int64(min(in.Imm, math.MaxInt64)))
	p.put(" (")
	if in.Body != nil {
		for i, x := range in.Body.Params {
			p.comma(i)
			p.param(x)
			p.put(" = ")
			if i < len(in.Args) {
				p.value(in.Args[i])
			} else {
				p.put("?")
			}
		}
	}
	p.put(")")
	p.pos(in.Pos)
	p.put(" {\n")
	p.inner(in.Body)
	p.indent()
	p.put("}")
}

func (p *printer) inner(r *Region) {
	if r != nil {
		p.body(r)
	}
}
