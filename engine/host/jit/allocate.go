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

// snapshot is what the registers hold now.
func (a *allocator) snapshot(place int) meeting {
	m := meeting{place: place, owner: a.owner, valid: map[value]bool{}}
	for _, owners := range a.owner {
		for _, v := range owners {
			if v != 0 {
				m.valid[v] = a.valid[v]
			}
		}
	}
	return m
}

// meet makes the registers hold what they did at m.
func (a *allocator) meet(m *meeting) {
	for c := range a.owner {
		a.meetClass(class(c), &m.owner[c])
		for r, v := range m.owner[c] {
			if v != 0 && a.owner[c][r] == v {
				a.valid[v] = a.valid[v] && m.valid[v]
			}
		}
	}
}

func (a *allocator) meetClass(c class, want *[32]value) {
	alive := func(v value) bool { return v != 0 && a.next(v, a.pos) != never }
	goal := map[value]int8{}
	for r, v := range want {
		if alive(v) {
			goal[v] = int8(r)
		}
	}
	for _, v := range a.owner[c] {
		if _, stays := goal[v]; v != 0 && !stays {
			if alive(v) {
				a.save(v)
			}
			a.drop(v)
		}
	}
	for {
		moved, stuck := false, value(0)
		for r := range int8(32) {
			v := want[r]
			g, ok := goal[v]
			if !ok || g != r || a.reg[v] == r || a.reg[v] == none {
				continue
			}
			if a.owner[c][r] != 0 {
				stuck = v
				continue
			}
			from := a.reg[v]
			a.drop(v)
			a.move(v, from, r)
			moved = true
		}
		if !moved && stuck != 0 {
			a.save(stuck)
			a.drop(stuck)
			moved = true
		}
		if !moved {
			break
		}
	}
	for r := range int8(32) {
		if v := want[r]; goal[v] == r && alive(v) && a.reg[v] == none {
			a.fetch(v, r)
		}
	}
}

// move copies v's register.
func (a *allocator) move(v value, from, to int8) {
	if a.infos[v].class == mask {
		a.asm.mask2(kmovb, uint8(to), uint8(from))
	} else {
		a.asm.vector(bySize(a.infos[v].size, vmovdqa64, vmovdqa32), uint8(to), 0, inReg(uint8(from)), 0, false, 0)
	}
	a.put(v, to)
}

// preload fills registers, before a loop, with what it needs most: variables first, then what is read
// oftenest. It leaves as many free as values made inside are alive at a time.
func (a *allocator) preload(end int32) {
	for c := range class(2) {
		room := int(a.isa.registers[c].end-a.isa.registers[c].first) - a.pressure(c, end) - 1 - a.busy(c)
		for ; room > 0; room-- {
			best, most := value(0), 0
			for v := range a.infos {
				if v == 0 || a.infos[v].class != c || a.reg[v] != none || !a.valid[v] {
					continue
				}
				if score := a.score(value(v), end); score > most {
					best, most = value(v), score
				}
			}
			if best == 0 {
				break
			}
			a.fetch(best, a.free(c))
			a.locked = [2]uint32{}
		}
	}
}

// score is how much it is worth to have v in a register during a loop.
func (a *allocator) score(v value, end int32) int {
	if a.next(v, a.pos) > end {
		return 0
	}
	n := 0
	for _, at := range a.uses[v][a.cursor[v]:] {
		if at >= end {
			break
		}
		in := &a.code[at]
		if a.infos[v].uniform && a.isa.has(in.op, memory) && (in.b == v || a.isa.has(in.op, commutes)) {
			continue // as good from memory
		}
		n++
	}
	if n > 0 && a.infos[v].variable {
		n += 1000
	}
	return n
}

// pressure is how many values that are made in the loop from here to end are alive at a time.
func (a *allocator) pressure(c class, end int32) int {
	change := make([]int, end-a.pos+2)
	seen := map[value]bool{}
	for at := a.pos; at < end; at++ {
		v := a.code[at].dst
		if v == 0 || a.infos[v].class != c || a.infos[v].slot != none || a.reg[v] != none || seen[v] {
			continue
		}
		seen[v] = true
		last := at
		for _, u := range a.uses[v] {
			if u <= end {
				last = max(last, u)
			}
		}
		change[at-a.pos]++
		change[last-a.pos+1]--
	}
	now, most := 0, 0
	for _, d := range change {
		now += d
		most = max(most, now)
	}
	return most
}

