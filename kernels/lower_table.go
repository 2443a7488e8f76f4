package kernels

import (
	"go/ast"
	"go/types"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// maxTable bounds the numbers of one package variable.
const maxTable = 1 << 20

// packageVar is a variable of the package: a table, or a single number.
type packageVar struct {
	name  *ast.Ident
	value ast.Expr // nil for a zero value
}

// table is a constant value as a tree: rows need not have one length.
type table struct {
	name string
	kids []*table // elements or fields; nil for a number
	num  scalar

	shape   []int // of a uniform table with its numbers in flat
	flat    []scalar
	flatSet bool
}

// cursor is a part of a table: a node, or while indexes are not constant a cell of its flat form.
type cursor struct {
	node *table
	flat bool
	cell scalar // i64
	left []int  // dimensions not indexed yet
}

// tableOf is the value of a package variable, computed when a kernel first needs it. It belongs to that
// kernel, since mathlib is shared by loads that run side by side.
func (l *lowering) tableOf(p *pkg, v *packageVar) *table {
	if t, ok := l.packageTables[v]; ok {
		return t
	}
	var t *table
	if v.value == nil {
		t = l.zeroTable(p.info.Defs[v.name].Type(), v.name)
	} else {
		t = l.constantTree(p, v.value)
	}
	if t.name == "" {
		t.name = v.name.Name
	}
	l.packageTables[v] = t
	return t
}

// constantTree evaluates the initial value of a package variable.
func (l *lowering) constantTree(p *pkg, e ast.Expr) *table {
	vals := &ir.Values{}
	c := l.program.lower(vals, &ir.Region{})
	c.trying, c.faults, c.constantOnly = l.trying, true, true
	c.frame = &frame{pkg: p, vars: make(map[*types.Var]int), site: l.frame.site}
	c.frame.returned = c.flag()
	var out *table
	if !c.entry(func() { out = c.tree(e) }) {
		l.problem = c.problem
		panic(bail{})
	}
	return out
}

// tree evaluates a constant expression, composite literals element by element.
func (l *lowering) tree(e ast.Expr) *table {
	l.tick(1, e)
	t := l.typeOf(e)
	if lit, ok := ast.Unparen(e).(*ast.CompositeLit); ok {
		return l.literalTree(lit, t)
	}
	if p := l.place(e); p != nil && p.table != nil && !p.table.flat {
		return p.table.node
	}
	vals := l.expr(e)
	if len(l.region.Instrs) > 0 {
		l.fail("E047", e)
	}
	for _, v := range vals {
		if !v.constant() {
			l.fail("E047", e)
		}
	}
	out, _ := l.shapeTree(t, vals, e)
	return out
}

func (l *lowering) literalTree(lit *ast.CompositeLit, t types.Type) *table {
	switch u := t.Underlying().(type) {
	case *types.Array:
		return l.elements(lit, u.Elem(), u.Len())
	case *types.Slice:
		return l.elements(lit, u.Elem(), -1)
	case *types.Struct:
		out := &table{kids: make([]*table, u.NumFields())}
		for i, elt := range lit.Elts {
			if kv, ok := elt.(*ast.KeyValueExpr); ok {
				i, elt = fieldIndex(u, kv.Key.(*ast.Ident).Name), kv.Value
			}
			out.kids[i] = l.tree(elt)
		}
		for i := range out.kids {
			if out.kids[i] == nil {
				out.kids[i] = l.zeroTable(u.Field(i).Type(), lit)
			}
		}
		return out
	}
	l.fail("E047", lit)
	return nil
}

// elements are those of an array or slice literal; n is -1 for a slice.
func (l *lowering) elements(lit *ast.CompositeLit, elem types.Type, n int64) *table {
	out := &table{kids: []*table{}}
	next := int64(0)
	for _, elt := range lit.Elts {
		if kv, ok := elt.(*ast.KeyValueExpr); ok {
			next, elt = l.constantInt(kv.Key), kv.Value
		}
		if next >= maxTable {
			l.fail("E065", elt)
		}
		out.grow(next + 1)
		out.kids[next] = l.tree(elt)
		next++
	}
	if n > maxTable {
		l.fail("E065", lit)
	}
	out.grow(n)
	l.tick(len(out.kids), lit)
	var zero *table
	for i := range out.kids {
		if out.kids[i] == nil {
			if zero == nil {
				zero = l.zeroTable(elem, lit)
			}
			out.kids[i] = zero
		}
	}
	return out
}

func (t *table) grow(n int64) {
	for int64(len(t.kids)) < n {
		t.kids = append(t.kids, nil)
	}
}

func fieldIndex(s *types.Struct, name string) int {
	for i := range s.NumFields() {
		if s.Field(i).Name() == name {
			return i
		}
	}
	panic("kernels: no field " + name)
}

// zeroTable is the zero value of a type.
func (l *lowering) zeroTable(t types.Type, at span) *table {
	if _, ok := t.Underlying().(*types.Slice); ok {
		return &table{kids: []*table{}}
	}
	typs := l.scalarsOf(t, at)
	vals := make([]scalar, len(typs))
	for i, typ := range typs {
		vals[i].typ = typ
	}
	out, _ := l.shapeTree(t, vals, at)
	return out
}

// shapeTree makes a tree of type t of its scalars, and returns those left over.
func (l *lowering) shapeTree(t types.Type, vals []scalar, at span) (*table, []scalar) {
	out := &table{}
	switch u := t.Underlying().(type) {
	case *types.Array:
		out.kids = make([]*table, u.Len())
		for i := range out.kids {
			out.kids[i], vals = l.shapeTree(u.Elem(), vals, at)
		}
		return out, vals
	case *types.Struct:
		out.kids = make([]*table, u.NumFields())
		for i := range out.kids {
			out.kids[i], vals = l.shapeTree(u.Field(i).Type(), vals, at)
		}
		return out, vals
	}
	if len(vals) == 0 {
		l.fail("E047", at)
	}
	out.num = vals[0]
	return out, vals[1:]
}

// tableField is field i of a table's element.
func (l *lowering) tableField(at ast.Node, c *cursor, i int) *cursor {
	if c.flat {
		l.soft("E066", at)
		return &cursor{node: c.node.kids[0].kids[i]}
	}
	return &cursor{node: c.node.kids[i]}
}

// tableIndex is element i of a table.
func (l *lowering) tableIndex(at ast.Node, c *cursor, i scalar) *cursor {
	n := 0
	if c.flat {
		n = c.left[0]
	} else {
		n = len(c.node.kids)
	}
	if n == 0 {
		l.fail("E065", at, "the table has no elements")
	}
	i = l.bounded(at, i, n)
	if !c.flat {
		if i.constant() {
			return &cursor{node: c.node.kids[i.bits]}
		}
		if !c.node.flatten() {
			l.soft("E066", at)
			return &cursor{node: c.node.kids[0]}
		}
		return &cursor{node: c.node, flat: true, cell: i, left: c.node.shape[1:]}
	}
	cell := l.emit(at, ir.OpMul, ir.I64, c.cell, integer(int64(n)))
	return &cursor{node: c.node, flat: true, cell: l.emit(at, ir.OpAdd, ir.I64, cell, i), left: c.left[1:]}
}

// flatten lays a table out in row-major order, when all its rows have one length and all its numbers one
// type.
func (t *table) flatten() bool {
	if t.flatSet {
		return t.shape != nil
	}
	t.flatSet = true
	shape, flat := []int{len(t.kids)}, []scalar(nil)
	for i, k := range t.kids {
		if k.kids == nil {
			if len(shape) != 1 {
				return false
			}
			flat = append(flat, k.num)
			continue
		}
		if len(k.kids) == 0 || !k.flatten() {
			return false
		}
		if i == 0 {
			shape = append(shape, k.shape...)
		}
		if len(shape) != len(k.shape)+1 || !equalInts(shape[1:], k.shape) {
			return false
		}
		if flat = append(flat, k.flat...); len(flat) > maxTable {
			return false
		}
	}
	for _, s := range flat {
		if s.typ != flat[0].typ {
			return false
		}
	}
	t.shape, t.flat = shape, flat
	return true
}

func equalInts(a, b []int) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

// readTable reads the value of type t at a cursor.
func (l *lowering) readTable(at ast.Node, c *cursor, t types.Type) []scalar {
	if !c.flat {
		var out []scalar
		c.node.scalars(func(s scalar) {
			l.tick(1, at)
			out = append(out, s)
		})
		return out
	}
	n := 1
	for _, d := range c.left {
		n *= d
	}
	if n > maxSearch {
		l.fail("E061", at, "a row of %d numbers is read at an index that is not constant", n)
	}
	out := make([]scalar, 0, n)
	base := l.emit(at, ir.OpMul, ir.I64, c.cell, integer(int64(n)))
	if n == 1 {
		base = c.cell
	}
	for i := range n {
		cell := base
		if i > 0 {
			cell = l.emit(at, ir.OpAdd, ir.I64, base, integer(int64(i)))
		}
		out = append(out, l.tableCell(at, c.node, cell))
	}
	return out
}

// scalars calls f for the numbers of a table, in order.
func (t *table) scalars(f func(scalar)) {
	if t.kids == nil {
		f(t.num)
		return
	}
	for _, k := range t.kids {
		k.scalars(f)
	}
}

// tableCell reads one cell at an index that is not constant.
func (l *lowering) tableCell(at ast.Node, t *table, cell scalar) scalar {
	n, ok := l.tables[t]
	if !ok {
		n = len(l.kernel.Tables)
		l.tables[t] = n
		tab := ir.Table{Name: l.tableName(t), Type: t.flat[0].typ}
		for _, s := range t.flat {
			tab.Bits = append(tab.Bits, s.bits)
		}
		l.kernel.Tables = append(l.kernel.Tables, tab)
	}
	typ := t.flat[0].typ
	v := l.vals.New(typ)
	l.append(&ir.Instr{Op: ir.OpTable, Type: typ, Imm: uint64(n), Args: []ir.Value{l.use(cell)}, Results: []ir.Value{v}}, at)
	return scalar{typ: typ, val: v}
}

// tableName is a name that no other table of the kernel has: a row of a table, read by itself, is a table
// of its own, and mathlib has tables too.
func (l *lowering) tableName(t *table) string {
	base := t.name
	if base == "" {
		base = "row"
	}
	if l.frame.pkg.trusts {
		base = "math." + base
	}
	name := base
	for n := 2; ; n++ {
		taken := false
		for i := range l.kernel.Tables {
			taken = taken || l.kernel.Tables[i].Name == name
		}
		if !taken {
			return name
		}
		name = base + ".r" + itoa(n)
	}
}
