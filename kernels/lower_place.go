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
		next := &place{typ: s.Field(i).Type(), base: p.base, index: p.index}
		if p.table != nil {
			next.table = l.tableField(e, p.table, i)
		} else {
			next.base += l.layouts.offset(s, i)
		}
		p = next
	}
	return p
}

// index evaluates an index expression.
func (l *lowering) index(e ast.Expr) scalar { return l.one(e) }

// indexPlace is element i of the array or table at p.
func (l *lowering) indexPlace(at ast.Node, p *place, i scalar) *place {
	if p.table != nil {
		elem := elemType(p.typ)
		return &place{typ: elem, table: l.tableIndex(at, p.table, i)}
	}
	a, ok := p.typ.Underlying().(*types.Array)
	if !ok {
		return nil
	}
	stride := l.sizeOf(a.Elem(), at)
	n := int(a.Len())
	out := &place{typ: a.Elem(), base: p.base, index: p.index}
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
	index := append(append([]search(nil), p.index...), search{i, n, stride})
	product := 1
	for _, s := range index {
		product *= min(s.n, maxSearch+1)
	}
	if product > maxSearch || l.rolling > 0 {
		l.soft("E061", at)
		return out
	}
	out.index = index
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
	out := l.search(at, p.base, p.index, l.sizeOf(p.typ, at))
	if len(p.index) == 0 {
		for i, v := range out {
			l.loaded = append(l.loaded, change{p.base + i, v})
		}
	}
	return out
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
	l.scatter(at, p.base, p.index, boolean(true), vals)
}

// scatter writes where hit holds; an index out of range writes nowhere.
func (l *lowering) scatter(at ast.Node, base int, index []search, hit scalar, vals []scalar) {
	l.tick(len(vals), at)
	if len(index) == 0 {
		for j, v := range vals {
			cell := base + j
			if cell < l.cells && l.assigned[cell] == nil {
				l.assigned[cell] = at
			}
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
