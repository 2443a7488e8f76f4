package jit

// allocator gives registers to values while it goes through the instructions once, and emits code as it
// goes. A value is in a register, or in its slot of the frame, or in both. When registers run out, the
// value whose next use is farthest away leaves (Belady, A study of replacement algorithms for a
// virtual-storage computer, 1966); it is stored unless its slot holds it already.
//
// Where control flow meets, the registers are made to hold the same values on both ways: at the label
// behind a skipped part those of the skip, at the end of a loop those of its head.
type allocator struct {
	*lowering
	asm    assembler
	uses   [][]int32 // by value: where it is needed, ascending
	cursor []int32   // by value: its next use in uses
	reg    []int8    // by value; none: -1
	valid  []bool    // by value: its slot holds it
	owner  [2][32]value
	locked [2]uint32
	pos    int32
	holes  []int32 // slots that are free again
	skips  map[int32]meeting
	heads  map[int32]meeting
	ends   map[int32]int32 // by loop: where it ends
	resume []yieldPoint
	yields []int // jumps to the code that saves the registers
	start  int   // where a call begins that does not go on inside a loop
	marks  []mark

	quotient, divisor int32 // where lanes are divided, 0: not yet

	spills, loads int // stores and loads of values that did not fit
	most          int // vector registers in use at most
}

// meeting is a place in the code where control flow meets, and what the registers hold there.
type meeting struct {
	place int
	owner [2][32]value
	valid map[value]bool
}

// yieldPoint is where a call may end inside a loop: the offset of the code at which the next goes on, and
// the registers of the values that the frame holds between calls (-1: in the frame).
type yieldPoint struct {
	offset int
	where  map[value]int8
}

// allocate makes machine code of what was lowered.
func allocate(l *lowering) *allocator {
	l.removeUnused()
	a := &allocator{
		lowering: l, asm: assembler{isa: l.isa}, reg: make([]int8, len(l.infos)), valid: make([]bool, len(l.infos)),
		skips: map[int32]meeting{}, heads: map[int32]meeting{}, ends: map[int32]int32{},
	}
	for v := range l.infos {
		a.reg[v] = none
		a.valid[v] = l.infos[v].slot != none
	}
	a.findUses()
	end := a.enter()
	a.start = len(a.asm.code)
	for i := range l.code {
		a.pos = int32(i)
		a.marks = append(a.marks, mark{len(a.asm.code), &l.code[i]})
		a.inst(&l.code[i])
		a.locked = [2]uint32{}
		a.most = max(a.most, a.busy(vector))
	}
	a.marks = append(a.marks, mark{len(a.asm.code), nil})
	a.leave(end)
	return a
}

// removeUnused drops instructions whose results nobody reads.
func (l *lowering) removeUnused() {
	readers := make([]int, len(l.infos))
	for i := range l.code {
		for _, v := range l.reads(&l.code[i]) {
			readers[v]++
		}
	}
	keep := make([]bool, len(l.code))
	for i := len(l.code) - 1; i >= 0; i-- {
		in := &l.code[i]
		d := in.dst
		if keep[i] = d == 0 || readers[d] > 0 || l.infos[d].resident; keep[i] {
			continue
		}
		for _, v := range l.reads(in) {
			readers[v]--
		}
	}
	out := l.code[:0]
	for i, in := range l.code {
		if keep[i] {
			out = append(out, in)
		}
	}
	l.code = out
}

// findUses lists where values are needed. A value from before a loop that the loop needs is needed at its
// end, for the next turn; setting a variable counts as needing it.
func (a *allocator) findUses() {
	a.uses, a.cursor = make([][]int32, len(a.infos)), make([]int32, len(a.infos))
	first := make([]int32, len(a.infos))
	for v := range first {
		first[v] = -1
		if a.infos[v].slot == none {
			first[v] = int32(len(a.code))
		}
	}
	use := func(v value, at int32) {
		if u := a.uses[v]; len(u) == 0 || u[len(u)-1] != at {
			a.uses[v] = append(u, at)
		}
	}
	var open []int32
	for i := range a.code {
		in, at := &a.code[i], int32(i)
		for _, v := range a.reads(in) {
			use(v, at)
		}
		if in.dst != 0 {
			first[in.dst] = min(first[in.dst], at)
			if a.infos[in.dst].variable {
				use(in.dst, at)
			}
		}
		switch in.op {
		case opLoop:
			open = append(open, at)
		case opAgain:
			start := open[len(open)-1]
			open = open[:len(open)-1]
			a.ends[in.n] = at
			for v := range a.uses {
				if u := a.uses[v]; first[v] < start && len(u) > 0 && u[len(u)-1] >= start {
					use(value(v), at)
				}
			}
		case opReturn:
			for v := range a.infos {
				if a.infos[v].resident && a.infos[v].variable {
					use(value(v), at)
				}
			}
		}
	}
}

