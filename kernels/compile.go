package kernels

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"go/ast"
	"go/types"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/passes"
)

// compile lowers the entries of a checked package and runs the passes. It returns nil when it reported an
// error.
func (p *pkg) compile(s *sample) *Kernel {
	k := &ir.Kernel{
		Name: p.types.Name(), Guard: s.guard, Steps: s.steps, Precision: s.precision, FMA: s.contract,
	}
	if k.Auto() {
		k.StepsMax = ir.DefaultStepsMax
	}
	for _, f := range p.files {
		k.Files = append(k.Files, f.Name)
	}
	for _, f := range s.fields {
		pl := f.Plane
		pl.Type = narrowed(pl.Type, k.Precision == ir.F32)
		k.Planes = append(k.Planes, pl)
	}
	c := &compiler{
		program: &program{reporter: p.reporter, kernel: k, contract: s.contract, tables: make(map[*table]int), packageTables: make(map[*packageVar]*table), looked: make(map[int]bool)},
		pkg:     p, sample: s, used: make([]bool, len(k.Planes)),
	}
	c.layouts.sample = s.named.Underlying()
	c.packageVars()
	c.step()
	c.initFunc()
	for _, m := range s.observables {
		c.observable(m)
	}
	if p.errors() {
		return nil
	}
	for i, f := range s.fields {
		if !c.used[i] && !c.looked[i] {
			p.at("W003", f.ident, "the plane %s is never used", f.Name)
		}
	}
	dropTables(k)
	return finished(k)
}

// finished verifies, optimizes and digests a kernel. That a kernel from lowering does not verify is a
// mistake of eaglet.
func finished(k *ir.Kernel) *Kernel {
	if err := ir.Verify(k); err != nil {
		panic(fmt.Sprintf("after lowering: %v", err))
	}
	k.Renumber() // attempts that were dropped left values behind
	out, err := passes.Run(k)
	if err == nil {
		err = ir.Verify(out)
	}
	if err != nil {
		panic(fmt.Sprintf("after the passes: %v", err))
	}
	h := sha256.New()
	if err := ir.Print(h, out, false); err != nil {
		panic(fmt.Sprintf("digest: %v", err))
	}
	return &Kernel{IR: out, Digest: hex.EncodeToString(h.Sum(nil)), first: k}
}

// compiler puts the entries of one kernel together.
type compiler struct {
	*program
	pkg    *pkg
	sample *sample
	used   []bool // planes that an entry reads or assigns
}

// entryWork is one entry being lowered: its lowering and the value that every cell of the sample starts
// with.
type entryWork struct {
	*lowering
	cells []ir.Cell
	start []ir.Value
}

// begin makes an entry with the sample in memory.
func (c *compiler) begin(vals *ir.Values, region *ir.Region) *entryWork {
	e := &entryWork{lowering: c.lower(vals, region)}
	for i := range c.kernel.Planes {
		pl := &c.kernel.Planes[i]
		if pl.Role == ir.RoleTable {
			continue
		}
		for comp := range pl.Width() {
			v := vals.New(pl.Type)
			e.cells = append(e.cells, ir.Cell{Plane: i, Comp: int32(comp)})
			e.start = append(e.start, v)
			e.mem = append(e.mem, scalar{typ: pl.Type, val: v})
		}
	}
	e.lowering.cells = len(e.cells)
	return e
}

// method lowers a method of the sample, as often as it takes to know which arrays lie in memory, and
// returns its results; ok is false when a problem was reported.
func (c *compiler) method(vals *ir.Values, region *ir.Region, m *types.Func, ready func(e *entryWork)) (e *entryWork, decl *ast.FuncDecl, out [][]scalar, ok bool) {
	seen := &memo{}
	for {
		*vals, *region = ir.Values{}, ir.Region{}
		e = c.begin(vals, region)
		e.memo = seen
		ready(e)
		again := func() (again bool) {
			defer func() {
				if x := recover(); x != nil {
					if _, again = x.(restart); !again {
						panic(x)
					}
				}
			}()
			decl, out, ok = c.run(e, m)
			return false
		}()
		if !again {
			return e, decl, out, ok
		}
	}
}

// now is what a cell of the sample holds at the end of an entry.
func (e *entryWork) now(i int) scalar {
	if a := e.arrayAt(i); a != nil && !e.planeAssigned(i) {
		return scalar{typ: e.vals.Type(e.start[i]), val: e.start[i]}
	}
	return e.cell(i, nil)
}

// planeAssigned says whether any cell of the plane of cell i was assigned.
func (e *entryWork) planeAssigned(i int) bool {
	for cell := range e.assigned {
		if e.lowering.cells > cell && e.cells[cell].Plane == e.cells[i].Plane {
			return true
		}
	}
	return false
}