// head begins a loop.
func (a *allocator) head(in *inst) {
	end := a.ends[in.n]
	a.preload(end)
	for at := a.pos; at < end; at++ {
		if d := a.code[at].dst; d != 0 && a.reg[d] != none && a.infos[d].variable {
			a.valid[d] = false
		}
	}
	m := a.snapshot(len(a.asm.code))
	a.heads[in.n] = m
}

// again ends a loop.
func (a *allocator) again(in *inst) {
	m := a.heads[in.n]
	if in.a != 0 {
		a.toGeneral(in.a)
	}
	a.meet(&m)
	counter := frameAt(in.disp)
	if in.a == 0 {
		a.asm.dec32(counter)
		a.asm.target(a.asm.jump(ifNotZero), m.place)
		return
	}
	a.asm.emit(0x85, 0xC0) // test eax, eax
	out := a.asm.jump(ifZero)
	a.asm.dec64(counter)
	a.asm.target(a.asm.jump(ifNotZero), m.place)
	a.asm.here(out)
}

func (a *allocator) pseudo(in *inst) {
	switch in.op {
	case opUndefined:
		a.define(in.dst)
	case opSkip:
		a.testMask(in.a)
		a.release(a.pos+1, in.a)
		a.skips[in.n] = a.snapshot(a.asm.jump(ifZero))
	case opLabel:
		m := a.skips[in.n]
		a.meet(&m)
		a.asm.here(m.place)
	case opLoop:
		a.head(in)
	case opAgain:
		a.again(in)
	case opCounter:
		if in.wide < 1<<31 {
			a.asm.set64(frameAt(in.disp), int32(in.wide))
		} else {
			a.asm.const64(rax, in.wide)
			a.asm.store64(frameAt(in.disp), rax)
		}
	case opYield:
		a.yield(in.n)
	case opFault:
		a.markFault(in.a, in.disp, in.n)
	case opDivide:
		a.divide64(in)
	case opBytes:
		a.bytes(in)
	case opScatter:
		a.scatter(in)
	case opChunk:
		a.asm.load32(rax, frameAt(frameChunk))
		a.asm.store32(frameAt(frameLeft), rax)
	case opLook:
		a.asm.inc32(frameAt(frameDone))
		a.testMask(in.a)
		on := a.asm.jump(ifZero)
		a.asm.set32(frameAt(frameChunks), 1)
		a.asm.here(on)
	case opMaskStore:
		a.asm.maskStore(frameAt(in.disp), a.need(in.a))
	case opLoadRows:
		a.loadRows()
	case opReturn:
		before := a.spills
		for v := range a.infos {
			if a.infos[v].resident && a.infos[v].variable {
				a.save(value(v))
			}
		}
		a.spills = before
		a.storeRows()
		a.asm.ret()
	}
}

// toGeneral makes eax the lanes of mask v, a bit per lane.
func (a *allocator) toGeneral(v value) {
	i := &a.infos[v]
	switch {
	case i.class == vector:
		a.asm.vector(bySize(i.size, vmovmskpd, vmovmskps), rax, 0, inReg(a.need(v)), 0, false, 0)
	case a.reg[v] != none:
		a.asm.maskToGeneral(rax, uint8(a.reg[v]))
	default:
		a.asm.loadByte(rax, frameAt(i.slot))
	}
}

// testMask sets the zero flag when mask v has no lane.
func (a *allocator) testMask(v value) {
	if a.infos[v].class == mask {
		k := a.need(v)
		a.asm.maskTest(k, k)
		return
	}
	a.toGeneral(v)
	a.asm.emit(0x85, 0xC0) // test eax, eax
}

// markFault notes a site in the row at disp, for the lanes of mask v.
func (a *allocator) markFault(v value, disp, site int32) {
	a.toGeneral(v)
	a.asm.emit(0x85, 0xC0) // test eax, eax
	out := a.asm.jump(ifZero)
	top := len(a.asm.code)
	a.asm.emit(0x0F, 0xBC, 0xC8) // bsf ecx, eax
	a.asm.emit(0xC7, 0x84, 0x8F) // mov dword [rdi+rcx*4+disp], site
	a.asm.emit32(disp)
	a.asm.emit32(site)
	a.asm.emit(0x8D, 0x50, 0xFF) // lea edx, [rax-1]
	a.asm.emit(0x21, 0xD0)       // and eax, edx
	a.asm.target(a.asm.jump(ifNotZero), top)
	a.asm.here(out)
}

