package jit

// Instructions of the code of a step of row after row, see lower_row.go. frameRow holds the first sample of the row.

func (a *allocator) rowInst(in *inst) {
	switch in.op {
	case opRowLoad:
		r := &a.cellRows[in.n]
		a.asm.load64(rax, frameAt(frameRow))
		a.asm.vector(bySize(size(r.typ), vloadq, vloadd), a.define(in.dst), 0, a.rowAt(r), 0, false, 0)
	case opRowStore:
		r := &a.cellRows[in.n]
		x := a.need(in.b)
		a.asm.load64(rax, frameAt(frameRow))
		a.asm.vector(bySize(size(r.typ), vstoreq, vstored), x, 0, a.rowAt(r), 0, false, 0)
	case opRowGone:
		a.rowGone(in.a)
	case opRowNext:
		a.asm.add64(frameAt(frameRow), int32(a.isa.lanes))
	case opRowReturn:
		a.asm.ret()
	}
}

// rowGone writes the row and its lanes of mask v into the log, if there are any.
func (a *allocator) rowGone(v value) {
	a.toGeneral(v)
	a.asm.emit(0x85, 0xC0) // test eax, eax
	none := a.asm.jump(ifZero)
	a.asm.load64(rcx, frameAt(frameRow))
	a.asm.load64(rsi, frameAt(frameNext))
	a.asm.load64(r8, frameAt(frameLog))
	a.asm.store32(address{base: r8, index: rsi, scale: 3}, rcx)
	a.asm.store32(address{base: r8, disp: 4, index: rsi, scale: 3}, rax)
	a.asm.add64(frameAt(frameNext), 1)
	a.asm.here(none)
}
