package jit

// Tiles: a call that runs a launch of few steps goes from one row of samples of every group to the next by
// itself, see stream.go.

// nextTile ends a tile: if there are more, and all lanes of this one are live, it begins the next. No register
// holds anything by then.
func (a *allocator) nextTile() {
	full := int32(1<<a.isa.lanes - 1)
	a.asm.load32(rax, frameAt(frameTiles))
	a.asm.emit(0x85, 0xC0) // test eax, eax
	last := a.asm.jump(ifZero)
	for g := range a.groups {
		live := frameAt(a.groups[g].live)
		switch {
		case a.isa.maskClass == mask && g == 0:
			a.asm.loadByte(rax, live)
		case a.isa.maskClass == mask:
			a.asm.loadByte(rcx, live)
			a.asm.emit(0x21, 0xC8) // and eax, ecx
		case g == 0:
			a.asm.vector(vloadq, 0, 0, operand{inMemory: true, at: live}, 0, false, 0)
		default:
			a.asm.vector(vpandq, 0, 0, operand{inMemory: true, at: live}, 0, false, 0)
		}
	}
	if a.isa.maskClass == vector {
		a.asm.vector(vmovmskpd, rax, 0, inReg(0), 0, false, 0)
	}
	a.asm.emit(0x81, 0xE8) // sub eax, full
	a.asm.emit32(full)
	gone := a.asm.jump(ifNotZero)
	a.asm.dec32(frameAt(frameTiles))
	flags := int32(0)
	for g := range a.groups {
		a.asm.add64(frameAt(frameRow+8*int32(g)), int32(len(a.groups)*a.isa.lanes))
		flags |= 1 << (8 * g)
	}
	a.asm.set32(frameAt(frameLoad), flags)
	a.asm.set32(frameAt(frameChunks), 1)
	a.asm.target(a.asm.jump(always), a.start)
	a.asm.here(last)
	a.asm.here(gone)
}
