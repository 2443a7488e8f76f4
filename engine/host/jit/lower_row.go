package jit

import (
	"slices"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// A launch of one step over whole rows of live samples needs no lanes: a row is loaded, its step made, and stored
// again, under no mask. lowerRow makes code of its own for that, a loop over rows.

// lowerRow makes the instructions of one step of row after row; nil for a kernel whose samples Go must look at.
func lowerRow(k *ir.Kernel, isa *isa) *lowering {
	if k.Faults() || hasLoop(&k.Step.Head) || hasLoop(&k.Step.Trip) {
		return nil
	}
	l := newLowering(k, isa, shape{groups: 1})
	l.groups = append(l.groups, l.newGroup())
	l.cellRows = l.rowCells()
	for i := range l.cellRows {
		if l.cellRows[i].typ == ir.Bool {
			return nil
		}
	}
	loop := l.newLoop()
	l.emit(inst{op: opLoop, n: loop})
	exit, news := l.rowStep()
	l.pos, l.from = ir.Pos{}, nil
	for i, x := range news {
		if t := l.cellRows[i].typ; t.Float() {
			x = l.merge(size(t), x, l.nans[t], l.isa.floats(l, t, x, x, floatUnordered))
		}
		l.emit(inst{op: opRowStore, b: x, n: int32(i)})
	}
	if bits, known := l.known[exit]; !known || bits != 0 {
		l.emit(inst{op: opRowGone, a: exit})
	}
	l.emit(inst{op: opRowNext})
	l.emit(inst{op: opAgain, n: loop, disp: frameTiles})
	l.emit(inst{op: opRowReturn})
	if l.refuse != nil || l.groups[0].sample != 0 {
		return nil
	}
	return l
}

// rowStep emits the loads of a row and its step: which lanes finish, and the new value of every carried cell.
func (l *lowering) rowStep() (exit value, news []value) {
	s := &l.k.Step
	l.env = map[ir.Value]value{}
	cells := make([]value, len(l.cellRows))
	for i := range cells {
		cells[i] = l.emit(inst{op: opRowLoad, dst: l.newVector(size(l.cellRows[i].typ)), n: int32(i)})
	}
	all := l.constMask(true)
	l.path, l.live = all, all
	start, load := len(l.code), len(s.Carry)
	for _, in := range s.Head.Instrs {
		if in.Op == ir.OpLoad && l.k.Planes[in.Imm].Role != ir.RoleParam {
			l.env[in.Results[0]] = cells[load]
			load++
			continue
		}
		for _, r := range in.Results {
			if v, ok := l.common[r]; ok {
				l.env[r] = v
			}
		}
		l.instr(in)
	}
	for i, p := range s.Trip.Params {
		l.env[p] = cells[i]
	}
	for _, in := range s.Trip.Instrs {
		l.instr(in)
	}
	body := l.shorten(slices.Clone(l.code[start:]))
	l.code = append(l.code[:start], body...)
	for _, y := range s.Trip.Yield[1:] {
		news = append(news, l.env[y])
	}
	return l.env[s.Trip.Yield[0]], news
}
