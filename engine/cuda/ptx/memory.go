package ptx

import (
	"fmt"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Planes, tables and local arrays.

// memoryType is how a load or store names an element: bools are bytes.
func memoryType(t ir.Type) string {
	if t == ir.Bool {
		return "u8"
	}
	return suffix(t)
}

// load reads an element of a plane. What the code does not write goes through the read-only path, which
// promises that nobody writes it while the kernel runs: Init may write inputs.
func (c *code) load(t ir.Type, address string, role ir.Role) string {
	op := "ld.global."
	switch role {
	case ir.RoleParam, ir.RoleTable:
		op += "nc."
	case ir.RoleInput:
		if !c.inputs {
			op += "nc."
		}
	}
	return c.fromMemory(t, op, address)
}

// fromMemory reads an element with the given load.
func (c *code) fromMemory(t ir.Type, op, address string) string {
	if t == ir.Bool {
		b := c.set(word, op+"u8", "["+address+"]")
		return c.set(predicate, "setp.ne.u32", b, 0)
	}
	return c.set(classOf(t), op+memoryType(t), "["+address+"]")
}

// toMemory writes x with the given store, behind a guard ("" or "@%p1 ").
func (c *code) toMemory(guard string, t ir.Type, op, address, x string) {
	if t == ir.Bool {
		x = c.set(word, "selp.u32", 1, 0, x)
	}
	c.put("%s%s%s [%s], %s", guard, op, memoryType(t), address, x)
}

// store writes an element of a plane, any NaN as the canonical one.
func (c *code) store(cell ir.Cell, x string) {
	t := c.k.Planes[cell.Plane].Type
	if t.Float() {
		x = c.canonical(t, x)
	}
	c.toMemory("", t, "st.global.", c.cell(cell.Plane, cell.Comp), x)
}

// cell is the address of a component of a plane: of the slot at hand, or of the batch for a param.
func (c *code) cell(plane int, comp int32) string {
	p := &c.k.Planes[plane]
	size := p.Type.Bytes()
	if p.Role == ir.RoleParam {
		return offset(c.planes[plane], int(comp)*size)
	}
	at := c.set(wide, "mad.wide.u32", c.slot, size, c.planes[plane])
	if comp > 0 {
		at = c.set(wide, "mad.lo.u64", c.row(size), comp, at)
	}
	return at
}

// offset is an address with a number of bytes behind it.
func offset(address string, bytes int) string {
	if bytes == 0 {
		return address
	}
	return fmt.Sprintf("%s+%d", address, bytes)
}

// row is the bytes of a row of elements of a size.
func (c *code) row(size int) string { return c.rows[size] }

// cells is the number of cells of a table plane.
func (c *code) cells(plane int) string { return c.lengths[plane] }

// inside is the index x where it is below n, elsewhere 0.
func (c *code) inside(x string, n any) string {
	return c.set(wide, "selp.b64", x, 0, c.set(predicate, "setp.lt.u64", x, n))
}

// table reads a cell of a constant table.
func (c *code) table(in *ir.Instr) string {
	t := &c.k.Tables[in.Imm]
	name, size := tableName(int(in.Imm)), t.Type.Bytes()
	if i, ok := c.known[in.Args[0]]; ok {
		if i >= uint64(len(t.Bits)) {
			i = 0
		}
		return c.fromMemory(t.Type, "ld.global.nc.", offset(name, int(i)*size))
	}
	i := c.inside(c.env[in.Args[0]], len(t.Bits))
	at := c.set(wide, "mad.lo.u64", i, size, c.set(wide, "mov.u64", name))
	return c.fromMemory(t.Type, "ld.global.nc.", at)
}

// lookup reads a plane that no step writes.
func (c *code) lookup(in *ir.Instr) string {
	plane, t, x := int(in.Imm), in.Type, c.env[in.Args[0]]
	p := &c.k.Planes[plane]
	size := t.Bytes()
	switch p.Role {
	case ir.RoleTable:
		n := c.cells(plane)
		at := c.set(wide, "mad.lo.u64", c.inside(x, n), size, c.planes[plane])
		r := c.load(t, at, p.Role)
		some := c.set(predicate, "setp.ne.u64", n, 0)
		if t == ir.Bool {
			return c.set(predicate, "and.pred", r, some)
		}
		return c.set(classOf(t), "selp."+untypedFloat(t), r, literal(t, 0), some)
	case ir.RoleParam:
		at := c.set(wide, "mad.lo.u64", c.inside(x, p.Width()), size, c.planes[plane])
		return c.load(t, at, p.Role)
	}
	at := c.set(wide, "mad.lo.u64", c.inside(x, p.Width()), c.row(size), c.cell(plane, 0))
	return c.load(t, at, p.Role)
}

// array is where a local array lives: a register for every cell where all indexes are constants, else
// local memory.
type array struct {
	regs []string
	name string
}

// maxRegisterCells is the most cells of an array that lives in registers.
const maxRegisterCells = 64

// placeArrays finds a place for every local array of v, which r uses.
func (c *code) placeArrays(v *ir.Values, r *ir.Region) {
	constants := map[ir.Value]bool{}
	indexed := make([]bool, len(v.Arrays)) // at run time
	r.Walk(func(in *ir.Instr) {
		switch in.Op {
		case ir.OpConst:
			constants[in.Results[0]] = true
		case ir.OpGet, ir.OpPut:
			if !constants[in.Args[0]] && !c.isConstant(in.Args[0]) {
				indexed[in.Imm] = true
			}
		}
	})
	c.arrays = make([]array, len(v.Arrays))
	for i, a := range v.Arrays {
		if !indexed[i] && a.Len <= maxRegisterCells {
			for range a.Len {
				c.arrays[i].regs = append(c.arrays[i].regs, c.reg(classOf(a.Type)))
			}
			continue
		}
		name := fmt.Sprintf("array_%d", i)
		c.locals = append(c.locals, fmt.Sprintf(".local .align 8 .b8 %s[%d];", name, a.Len*a.Type.Bytes()))
		c.arrays[i].name = name
	}
}

// isConstant says whether a value of the head is a constant.
func (c *code) isConstant(v ir.Value) bool {
	_, ok := c.known[v]
	return ok
}

// arrayInstr writes a statement on a local array.
func (c *code) arrayInstr(in *ir.Instr) {
	a, spec := &c.arrays[in.Imm], &c.values.Arrays[in.Imm]
	t, size, arg := in.Type, in.Type.Bytes(), c.env[in.Args[0]]
	i, fixed := c.known[in.Args[0]]
	switch {
	case in.Op == ir.OpArray && a.regs != nil:
		for _, r := range a.regs {
			c.mov(classOf(t), r, arg)
		}
	case in.Op == ir.OpArray:
		c.fill(a.name, t, spec.Len, arg)
	case in.Op == ir.OpGet && a.regs != nil:
		r := c.reg(classOf(t))
		c.mov(classOf(t), r, a.regs[first(i, spec.Len)])
		c.env[in.Results[0]] = r
	case in.Op == ir.OpGet && fixed:
		c.env[in.Results[0]] = c.fromMemory(t, "ld.local.", offset(a.name, first(i, spec.Len)*size))
	case in.Op == ir.OpGet:
		at := c.set(wide, "mad.lo.u64", c.inside(arg, spec.Len), size, c.set(wide, "mov.u64", a.name))
		c.env[in.Results[0]] = c.fromMemory(t, "ld.local.", at)
	case fixed && i >= uint64(spec.Len): // written nowhere
	case a.regs != nil:
		c.mov(classOf(t), a.regs[i], c.env[in.Args[1]])
	case fixed:
		c.toMemory("", t, "st.local.", offset(a.name, int(i)*size), c.env[in.Args[1]])
	default:
		ok := c.set(predicate, "setp.lt.u64", arg, spec.Len)
		at := c.set(wide, "mad.lo.u64", arg, size, c.set(wide, "mov.u64", a.name))
		c.toMemory("@"+ok+" ", t, "st.local.", at, c.env[in.Args[1]])
	}
}

// first is the index i, 0 where it is no cell of n.
func first(i uint64, n int) int {
	if i >= uint64(n) {
		return 0
	}
	return int(i)
}

// fill makes every cell of an array in local memory x: in a line when it is short, else in a loop.
func (c *code) fill(name string, t ir.Type, n int, x string) {
	size := t.Bytes()
	if n <= 16 {
		for i := range n {
			c.toMemory("", t, "st.local.", offset(name, i*size), x)
		}
		return
	}
	at, end := c.reg(wide), c.reg(wide)
	c.put("mov.u64 %s, %s", at, name)
	c.put("add.u64 %s, %s, %d", end, at, n*size)
	again := c.newLabel("fill")
	c.place(again)
	c.toMemory("", t, "st.local.", at, x)
	c.put("add.u64 %s, %s, %d", at, at, size)
	c.put("@%s bra %s", c.set(predicate, "setp.lt.u64", at, end), again)
}

func tableName(i int) string { return fmt.Sprintf("table_%d", i) }
