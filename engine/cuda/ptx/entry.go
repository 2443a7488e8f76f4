package ptx

import (
	"fmt"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// shell is what all entries of a kernel have round head, trip and tail.
type shell struct {
	*code
	n, start, end                           string
	control, mask, taken, faults, list, out string
	lane                                    string // of the warp
}

// names of the parameters that come before the planes, in order.
var fixedParams = []struct {
	class class
	name  string
}{
	{word, "n"},
	{word, "start"},
	{word, "end"},
	{wide, "control"},
	{wide, "cancel"},
	{wide, "mask"},
	{wide, "taken"},
	{wide, "faults"},
	{wide, "map"},
	{wide, "out"},
}

// argsOf is the number of parameters of every entry of k.
func argsOf(k *ir.Kernel) int {
	n := len(fixedParams) + len(k.Planes)
	for i := range k.Planes {
		if k.Planes[i].Role == ir.RoleTable {
			n++
		}
	}
	return n
}

// maxParamBytes is what the parameters of an entry may take.
const maxParamBytes = 4096

// newShell begins an entry: its parameters, and what follows from them.
func newShell(k *ir.Kernel, v *ir.Values, sites map[*ir.Instr]int, name string) *shell {
	f := newFunction(name, MaxBlock)
	s := &shell{code: &code{
		function: f, k: k, values: v, env: make([]string, len(v.Types)+1), known: map[ir.Value]uint64{},
		sites: sites, lengths: map[int]string{}, rows: map[int]string{},
	}}
	regs := map[string]string{}
	for _, p := range fixedParams {
		regs[p.name] = f.param(p.class, p.name)
	}
	s.n, s.start, s.end = regs["n"], regs["start"], regs["end"]
	s.control, s.cancel, s.mask, s.taken = regs["control"], regs["cancel"], regs["mask"], regs["taken"]
	s.faults, s.list, s.out = regs["faults"], regs["map"], regs["out"]
	for i := range k.Planes {
		s.planes = append(s.planes, f.param(wide, "plane_"+k.Planes[i].Name))
	}
	for i := range k.Planes {
		if k.Planes[i].Role == ir.RoleTable {
			s.lengths[i] = f.param(wide, "cells_"+k.Planes[i].Name)
		}
	}
	for _, size := range []int{1, 4, 8} {
		if hasRows(k, size) {
			s.rows[size] = f.set(wide, "mul.wide.u32", s.n, size)
		}
	}
	s.lane = f.set(word, "mov.u32", "%laneid")
	return s
}

// hasRows says whether a plane of elements of a size has rows of samples.
func hasRows(k *ir.Kernel, size int) bool {
	for i := range k.Planes {
		p := &k.Planes[i]
		if p.Type.Bytes() == size && p.Role != ir.RoleParam && p.Role != ir.RoleTable {
			return true
		}
	}
	return false
}

// field is the address of a field of the control block.
func (s *shell) field(at uintptr) string { return offset(s.control, int(at)) }

// thread is the number of this thread in its grid, and stride the number of threads of the grid.
func (f *function) thread() (thread, stride string) {
	block := f.set(word, "mov.u32", "%ntid.x")
	thread = f.set(word, "mad.lo.u32", f.set(word, "mov.u32", "%ctaid.x"), block, f.set(word, "mov.u32", "%tid.x"))
	return thread, f.set(word, "mul.lo.u32", f.set(word, "mov.u32", "%nctaid.x"), block)
}

// element is the address of element i, of size bytes, of an array.
func (f *function) element(array, i string, size int) string {
	return f.set(wide, "mad.wide.u32", i, size, array)
}

// everyLane is the mask of a whole warp.
const everyLane = "0xffffffff"

// ballot is the lanes of the warp where p holds.
func (f *function) ballot(p string) string {
	return f.set(word, "vote.sync.ballot.b32", p, everyLane)
}

// popc is the number of bits of x.
func (f *function) popc(x string) string { return f.set(word, "popc.b32", x) }

// reduce combines x over the warp, so that every lane has the result; op is of 32 bits.
func (f *function) reduce(op, x string) string {
	for step := 16; step > 0; step /= 2 {
		x = f.set(word, op, x, f.set(word, "shfl.sync.bfly.b32", x, step, 31, everyLane))
	}
	return x
}

// reduceWide adds up 64 bits over the warp.
func (f *function) reduceWide(x string) string {
	for step := 16; step > 0; step /= 2 {
		lo, hi := f.reg(word), f.reg(word)
		f.put("mov.b64 {%s, %s}, %s", lo, hi, x)
		lo = f.set(word, "shfl.sync.bfly.b32", lo, step, 31, everyLane)
		hi = f.set(word, "shfl.sync.bfly.b32", hi, step, 31, everyLane)
		other := f.reg(wide)
		f.put("mov.b64 %s, {%s, %s}", other, lo, hi)
		x = f.set(wide, "add.u64", x, other)
	}
	return x
}

// raise makes a field of the control block at least x. Most often it is already, and a look is cheaper than
// an atomic that every warp of the grid makes at one address.
func (s *shell) raise(guard, x string, at uintptr) {
	before := s.set(word, "ld.volatile.global.u32", "["+s.field(at)+"]")
	more := s.set(predicate, "setp.gt.and.u32", x, before, guard)
	s.put("@%s red.global.max.u32 [%s], %s", more, s.field(at), x)
}

// state are the registers of a sample's carried cells.
func (s *shell) state() []string {
	var regs []string
	for _, p := range s.k.Step.Trip.Params {
		r := s.reg(classOf(s.values.Type(p)))
		regs = append(regs, r)
		s.env[p] = r
	}
	return regs
}

// takeUp writes the head for the slot at hand: the carried cells go to state.
func (s *shell) takeUp(state []string) {
	for i, cell := range s.k.Step.Carry {
		p := &s.k.Planes[cell.Plane]
		s.mov(classOf(p.Type), state[i], s.load(p.Type, s.cell(cell.Plane, cell.Comp), p.Role))
	}
	s.region(&s.k.Step.Head)
}

// trip writes one step: state goes on, and the result says whether the sample is done.
func (s *shell) trip(state []string) (exit string) {
	t := &s.k.Step.Trip
	s.region(t)
	exit = s.reg(predicate)
	s.mov(predicate, exit, s.env[t.Yield[0]])
	s.advance(t.Params, state, t.Yield[1:])
	return exit
}

// tail stores state.
func (s *shell) tail(state []string) {
	for i, cell := range s.k.Step.Carry {
		s.store(cell, state[i])
	}
}

// stepsTaken reads the steps taken of the slot at hand.
func (s *shell) stepsTaken(from string) string {
	taken := s.reg(word)
	kept := s.set(predicate, "setp.ne.u64", s.taken, 0)
	s.put("mov.u32 %s, %s", taken, from)
	s.put("@%s ld.global.u32 %s, [%s]", kept, taken, s.element(s.taken, s.slot, 4))
	return taken
}

// keep writes the steps taken of the slot at hand.
func (s *shell) keep(taken string) {
	kept := s.set(predicate, "setp.ne.u64", s.taken, 0)
	s.put("@%s st.global.u32 [%s], %s", kept, s.element(s.taken, s.slot, 4), taken)
}

// mark writes the mask byte of the slot at hand where it is finished, and where site is not 0 the fault.
func (s *shell) mark(finished, taken string) {
	mark := "1"
	if len(s.sites) > 0 {
		bad := s.set(predicate, "setp.ne.u32", s.site, 0)
		mark = s.set(word, "selp.u32", 2, 1, bad)
		s.noteFault(bad, taken)
	} else {
		mark = s.set(word, "mov.u32", mark)
	}
	s.put("@%s st.global.u8 [%s], %s", finished, s.element(s.mask, s.slot, 1), mark)
}

// noteFault writes where a sample has faulted, if that is kept.
func (s *shell) noteFault(bad, taken string) {
	kept := s.set(predicate, "setp.ne.and.u64", s.faults, 0, bad)
	both := s.reg(wide)
	s.put("mov.b64 %s, {%s, %s}", both, s.site, taken)
	s.put("@%s st.global.u64 [%s], %s", kept, s.element(s.faults, s.slot, 8), both)
}

// begin readies the code of a step: the uniform part of the head, and places for arrays.
func (s *shell) begin() {
	s.uniform(&s.k.Step.Head)
	s.placeArrays(s.values, &s.k.Step.Trip)
	s.fault, s.abandon = s.newLabel("fault"), s.newLabel("abandon")
	s.site = s.reg(word)
}

// launch writes a single or fused entry, through the map or not.
func launch(k *ir.Kernel, sites map[*ir.Instr]int, kind Kind, look uint32) string {
	s := newShell(k, &k.Step.Values, sites, kind.String())
	mapped, fused := kind == SingleActive || kind == FusedActive, kind == Fused || kind == FusedActive
	upto := s.set(word, "ld.global.u32", "["+s.field(unsafe.Offsetof(Control{}.Upto))+"]")
	from := s.set(word, "ld.global.u32", "["+s.field(unsafe.Offsetof(Control{}.From))+"]")
	full := "1"
	if fused {
		full = s.set(word, "sub.u32", upto, from)
	}
	full = s.set(word, "mov.u32", full)
	at, limit := s.reg(word), s.end
	thread, stride := s.thread()
	if mapped {
		s.put("mov.u32 %s, %s", at, thread)
		limit = s.set(word, "ld.global.u32", "["+s.field(unsafe.Offsetof(Control{}.Count))+"]")
	} else {
		s.put("add.u32 %s, %s, %s", at, thread, s.start)
	}
	s.begin()
	state := s.state()
	steps, taken := s.reg(word), s.reg(word)
	finished, live, stopped := s.reg(predicate), s.reg(predicate), s.reg(predicate)
	next, stored, count, done := s.newLabel("next"), s.newLabel("store"), s.newLabel("count"), s.newLabel("done")

	// The first lane's slot decides, so that all lanes of a warp count together.
	s.place(next)
	base := s.set(word, "sub.u32", at, s.lane)
	s.put("@%s bra %s", s.set(predicate, "setp.ge.u32", base, limit), done)
	s.put("mov.pred %s, 0", finished)
	s.put("mov.pred %s, 0", live)
	s.put("mov.pred %s, 0", stopped)
	s.put("mov.u32 %s, 0", s.site)
	s.put("mov.u32 %s, 0", steps)
	s.put("mov.u32 %s, 0", taken)
	s.put("@%s bra %s", s.set(predicate, "setp.ge.u32", at, limit), count)
	s.slot = at
	if mapped {
		s.slot = s.set(word, "ld.global.u32", "["+s.element(s.list, at, 4)+"]")
	}
	told := ""
	if fused {
		told = s.lookAtStart(full, look)
	}
	mask := s.set(word, "ld.global.u8", "["+s.element(s.mask, s.slot, 1)+"]")
	s.put("mov.u32 %s, %s", taken, s.stepsTaken(from))
	s.put("setp.lt.u32 %s, %s, %s", live, taken, upto)
	s.put("setp.eq.and.u32 %s, %s, 0, %s", live, mask, live)
	s.put("@!%s bra %s", live, count)
	if fused {
		s.put("setp.ne.u32 %s, %s, 0", stopped, told)
		s.put("@%s bra %s", stopped, count)
	}
	s.takeUp(state)
	if fused {
		s.steps(state, finished, stopped, steps, taken, upto, stored, look)
	} else {
		s.mov(predicate, finished, s.trip(state))
		s.put("mov.u32 %s, 1", steps)
		s.put("bra %s", stored)
		s.place(s.abandon)
		s.put("mov.pred %s, 1", stopped)
		s.put("bra %s", stored)
		s.place(s.fault)
		s.put("mov.pred %s, 1", finished)
	}
	s.place(stored)
	s.tail(state)
	s.put("add.u32 %s, %s, %s", taken, taken, steps)
	s.keep(taken)
	s.mark(finished, taken)
	s.place(count)
	s.countLaunch(live, finished, stopped, steps, taken, upto, full)
	s.put("add.u32 %s, %s, %s", at, at, stride)
	s.put("bra %s", next)
	s.place(done)
	s.put("ret")
	return s.text()
}

// startLook is the steps of a launch from which its lanes look at cancel before their first one. A grid of many
// blocks is stopped by it: those that have not begun would else run their steps up to the first look.
const startLook = 32

// lookAtStart is the word of cancel, 0 in a short launch. It is asked for before the mask byte, so that a lane
// waits for both at once.
func (s *shell) lookAtStart(full string, look uint32) string {
	told := s.set(word, "mov.u32", 0)
	long := s.set(predicate, "setp.ge.u32", full, min(look, startLook))
	long = s.set(predicate, "setp.ne.and.u64", s.cancel, 0, long)
	s.put("@%s ld.volatile.global.u32 %s, [%s]", long, told, s.cancel)
	return told
}

// steps writes the loop of a fused launch. It ends at stored, with the steps that were completed, whether the
// sample is done, and whether it was stopped. Cancel is looked at every so many steps.
func (s *shell) steps(state []string, finished, stopped, steps, taken, upto, stored string, look uint32) {
	left, burst := s.reg(word), s.reg(word)
	counted, outer, inner := s.newLabel("counted"), s.newLabel("outer"), s.newLabel("inner")
	s.put("sub.u32 %s, %s, %s", left, upto, taken)
	s.put("mov.u32 %s, %s", steps, left)
	s.place(outer)
	s.put("min.u32 %s, %s, %d", burst, left, look)
	s.put("sub.u32 %s, %s, %s", left, left, burst)
	s.place(inner)
	exit := s.trip(state)
	s.put("sub.u32 %s, %s, 1", burst, burst)
	s.mov(predicate, finished, exit)
	s.put("@%s bra %s", finished, counted)
	s.put("@%s bra %s", s.set(predicate, "setp.ne.u32", burst, 0), inner)
	s.put("@%s bra %s", s.set(predicate, "setp.eq.u32", left, 0), counted)
	s.put("@!%s bra %s", s.cancelled(), outer)
	s.place(s.abandon)
	s.put("mov.pred %s, 1", stopped)
	s.put("bra %s", counted)
	s.place(s.fault)
	s.put("mov.pred %s, 1", finished)
	s.place(counted)
	s.put("add.u32 %s, %s, %s", left, left, burst)
	s.put("sub.u32 %s, %s, %s", steps, steps, left)
	s.put("bra %s", stored)
}

// bigUpto is a number of steps taken from which the missing steps of a warp may not fit 32 bits.
const bigUpto = 1 << 25

// countLaunch adds what a warp's samples did to the control block. All lanes are here. A warp whose samples
// all ran to the end has nothing to say.
func (s *shell) countLaunch(live, finished, stopped, steps, taken, upto, full string) {
	out := s.newLabel("counted")
	short := s.set(predicate, "setp.ne.and.u32", steps, full, live)
	any := s.ballot(s.set(predicate, "or.pred", s.set(predicate, "or.pred", short, finished), stopped))
	s.put("@%s bra %s", s.set(predicate, "setp.eq.u32", any, 0), out)
	done, few := s.ballot(finished), s.ballot(short)
	missing := s.set(word, "selp.u32", s.set(word, "sub.u32", full, steps), 0, short)
	sum := s.reduce("add.u32", missing)
	longest := s.reduce("max.u32", s.set(word, "selp.u32", steps, 0, short))
	last := s.reduce("max.u32", s.set(word, "selp.u32", taken, 0, finished))
	cut := s.ballot(stopped)
	leader := s.set(predicate, "setp.eq.u32", s.lane, 0)
	small := s.set(predicate, "setp.lt.u32", upto, bigUpto)
	counts := s.reg(wide) // Finished and Short lie together
	s.put("mov.b64 %s, {%s, %s}", counts, s.popc(done), s.popc(few))
	s.put("@%s red.global.add.u64 [%s], %s", leader, s.field(unsafe.Offsetof(Control{}.Finished)), counts)
	deficit := s.field(unsafe.Offsetof(Control{}.Deficit))
	s.put("@%s red.global.add.u64 [%s], %s",
		s.set(predicate, "and.pred", leader, small), deficit, s.set(wide, "cvt.s64.s32", sum))
	big := s.set(predicate, "and.pred", short, s.set(predicate, "not.pred", small))
	each := s.set(wide, "sub.u64", s.set(wide, "cvt.u64.u32", full), s.set(wide, "cvt.u64.u32", steps))
	s.put("@%s red.global.add.u64 [%s], %s", big, deficit, each)
	s.raise(leader, longest, unsafe.Offsetof(Control{}.Longest))
	s.raise(leader, last, unsafe.Offsetof(Control{}.LastStop))
	s.addCount(leader, cut, unsafe.Offsetof(Control{}.Stopped))
	if len(s.sites) > 0 {
		bad := s.ballot(s.set(predicate, "setp.ne.u32", s.site, 0))
		s.addCount(leader, bad, unsafe.Offsetof(Control{}.Faulted))
	}
	s.place(out)
}

// addCount adds the number of lanes in a ballot to a field of the control block, if there are any.
func (s *shell) addCount(guard, ballot string, at uintptr) {
	some := s.set(predicate, "setp.ne.and.u32", ballot, 0, guard)
	s.put("@%s red.global.add.u32 [%s], %s", some, s.field(at), s.popc(ballot))
}

// initEntry writes the entry of Init.
func initEntry(k *ir.Kernel, sites map[*ir.Instr]int) string {
	s := newShell(k, &k.Init.Values, sites, Init.String())
	s.inputs = true
	out := s.funcBody(k.Init, func(next string) {
		for i, cell := range k.Init.Stores {
			s.store(cell, s.env[k.Init.Body.Yield[i]])
		}
		s.put("bra %s", next)
		s.place(s.abandon)
		s.put("red.global.add.u32 [%s], 1", s.field(unsafe.Offsetof(Control{}.Stopped)))
		s.put("bra %s", next)
		s.place(s.fault)
		s.noteFault(s.set(predicate, "setp.ne.u32", s.site, 0), s.set(word, "mov.u32", 0))
		s.put("red.global.add.u32 [%s], 1", s.field(unsafe.Offsetof(Control{}.Faulted)))
	})
	return out
}

// observable writes the entry of one.
func observable(k *ir.Kernel, f *ir.Func, name string) string {
	s := newShell(k, &f.Values, nil, name)
	return s.funcBody(f, func(string) {
		y := f.Body.Yield[0]
		x := s.asFloat(f.Type(y), s.env[y])
		s.put("st.global.f64 [%s], %s", s.element(s.out, s.slot, 8), x)
		s.place(s.fault)
		s.place(s.abandon)
	})
}

// funcBody writes a func for every slot of [start, end); end writes what becomes of its results, and may
// jump to next.
func (s *shell) funcBody(f *ir.Func, end func(next string)) string {
	at := s.reg(word)
	thread, stride := s.thread()
	s.put("add.u32 %s, %s, %s", at, thread, s.start)
	s.slot = at
	s.uniform(&f.Body)
	s.placeArrays(&f.Values, &f.Body)
	s.fault, s.abandon, s.site = s.newLabel("fault"), s.newLabel("abandon"), s.reg(word)
	again, next, done := s.newLabel("again"), s.newLabel("next"), s.newLabel("done")
	s.place(again)
	s.put("@%s bra %s", s.set(predicate, "setp.ge.u32", at, s.end), done)
	s.put("mov.u32 %s, 0", s.site)
	s.region(&f.Body)
	end(next)
	s.place(next)
	s.put("add.u32 %s, %s, %s", at, at, stride)
	s.put("bra %s", again)
	s.place(done)
	s.put("ret")
	return s.text()
}

// asFloat is x of type t as a float64, as an observable is shown; NaNs are canonical.
func (s *shell) asFloat(t ir.Type, x string) string {
	switch {
	case t == ir.Bool:
		return s.set(double, "cvt.rn.f64.u32", s.set(word, "selp.u32", 1, 0, x))
	case t != ir.F64:
		x = s.convert(ir.F64, t, x)
	}
	if t.Float() {
		x = s.canonical(ir.F64, x)
	}
	return x
}

func observableName(f *ir.Func) string { return fmt.Sprintf("observe_%s", f.Name) }
