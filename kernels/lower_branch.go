package kernels

import (
	"cmp"
	"slices"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// branch is one side of an if: its instructions, and the cells that it changed. The sides of an if are
// lowered one after the other on the same memory; closing a side takes its changes back, and merging gives
// every cell that a side changed what the condition chooses.
type branch struct {
	region  *ir.Region
	outer   *ir.Region
	top     int      // cells from here on are the branch's own variables
	mark    int      // of the trail
	changes []change // cell and its new value, by cell
}

// begin opens a branch: what follows belongs to it until end.
func (l *lowering) begin(at span) *branch {
	b := &branch{region: &ir.Region{}, top: len(l.mem)}
	l.reopen(b, at)
	return b
}

// reopen goes on with a branch that was ended.
func (l *lowering) reopen(b *branch, at span) {
	if l.open++; l.open > maxOpen {
		l.fail("E006", at, "branches nest deeper than %d", maxOpen)
	}
	l.tracked++
	b.outer, b.mark = l.region, len(l.trail)
	l.region = b.region
	for _, c := range b.changes {
		l.set(c.cell, c.old)
	}
}

// end closes a branch and takes its changes back.
func (l *lowering) end(b *branch) {
	seen := make(map[int]bool)
	b.changes = b.changes[:0]
	for _, c := range l.trail[b.mark:] {
		if c.cell < b.top && !seen[c.cell] {
			seen[c.cell] = true
			if now := l.mem[c.cell]; now != c.old {
				b.changes = append(b.changes, change{c.cell, now})
			}
		}
	}
	slices.SortFunc(b.changes, func(x, y change) int { return cmp.Compare(x.cell, y.cell) })
	l.undo(b.mark, b.top)
	l.shrink(b.top)
	l.region = b.outer
	l.open--
	l.tracked--
}

// after is what a cell holds at the end of the branch.
func (b *branch) after(l *lowering, cell int) scalar {
	i, ok := slices.BinarySearchFunc(b.changes, cell, func(c change, cell int) int { return cmp.Compare(c.cell, cell) })
	if ok {
		return b.changes[i].old
	}
	return l.mem[cell]
}

// merge makes an if of two closed branches.
//
// Cells from alive on matter only where cond holds: a constant of the first branch stays one. That is how
// the counter of an unrolled loop survives a break.
func (l *lowering) merge(at span, cond scalar, a, b *branch, alive int) {
	var cells []int
	for _, c := range a.changes {
		cells = append(cells, c.cell)
	}
	for _, c := range b.changes {
		cells = append(cells, c.cell)
	}
	slices.Sort(cells)
	cells = slices.Compact(cells)
	l.tick(len(cells), at)

	type pair struct{ x, y scalar }
	chosen := make(map[pair]scalar)
	var open []pair // those that need an instruction, in order
	for _, c := range cells {
		p := pair{a.after(l, c), b.after(l, c)}
		switch {
		case p.x == p.y, c >= alive && p.x.constant():
			chosen[p] = p.x
		case p.x.isTrue() && p.y.isFalse() && p.x.typ == ir.Bool:
			chosen[p] = cond
		case p.x.isFalse() && p.y.isTrue() && p.x.typ == ir.Bool:
			chosen[p] = l.not(at, cond)
		case !slices.Contains(open, p):
			open = append(open, p)
		}
	}
	if len(a.region.Instrs)+len(b.region.Instrs) == 0 {
		for _, p := range open {
			chosen[p] = l.emit(at, ir.OpSelect, p.x.typ, cond, p.x, p.y)
		}
	} else {
		in := &ir.Instr{Op: ir.OpIf, Args: []ir.Value{l.use(cond)}, Then: a.region, Else: b.region}
		for _, p := range open {
			a.region.Yield = append(a.region.Yield, l.use(p.x))
			b.region.Yield = append(b.region.Yield, l.use(p.y))
			v := l.vals.New(p.x.typ)
			in.Results = append(in.Results, v)
			chosen[p] = scalar{typ: p.x.typ, val: v}
		}
		l.append(in, at)
	}
	for _, c := range cells {
		p := pair{a.after(l, c), b.after(l, c)}
		if c >= alive && p.x.constant() {
			l.set(c, p.x)
			continue
		}
		l.set(c, chosen[p])
	}
}

// never is the alive of a merge in which every cell matters on both sides.
const never = int(^uint(0) >> 1)

// guard runs f where cond holds. Inside, the path is known not to have left.
func (l *lowering) guard(at span, cond scalar, alive int, f func()) {
	switch {
	case cond.isTrue():
		f()
		return
	case cond.isFalse():
		return
	}
	a := l.begin(at)
	l.clearFlags()
	f()
	l.end(a)
	b := l.begin(at)
	l.end(b)
	l.merge(at, cond, a, b, alive)
}

// splice puts the instructions of a closed branch, which changed no cell, where we are.
func (l *lowering) splice(b *branch) {
	l.region.Instrs = append(l.region.Instrs, b.region.Instrs...)
}

// simple says whether a closed branch may run unasked: it changed nothing, cannot fault, and has no loop
// and no write to a local array.
func (b *branch) simple() bool {
	if len(b.changes) > 0 {
		return false
	}
	ok := true
	b.region.Walk(func(in *ir.Instr) {
		ok = ok && in.Op != ir.OpFault && in.Op != ir.OpLoop && in.Op != ir.OpArray && in.Op != ir.OpPut
	})
	return ok
}
