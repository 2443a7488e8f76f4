package jit

import (
	"fmt"
	"slices"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// lowering turns a step into instructions on values, for a number of groups.
type lowering struct {
	k        *ir.Kernel
	isa      *isa
	shape    shape
	infos    []info
	code     []inst
	frame    layout
	groups   []group
	scalars  []scalar
	sites    []site
	siteOf   map[*ir.Instr]int32
	cellRows []rowCell
	nans     map[ir.Type]value // canonical NaNs
	loads    []ir.Cell         // cells that the head loads, by number of the group's loads

	constants map[constant]value
	addresses map[address2]int32
	scalarOf  map[ir.Value]int   // values of the head that are the same for all lanes
	common    map[ir.Value]value // the same, as values
	known     map[value]uint64   // constants
	resized   map[value]value    // masks in elements of another size, see select2
	inverse   map[value]value    // masks that are the complement of another, see select2
	arrayAt   []int32
	iota      value
	iotaAt    int32

	// Of the group at hand.
	group  int
	env    map[ir.Value]value
	path   value // lanes that the code at hand is for
	live   value // lanes that hold a running sample
	fault  value // lanes that have faulted in this trip
	labels int32
	loops  int32
	pos    ir.Pos
	from   *ir.Instr // what is being lowered, see inst
	refuse error

	latency int
}

type constant struct {
	size uint8
	bits uint64
}

// address2 is a plane or table whose address the code needs.
type address2 struct {
	kind  scalarKind
	plane int
}

// shape is how the groups of a machine's lanes share the code.
type shape struct {
	groups   int
	together int // groups that take turns
	block    int // instructions of a turn
}

// lower makes the instructions of k's step. An error says what the code generator cannot do.
func lower(k *ir.Kernel, isa *isa, sh shape) (*lowering, error) {
	groups := sh.groups
	l := newLowering(k, isa, sh)
	who, took := l.frame.vector((groups+1)/2), l.frame.vector((groups+1)/2)
	for g := range int32(groups) {
		p := l.newGroup()
		p.who, p.took = who+4*g*int32(isa.lanes), took+4*g*int32(isa.lanes)
		l.groups = append(l.groups, p)
	}
	l.cellRows = l.rowCells()
	l.emit(inst{op: opLoadRows})
	states := make([]*groupState, groups)
	for g := range groups {
		states[g] = l.head(g)
	}
	l.trips(states)
	return l, l.refuse
}

// newLowering finds what all groups have in common.
func newLowering(k *ir.Kernel, isa *isa, sh shape) *lowering {
	l := &lowering{
		k: k, isa: isa, shape: sh, infos: make([]info, 1), frame: newLayout(isa.row),
		constants: map[constant]value{}, addresses: map[address2]int32{}, scalarOf: map[ir.Value]int{},
		common: map[ir.Value]value{}, known: map[value]uint64{}, resized: map[value]value{}, inverse: map[value]value{}, nans: map[ir.Type]value{}, siteOf: map[*ir.Instr]int32{},
	}
	for _, a := range k.Step.Arrays {
		l.arrayAt = append(l.arrayAt, l.frame.vector(a.Len))
	}
	l.findScalars()
	l.findSites()
	return l
}

// groupState is the values that a group keeps from trip to trip.
type groupState struct {
	env         map[ir.Value]value
	params      []value
	live, count value
}

func (l *lowering) newGroup() group {
	g := group{live: l.home(ir.Bool), held: l.home(ir.Bool), fresh: l.home(ir.Bool), count: l.frame.vector(1)}
	if l.k.Faults() {
		g.site = l.frame.vector(1)
	}
	for _, c := range l.k.Step.Carry {
		g.carry = append(g.carry, l.home(l.k.Planes[c.Plane].Type))
	}
	for _, c := range l.loads {
		g.load = append(g.load, l.home(l.k.Planes[c.Plane].Type))
	}
	return g
}

// rowCells are the cells that rows of samples are loaded of: all but bools, which Go takes bit by bit. The
// carried ones come first, then those that the head loads, as in a machine's lists.
func (l *lowering) rowCells() (rows []rowCell) {
	add := func(c ir.Cell, stored bool, slot func(*group) int32) {
		row := rowCell{typ: l.k.Planes[c.Plane].Type, address: l.frame.scalar(), stored: stored}
		for g := range l.groups {
			row.slots = append(row.slots, slot(&l.groups[g]))
		}
		rows = append(rows, row)
		switch row.typ {
		case ir.F64:
			l.nans[ir.F64] = l.constant(8, ir.NaN64)
		case ir.F32:
			l.nans[ir.F32] = l.constant(4, uint64(ir.NaN32))
		}
	}
	for i, c := range l.k.Step.Carry {
		add(c, true, func(g *group) int32 { return g.carry[i] })
	}
	for i, c := range l.loads {
		add(c, false, func(g *group) int32 { return g.load[i] })
	}
	return rows
}

// home is a place for a value of type t of every lane.
func (l *lowering) home(t ir.Type) int32 {
	if t == ir.Bool && l.isa.maskClass == mask {
		return l.frame.scalar()
	}
	return l.frame.vector(1)
}

func (l *lowering) newValue(i info) value {
	l.infos = append(l.infos, i)
	return value(len(l.infos) - 1)
}

func (l *lowering) newMask() value {
	if l.isa.maskClass == vector {
		return l.newVector(8)
	}
	return l.newValue(info{class: mask, slot: none})
}

func (l *lowering) newVector(size uint8) value { return l.newValue(info{size: size, slot: none}) }

// like is a new value that can hold values of type t.
func (l *lowering) like(t ir.Type) value {
	if t == ir.Bool {
		return l.newMask()
	}
	return l.newVector(uint8(t.Bytes()))
}

// at is the value that the frame holds at slot.
func (l *lowering) at(t ir.Type, slot int32, variable bool) value {
	v := l.like(t)
	l.infos[v].slot, l.infos[v].resident, l.infos[v].variable = slot, true, variable
	return v
}

func (l *lowering) emit(in inst) value {
	in.pos, in.from, in.group = l.pos, l.from, int32(l.group)
	l.code = append(l.code, in)
	delete(l.resized, in.dst)
	return in.dst
}

// constant is a vector with the same bits in every lane.
func (l *lowering) constant(size uint8, bits uint64) value {
	c := constant{size, bits}
	if v, ok := l.constants[c]; ok {
		return v
	}
	s := l.addScalar(scalar{kind: scalarConst, bits: bits, typ: map[uint8]ir.Type{1: ir.Bool, 4: ir.U32, 8: ir.U64}[size]})
	v := l.scalarValue(s)
	l.constants[c], l.known[v] = v, bits
	return v
}

func (l *lowering) constMask(on bool) value {
	if on {
		return l.constant(1, 1)
	}
	return l.constant(1, 0)
}

func (l *lowering) addScalar(s scalar) int {
	if l.isa.spread {
		s.slot = l.frame.vector(1)
	} else {
		s.slot = l.frame.scalar()
	}
	l.scalars = append(l.scalars, s)
	return len(l.scalars) - 1
}

// scalarValue makes the scalar of number s a value.
func (l *lowering) scalarValue(s int) value {
	sc := &l.scalars[s]
	v := l.like(sc.typ)
	l.infos[v].slot, l.infos[v].uniform = sc.slot, true
	return v
}

// addressOf is where the frame holds the address of a plane or table.
func (l *lowering) addressOf(kind scalarKind, plane int) int32 {
	key := address2{kind, plane}
	slot, ok := l.addresses[key]
	if !ok {
		s := l.addScalar(scalar{kind: kind, plane: plane, typ: ir.U64})
		slot = l.scalars[s].slot
		l.addresses[key] = slot
	}
	return slot
}

// findScalars finds the values of the head that are the same for all lanes, and the cells it loads.
func (l *lowering) findScalars() {
	for _, in := range l.k.Step.Head.Instrs {
		s := scalar{instr: in, typ: in.Op.ResultType(in.Type)}
		switch {
		case in.Op == ir.OpConst:
			size := uint8(in.Type.Bytes())
			l.common[in.Results[0]] = l.constant(size, in.Imm)
			for i := range l.scalars {
				if l.scalars[i].kind == scalarConst && l.scalars[i].slot == l.infos[l.common[in.Results[0]]].slot {
					l.scalarOf[in.Results[0]] = i
				}
			}
			continue
		case in.Op == ir.OpLoad && l.k.Planes[in.Imm].Role == ir.RoleParam:
			s.kind, s.plane, s.comp = scalarParam, int(in.Imm), int(in.Comp)
		case in.Op == ir.OpLoad:
			l.loads = append(l.loads, ir.Cell{Plane: int(in.Imm), Comp: in.Comp})
			continue
		case in.Op == ir.OpLen:
			s.kind, s.plane, s.typ = scalarLen, int(in.Imm), ir.I64
		case in.Op.Pure() && in.Op != ir.OpTable && in.Op != ir.OpLookup:
			s.kind = scalarOp
			same := true
			for _, a := range in.Args {
				n, ok := l.scalarOf[a]
				s.args, same = append(s.args, n), same && ok
			}
			if !same {
				continue
			}
		default:
			continue
		}
		n := l.addScalar(s)
		l.scalarOf[in.Results[0]], l.common[in.Results[0]] = n, l.scalarValue(n)
	}
}

func (l *lowering) findSites() {
	l.k.Step.Trip.Walk(func(in *ir.Instr) {
		if in.Op == ir.OpFault {
			l.sites = append(l.sites, site{ir.FaultKind(in.Imm), in.Pos})
			l.siteOf[in] = int32(len(l.sites))
		}
	})
}

// usedInTrip are the values that the trip names.
func usedInTrip(s *ir.Step) map[ir.Value]bool {
	used := map[ir.Value]bool{}
	var region func(r *ir.Region)
	region = func(r *ir.Region) {
		for _, in := range r.Instrs {
			for _, a := range in.Args {
				used[a] = true
			}
			for _, inner := range in.Regions() {
				region(inner)
			}
		}
		for _, y := range r.Yield {
			used[y] = true
		}
	}
	region(&s.Trip)
	return used
}

// head emits the head of a group, for its fresh lanes, and makes the values it keeps for the trips.
func (l *lowering) head(number int) *groupState {
	g, s := &l.groups[number], &l.k.Step
	st := &groupState{env: map[ir.Value]value{}}
	l.group, l.env, l.fault = number, map[ir.Value]value{}, 0
	used, load, work := usedInTrip(s), 0, false
	for _, in := range s.Head.Instrs {
		for _, r := range in.Results {
			if v, ok := l.common[r]; ok {
				l.env[r], st.env[r] = v, v
				continue
			}
			work = work || in.Op != ir.OpLoad
		}
		if in.Op == ir.OpLoad && l.k.Planes[in.Imm].Role != ir.RoleParam {
			v := l.at(in.Type, g.load[load], false)
			l.env[in.Results[0]], st.env[in.Results[0]] = v, v
			load++
		}
	}
	if work {
		l.pos, l.from = ir.Pos{}, nil
		fresh := l.at(ir.Bool, g.fresh, false)
		end := l.newLabel()
		l.emit(inst{op: opSkip, a: fresh, n: end})
		l.path = fresh
		for _, in := range s.Head.Instrs {
			l.instr(in)
		}
		for _, in := range s.Head.Instrs {
			for _, r := range in.Results {
				if _, have := st.env[r]; have || !used[r] {
					continue
				}
				t := s.Type(r)
				slot := l.home(t)
				if t == ir.Bool {
					l.isa.storeMask(l, l.env[r], fresh, slot)
				} else {
					l.isa.store(l, size(t), l.env[r], fresh, slot)
				}
				st.env[r] = l.at(t, slot, false)
			}
		}
		l.label(end)
	}
	for i, c := range s.Carry {
		t := l.k.Planes[c.Plane].Type
		p := l.at(t, g.carry[i], true)
		st.params = append(st.params, p)
		st.env[s.Trip.Params[i]] = p
	}
	st.live = l.at(ir.Bool, g.live, true)
	st.count = l.at(ir.U64, g.count, true)
	return st
}

// trips emits the loop over chunks and, inside it, the loop over trips.
func (l *lowering) trips(states []*groupState) {
	l.pos, l.from = ir.Pos{}, nil
	chunks, trips := l.newLoop(), l.newLoop()
	l.emit(inst{op: opLoop, n: chunks})
	l.emit(inst{op: opChunk})
	l.emit(inst{op: opLoop, n: trips})
	l.interleaved(states)
	l.emit(inst{op: opAgain, n: trips, disp: frameLeft})
	var gone value
	for g, st := range states {
		held := l.at(ir.Bool, l.groups[g].held, false)
		m := l.logic(kxorb, st.live, held)
		if gone != 0 {
			m = l.logic(korb, gone, m)
		}
		gone = m
	}
	l.emit(inst{op: opLook, a: gone})
	l.emit(inst{op: opAgain, n: chunks, disp: frameChunks})
	l.emit(inst{op: opReturn})
}

// interleaved emits a trip of every group. Where no control flow is in the way, some groups take turns of
// a few instructions: the processor looks ahead too short a way to overlap one long chain with the next.
func (l *lowering) interleaved(states []*groupState) {
	start := len(l.code)
	var bodies [][]inst
	inTurns := len(l.k.Step.Arrays) == 0 // groups have the memory of arrays in common
	for g, st := range states {
		l.group = g
		l.trip(st)
		body := l.shorten(slices.Clone(l.code[start:]))
		for i := range body {
			inTurns = inTurns && straight(body[i].op)
		}
		bodies = append(bodies, body)
		l.code = l.code[:start]
	}
	l.latency = l.longestChain(bodies[0])
	together := l.shape.together
	if !inTurns || together < 1 {
		together = 1
	}
	for set := range slices.Chunk(bodies, together) {
		for more := true; more; {
			more = false
			for i, body := range set {
				n := min(max(l.shape.block, 1), len(body))
				l.code = append(l.code, body[:n]...)
				set[i] = body[n:]
				more = more || n < len(body)
			}
		}
	}
}

// trip emits one step of a group.
func (l *lowering) trip(st *groupState) {
	s := &l.k.Step
	l.env = map[ir.Value]value{}
	for v, x := range st.env {
		l.env[v] = x
	}
	l.path, l.live = st.live, st.live
	clear(l.resized)
	faults := l.k.Faults()
	if faults {
		l.fault = l.variable(ir.Bool)
		l.assign(l.fault, l.constMask(false), 0)
	}
	for _, in := range s.Trip.Instrs {
		l.instr(in)
	}
	l.pos, l.from = ir.Pos{}, nil
	commit := st.live
	if faults {
		commit = l.logic(kandnb, l.fault, st.live)
	}
	exit := l.env[s.Trip.Yield[0]]
	news := make([]value, len(st.params))
	for i, y := range s.Trip.Yield[1:] {
		news[i] = l.env[y]
	}
	held := []value{exit}
	l.commit(st.params, news, commit, held)
	l.isa.count(l, st.count, commit)
	exit = held[0]
	switch bits, known := l.known[exit]; {
	case known && bits == 0 && commit == st.live:
	case known && bits == 0:
		l.assign(st.live, commit, 0)
	default:
		l.setLogic(st.live, kandnb, exit, commit)
	}
}

// setLogic makes the variable v a o b, of masks.
func (l *lowering) setLogic(v value, o op, a, b value) {
	x := l.logic(o, a, b)
	if last := &l.code[len(l.code)-1]; last.dst == x && l.infos[x].size == l.infos[v].size {
		last.dst = v
		delete(l.resized, v)
		return
	}
	l.assign(v, x, 0)
}

// variable is a value that is set more than once.
func (l *lowering) variable(t ir.Type) value {
	v := l.like(t)
	l.infos[v].variable = true
	return v
}

// commit makes the lanes of on of every variable the new value of the same number. Values of also are used
// afterwards; they are renamed where a variable takes their place.
func (l *lowering) commit(vars, news []value, on value, also []value) {
	for i, x := range news { // a new value that is another variable must be saved before that changes
		for j, v := range vars {
			if x == v && i != j {
				news[i] = l.copyOf(x)
				break
			}
		}
	}
	for i, x := range also {
		for _, v := range vars {
			if x == v {
				also[i] = l.copyOf(x)
				break
			}
		}
	}
	for i, v := range vars {
		x := news[i]
		if x == v {
			continue
		}
		if l.fold(v, x, on, vars) {
			for j := i + 1; j < len(news); j++ {
				if news[j] == x {
					news[j] = v
				}
			}
			for j := range also {
				if also[j] == x {
					also[j] = v
				}
			}
			continue
		}
		l.assign(v, x, on)
	}
}

func (l *lowering) copyOf(x value) value {
	c := l.newValue(info{class: l.infos[x].class, size: l.infos[x].size, slot: none})
	l.emit(inst{op: l.moveOp(x), dst: c, b: x})
	return c
}

func (l *lowering) moveOp(x value) op {
	switch {
	case l.infos[x].class == mask:
		return kmovb
	case l.infos[x].size == 8:
		return vmovdqa64
	}
	return vmovdqa32
}

// assign makes the lanes of on of v those of x; on 0: all. Masks may have different forms.
func (l *lowering) assign(v, x, on value) {
	if on != 0 {
		l.isa.assign(l, v, x, on)
		return
	}
	l.emit(inst{op: l.moveOp(v), dst: v, b: l.isa.fit(l, x, v)})
}

// fold lets the instruction that made x set the lanes of on of v instead, if that comes to the same:
// nothing after it may need what v was, and x must not live on. It saves a move per carried cell.
func (l *lowering) fold(v, x, on value, vars []value) bool {
	if !l.isa.merging || l.infos[x].variable || l.infos[x].resident || l.infos[x].uniform || hasLoop(&l.k.Step.Trip) {
		return false
	}
	at := -1
	for i := len(l.code) - 1; i >= 0; i-- {
		in := &l.code[i]
		if in.dst == x {
			at = i
			break
		}
		if !straight(in.op) || in.dst == on && on != 0 {
			return false
		}
		for _, r := range l.reads(in) {
			if r == v {
				return false
			}
		}
		if in.dst == v {
			return false
		}
	}
	if at < 0 {
		return false
	}
	in := &l.code[at]
	if in.op >= firstMask || in.mask != 0 || l.isa.has(in.op, tied) || l.isa.insns[in.op].form == formGather || l.isa.insns[in.op].form == formKVM {
		return false
	}
	in.dst, in.mask = v, on
	for i := at + 1; i < len(l.code); i++ {
		in := &l.code[i]
		for _, r := range []*value{&in.a, &in.b, &in.mask, &in.index} {
			if *r == x {
				*r = v
			}
		}
	}
	for y, z := range l.env {
		if z == x {
			l.env[y] = v
		}
	}
	return true
}

// reads are the values that an instruction reads.
func (l *lowering) reads(in *inst) []value {
	rs := make([]value, 0, 5)
	for _, v := range [...]value{in.a, in.b, in.mask, in.index} {
		if v != 0 {
			rs = append(rs, v)
		}
	}
	if l.readsDst(in) {
		rs = append(rs, in.dst)
	}
	return rs
}

// readsDst says whether an instruction needs what its dst was.
func (l *lowering) readsDst(in *inst) bool {
	if in.dst == 0 || in.op >= firstMask {
		return false
	}
	form := l.isa.insns[in.op].form
	return l.isa.has(in.op, tied) || l.isa.merging && in.mask != 0 && !in.zero && form != formKVM &&
		in.op != vpblendmq && in.op != vpblendmd
}

// has says whether an instruction has a property.
func (i *isa) has(o op, flag uint8) bool { return o < firstMask && i.insns[o].flags&flag != 0 }

func (l *lowering) newLabel() int32 { l.labels++; return l.labels - 1 }
func (l *lowering) newLoop() int32  { l.loops++; return l.loops - 1 }

func (l *lowering) label(n int32) {
	l.emit(inst{op: opLabel, n: n})
	clear(l.resized)
}

func (l *lowering) fail(format string, args ...any) value {
	if l.refuse == nil {
		l.refuse = fmt.Errorf(format, args...)
	}
	return l.constMask(false)
}
