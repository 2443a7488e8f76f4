package jit

// How a call of the code ends inside a loop, and how the next goes on there.

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