const never = 1 << 30

// next is the first need of v at or after a place; places ascend from call to call.
func (a *allocator) next(v value, from int32) int32 {
	u := a.uses[v]
	for int(a.cursor[v]) < len(u) && u[a.cursor[v]] < a.pos {
		a.cursor[v]++
	}
	for _, at := range u[a.cursor[v]:] {
		if at >= from {
			return at
		}
	}
	return never
}

func (a *allocator) busy(c class) int {
	n := 0
	for _, v := range a.owner[c] {
		if v != 0 {
			n++
		}
	}
	return n
}

// slotOf is v's place in the frame; it gets one when it has none.
func (a *allocator) slotOf(v value) int32 {
	i := &a.infos[v]
	if i.slot == none {
		if n := len(a.holes); n > 0 {
			i.slot = a.holes[n-1]
			a.holes = a.holes[:n-1]
		} else {
			i.slot = a.frame.vector(1)
		}
	}
	return i.slot
}

// save stores v from its register, unless its slot holds it.
func (a *allocator) save(v value) {
	if a.valid[v] {
		return
	}
	at := frameAt(a.slotOf(v))
	if a.infos[v].class == mask {
		a.asm.maskStore(at, uint8(a.reg[v]))
	} else {
		a.asm.vector(bySize(a.infos[v].size, vstoreq, vstored), uint8(a.reg[v]), 0, operand{inMemory: true, at: at}, 0, false, 0)
	}
	a.valid[v] = true
	a.spills++
}

// fetch loads v from its slot into register r.
func (a *allocator) fetch(v value, r int8) {
	i := &a.infos[v]
	at := frameAt(i.slot)
	switch {
	case i.class == mask:
		a.asm.maskLoad(uint8(r), at)
	case i.uniform && !a.isa.spread:
		a.asm.vector(bySize(i.size, vbroadcastq, vbroadcastd), uint8(r), 0, operand{inMemory: true, at: at}, 0, false, 0)
	default:
		a.asm.vector(bySize(i.size, vloadq, vloadd), uint8(r), 0, operand{inMemory: true, at: at}, 0, false, 0)
		a.loads++
	}
	a.put(v, r)
}

func (a *allocator) put(v value, r int8) {
	a.reg[v], a.owner[a.infos[v].class][r] = r, v
}

// drop takes v out of its register.
func (a *allocator) drop(v value) {
	if r := a.reg[v]; r != none {
		a.owner[a.infos[v].class][r], a.reg[v] = 0, none
	}
}

func (a *allocator) lock(v value) { a.locked[a.infos[v].class] |= 1 << a.reg[v] }

// free is a register of class c, emptied if need be. It is locked until the instruction is done.
func (a *allocator) free(c class) int8 {
	best, farthest := int8(none), int32(-1)
	for r := a.isa.registers[c].first; r < a.isa.registers[c].end; r++ {
		if a.locked[c]>>r&1 != 0 {
			continue
		}
		v := a.owner[c][r]
		if v == 0 {
			best = r
			break
		}
		distance := a.next(v, a.pos) - a.pos
		if a.valid[v] {
			distance += distance / 2 // it costs no store
		}
		if distance > farthest {
			best, farthest = r, distance
		}
	}
	if best == none {
		panic("jit: an instruction needs more registers than there are")
	}
	if v := a.owner[c][best]; v != 0 {
		if a.next(v, a.pos) != never {
			a.save(v)
		}
		a.drop(v)
	}
	a.locked[c] |= 1 << best
	return best
}

// spare says whether a register of class c is free.
func (a *allocator) spare(c class) bool {
	return a.busy(c) < int(a.isa.registers[c].end-a.isa.registers[c].first)
}

// need puts v into a register and locks it.
func (a *allocator) need(v value) uint8 {
	if a.reg[v] == none {
		if !a.valid[v] {
			panic("jit: a value is neither in a register nor in the frame")
		}
		a.fetch(v, a.free(a.infos[v].class))
	}
	a.lock(v)
	return uint8(a.reg[v])
}

// release frees what is not needed from a place on.
func (a *allocator) release(from int32, vs ...value) {
	for _, v := range vs {
		if v == 0 || a.next(v, from) != never {
			continue
		}
		a.drop(v)
		if i := &a.infos[v]; !i.uniform && !i.resident && i.slot != none {
			a.holes = append(a.holes, i.slot)
			i.slot, a.valid[v] = none, false
		}
	}
}