// divide64 divides lane by lane. x/0 and x%0 are 0; the least integer by -1 does not go to the processor,
// which would refuse it.
func (a *allocator) divide64(in *inst) {
	x, y := a.need(in.a), a.need(in.b)
	a.laneRows()
	at := func(disp int32) operand { return operand{inMemory: true, at: frameAt(disp)} }
	a.asm.vector(vstoreq, x, 0, at(a.quotient), 0, false, 0)
	a.asm.vector(vstoreq, y, 0, at(a.divisor), 0, false, 0)
	a.asm.emit(0x31, 0xF6) // xor esi, esi
	top := len(a.asm.code)
	a.asm.emit(0x48, 0x8B, 0x8C, 0xF7) // mov rcx, [rdi+rsi*8+divisor]
	a.asm.emit32(a.divisor)
	a.asm.emit(0x48, 0x8B, 0x84, 0xF7) // mov rax, [rdi+rsi*8+quotient]
	a.asm.emit32(a.quotient)
	a.asm.emit(0x48, 0x85, 0xC9) // test rcx, rcx
	zero := a.asm.jump(ifZero)
	minus, past := 0, 0
	if in.imm&divideSigned != 0 {
		a.asm.emit(0x48, 0x83, 0xF9, 0xFF) // cmp rcx, -1
		minus = a.asm.jump(ifZero)
		a.asm.emit(0x48, 0x99)       // cqo
		a.asm.emit(0x48, 0xF7, 0xF9) // idiv rcx
	} else {
		a.asm.emit(0x31, 0xD2)       // xor edx, edx
		a.asm.emit(0x48, 0xF7, 0xF1) // div rcx
	}
	if in.imm&divideRest != 0 {
		a.asm.emit(0x48, 0x89, 0xD0) // mov rax, rdx
	}
	done := a.asm.jump(always)
	if minus != 0 && in.imm&divideRest == 0 {
		a.asm.here(minus)
		a.asm.emit(0x48, 0xF7, 0xD8) // neg rax
		past = a.asm.jump(always)
	} else if minus != 0 {
		a.asm.here(minus)
	}
	a.asm.here(zero)
	a.asm.emit(0x31, 0xC0) // xor eax, eax
	a.asm.here(done)
	if past != 0 {
		a.asm.here(past)
	}
	a.asm.emit(0x48, 0x89, 0x84, 0xF7) // mov [rdi+rsi*8+quotient], rax
	a.asm.emit32(a.quotient)
	a.nextLane(top)
	a.unlockDying(in)
	a.asm.vector(vloadq, a.define(in.dst), 0, at(a.quotient), 0, false, 0)
}

// laneRows makes rows of the frame where an instruction may take lanes one by one.
func (a *allocator) laneRows() {
	if a.quotient == 0 {
		a.quotient, a.divisor = a.frame.vector(1), a.frame.vector(1)
	}
}

// nextLane goes on at top with the next lane, whose number is in esi.
func (a *allocator) nextLane(top int) {
	a.asm.emit(0xFF, 0xC6)                    // inc esi
	a.asm.emit(0x83, 0xFE, byte(a.isa.lanes)) // cmp esi, lanes
	a.asm.target(a.asm.jump(ifNotZero), top)
}

// bytes reads a byte per lane, of memory that ends anywhere: a gather would read past it.
func (a *allocator) bytes(in *inst) {
	x := a.need(in.b)
	a.laneRows()
	row := operand{inMemory: true, at: frameAt(a.quotient)}
	a.asm.vector(vstoreq, x, 0, row, 0, false, 0)
	a.asm.load64(rdx, frameAt(in.base))
	a.asm.emit(0x31, 0xF6) // xor esi, esi
	top := len(a.asm.code)
	a.asm.emit(0x48, 0x8B, 0x84, 0xF7) // mov rax, [rdi+rsi*8+row]
	a.asm.emit32(a.quotient)
	a.asm.emit(0x0F, 0xB6, 0x04, 0x02) // movzx eax, byte [rdx+rax]
	a.asm.emit(0x48, 0x89, 0x84, 0xF7) // mov [rdi+rsi*8+row], rax
	a.asm.emit32(a.quotient)
	a.nextLane(top)
	a.unlockDying(in)
	a.asm.vector(vloadq, a.define(in.dst), 0, row, 0, false, 0)
}

