package kernels

import (
	"go/ast"
	"go/types"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// maxSearch bounds the elements that an index which is not constant chooses among, in local arrays and
// array planes: each costs a comparison and a select.
const maxSearch = 64

// place is where a value lies: cells of memory, or a part of a table of the package.
type place struct {
	typ   types.Type
	base  int
	index []search // of an array in memory, outermost first
	table *cursor  // nil in memory

	root, rootSize int  // the cells of the outermost array that was indexed on the way here; none: 0, 0
	viaPlane       bool // the cells are read from the plane itself: an array plane that the entry does not assign

	plane   int    // of a table plane: its number and one
	element bool   // it is cell number cell of the table plane
	cell    scalar // i64
}

// search is an index that is not constant into an array of n elements of stride cells.
type search struct {
	index     scalar
	n, stride int
}

// subst is t with the type parameters of the current function replaced.
func (fr *frame) subst(t types.Type) types.Type {
	if len(fr.types) == 0 {
		return t
	}
	switch u := t.(type) {
	case *types.TypeParam:
		if s, ok := fr.types[u]; ok {
			return s
		}
	case *types.Array:
		return types.NewArray(fr.subst(u.Elem()), u.Len())
	}
	return t
}

// typeOf is the type of an expression in the current function.
func (l *lowering) typeOf(e ast.Expr) types.Type {
	return l.frame.subst(l.frame.pkg.info.TypeOf(e))
}

// place finds where an expression lies. It is nil for one that lies nowhere, such as a call.
func (l *lowering) place(e ast.Expr) *place {
	l.tick(1, e)
	switch e := e.(type) {
	case *ast.ParenExpr:
		return l.place(e.X)
	case *ast.StarExpr:
		return l.place(e.X)
	case *ast.Ident:
		return l.variable(e)
	case *ast.SelectorExpr:
		return l.fieldPlace(e)
	case *ast.IndexExpr:
		p := l.place(e.X)
		if p == nil {
			return nil
		}
		return l.indexPlace(e, p, l.index(e.Index))
	}
	return nil
}

func (l *lowering) variable(e *ast.Ident) *place {
	info := l.frame.pkg.info
	obj := info.Uses[e]
	if obj == nil {
		obj = info.Defs[e]
	}
	v, ok := obj.(*types.Var)
	if !ok {
		return nil
	}
	t := l.frame.subst(v.Type())
	if ptr, ok := types.Unalias(t).(*types.Pointer); ok {
		t = ptr.Elem()
	}
	if base, ok := l.frame.vars[v]; ok {
		return &place{typ: t, base: base}
	}
	if pv := l.frame.pkg.vars[v]; pv != nil {
		return &place{typ: t, table: &cursor{node: l.tableOf(l.frame.pkg, pv)}}
	}
	return nil
}

func (l *lowering) fieldPlace(e *ast.SelectorExpr) *place {
	sel := l.frame.pkg.info.Selections[e]
	if sel == nil || sel.Kind() != types.FieldVal {
		return nil
	}
	p := l.place(e.X)
	if p == nil {
		return nil
	}
	for _, i := range sel.Index() {
		s, ok := p.typ.Underlying().(*types.Struct)
		if !ok {
			return nil
		}
		next := &place{typ: s.Field(i).Type(), base: p.base, index: p.index, root: p.root, rootSize: p.rootSize}
		if _, ok := next.typ.Underlying().(*types.Slice); ok && l.layouts.isSample(s) && p.table == nil {
			next.plane = 1 + l.planeField(s.Field(i).Name())
			return next
		}
		if p.table != nil {
			next.table = l.tableField(e, p.table, i)
		} else {
			next.base += l.layouts.offset(s, i)
		}
		p = next
	}
	return p
}

// planeField is the plane that a field of the sample is.
func (l *lowering) planeField(field string) int {
	for i := range l.kernel.Planes {
		if l.kernel.Planes[i].Field == field {
			return i
		}
	}
	panic("kernels: no plane for the field " + field)
}

// index evaluates an index expression.
func (l *lowering) index(e ast.Expr) scalar { return l.one(e) }

// indexPlace is element i of the array or table at p.
func (l *lowering) indexPlace(at ast.Node, p *place, i scalar) *place {
	if p.table != nil {
		elem := elemType(p.typ)
		return &place{typ: elem, table: l.tableIndex(at, p.table, i)}
	}
	if p.plane > 0 {
		return l.tableCellPlace(at, p, i)
	}
	a, ok := p.typ.Underlying().(*types.Array)
	if !ok {
		return nil
	}
	stride := l.sizeOf(a.Elem(), at)
	n := int(a.Len())
	out := &place{typ: a.Elem(), base: p.base, index: p.index, root: p.root, rootSize: p.rootSize, viaPlane: p.viaPlane}
	if out.rootSize == 0 {
		out.root, out.rootSize = p.base, n*stride
	}
	if n == 0 {
		l.fail("E065", at, "the array has no elements")
	}
	i = l.bounded(at, i, n)
	if i.constant() {
		if i.bits < uint64(n) {
			out.base += int(i.bits) * stride
		}
		return out
	}
	out.index = append(append([]search(nil), p.index...), search{i, n, stride})
	if out.viaPlane || l.arrayAt(out.base) != nil {
		return out
	}
	product := 1
	for _, s := range out.index {
		product *= min(s.n, maxSearch+1)
	}
	if product <= maxSearch && l.rolling == 0 {
		return out
	}
	if plane, _, ok := l.planeOf(out.root); ok && l.readOnly(plane) {
		out.viaPlane = true
		return out
	}
	if product > maxSearch || l.demoting > 0 {
		l.needMemory(at, out)
	}
	l.soft("E061", at)
	out.index = p.index
	return out
}

func elemType(t types.Type) types.Type {
	switch u := t.Underlying().(type) {
	case *types.Array:
		return u.Elem()
	case *types.Slice:
		return u.Elem()
	}
	return nil
}

// bounded makes i an i64 and the sample fault when it is not in [0, n). A constant out of range comes back
// as 0, the cell that an out-of-range read gives.
func (l *lowering) bounded(at span, i scalar, n int) scalar {
	if r, ok := l.interval(i, 0); !ok || r.lo < 0 || r.hi >= int64(n) {
		l.fault(at, ir.FaultIndex, l.emit(at, ir.OpGe, ir.U64, l.convert(at, i, ir.U64), scalar{typ: ir.U64, bits: uint64(n)}))
	}
	i = l.convert(at, i, ir.I64)
	if i.constant() && i.bits >= uint64(n) {
		i.bits = 0
	}
	return i
}

// load reads the value at a place.
func (l *lowering) load(at ast.Node, p *place) []scalar {
	if p.table != nil {
		return l.readTable(at, p.table, p.typ)
	}
	if p.element {
		return []scalar{l.lookup(at, p.plane-1, p.cell)}
	}
	if _, ok := p.typ.Underlying().(*types.Slice); ok {
		l.fail("E032", at, "a table is used as a value")
	}
	size := l.sizeOf(p.typ, at)
	if p.viaPlane {
		return l.lookups(at, p, size)
	}
	if a := l.arrayAt(p.base); a != nil {
		l.loaded = append(l.loaded, change{-1 - a.id, scalar{bits: uint64(l.puts[a.id])}})
		if len(p.index) > 0 {
			return l.gets(at, a, p, size)
		}
	}
	if len(p.index) == 0 {
		out := l.cellsFrom(p.base, size, at)
		for i := range out {
			if l.arrayAt(p.base+i) == nil {
				l.loaded = append(l.loaded, change{p.base + i, out[i]})
			}
		}
		return out
	}
	return l.search(at, p.base, p.index, size)
}

// lookups reads size elements of a plane, by its own memory.
func (l *lowering) lookups(at ast.Node, p *place, size int) []scalar {
	plane, comp, _ := l.planeOf(p.root)
	first := l.flatIndex(at, &memArray{base: p.root - comp}, p.base, p.index)
	out := make([]scalar, size)
	for j := range out {
		out[j] = l.lookup(at, plane, l.plus(at, first, j))
	}
	return out
}

// gets reads size cells of a local array at an index that is not constant.
func (l *lowering) gets(at ast.Node, a *memArray, p *place, size int) []scalar {
	id := a.id
	first := l.flatIndex(at, a, p.base, p.index)
	out := make([]scalar, size)
	for j := range out {
		out[j] = l.get(id, l.plus(at, first, j), at)
	}
	return out
}

// putsAt writes to a local array at an index that is not constant; one out of range makes the sample fault,
// so what is written then is of no interest.
func (l *lowering) putsAt(at ast.Node, a *memArray, p *place, vals []scalar) {
	if p.root < l.cells {
		for c := range p.rootSize {
			l.assign1(at, p.root+c)
		}
	}
	id := a.id
	first := l.flatIndex(at, a, p.base, p.index)
	for j, v := range vals {
		l.put(id, l.plus(at, first, j), v, at)
	}
}

// assign1 notes that a cell is assigned, when it is one of the sample.
func (l *lowering) assign1(at ast.Node, cell int) {
	if cell >= l.cells || l.assigned[cell] != nil {
		return
	}
	l.assigned[cell] = at
	if plane, _, ok := l.planeOf(cell); ok && l.reads[plane] {
		l.rewrite(plane)
	}
}

// rewrite gives up the entry, since it assigns a plane that it reads by lookup.
func (l *lowering) rewrite(plane int) {
	if l.written == nil {
		l.written = make(map[int]bool)
	}
	l.written[plane] = true
	panic(restart{})
}

// search reads size cells; an index that is not constant chooses, and chooses element 0 when it is out of
// range.
func (l *lowering) search(at ast.Node, base int, index []search, size int) []scalar {
	l.tick(size, at)
	if len(index) == 0 {
		return append([]scalar(nil), l.mem[base:base+size]...)
	}
	s := index[0]
	out := l.search(at, base, index[1:], size)
	for i := 1; i < s.n; i++ {
		hit := l.emit(at, ir.OpEq, ir.I64, s.index, integer(int64(i)))
		for j, v := range l.search(at, base+i*s.stride, index[1:], size) {
			out[j] = l.emit(at, ir.OpSelect, v.typ, hit, v, out[j])
		}
	}
	return out
}

// store writes a value to a place.
func (l *lowering) store(at ast.Node, p *place, vals []scalar) {
	if p.table != nil {
		panic("kernels: a table is written")
	}
	if p.plane > 0 {
		name := l.kernel.Planes[p.plane-1].Field
		d := l.reporter.at("E021", at, "%s is a table, and tables are never written", name)
		d.Rewrite = "keep what changes in an array field, which every sample has for itself"
		return
	}
	if p.viaPlane {
		plane, _, _ := l.planeOf(p.root)
		l.rewrite(plane)
	}
	if a := l.arrayAt(p.base); a != nil && len(p.index) > 0 {
		l.putsAt(at, a, p, vals)
		return
	}
	l.scatter(at, p.base, p.index, boolean(true), vals)
}

// scatter writes where hit holds; an index out of range writes nowhere.
func (l *lowering) scatter(at ast.Node, base int, index []search, hit scalar, vals []scalar) {
	l.tick(len(vals), at)
	if len(index) == 0 {
		for j, v := range vals {
			cell := base + j
			l.assign1(at, cell)
			l.set(cell, l.emit(at, ir.OpSelect, v.typ, hit, v, l.mem[cell]))
		}
		return
	}
	s := index[0]
	for i := range s.n {
		here := l.emit(at, ir.OpEq, ir.I64, s.index, integer(int64(i)))
		l.scatter(at, base+i*s.stride, index[1:], l.emit(at, ir.OpAnd, ir.Bool, hit, here), vals)
	}
}
