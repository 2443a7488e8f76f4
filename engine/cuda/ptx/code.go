package ptx

import (
	"fmt"
	"slices"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// code writes the operations of one Step or Func into an entry. Every value has registers of its own, which
// are written once per way to them; the device's assembler finds the few that are needed.
type code struct {
	*function
	k      *ir.Kernel
	values *ir.Values
	env    []string // by value: its register
	known  map[ir.Value]uint64
	arrays []array
	sites  map[*ir.Instr]int // number of a fault's site, from 1

	// Of the batch: addresses of planes, cells of table planes, bytes of a row by size of the element.
	planes  []string
	lengths map[int]string
	rows    map[int]string
	cancel  string // address of the word
	inputs  bool   // input planes are written

	slot string // at hand

	// Where a sample goes that cannot end its step, and what says why. abandon "": the code runs to its end.
	fault, site string
	abandon     string
}

// region writes the instructions of r.
func (c *code) region(r *ir.Region) {
	for _, in := range r.Instrs {
		c.instr(in)
	}
}

func (c *code) instr(in *ir.Instr) {
	switch in.Op {
	case ir.OpIf:
		c.branch(in)
	case ir.OpLoop:
		c.loop(in)
	case ir.OpFault:
		p := c.env[in.Args[0]]
		c.put("@%s mov.u32 %s, %d", p, c.site, c.sites[in])
		c.put("@%s bra %s", p, c.fault)
	case ir.OpArray, ir.OpGet, ir.OpPut:
		c.arrayInstr(in)
	default:
		if r := in.Results[0]; c.env[r] == "" {
			c.env[r] = c.pure(in)
		}
	}
}

// shortWork is the work of a side of a branch up to which it is computed by every lane: less than a branch
// that lanes take differently.
const shortWork = 12

// work is about how many instructions a region is, unending for one that must not run for lanes that are
// not meant.
func work(r *ir.Region) int {
	w := 0
	for _, in := range r.Instrs {
		switch in.Op {
		case ir.OpConst:
		case ir.OpIf, ir.OpLoop, ir.OpFault, ir.OpArray, ir.OpPut:
			return 1 << 20
		case ir.OpDiv, ir.OpRem, ir.OpSqrt, ir.OpTable, ir.OpLookup, ir.OpGet:
			w += shortWork
		default:
			w++
		}
	}
	return w
}

// branch is an if: both sides and a choice where they are short, else a jump round each.
func (c *code) branch(in *ir.Instr) {
	p := c.env[in.Args[0]]
	if work(in.Then) <= shortWork && work(in.Else) <= shortWork {
		c.region(in.Then)
		c.region(in.Else)
		for i, r := range in.Results {
			c.env[r] = c.choose(c.values.Type(r), p, c.env[in.Then.Yield[i]], c.env[in.Else.Yield[i]])
		}
		return
	}
	var results []string
	for _, r := range in.Results {
		results = append(results, c.reg(classOf(c.values.Type(r))))
	}
	orelse, end := c.newLabel("else"), c.newLabel("end")
	c.put("@!%s bra %s", p, orelse)
	c.region(in.Then)
	c.yield(in.Results, results, in.Then.Yield)
	c.put("bra %s", end)
	c.place(orelse)
	c.region(in.Else)
	c.yield(in.Results, results, in.Else.Yield)
	c.place(end)
	for i, r := range in.Results {
		c.env[r] = results[i]
	}
}

// yield copies what a side yields to the registers of the results.
func (c *code) yield(types []ir.Value, to []string, from []ir.Value) {
	for i, y := range from {
		c.mov(classOf(c.values.Type(types[i])), to[i], c.env[y])
	}
}

// Turns of a loop between two looks at cancel, in a loop that may run for long.
const (
	loopLook = 1024
	longLoop = 1 << 16 // work of all turns from which a loop looks
)

// loop keeps its carried values in registers of their own, which are also its results.
func (c *code) loop(in *ir.Instr) {
	var vars []string
	for i, p := range in.Body.Params {
		t := c.values.Type(p)
		v := c.reg(classOf(t))
		c.mov(classOf(t), v, c.env[in.Args[i]])
		c.env[p], c.env[in.Results[i]] = v, v
		vars = append(vars, v)
	}
	again, out := c.newLabel("loop"), c.newLabel("out")
	left := ""
	if in.Imm > 1 {
		left = c.reg(word)
		c.put("mov.u32 %s, %d", left, in.Imm)
		c.place(again)
	}
	c.region(in.Body)
	more := c.env[in.Body.Yield[0]]
	if slices.Contains(vars, more) { // about to change
		more = c.reg(predicate)
		c.mov(predicate, more, c.env[in.Body.Yield[0]])
	}
	c.advance(in.Body.Params, vars, in.Body.Yield[1:])
	if in.Imm > 1 {
		c.put("sub.u32 %s, %s, 1", left, left)
		c.put("@!%s bra %s", more, out)
		if c.abandon != "" && (in.Imm > longLoop || totalWork(in.Body)*in.Imm > longLoop) {
			c.lookInLoop(left)
		}
		c.put("@%s bra %s", c.set(predicate, "setp.ne.u32", left, 0), again)
		c.place(out)
	}
}

// lookInLoop gives the step up when cancel is set, every so many turns.
func (c *code) lookInLoop(left string) {
	on := c.newLabel("on")
	bits := c.set(word, "and.b32", left, loopLook-1)
	c.put("@%s bra %s", c.set(predicate, "setp.ne.u32", bits, 0), on)
	c.put("@%s bra %s", c.cancelled(), c.abandon)
	c.place(on)
}

// cancelled says whether the cancel word is set.
func (c *code) cancelled() string {
	some, w, set := c.set(predicate, "setp.ne.u64", c.cancel, 0), c.reg(word), c.reg(predicate)
	c.put("mov.u32 %s, 0", w)
	c.put("@%s ld.volatile.global.u32 %s, [%s]", some, w, c.cancel)
	c.put("setp.ne.u32 %s, %s, 0", set, w)
	return set
}

// advance gives variables, which belong to params, their next values. A value that is itself a variable
// which another one has changed by then is copied away first.
func (c *code) advance(params []ir.Value, vars []string, next []ir.Value) {
	from := make([]string, len(next))
	for i, y := range next {
		from[i] = c.env[y]
		for j := range i {
			if vars[j] == from[i] {
				cl := classOf(c.values.Type(params[i]))
				from[i] = c.reg(cl)
				c.mov(cl, from[i], vars[j])
			}
		}
	}
	// The copies above stand before any of the moves below.
	for i, v := range vars {
		if from[i] != v {
			c.mov(classOf(c.values.Type(params[i])), v, from[i])
		}
	}
}

// totalWork is about how many instructions a region runs, loops in it for all their turns.
func totalWork(r *ir.Region) uint64 {
	w := uint64(0)
	for _, in := range r.Instrs {
		w++
		switch in.Op {
		case ir.OpIf:
			w += max(totalWork(in.Then), totalWork(in.Else))
		case ir.OpLoop:
			w += min(in.Imm*totalWork(in.Body), 1<<40)
		case ir.OpConst:
			w--
		}
	}
	return min(w, 1<<31)
}

// uniform writes those instructions of the head whose results are the same for all samples, so that they
// stand before the first: constants, params and what follows from them.
func (c *code) uniform(head *ir.Region) {
	for _, in := range head.Instrs {
		if !in.Op.Pure() || !c.sameForAll(in) {
			continue
		}
		c.env[in.Results[0]] = c.pure(in)
	}
}

func (c *code) sameForAll(in *ir.Instr) bool {
	switch in.Op {
	case ir.OpLoad:
		return c.k.Planes[in.Imm].Role == ir.RoleParam
	case ir.OpLookup:
		if c.k.Planes[in.Imm].Role == ir.RoleInput {
			return false
		}
	}
	for _, a := range in.Args {
		if c.env[a] == "" {
			return false
		}
	}
	return true
}

// sitesOf numbers the faults of a region from first on.
func sitesOf(r *ir.Region, first int) (map[*ir.Instr]int, []Site) {
	numbers, list := map[*ir.Instr]int{}, []Site(nil)
	r.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpFault {
			list = append(list, Site{Kind: ir.FaultKind(in.Imm), Pos: in.Pos})
			numbers[in] = first + len(list)
		}
	})
	return numbers, list
}

// tables declares the constant tables of the kernel.
func tables(k *ir.Kernel) string {
	var out []byte
	for i := range k.Tables {
		t := &k.Tables[i]
		out = fmt.Appendf(out, ".global .align 8 .b%d %s[%d] = {", 8*t.Type.Bytes(), tableName(i), len(t.Bits))
		for j, b := range t.Bits {
			if j > 0 {
				out = append(out, ',')
			}
			if j%8 == 0 && len(t.Bits) > 8 {
				out = append(out, '\n', '\t')
			} else if j > 0 {
				out = append(out, ' ')
			}
			out = fmt.Appendf(out, "0x%X", b)
		}
		out = append(out, "};\n"...)
	}
	return string(out)
}