// run lowers a method of the sample and returns its results; ok is false when a problem was reported.
func (c *compiler) run(e *entryWork, m *types.Func) (decl *ast.FuncDecl, out [][]scalar, ok bool) {
	decl = c.pkg.funcs[m]
	sig := m.Signature()
	ok = e.entry(func() {
		fr := e.newFrame(c.pkg, decl)
		e.frame = fr
		for i, cell := range e.cells {
			if cell.Comp == 0 {
				e.own(cell.Plane, i, c.kernel.Planes[cell.Plane].Width(), decl)
			}
		}
		if pointerReceiver(sig) {
			fr.vars[sig.Recv()] = 0
		} else {
			e.write(e.declare(sig.Recv(), decl), e.cellsFrom(0, len(e.cells), decl))
		}
		out = e.body(decl, sig, decl)
	})
	return decl, out, ok
}

// loads defines, before everything else, what an entry reads: the cells in use that keep says.
func (e *entryWork) loads(region *ir.Region, used map[ir.Value]bool, keep func(i int) bool) {
	var head []*ir.Instr
	for i, v := range e.start {
		if used[v] && keep(i) {
			c := e.cells[i]
			head = append(head, &ir.Instr{Op: ir.OpLoad, Type: e.vals.Type(v), Imm: uint64(c.Plane), Comp: c.Comp, Results: []ir.Value{v}})
		}
	}
	head = append(head, e.pool...)
	region.Instrs = append(head, region.Instrs...)
}

// uses marks the values that a region reads, the regions inside included.
func uses(r *ir.Region, used map[ir.Value]bool) {
	mark := func(vs []ir.Value) {
		for _, v := range vs {
			used[v] = true
		}
	}
	mark(r.Yield)
	for _, in := range r.Instrs {
		mark(in.Args)
		for _, inner := range in.Regions() {
			uses(inner, used)
		}
	}
}

// packageVars computes every package variable, also those that nothing reads.
func (c *compiler) packageVars() {
	for _, f := range c.pkg.syntax {
		for _, d := range f.Decls {
			d, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range d.Specs {
				s, ok := s.(*ast.ValueSpec)
				if !ok {
					continue
				}
				for _, name := range s.Names {
					v, _ := c.pkg.info.Defs[name].(*types.Var)
					if pv := c.pkg.vars[v]; pv != nil && v != nil {
						l := c.lower(&ir.Values{}, &ir.Region{})
						l.frame = &frame{pkg: c.pkg, vars: make(map[*types.Var]int)}
						l.entry(func() { l.tableOf(c.pkg, pv) })
					}
				}
			}
		}
	}
}

// step lowers Step into head and trip, and gives every plane its role.
func (c *compiler) step() {
	st := &c.kernel.Step
	e, decl, out, ok := c.method(&st.Values, &st.Trip, c.sample.step, func(e *entryWork) { e.faults, e.step = true, true })
	if !ok {
		return
	}
	exit := boolean(false)
	if len(out) == 1 {
		exit = out[0][0]
	}
	st.Trip.Yield = []ir.Value{e.use(exit)}
	changed := make([]bool, len(e.cells))
	for i, v := range e.start {
		if now := e.now(i); now.val != v {
			changed[i] = true
			st.Carry = append(st.Carry, e.cells[i])
			st.Trip.Params = append(st.Trip.Params, v)
			st.Trip.Yield = append(st.Trip.Yield, e.use(now))
		}
	}
	if len(out) == 1 && !c.errors() {
		visible := make(map[ir.Value]bool)
		for _, v := range e.start {
			visible[v] = true
		}
		for _, in := range st.Trip.Instrs {
			for _, r := range in.Results {
				visible[r] = true
			}
		}
		c.kernel.Finish = e.finish(c.sample, decl, c.sample.step.Signature().Results().At(0), exit, visible)
	}
	used := make(map[ir.Value]bool)
	uses(&st.Trip, used)
	if c.kernel.Finish != nil {
		c.kernel.Finish.Cond.Walk(func(n *ir.Cond) { used[n.Result], used[n.LHS], used[n.RHS] = true, true, true })
	}
	e.loads(&st.Head, used, func(i int) bool { return !changed[i] })
	c.roles(e, changed, used)
	c.markUsed(e, used)
}

