package jit

import "github.com/eaglet-workbench/eaglet/kernels/ir"

// Rows of samples: where the lanes of a group are samples side by side, the code itself moves them between
// planes and frame, a vector register at a time. It does so first and last in a call, when no register holds
// anything else.

// rowAt is the elements of a row's first sample, whose number is in rax. It uses rcx.
func (a *allocator) rowAt(r *rowCell) operand {
	a.asm.load64(rcx, frameAt(r.address))
	scale := uint8(3)
	if r.typ.Bytes() == 4 {
		scale = 2
	}
	return operand{inMemory: true, at: address{base: rcx, index: rax, scale: scale}}
}

// onRow emits what f does for every group whose flag is set, with the number of its first sample in rax.
func (a *allocator) onRow(flags int32, f func(group int)) {
	for g := range a.groups {
		a.asm.loadByte(rax, frameAt(flags+int32(g)))
		a.asm.emit(0x85, 0xC0) // test eax, eax
		past := a.asm.jump(ifZero)
		a.asm.load64(rax, frameAt(frameRow+8*int32(g)))
		f(g)
		a.asm.here(past)
	}
}

// loadRows also begins the lanes: Go would write masks in parts, and the processor waits for those before it
// reads the whole.
func (a *allocator) loadRows() {
	a.onRow(frameLoad, func(g int) {
		at := func(slot int32) operand { return operand{inMemory: true, at: frameAt(slot)} }
		p := &a.groups[g]
		a.asm.vector(vpxorq, 0, 0, inReg(0), 0, false, 0)
		a.asm.vector(vstoreq, 0, 0, at(p.count), 0, false, 0)
		if a.isa.maskClass == vector {
			a.asm.vector(vpcmpeqq, 0, 0, inReg(0), 0, false, 0)
			for _, slot := range [...]int32{p.live, p.held, p.fresh} {
				a.asm.vector(vstoreq, 0, 0, at(slot), 0, false, 0)
			}
		}
		for i := range a.cellRows {
			r := &a.cellRows[i]
			if r.typ == ir.Bool {
				continue
			}
			s := size(r.typ)
			a.asm.vector(bySize(s, vloadq, vloadd), 0, 0, a.rowAt(r), 0, false, 0)
			a.asm.vector(bySize(s, vstoreq, vstored), 0, 0, operand{inMemory: true, at: frameAt(r.slots[g])}, 0, false, 0)
		}
	})
}

// storeRows makes any NaN of a float plane the canonical one.
func (a *allocator) storeRows() {
	a.onRow(frameStore, func(g int) {
		for i := range a.cellRows {
			r := &a.cellRows[i]
			if r.typ == ir.Bool || !r.stored {
				continue
			}
			s := size(r.typ)
			a.asm.vector(bySize(s, vloadq, vloadd), 0, 0, operand{inMemory: true, at: frameAt(r.slots[g])}, 0, false, 0)
			if r.typ.Float() {
				a.canonical(r.typ)
			}
			a.asm.vector(bySize(s, vstoreq, vstored), 0, 0, a.rowAt(r), 0, false, 0)
		}
	})
}

// canonical makes NaNs in register 0 canonical. It uses register 1 and a mask.
func (a *allocator) canonical(t ir.Type) {
	s, compare := size(t), pick(t, vcmppd, vcmpps)
	nan := operand{inMemory: true, broadcast: !a.isa.spread, at: frameAt(a.infos[a.nans[t]].slot)}
	if a.isa.maskClass == mask {
		a.asm.vector(compare, 1, 0, inReg(0), 0, false, floatUnordered)
		a.asm.vector(bySize(s, vpblendmq, vpblendmd), 0, 0, nan, 1, false, 0)
		return
	}
	a.asm.vector(compare, 1, 0, inReg(0), 0, false, floatUnordered)
	a.asm.vector(bySize(s, vblendvpd, vblendvps), 0, 0, nan, 1, false, 0)
}
