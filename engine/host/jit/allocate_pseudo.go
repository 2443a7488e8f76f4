package jit

// Instructions of the allocator's own, which become several of the machine's.

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
	case opRowLoad, opRowStore, opRowGone, opRowNext, opRowReturn:
		a.rowInst(in)
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
		a.nextTile()
		a.refill()
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