// roles infers the role of every plane from what Step does, and checks the stated ones.
func (c *compiler) roles(e *entryWork, changed []bool, used map[ir.Value]bool) {
	type facts struct {
		assigned       ast.Node // the first assignment
		changed, reads bool
		keeps          bool // a cell keeps its value
	}
	planes := make([]facts, len(c.kernel.Planes))
	for i, cell := range e.cells {
		f := &planes[cell.Plane]
		if at := e.assigned[i]; at != nil && (f.assigned == nil || at.Pos() < f.assigned.Pos()) {
			f.assigned = at
		}
		f.changed = f.changed || changed[i]
		f.keeps = f.keeps || !changed[i]
		f.reads = f.reads || used[e.start[i]]
	}
	for i, f := range planes {
		fd := c.sample.fields[i]
		pl := &c.kernel.Planes[i]
		switch {
		case pl.Role == ir.RoleTable:
		case f.assigned != nil && !f.reads && !f.keeps:
			pl.Role = ir.RoleOutput
		case f.assigned != nil:
			pl.Role = ir.RoleState
		default:
			pl.Role = ir.RoleInput
		}
		if !fd.stated {
			continue
		}
		found := pl.Role
		pl.Role = fd.Role
		wrong := func(at span, rewrite, what string, args ...any) {
			c.at("E021", at, append([]any{what}, args...)...).Rewrite = rewrite
		}
		switch {
		case fd.Role == ir.RoleState && f.assigned == nil:
			wrong(fd.tag, "write plane:\"input\", or leave the role out", "%s is stated as state, and Step never assigns it", fd.Field)
		case fd.Role == ir.RoleOutput && f.assigned == nil:
			wrong(fd.tag, "assign it in Step", "%s is stated as output, and Step never assigns it", fd.Field)
		case fd.Role == ir.RoleOutput && found != ir.RoleOutput:
			wrong(fd.tag, "write plane:\"state\", or leave the role out", "%s is stated as output, and Step reads it or does not assign it on every path", fd.Field)
		case (fd.Role == ir.RoleInput || fd.Role == ir.RoleParam) && f.assigned != nil:
			wrong(f.assigned, "leave the plane's role out", "%s is stated as %v, and Step assigns it", fd.Field, fd.Role)
		}
	}
}

// markUsed marks the planes that an entry reads or assigns.
func (c *compiler) markUsed(e *entryWork, used map[ir.Value]bool) {
	for i, cell := range e.cells {
		if used[e.start[i]] || e.assigned[i] != nil {
			c.used[cell.Plane] = true
		}
	}
}

func (c *compiler) initFunc() {
	if c.sample.init == nil {
		return
	}
	f := &ir.Func{Name: "init", Doc: docOf(c.pkg.funcs[c.sample.init])}
	e, _, _, ok := c.method(&f.Values, &f.Body, c.sample.init, func(e *entryWork) { e.faults = true })
	if !ok {
		return
	}
	for i, v := range e.start {
		now := e.now(i)
		if at := e.assigned[i]; at != nil && c.kernel.Planes[e.cells[i].Plane].Role == ir.RoleParam {
			c.at("E049", at)
		}
		if now.val != v {
			f.Stores = append(f.Stores, e.cells[i])
			f.Body.Yield = append(f.Body.Yield, e.use(now))
		}
	}
	c.close(e, f)
	c.kernel.Init = f
}

func (c *compiler) observable(m *types.Func) {
	decl := c.pkg.funcs[m]
	f := &ir.Func{Name: snakeCase(m.Name()), Doc: docOf(decl)}
	e, _, out, ok := c.method(&f.Values, &f.Body, m, func(*entryWork) {})
	if !ok {
		return
	}
	for i := range e.cells {
		if at := e.assigned[i]; at != nil {
			c.at("E048", at, "the observable %s assigns to the sample", m.Name())
		}
	}
	f.Body.Yield = []ir.Value{e.use(out[0][0])}
	c.close(e, f)
	c.kernel.Observables = append(c.kernel.Observables, f)
}

// close puts the loads and constants before a function's body.
func (c *compiler) close(e *entryWork, f *ir.Func) {
	used := make(map[ir.Value]bool)
	uses(&f.Body, used)
	e.loads(&f.Body, used, func(int) bool { return true })
	c.markUsed(e, used)
}

// docOf is the first sentence or line of a method's comment.
func docOf(d *ast.FuncDecl) string {
	if d.Doc == nil {
		return ""
	}
	return oneLine(d.Doc.Text())
}

// dropTables removes tables that only dropped attempts read.
func dropTables(k *ir.Kernel) {
	reads := make([]bool, len(k.Tables))
	each := func(f func(*ir.Instr)) {
		k.Step.Head.Walk(f)
		k.Step.Trip.Walk(f)
		for _, fn := range k.Funcs() {
			fn.Body.Walk(f)
		}
	}
	each(func(in *ir.Instr) {
		if in.Op == ir.OpTable {
			reads[in.Imm] = true
		}
	})
	to := make([]uint64, len(k.Tables))
	var kept []ir.Table
	for i, t := range k.Tables {
		if reads[i] {
			to[i] = uint64(len(kept))
			kept = append(kept, t)
		}
	}
	each(func(in *ir.Instr) {
		if in.Op == ir.OpTable {
			in.Imm = to[in.Imm]
		}
	})
	k.Tables = kept
}