// define gives dst a register for what an instruction is about to write.
func (a *allocator) define(dst value) uint8 {
	if a.reg[dst] == none {
		a.put(dst, a.free(a.infos[dst].class))
	}
	a.lock(dst)
	a.valid[dst] = false
	return uint8(a.reg[dst])
}

// operandOf is b as ModRM.rm: in its register, or in memory where that is as good.
func (a *allocator) operandOf(in *inst, v value) operand {
	i := &a.infos[v]
	if a.reg[v] == none && a.isa.has(in.op, memory) && a.valid[v] {
		again := a.next(v, a.pos+1) != never
		if i.uniform || !again || !a.spare(vector) {
			return operand{inMemory: true, broadcast: i.uniform && !a.isa.spread, at: frameAt(i.slot)}
		}
	}
	return inReg(a.need(v))
}

// inst emits one instruction.
func (a *allocator) inst(in *inst) {
	switch {
	case in.op < firstMask:
		a.vectorInst(in)
	case in.op < firstPseudo:
		a.maskInst(in)
	default:
		a.pseudo(in)
	}
	a.release(a.pos+1, in.a, in.b, in.mask, in.index, in.dst)
}

func (a *allocator) isMove(o op) bool { return o == vmovdqa64 || o == vmovdqa32 || o == kmovb }

// takeOver lets dst have b's register, when b is needed no longer. It saves the move.
func (a *allocator) takeOver(in *inst) bool {
	if !a.isMove(in.op) || in.mask != 0 || a.reg[in.b] == none || a.next(in.b, a.pos+1) != never || a.reg[in.dst] != none {
		return false
	}
	r := a.reg[in.b]
	a.release(a.pos+1, in.b)
	a.put(in.dst, r)
	a.valid[in.dst] = false
	return true
}

func (a *allocator) vectorInst(in *inst) {
	d := &a.isa.insns[in.op]
	if a.takeOver(in) {
		return
	}
	x, y := in.a, in.b
	if a.isa.has(in.op, commutes) && a.reg[x] == none && (a.reg[y] != none || a.infos[x].uniform && !a.infos[y].uniform) {
		x, y = y, x
	}
	var m uint8
	if in.mask != 0 {
		m = a.need(in.mask)
	}
	if a.readsDst(in) {
		a.need(in.dst)
	}
	var v, reg uint8
	var rm operand
	switch d.form {
	case formGather, formScatter:
		a.indexed(in, m)
		return
	case formLoad:
		rm = operand{inMemory: true, at: frameAt(in.disp)}
	case formStore:
		a.asm.vector(in.op, a.need(in.b), 0, operand{inMemory: true, at: frameAt(in.disp)}, m, false, 0)
		return
	default:
		if x != 0 {
			v = a.need(x)
		}
		rm = a.operandOf(in, y)
	}
	if !a.readsDst(in) {
		a.unlockDying(in)
	}
	reg = a.define(in.dst)
	if d.form == formMR {
		reg, rm = rm.reg, inReg(reg)
	}
	a.asm.vector(in.op, reg, v, rm, m, in.zero, in.imm)
}

// unlockDying lets the result have the register of an operand that is needed no longer.
func (a *allocator) unlockDying(in *inst) {
	for _, v := range [...]value{in.a, in.b, in.mask} {
		if v != 0 && v != in.dst && a.reg[v] != none && a.next(v, a.pos+1) == never {
			a.locked[a.infos[v].class] &^= 1 << a.reg[v]
			a.release(a.pos+1, v)
		}
	}
}

// indexed emits a gather or scatter; m is its mask, which it clears.
func (a *allocator) indexed(in *inst, m uint8) {
	at := address{base: rdi, disp: in.disp, index: int8(a.need(in.index)), scale: in.scale}
	if in.base != 0 {
		a.asm.load64(rax, frameAt(in.base))
		at.base = rax
	}
	reg := uint8(0)
	if a.isa.insns[in.op].form == formGather {
		reg = a.define(in.dst)
	} else {
		reg = a.need(in.b)
	}
	a.asm.vector(in.op, reg, 0, operand{inMemory: true, at: at}, m, false, 0)
}

func (a *allocator) maskInst(in *inst) {
	if a.takeOver(in) {
		return
	}
	var x, y uint8
	if in.a != 0 {
		x = a.need(in.a)
	}
	y = a.need(in.b)
	a.unlockDying(in)
	dst := a.define(in.dst)
	if in.op == kmovb || in.op == knotb {
		a.asm.mask2(in.op, dst, y)
		return
	}
	a.asm.mask3(in.op, dst, x, y)
}