// scatter writes an element per lane of the mask.
func (a *allocator) scatter(in *inst) {
	a.laneRows()
	a.asm.vector(vstoreq, a.need(in.index), 0, operand{inMemory: true, at: frameAt(a.quotient)}, 0, false, 0)
	a.asm.vector(bySize(in.scale, vstoreq, vstored), a.need(in.b), 0, operand{inMemory: true, at: frameAt(a.divisor)}, 0, false, 0)
	a.toGeneral(in.mask)
	a.asm.emit(0x85, 0xC0) // test eax, eax
	out := a.asm.jump(ifZero)
	top := len(a.asm.code)
	a.asm.emit(0x0F, 0xBC, 0xC8)       // bsf ecx, eax
	a.asm.emit(0x48, 0x8B, 0x94, 0xCF) // mov rdx, [rdi+rcx*8+row of indexes]
	a.asm.emit32(a.quotient)
	if in.scale == 8 {
		a.asm.emit(0x48, 0x8B, 0xB4, 0xCF) // mov rsi, [rdi+rcx*8+row of elements]
		a.asm.emit32(a.divisor)
		a.asm.emit(0x48, 0x89, 0xB4, 0xD7) // mov [rdi+rdx*8+disp], rsi
	} else {
		a.asm.emit(0x8B, 0xB4, 0x8F) // mov esi, [rdi+rcx*4+row of elements]
		a.asm.emit32(a.divisor)
		a.asm.emit(0x89, 0xB4, 0x97) // mov [rdi+rdx*4+disp], esi
	}
	a.asm.emit32(in.disp)
	a.asm.emit(0x8D, 0x50, 0xFF) // lea edx, [rax-1]
	a.asm.emit(0x21, 0xD0)       // and eax, edx
	a.asm.target(a.asm.jump(ifNotZero), top)
	a.asm.here(out)
}

// yield ends the call when its budget is used up: the registers go to the frame, and the next call, with a
// new budget, takes them back and goes on behind this place.
func (a *allocator) yield(weight int32) {
	a.asm.sub32(frameAt(frameBudget), weight)
	on := a.asm.jump(ifNotSign)
	a.asm.emit(0x48, 0x8D, 0x05) // lea rax, [rip+...]
	a.asm.emit32(0)
	address := len(a.asm.code)
	a.asm.store64(frameAt(frameResume), rax)
	a.yields = append(a.yields, a.asm.jump(always))
	a.asm.target(address, len(a.asm.code))
	a.asm.here(on)
	p := yieldPoint{offset: len(a.asm.code), where: map[value]int8{}}
	for v := range a.infos {
		if a.infos[v].resident && a.infos[v].variable {
			p.where[value(v)] = a.reg[v]
		}
	}
	a.resume = append(a.resume, p)
}

// savedAt is where a register lies in the frame between a call that ended inside a loop and the next.
func (*isa) savedAt(c class, r int8) int32 {
	if c == mask {
		return frameSave + 32*64 + int32(r)
	}
	return frameSave + 64*int32(r)
}

// enter begins the code: a call that goes on inside a loop takes its registers back.
func (a *allocator) enter() (yields bool) {
	for i := range a.code {
		yields = yields || a.code[i].op == opYield
	}
	if !yields {
		return false
	}
	a.asm.load64(rax, frameAt(frameResume))
	a.asm.emit(0x48, 0x85, 0xC0) // test rax, rax
	start := a.asm.jump(ifZero)
	a.asm.set64(frameAt(frameResume), 0)
	for r := range a.isa.registers[vector].end {
		a.asm.vector(vloadq, uint8(r), 0, operand{inMemory: true, at: frameAt(a.isa.savedAt(vector, r))}, 0, false, 0)
	}
	for r := a.isa.registers[mask].first; r < a.isa.registers[mask].end; r++ {
		a.asm.maskLoad(uint8(r), frameAt(a.isa.savedAt(mask, r)))
	}
	a.asm.emit(0xFF, 0xE0) // jmp rax
	a.asm.here(start)
	return true
}

// leave ends the code with what saves the registers.
func (a *allocator) leave(yields bool) {
	if !yields {
		return
	}
	for _, place := range a.yields {
		a.asm.here(place)
	}
	for r := range a.isa.registers[vector].end {
		a.asm.vector(vstoreq, uint8(r), 0, operand{inMemory: true, at: frameAt(a.isa.savedAt(vector, r))}, 0, false, 0)
	}
	for r := a.isa.registers[mask].first; r < a.isa.registers[mask].end; r++ {
		a.asm.maskStore(frameAt(a.isa.savedAt(mask, r)), uint8(r))
	}
	a.asm.ret()
}
