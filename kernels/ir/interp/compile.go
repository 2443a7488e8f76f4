package interp

import (
	"fmt"
	"slices"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// place is where a value lives: a slot of the machine's memory, and the bytes from one block to the next
// (0 for a uniform value).
type place struct{ slot, step int32 }

// action is what the machine does at a node.
type action uint8

const (
	doStrip  action = iota // r = run(x, y, z)
	doLoad                 // r = component comp of plane
	doIf                   // x ? body : orelse, under the masks y and z
	doLoop                 // body until x is false everywhere, at most turns times, under the mask y
	doFault                // lanes of the mask where x is true fault with site
	doLookup               // r = cell x of a table plane, or component x of the sample
	doLen                  // r = number of cells of a table plane
	doArray                // every cell of the array is x, under the mask z
	doGet                  // r = cell x of the array
	doPut                  // cell x of the array = y, under the mask z
)

// node is one instruction as the machine runs it.
type node struct {
	do           action
	run          strip
	r, x, y, z   place
	plane        int
	comp         int
	typ          ir.Type
	turns        uint64
	site         uint32
	slot         int32 // of an array: its first slot; the cells follow
	cells        int   // of an array
	body, orelse []node
}

// constant is a uniform value known at compile time.
type constant struct {
	at   place
	typ  ir.Type
	bits uint64
}

// cellPlace is a carried cell of the step: its parameter's place, and the one its new value is in at the
// end of a trip (the same: it does not change).
type cellPlace struct {
	cell       ir.Cell
	typ        ir.Type
	param, new place
	move       strip
}

// lanePlace is a value that a lane keeps from trip to trip.
type lanePlace struct {
	at  place
	typ ir.Type
}

// site is a place in the kernel where a sample may fault.
type site struct {
	kind ir.FaultKind
	pos  ir.Pos
}

// program is a step or a func, compiled. It is immutable.
type program struct {
	kernel    *ir.Kernel
	uniform   []bool // by slot: one block only
	strips    int    // number of slots that are not
	width     int    // lanes of a strip, a multiple of a block's
	constants []constant
	once      []node // uniform values that follow from constants and params, in order
	full      place  // mask of the live lanes
	sites     []site

	head  []node
	trip  []node
	carry []cellPlace
	keep  []lanePlace // carried parameters and the values of the head that the trip needs
	exit  place

	yield []place // of a func
}

// Code is a compiled kernel: its step, Init and observables. It is immutable, and safe for concurrent use.
type Code struct {
	kernel      *ir.Kernel
	step        *program
	init        *Func
	observables []*Func
}

// Compile makes k executable. k must be verified: what is wrong in it panics.
func Compile(k *ir.Kernel) *Code { return compileWidth(k, 0) }

// compileWidth is Compile with a given strip width; 0 chooses one (width.go).
func compileWidth(k *ir.Kernel, width int) *Code {
	c := &Code{kernel: k, step: compileStep(k, width)}
	if k.Init != nil {
		c.init = compileFunc(k, k.Init, width)
	}
	for _, f := range k.Observables {
		c.observables = append(c.observables, compileFunc(k, f, width))
	}
	return c
}

// Kernel is what was compiled.
func (c *Code) Kernel() *ir.Kernel { return c.kernel }

// Width is the number of samples of a strip.
func (c *Code) Width() int { return c.step.width }

// compiler turns a region tree into nodes, giving each value a place.
type compiler struct {
	*program
	types  []ir.Type
	places []place
	known  []bool // value has a place
	live   *lifetimes
	dying  [][]ir.Value
	pos    int
	free   []place
	inHead bool
	shared map[constant]place
	arrays []ir.Array
	slots  []int32 // by array: its first slot
}

func newCompiler(k *ir.Kernel, v *ir.Values, live *lifetimes) *compiler {
	c := &compiler{
		program: &program{kernel: k},
		types:   v.Types,
		places:  make([]place, len(v.Types)),
		known:   make([]bool, len(v.Types)),
		live:    live,
		dying:   live.dying(),
		shared:  map[constant]place{},
	}
	c.full = c.alloc(ir.Bool)
	// Arrays have their rows to themselves, one after the other.
	c.arrays = v.Arrays
	for _, a := range v.Arrays {
		c.slots = append(c.slots, int32(len(c.uniform)))
		for range a.Len {
			c.uniform = append(c.uniform, false)
		}
		c.strips += a.Len
	}
	return c
}

func compileStep(k *ir.Kernel, width int) *program {
	s := &k.Step
	live := newLifetimes(max(1, len(s.Types)))
	live.region(&s.Head)
	start := live.next()
	live.region(&s.Trip)
	end := live.next()
	live.use(s.Trip.Yield, end)
	live.extend(start, end)

	c := newCompiler(k, &s.Values, live)
	// Parameters have their rows to themselves: lanes keep them while the head runs for new samples.
	for i, p := range s.Trip.Params {
		c.set(p, c.alloc(c.types[p]))
		cell := s.Carry[i]
		c.carry = append(c.carry, cellPlace{cell: cell, typ: c.types[p], param: c.places[p], move: moveOf(c.types[p])})
		c.keep = append(c.keep, lanePlace{c.places[p], c.types[p]})
	}
	c.inHead = true
	c.head = c.region(&s.Head, c.full, nil)
	c.inHead = false
	for v := range c.types {
		if c.known[v] && c.live.def[v] >= 0 && c.live.def[v] < start && c.live.last[v] == end && c.places[v].step != 0 {
			c.keep = append(c.keep, lanePlace{c.places[v], c.types[v]})
		}
	}
	c.pos++ // start
	c.trip = c.region(&s.Trip, c.full, nil)
	var news []place
	c.exit, news = c.apart(&s.Trip, &c.trip)
	for i := range c.carry {
		c.carry[i].new = news[i]
	}
	return c.finish(width)
}

func (c *compiler) finish(width int) *program {
	if width == 0 {
		width = chooseWidth(c.strips, countNodes(c.head)+countNodes(c.trip))
	}
	c.width = width
	return c.program
}

// alloc gives a free row for a type.
func (c *compiler) alloc(t ir.Type) place {
	step := int32(lanes * t.Bytes())
	for i := len(c.free) - 1; i >= 0; i-- {
		// The head runs again for the blocks of new samples alone, while other lanes keep its values: there a
		// row has elements of one size, since blocks of another size lie at other bytes.
		if p := c.free[i]; !c.inHead || p.step == step {
			c.free = slices.Delete(c.free, i, i+1)
			return place{p.slot, step}
		}
	}
	c.uniform = append(c.uniform, false)
	c.strips++
	return place{int32(len(c.uniform) - 1), step}
}

// block gives a new uniform place.
func (c *compiler) block() place {
	c.uniform = append(c.uniform, true)
	return place{int32(len(c.uniform) - 1), 0}
}

func (c *compiler) release(p place) {
	if p.step != 0 {
		c.free = append(c.free, p)
	}
}

func (c *compiler) set(v ir.Value, p place) { c.places[v], c.known[v] = p, true }

// get is the place of a value that the code uses.
func (c *compiler) get(v ir.Value) place {
	if !c.known[v] {
		panic(fmt.Sprintf("interp: value %%%d is used before it is defined", v))
	}
	return c.places[v]
}

// expire frees the rows of the values that are dead after a place of the code.
func (c *compiler) expire(pos int) {
	for _, v := range c.dying[pos] {
		c.release(c.places[v])
	}
	c.dying[pos] = nil
}

// expireFor frees, before the result of an instruction gets its row, the rows of arguments that die in it
// and have elements of the result's size, so that the result may take one over.
func (c *compiler) expireFor(pos int, t ir.Type) {
	rest := c.dying[pos][:0]
	for _, v := range c.dying[pos] {
		if c.known[v] && c.types[v].Bytes() == t.Bytes() {
			c.release(c.places[v])
		} else {
			rest = append(rest, v)
		}
	}
	c.dying[pos] = rest
}

func (c *compiler) region(r *ir.Region, mask place, out []node) []node {
	for _, in := range r.Instrs {
		out = c.instr(in, mask, out)
	}
	return out
}

func (c *compiler) instr(in *ir.Instr, mask place, out []node) []node {
	switch in.Op {
	case ir.OpIf:
		return c.branch(in, mask, out)
	case ir.OpLoop:
		return c.loop(in, mask, out)
	}
	pos := c.pos
	c.pos++
	switch in.Op {
	case ir.OpConst:
		c.set(in.Results[0], c.constant(in.Type, in.Imm))
	case ir.OpLoad:
		out = c.load(in, out)
	case ir.OpLookup, ir.OpLen:
		out = c.lookup(in, pos, out)
	case ir.OpArray, ir.OpGet, ir.OpPut:
		out = c.onArray(in, pos, mask, out)
	case ir.OpFault:
		c.sites = append(c.sites, site{ir.FaultKind(in.Imm), in.Pos})
		out = append(out, node{do: doFault, x: c.get(in.Args[0]), y: mask, site: uint32(len(c.sites))})
	default:
		out = c.strip(in, pos, out)
	}
	c.expire(pos)
	return out
}

// constant is the block of a constant, shared by all that are equal.
func (c *compiler) constant(t ir.Type, bits uint64) place {
	key := constant{typ: t, bits: bits}
	p, ok := c.shared[key]
	if !ok {
		p = c.block()
		c.shared[key] = p
		c.constants = append(c.constants, constant{p, t, bits})
	}
	return p
}

// load reads a cell: once per batch for a param, else per sample.
func (c *compiler) load(in *ir.Instr, out []node) []node {
	n := node{do: doLoad, plane: int(in.Imm), comp: int(in.Comp), typ: in.Type}
	if c.kernel.Planes[n.plane].Role == ir.RoleParam {
		n.r = c.block()
		c.once = append(c.once, n)
	} else {
		n.r = c.alloc(in.Type)
		out = append(out, n)
	}
	c.set(in.Results[0], n.r)
	return out
}

// lookup reads a plane at an index, or the length of a table: once per batch where that gives one value.
func (c *compiler) lookup(in *ir.Instr, pos int, out []node) []node {
	n := node{do: doLen, plane: int(in.Imm), typ: in.Type}
	uniform := c.kernel.Planes[n.plane].Role != ir.RoleInput
	if in.Op == ir.OpLookup {
		n.do, n.x = doLookup, c.get(in.Args[0])
		uniform = uniform && n.x.step == 0
	}
	if uniform {
		n.r = c.block()
		c.once = append(c.once, n)
	} else {
		c.expireFor(pos, in.Type)
		n.r = c.alloc(in.Type)
		out = append(out, n)
	}
	c.set(in.Results[0], n.r)
	return out
}

// onArray is a statement on a local array.
func (c *compiler) onArray(in *ir.Instr, pos int, mask place, out []node) []node {
	n := node{x: c.get(in.Args[0]), z: mask, typ: in.Type, slot: c.slots[in.Imm], cells: c.arrays[in.Imm].Len}
	switch in.Op {
	case ir.OpArray:
		n.do = doArray
	case ir.OpPut:
		n.do, n.y = doPut, c.get(in.Args[1])
	default:
		n.do = doGet
		c.expireFor(pos, in.Type)
		n.r = c.alloc(in.Type)
		c.set(in.Results[0], n.r)
	}
	return append(out, n)
}

// strip is an operation without regions. One whose arguments are all uniform is uniform too, and being
// total and free of effects it may run before everything else.
func (c *compiler) strip(in *ir.Instr, pos int, out []node) []node {
	n := node{do: doStrip}
	if in.Op == ir.OpTable {
		n.run = tableStrip(&c.kernel.Tables[in.Imm])
	} else {
		n.run = mustStrip(in.Op, in.Type, in.From)
	}
	uniform := true
	for i, a := range in.Args {
		p := c.get(a)
		uniform = uniform && p.step == 0
		*[...]*place{&n.x, &n.y, &n.z}[i] = p
	}
	result := in.Results[0]
	if uniform {
		n.r = c.block()
		c.once = append(c.once, n)
	} else {
		c.expireFor(pos, c.types[result])
		n.r = c.alloc(c.types[result])
		out = append(out, n)
	}
	c.set(result, n.r)
	return out
}

// branch is an if: both sides, each under its mask, then a choice for every result. A side that no lane
// takes is skipped; its yields are then left-overs, which no lane of the mask chooses.
func (c *compiler) branch(in *ir.Instr, mask place, out []node) []node {
	start := c.pos
	c.pos++
	n := node{do: doIf, r: mask, x: c.get(in.Args[0]), y: c.alloc(ir.Bool), z: c.alloc(ir.Bool)}
	c.expire(start)
	n.body = c.region(in.Then, n.y, nil)
	n.orelse = c.region(in.Else, n.z, nil)
	out = append(out, n)
	end := c.pos
	c.pos++
	for i, v := range in.Results {
		t := c.types[v]
		c.set(v, c.alloc(t))
		out = append(out, node{
			do: doStrip, run: mustStrip(ir.OpSelect, t, 0),
			r: c.get(v), x: n.x, y: c.get(in.Then.Yield[i]), z: c.get(in.Else.Yield[i]),
		})
	}
	c.expire(end)
	c.release(n.y)
	c.release(n.z)
	return out
}

// loop copies its arguments to the parameters' rows and runs the body under a mask of the lanes that are
// still in it; the body ends with taking over the new values under that mask.
func (c *compiler) loop(in *ir.Instr, mask place, out []node) []node {
	start := c.pos
	c.pos++
	n := node{do: doLoop, r: mask, y: c.alloc(ir.Bool), turns: in.Imm}
	for i, p := range in.Body.Params {
		t := c.types[p]
		c.set(p, c.alloc(t))
		out = append(out, moveNode(c.get(p), c.get(in.Args[i]), t))
	}
	c.expire(start)
	n.body = c.region(in.Body, n.y, nil)
	end := c.pos
	c.pos++
	var news []place
	n.x, news = c.apart(in.Body, &n.body)
	for i, p := range in.Body.Params {
		if news[i] != c.get(p) {
			n.body = append(n.body, node{
				do: doStrip, run: mustStrip(ir.OpSelect, c.types[p], 0),
				r: c.get(p), x: n.y, y: news[i], z: c.get(p),
			})
		}
	}
	for i, v := range in.Results {
		c.set(v, c.get(in.Body.Params[i]))
	}
	c.expire(end)
	c.release(n.y)
	return append(out, n)
}

// apart gives the places of a body's flag and new values at its end, all of them safe from the taking over
// that follows, which overwrites the parameters one by one: a yield that is itself a parameter is copied
// away, unless it goes to its own place.
func (c *compiler) apart(body *ir.Region, out *[]node) (flag place, news []place) {
	for i, y := range body.Yield {
		p := c.get(y)
		for j, param := range body.Params {
			if y == param && i != j+1 {
				t := c.types[y]
				p = c.alloc(t)
				*out = append(*out, moveNode(p, c.get(y), t))
			}
		}
		news = append(news, p)
	}
	return news[0], news[1:]
}

func moveNode(r, x place, t ir.Type) node {
	return node{do: doStrip, run: moveOf(t), r: r, x: x}
}
