package kernels

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Arrays that are indexed when the step runs. A variable is a run of cells, each a value of its own; an
// index that is not constant then chooses among them, which costs a comparison and a select for each. That
// is right for a few cells in straight code. Where there are many, or the code is a loop that stays one,
// the array becomes memory: a local array of the IR (OpArray, OpGet, OpPut).
//
// Which arrays must, comes out while lowering: the first index that needs it gives up the entry, and the
// entry is lowered again with that array in memory. Its cells in l.mem are then place holders: reading one
// emits a get, setting one a put. Puts are statements in the region at hand, so branches and loops need not
// know of them.

// arrayKey names an array that must lie in memory: cells [off, off+n) of a variable (*types.Var), of a
// temporary (the node that makes it) or of a plane (its index). The owner's size and the cells' type are
// there for generic functions, where one variable has several types.
type arrayKey struct {
	owner        any
	size, off, n int
	typ          ir.Type
}

// restart gives up the entry, which is to be lowered again; l.demoted has one array more, or l.written one
// plane.
type restart struct{}

// extent is a variable, temporary or plane in memory.
type extent struct {
	base, size int
	owner      any
}

// memArray is an array whose cells are in a local array of the IR.
type memArray struct {
	base, size int
	id         int
}

// shrink forgets the cells from top on.
func (l *lowering) shrink(top int) {
	l.mem = l.mem[:top]
	for len(l.extents) > 0 && l.extents[len(l.extents)-1].base >= top {
		l.extents = l.extents[:len(l.extents)-1]
	}
	for len(l.arrays) > 0 && l.arrays[len(l.arrays)-1].base >= top {
		l.arrays = l.arrays[:len(l.arrays)-1]
	}
}

// own says what the cells from base on belong to, and makes local arrays of those parts that must be; they
// are filled with what the cells hold.
func (l *lowering) own(owner any, base, size int, at span) {
	if size == 0 {
		return
	}
	l.extents = append(l.extents, extent{base, size, owner})
	for _, key := range l.demoted {
		if key.owner == owner && key.size == size && l.mem[base+key.off].typ == key.typ {
			l.demote(key, base+key.off, at)
		}
	}
}

// demote puts the cells of an array into a local array of the IR.
func (l *lowering) demote(key arrayKey, base int, at span) {
	was := append([]scalar(nil), l.mem[base:base+key.n]...)
	typ := was[0].typ
	id, ok := l.arrayIDs[key]
	if !ok {
		id = len(l.vals.Arrays)
		l.arrayIDs[key] = id
		l.vals.Arrays = append(l.vals.Arrays, ir.Array{Name: l.arrayName(key.owner), Type: typ, Len: key.n})
	}
	for i := range was {
		l.set(base+i, scalar{typ: typ}) // place holders, before the array is there
	}
	l.arrays = append(l.arrays, memArray{base, key.n, id})
	first := was[0]
	l.append(&ir.Instr{Op: ir.OpArray, Type: typ, Imm: uint64(id), Args: []ir.Value{l.use(first)}}, at)
	for i, s := range was {
		if s != first {
			l.put(id, integer(int64(i)), s, at)
		}
	}
}

// arrayName is a name that no other array of the entry has.
func (l *lowering) arrayName(owner any) string {
	base := "temporary"
	switch o := owner.(type) {
	case *types.Var:
		base = o.Name()
	case int:
		base = l.kernel.Planes[o].Name
	}
	if base == "" || base == "_" {
		base = "result"
	}
	name := base
	for n := 2; ; n++ {
		taken := false
		for _, a := range l.vals.Arrays {
			taken = taken || a.Name == name
		}
		if !taken {
			return name
		}
		name = base + ".r" + itoa(n)
	}
}

// arrayAt is the local array that holds a cell, nil for a cell that is a value.
func (l *lowering) arrayAt(cell int) *memArray {
	for i := range l.arrays {
		if a := &l.arrays[i]; a.base <= cell && cell < a.base+a.size {
			return a
		}
	}
	return nil
}

func (l *lowering) put(id int, index, x scalar, at span) {
	l.puts[id]++
	l.append(&ir.Instr{Op: ir.OpPut, Type: x.typ, Imm: uint64(id), Args: []ir.Value{l.use(index), l.use(x)}}, at)
}

func (l *lowering) get(id int, index scalar, at span) scalar {
	t := l.vals.Arrays[id].Type
	v := l.vals.New(t)
	l.append(&ir.Instr{Op: ir.OpGet, Type: t, Imm: uint64(id), Args: []ir.Value{l.use(index)}, Results: []ir.Value{v}}, at)
	return scalar{typ: t, val: v}
}

