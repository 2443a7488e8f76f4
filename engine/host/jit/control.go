package jit

import "github.com/eaglet-workbench/eaglet/kernels/ir"

// Statements: branches, loops, faults and local arrays.

// instr emits an instruction of the IR.
func (l *lowering) instr(in *ir.Instr) {
	l.pos = in.Pos
	switch in.Op {
	case ir.OpIf:
		l.branch(in)
	case ir.OpLoop:
		l.loop(in)
	case ir.OpFault:
		m := l.mask3(kandnb, l.fault, l.mask3(kandb, l.path, l.env[in.Args[0]]))
		l.emit(inst{op: opFault, a: m, n: l.siteOf[in], disp: l.groups[l.group].site})
		l.emit(inst{op: korb, dst: l.fault, a: l.fault, b: m})
	case ir.OpArray:
		a, x := &l.k.Step.Arrays[in.Imm], l.cellValue(in.Type, l.env[in.Args[0]])
		for i := range a.Len {
			l.emit(inst{op: pick(in.Type, vstoreq, vstored), b: x, mask: l.path, disp: l.arrayAt[in.Imm] + l.row(in.Type, i)})
		}
	case ir.OpGet:
		l.get(in)
	case ir.OpPut:
		l.put(in)
	default:
		if _, done := l.env[in.Results[0]]; !done {
			l.env[in.Results[0]] = l.pure(in)
		}
	}
}

// worthSkipping is the number of instructions from which a side of a branch is jumped over when no lane
// takes it: less is cheaper to run than to mispredict.
const worthSkipping = 16

// weigh is about how many instructions a region takes.
func weigh(r *ir.Region) int {
	w := 0
	r.Walk(func(in *ir.Instr) {
		switch in.Op {
		case ir.OpConst:
		case ir.OpLoop, ir.OpArray, ir.OpRem, ir.OpDiv, ir.OpSqrt, ir.OpTable, ir.OpLookup, ir.OpPut:
			w += worthSkipping
		default:
			w++
		}
	})
	return w
}

// hasLoop says whether r holds a loop.
func hasLoop(r *ir.Region) bool {
	found := false
	r.Walk(func(in *ir.Instr) { found = found || in.Op == ir.OpLoop })
	return found
}

func (l *lowering) branch(in *ir.Instr) {
	c := l.env[in.Args[0]]
	path := l.path
	then := l.mask3(kandb, path, c)
	orelse := l.mask3(kandnb, c, path)
	if weigh(in.Then) < worthSkipping && weigh(in.Else) < worthSkipping {
		l.side(in.Then, then)
		l.side(in.Else, orelse)
		l.path = path
		for i, r := range in.Results {
			l.env[r] = l.choose(l.k.Step.Type(r), c, l.env[in.Then.Yield[i]], l.env[in.Else.Yield[i]])
		}
		return
	}
	results := make([]value, len(in.Results))
	for i, r := range in.Results {
		results[i] = l.variable(l.k.Step.Type(r))
		l.emit(inst{op: opUndefined, dst: results[i]})
		l.env[r] = results[i]
	}
	sides := []struct {
		r      *ir.Region
		on, to value // lanes it is for; lanes of the results to set, 0: all
	}{{in.Then, then, 0}, {in.Else, orelse, orelse}}
	for _, s := range sides {
		if len(s.r.Instrs) == 0 && len(results) == 0 {
			continue
		}
		skip := weigh(s.r) >= worthSkipping
		end := l.newLabel()
		if skip {
			l.emit(inst{op: opSkip, a: s.on, n: end})
		}
		l.side(s.r, s.on)
		for i, y := range s.r.Yield {
			l.assign(results[i], l.env[y], s.to)
		}
		if skip {
			l.label(end)
		}
	}
	l.path = path
}

func (l *lowering) side(r *ir.Region, on value) {
	l.path = on
	for _, in := range r.Instrs {
		l.instr(in)
	}
}

