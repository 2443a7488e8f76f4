package jit

import "github.com/eaglet-workbench/eaglet/kernels/ir"

// Lanes whose samples have finished take new ones inside the code, as long as samples wait in line: see
// refill.go. It happens between chunks, when no register holds anything.

// refills says whether the code refills lanes: a fault needs to be noted by Go, and Go moves bools.
func (l *lowering) refills() bool {
	if l.k.Faults() {
		return false
	}
	for i := range l.cellRows {
		if l.cellRows[i].typ == ir.Bool {
			return false
		}
	}
	return true
}

// refill goes on with the chunks that are left, with a new sample in every lane that has finished. The call
// ends instead if no chunk is left, or if samples could run out meanwhile.
func (a *allocator) refill() {
	if !a.refills() {
		return
	}
	a.asm.load32(rax, frameAt(frameSpare))
	a.asm.emit(0x81, 0xE8) // sub eax, lanes
	a.asm.emit32(int32(len(a.groups) * a.isa.lanes))
	enough := a.asm.jump(ifNotSign)
	ends := []int{a.asm.jump(always)}
	a.asm.here(enough)
	a.asm.load32(rax, frameAt(frameMost))
	a.asm.load32(rcx, frameAt(frameDone))
	a.asm.emit(0x29, 0xC8) // sub eax, ecx
	ends = append(ends, a.asm.jump(ifZero))
	a.asm.store32(frameAt(frameChunks), rax)
	a.asm.set32(frameAt(frameLoad), 0)
	for g := range a.groups {
		a.refillGroup(g)
	}
	a.asm.target(a.asm.jump(always), a.start)
	for _, end := range ends {
		a.asm.here(end)
	}
}

// refillGroup does it for a group. Its new lanes are fresh, and all that it holds run again.
func (a *allocator) refillGroup(g int) {
	p := &a.groups[g]
	a.newLanes(p)
	a.asm.emit(0x85, 0xD2) // test edx, edx
	none := a.asm.jump(ifZero)
	a.canonicalRows(g)
	top := len(a.asm.code)
	a.asm.emit(0x0F, 0xBC, 0xCA) // bsf ecx, edx
	a.asm.load64(rsi, frameAt(frameNext))
	a.logLane(p)
	a.storeLane(g)
	a.loadLane(g)
	a.asm.add64(frameAt(frameNext), 1)
	a.asm.dec32(frameAt(frameSpare))
	a.asm.emit(0x8D, 0x42, 0xFF) // lea eax, [rdx-1]
	a.asm.emit(0x21, 0xC2)       // and edx, eax
	a.asm.target(a.asm.jump(ifNotZero), top)
	a.asm.here(none)
}

// newLanes makes the lanes fresh that are held and do not run, gives them in edx, and lets all run that are held.
func (a *allocator) newLanes(p *group) {
	at := func(slot int32) operand { return operand{inMemory: true, at: frameAt(slot)} }
	if a.isa.maskClass == mask {
		a.asm.maskLoad(1, frameAt(p.held))
		a.asm.maskLoad(2, frameAt(p.live))
		a.asm.mask3(kxorb, 2, 1, 2)
		a.asm.maskStore(frameAt(p.live), 1)
		a.asm.maskStore(frameAt(p.fresh), 2)
		a.asm.maskToGeneral(rdx, 2)
		return
	}
	a.asm.vector(vloadq, 0, 0, at(p.held), 0, false, 0)
	a.asm.vector(vpxorq, 1, 0, at(p.live), 0, false, 0)
	a.asm.vector(vstoreq, 0, 0, at(p.live), 0, false, 0)
	a.asm.vector(vstoreq, 1, 0, at(p.fresh), 0, false, 0)
	a.asm.vector(vmovmskpd, rdx, 0, inReg(1), 0, false, 0)
}

// canonicalRows makes NaNs canonical in the rows of a group that are stored: a lane of them is moved as it is.
func (a *allocator) canonicalRows(g int) {
	for i := range a.cellRows {
		r := &a.cellRows[i]
		if !r.stored || !r.typ.Float() {
			continue
		}
		s, row := size(r.typ), operand{inMemory: true, at: frameAt(r.slots[g])}
		a.asm.vector(bySize(s, vloadq, vloadd), 0, 0, row, 0, false, 0)
		a.canonical(r.typ)
		a.asm.vector(bySize(s, vstoreq, vstored), 0, 0, row, 0, false, 0)
	}
}

// lane64 and lane32 are the element of lane rcx in a row of the frame.
func lane64(slot int32) address { return address{base: rdi, disp: slot, index: rcx, scale: 3} }
func lane32(slot int32) address { return address{base: rdi, disp: slot, index: rcx, scale: 2} }

// logLane writes down which sample leaves lane rcx and how many steps it took, in the line of sample rsi, which
// comes. The sample that leaves is in rax then.
func (a *allocator) logLane(p *group) {
	a.asm.load64(r8, frameAt(frameLog))
	a.asm.load32(rax, lane32(p.who))
	a.asm.load32(r9, lane64(p.count))
	a.asm.store32(address{base: r8, index: rsi, scale: 3}, rax)
	a.asm.store32(address{base: r8, disp: 4, index: rsi, scale: 3}, r9)
}

// storeLane puts the state of lane rcx back to sample rax.
func (a *allocator) storeLane(g int) {
	for i := range a.cellRows {
		if r := &a.cellRows[i]; r.stored {
			a.moveLane(r, g, rax, true)
		}
	}
}

// loadLane begins lane rcx with sample rsi.
func (a *allocator) loadLane(g int) {
	p := &a.groups[g]
	a.asm.store32(lane32(p.who), rsi)
	if p.sample != 0 {
		a.asm.store64(lane64(p.sample), rsi)
	}
	a.asm.set64(lane64(p.count), 0)
	a.asm.load32(r9, frameAt(frameFrom))
	a.asm.store32(lane32(p.took), r9)
	for i := range a.cellRows {
		a.moveLane(&a.cellRows[i], g, rsi, false)
	}
}

// moveLane moves a cell between lane rcx and the sample whose number a register holds.
func (a *allocator) moveLane(r *rowCell, g int, sample int8, out bool) {
	a.asm.load64(r8, frameAt(r.address))
	lane, plane := lane64(r.slots[g]), address{base: r8, index: sample, scale: 3}
	load, store := a.asm.load64, a.asm.store64
	if r.typ.Bytes() == 4 {
		lane, plane.scale = lane32(r.slots[g]), 2
		load, store = a.asm.load32, a.asm.store32
	}
	if out {
		load(r9, lane)
		store(plane, r9)
		return
	}
	load(r9, plane)
	store(lane, r9)
}