// cell is what a cell holds.
func (l *lowering) cell(cell int, at span) scalar {
	if a := l.arrayAt(cell); a != nil {
		return l.get(a.id, integer(int64(cell-a.base)), at)
	}
	return l.mem[cell]
}

// cellsFrom are what size cells hold.
func (l *lowering) cellsFrom(base, size int, at span) []scalar {
	out := append([]scalar(nil), l.mem[base:base+size]...)
	if len(l.arrays) > 0 {
		for i := range out {
			out[i] = l.cell(base+i, at)
		}
	}
	return out
}

// flatIndex is the index in a local array of what lies at base with indexes that are not constant.
func (l *lowering) flatIndex(at span, a *memArray, base int, index []search) scalar {
	out := integer(int64(base - a.base))
	for _, s := range index {
		i := s.index
		if s.stride != 1 {
			i = l.emit(at, ir.OpMul, ir.I64, i, integer(int64(s.stride)))
		}
		if !out.constant() || out.bits != 0 {
			i = l.emit(at, ir.OpAdd, ir.I64, out, i)
		}
		out = i
	}
	return out
}

func (l *lowering) plus(at span, x scalar, n int) scalar {
	if n == 0 {
		return x
	}
	return l.emit(at, ir.OpAdd, ir.I64, x, integer(int64(n)))
}

// needMemory gives up the entry so that the array round cell p.root lies in memory when it is lowered
// again. It returns when that array cannot: its cells differ in type, or belong to nobody.
func (l *lowering) needMemory(at ast.Node, p *place) {
	if l.constantOnly {
		return
	}
	for i := len(l.extents) - 1; i >= 0; i-- {
		e := l.extents[i]
		if p.root < e.base || p.root+p.rootSize > e.base+e.size {
			continue
		}
		for _, s := range l.mem[p.root : p.root+p.rootSize] {
			if s.typ != l.mem[p.root].typ {
				return
			}
		}
		key := arrayKey{e.owner, e.size, p.root - e.base, p.rootSize, l.mem[p.root].typ}
		if slices.Contains(l.demoted, key) {
			panic(fmt.Sprintf("kernels: the array at %v is in memory, and is asked for again", key))
		}
		cells := p.rootSize
		for _, k := range l.demoted {
			cells += k.n
		}
		if cells > ir.MaxArrayCells || len(l.demoted) > 200 {
			l.fail("E065", at)
		}
		l.demoted = append(l.demoted, key)
		panic(restart{})
	}
}

// planeOf is the plane that a cell of the sample belongs to and the cell's component; no plane for any
// other cell.
func (l *lowering) planeOf(cell int) (plane, comp int, ok bool) {
	if cell >= l.cells {
		return 0, 0, false
	}
	for i := range l.kernel.Planes {
		p := &l.kernel.Planes[i]
		if p.Role == ir.RoleTable {
			continue
		}
		if w := p.Width(); cell < w {
			return i, cell, true
		} else {
			cell -= w
		}
	}
	return 0, 0, false
}

// readOnly says whether a plane may be read by lookup: nothing that is known of this entry assigns it, nor
// does Step.
func (l *lowering) readOnly(plane int) bool {
	role := l.kernel.Planes[plane].Role
	if l.written[plane] || !l.step && role != ir.RoleInput && role != ir.RoleParam {
		return false
	}
	for cell := range l.assigned {
		if p, _, ok := l.planeOf(cell); ok && p == plane {
			return false
		}
	}
	return true
}

// lookup reads cell x of a plane.
func (l *lowering) lookup(at span, plane int, x scalar) scalar {
	t := l.kernel.Planes[plane].Type
	v := l.vals.New(t)
	l.append(&ir.Instr{Op: ir.OpLookup, Type: t, Imm: uint64(plane), Args: []ir.Value{l.use(x)}, Results: []ir.Value{v}}, at)
	l.looked[plane], l.reads[plane] = true, true
	return scalar{typ: t, val: v}
}

// tableLen is the number of cells of a table plane.
func (l *lowering) tableLen(at span, plane int) scalar {
	v := l.vals.New(ir.I64)
	l.append(&ir.Instr{Op: ir.OpLen, Type: ir.I64, Imm: uint64(plane), Results: []ir.Value{v}}, at)
	l.looked[plane] = true
	return scalar{typ: ir.I64, val: v}
}

// tableCellPlace is cell i of a table plane.
func (l *lowering) tableCellPlace(at ast.Node, p *place, i scalar) *place {
	n := l.tableLen(at, p.plane-1)
	l.fault(at, ir.FaultIndex, l.emit(at, ir.OpGe, ir.U64, l.convert(at, i, ir.U64), l.convert(at, n, ir.U64)))
	return &place{typ: elemType(p.typ), plane: p.plane, cell: l.convert(at, i, ir.I64), element: true}
}