func (l *lowering) loop(in *ir.Instr) {
	path := l.path
	vars := make([]value, len(in.Args))
	for i, p := range in.Body.Params {
		vars[i] = l.variable(l.k.Step.Type(p))
		l.assign(vars[i], l.env[in.Args[i]], 0)
		l.env[p], l.env[in.Results[i]] = vars[i], vars[i]
	}
	if in.Imm == 0 {
		return
	}
	inside := l.variable(ir.Bool)
	l.assign(inside, path, 0)
	counter := l.frame.scalar()
	l.emit(inst{op: opCounter, disp: counter, wide: in.Imm})
	n := l.newLoop()
	l.emit(inst{op: opLoop, n: n})
	before := len(l.code)
	l.emit(inst{op: opYield, n: 1})
	l.side(in.Body, inside)
	l.path = path
	news := make([]value, len(vars))
	for i, y := range in.Body.Yield[1:] {
		news[i] = l.env[y]
	}
	more := []value{l.env[in.Body.Yield[0]]}
	l.commit(vars, news, inside, more)
	l.emit(inst{op: kandb, dst: inside, a: inside, b: more[0]})
	l.code[before].n = int32(len(l.code) - before)
	l.emit(inst{op: opAgain, n: n, a: inside, disp: counter})
}

// Local arrays lie in the frame, a row of eight elements per cell; bools are 32-bit 0 or 1 there.

func (l *lowering) row(t ir.Type, i int) int32 { return int32(i) * lanes * int32(max(t.Bytes(), 4)) }

// cellValue is x as an array holds it.
func (l *lowering) cellValue(t ir.Type, x value) value {
	if t != ir.Bool {
		return x
	}
	return l.emit(inst{op: vpmovm2d, dst: l.newVector(4), b: x})
}

func (l *lowering) fromCell(t ir.Type, x value) value {
	if t != ir.Bool {
		return x
	}
	return l.emit(inst{op: vptestmd, dst: l.newMask(), a: x, b: x})
}

// inside is the lanes whose index is a cell of n, and the index there, 0 elsewhere.
func (l *lowering) inside(x value, n value) (in, index value) {
	in = l.emit(inst{op: vpcmpuq, dst: l.newMask(), a: x, b: n, imm: cmpLess})
	return in, l.emit(inst{op: vmovdqa64, dst: l.newVector(8), b: x, mask: in, zero: true})
}

// rows is the number of the element of an array that every lane's index names.
func (l *lowering) rows(index value) value {
	if l.iota == 0 {
		l.iotaAt = l.frame.vector(1)
		l.iota = l.at(ir.I64, l.iotaAt, false)
	}
	return l.vector3(vpaddq, l.vector3(vpsllvq, index, l.constant(8, 3)), l.iota)
}

func (l *lowering) get(in *ir.Instr) {
	t, a := in.Type, &l.k.Step.Arrays[in.Imm]
	x := l.env[in.Args[0]]
	size := uint8(max(t.Bytes(), 4))
	load, gather, scale := pick(t, vloadq, vloadd), pick(t, vpgatherqq, vpgatherqd), uint8(3)
	if size == 4 {
		scale = 2
	}
	var r value
	if i, ok := l.known[x]; ok {
		if i >= uint64(a.Len) {
			i = 0
		}
		r = l.emit(inst{op: load, dst: l.newVector(size), disp: l.arrayAt[in.Imm] + l.row(t, int(i))})
	} else {
		_, index := l.inside(x, l.constant(8, uint64(a.Len)))
		r = l.gather(gather, size, l.rows(index), scale, 0, l.arrayAt[in.Imm], l.constMask(true))
	}
	l.env[in.Results[0]] = l.fromCell(t, r)
}

func (l *lowering) put(in *ir.Instr) {
	t, a := in.Type, &l.k.Step.Arrays[in.Imm]
	x, y := l.env[in.Args[0]], l.cellValue(in.Type, l.env[in.Args[1]])
	if i, ok := l.known[x]; ok {
		if i < uint64(a.Len) {
			l.emit(inst{op: pick(t, vstoreq, vstored), b: y, mask: l.path, disp: l.arrayAt[in.Imm] + l.row(t, int(i))})
		}
		return
	}
	scale := uint8(3)
	if t.Bytes() < 8 {
		scale = 2
	}
	on, index := l.inside(x, l.constant(8, uint64(a.Len)))
	on = l.copyOf(l.mask3(kandb, on, l.path)) // the instruction clears it
	l.emit(inst{op: pick(t, vpscatterqq, vpscatterqd), b: y, index: l.rows(index), scale: scale, mask: on, disp: l.arrayAt[in.Imm]})
}

// gather reads elements of memory: at the frame's disp, or at the address that the frame holds at base.
func (l *lowering) gather(o op, size uint8, index value, scale uint8, base, disp int32, on value) value {
	r := l.variable(map[uint8]ir.Type{4: ir.U32, 8: ir.U64}[size])
	l.assign(r, l.constant(size, 0), 0)
	return l.emit(inst{op: o, dst: r, index: index, scale: scale, mask: l.copyOf(on), base: base, disp: disp})
}
