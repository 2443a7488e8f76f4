package jit

import (
	"math/bits"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Statements: branches, loops, faults and local arrays.

// instr emits an instruction of the IR.
func (l *lowering) instr(in *ir.Instr) {
	l.pos, l.from = in.Pos, in
	switch in.Op {
	case ir.OpIf:
		l.branch(in)
	case ir.OpLoop:
		l.loop(in)
	case ir.OpFault:
		m := l.logic(kandnb, l.fault, l.logic(kandb, l.path, l.env[in.Args[0]]))
		l.emit(inst{op: opFault, a: m, n: l.siteOf[in], disp: l.groups[l.group].site})
		l.setLogic(l.fault, korb, l.fault, m)
	case ir.OpArray:
		a, x := &l.k.Step.Arrays[in.Imm], l.cellValue(in.Type, l.env[in.Args[0]])
		for i := range a.Len {
			l.isa.store(l, max(size(in.Type), 4), x, l.written(), l.arrayAt[in.Imm]+l.row(in.Type, i))
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
	then := l.logic(kandb, path, c)
	orelse := l.logic(kandnb, c, path)
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
	clear(l.resized)
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
	l.setLogic(inside, kandb, inside, more[0])
	l.code[before].n = int32(len(l.code) - before)
	l.emit(inst{op: opAgain, n: n, a: inside, disp: counter})
}

// Local arrays lie in the frame, a row of elements per cell; bools are 32-bit there, not 0 for true.

func (l *lowering) row(t ir.Type, i int) int32 {
	return int32(i) * int32(l.isa.lanes) * int32(max(t.Bytes(), 4))
}

// written is the lanes of an array that a statement here must leave the others of alone, 0: none. Where
// every running sample goes, the lanes of others do not matter.
func (l *lowering) written() value {
	if l.path == l.live {
		return 0
	}
	return l.path
}

// cellValue is x as an array holds it.
func (l *lowering) cellValue(t ir.Type, x value) value {
	if t != ir.Bool {
		return x
	}
	return l.isa.cellOf(l, x)
}

// rows is the number of the element of an array that every lane's index names.
func (l *lowering) rows(index value) value {
	if l.iota == 0 {
		l.iotaAt = l.frame.vector(1)
		l.iota = l.at(ir.I64, l.iotaAt, false)
	}
	shift := l.constant(8, uint64(bits.TrailingZeros(uint(l.isa.lanes))))
	return l.vector3(vpaddq, l.vector3(vpsllvq, index, shift), l.iota)
}

func (l *lowering) get(in *ir.Instr) {
	t, a := in.Type, &l.k.Step.Arrays[in.Imm]
	x, size := l.env[in.Args[0]], max(size(in.Type), 4)
	var r value
	if i, ok := l.known[x]; ok {
		if i >= uint64(a.Len) {
			i = 0
		}
		r = l.emit(inst{op: bySize(size, vloadq, vloadd), dst: l.newVector(size), disp: l.arrayAt[in.Imm] + l.row(t, int(i))})
	} else {
		index := l.inside(x, l.constant(8, uint64(a.Len)))
		r = l.isa.gather(l, size, l.rows(index), 0, l.arrayAt[in.Imm], l.constMask(true))
	}
	if t == ir.Bool {
		r = l.isa.fromCell(l, r)
	}
	l.env[in.Results[0]] = r
}

func (l *lowering) put(in *ir.Instr) {
	t, a := in.Type, &l.k.Step.Arrays[in.Imm]
	x, y, size := l.env[in.Args[0]], l.cellValue(in.Type, l.env[in.Args[1]]), max(size(in.Type), 4)
	if i, ok := l.known[x]; ok {
		if i < uint64(a.Len) {
			l.isa.store(l, size, y, l.written(), l.arrayAt[in.Imm]+l.row(t, int(i)))
		}
		return
	}
	on := l.isa.integers(l, ir.OpLt, ir.U64, x, l.constant(8, uint64(a.Len)))
	index := l.isa.keep(l, 8, x, on)
	l.isa.scatter(l, size, y, l.rows(index), l.logic(kandb, on, l.path), l.arrayAt[in.Imm])
}
