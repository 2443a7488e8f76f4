package ptx

import (
	"unsafe"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// claiming is the persistent entry, and the registers of what a lane knows of its sample.
type claiming struct {
	*shell
	upto, from, chunk string
	below             string // lanes of a lower number
	taken             string // steps taken when the sample was taken up
	left              string // steps it may still take
	claims            string // samples that the lane has taken up
	live, more        string // the lane has a sample; there may be slots that nobody has claimed
	state             []string

	// Of the warp, the same in all its lanes.
	pool, poolEnd, ample string // slots that it has taken and not given to a lane; below it there are plenty
	since, quit          string // steps since the last look at cancel; it was told to leave
	done, bad            string // samples that finished and faulted since they were last told

	// Of all the lane's samples.
	sum, longest, last, chunks string
}

// persistent writes the entry whose lanes claim samples until none is left:
//
//	look   lanes without a sample vote, and get slots of the warp's pool by their rank; when it is empty the
//	       lowest such lane takes new ones off the counter; again while a slot turns out to be finished
//	       already. No lane of the warp has a sample: end
//	steps  every lane with a sample runs up to chunk steps, and leaves at its sample's own stop
//	store  lanes whose sample is done store it; look
//
// A device makes atomics at one address one after the other, about one every 1.2 ns (H200), whoever asks: where
// stops spread and chunks are short, claims and counts of a warp's few samples at a time were all the time that
// a launch took. So a warp takes slots for all its lanes at a time while there are plenty, and counts in
// registers what it tells now and then.
func persistent(k *ir.Kernel, sites map[*ir.Instr]int, most uint32) string {
	c := newClaiming(k, sites)
	look, end := c.newLabel("look"), c.newLabel("end")
	c.place(look)
	c.claim()
	busy := c.ballot(c.live)
	c.put("@%s bra %s", c.set(predicate, "setp.eq.u32", busy, 0), end)
	c.lookAtCancel(most)

	burst, finished, cut := c.reg(word), c.reg(predicate), c.reg(predicate)
	c.zero(burst, c.site, finished, cut)
	c.chunkOfSteps(busy, burst, finished, cut)

	// Done: at the sample's own stop, at the last step of the run, or because the warp leaves.
	store, count := c.newLabel("store"), c.newLabel("count")
	c.put("add.u32 %s, %s, %s", c.left, c.left, burst)
	c.put("@!%s bra %s", c.anyOf(c.set(predicate, "or.pred", c.quit, cut)), store)
	c.put("mov.pred %s, 1", c.quit)
	c.place(store)
	over := c.set(predicate, "setp.eq.or.u32", c.left, 0, finished)
	over = c.set(predicate, "and.pred", c.set(predicate, "or.pred", over, c.quit), c.live)
	c.put("@!%s bra %s", over, count)
	c.putAway(finished)
	c.place(count)
	c.put("add.u32 %s, %s, %s", c.done, c.done, c.popc(c.ballot(finished)))
	if len(c.sites) > 0 {
		c.put("add.u32 %s, %s, %s", c.bad, c.bad, c.popc(c.ballot(c.is("ne", c.site, 0))))
	}
	c.put("@!%s bra %s", c.quit, look)
	c.countStopped(finished, over)

	c.place(end)
	c.settle()
	c.put("ret")
	return c.text()
}

func newClaiming(k *ir.Kernel, sites map[*ir.Instr]int) *claiming {
	s := newShell(k, &k.Step.Values, sites, Persistent.String())
	c := &claiming{
		shell: s,
		upto:  s.set(word, "ld.global.u32", "["+s.field(unsafe.Offsetof(Control{}.Upto))+"]"),
		from:  s.set(word, "ld.global.u32", "["+s.field(unsafe.Offsetof(Control{}.From))+"]"),
		chunk: s.set(word, "ld.global.u32", "["+s.field(unsafe.Offsetof(Control{}.Chunk))+"]"),
		below: s.set(word, "mov.u32", "%lanemask_lt"),
	}
	s.begin()
	c.state = s.state()
	for _, r := range []*string{&c.taken, &c.left, &c.claims, &c.since, &c.longest, &c.last, &s.slot, &c.pool, &c.poolEnd, &c.done, &c.bad} {
		*r = s.reg(word)
	}
	c.sum, c.chunks = s.reg(wide), s.reg(wide)
	c.live, c.more, c.quit = s.reg(predicate), s.reg(predicate), s.reg(predicate)
	c.zero(c.taken, c.left, c.claims, c.since, c.longest, c.last, c.slot, c.pool, c.poolEnd, c.done, c.bad, c.sum, c.chunks, c.live, c.quit)
	c.put("mov.pred %s, 1", c.more)
	// Plenty: more slots than two for every lane of the grid.
	_, threads := c.thread()
	grid := c.set(word, "shl.b32", threads, 1)
	c.ample = c.set(word, "sub.u32", c.end, c.set(word, "min.u32", c.end, grid))
	return c
}

// zero clears registers.
func (f *function) zero(regs ...string) {
	for _, r := range regs {
		f.put("mov.%s %s, 0", map[string]string{"%p": "pred", "%r": "u32", "%rd": "u64"}[className(r)], r)
	}
}

// claim gives every lane without a sample the next one, while there are any.
func (c *claiming) claim() {
	again, rest, out := c.newLabel("claim"), c.newLabel("rest"), c.newLabel("claimed")
	c.place(again)
	ask := c.set(predicate, "and.pred", c.more, c.set(predicate, "not.pred", c.live))
	want := c.ballot(ask)
	c.put("@%s bra %s", c.set(predicate, "setp.eq.u32", want, 0), out)
	need := c.popc(want)
	c.fill(want, need)
	rank := c.popc(c.set(word, "and.b32", want, c.below))
	have := c.set(word, "sub.u32", c.poolEnd, c.pool)
	got := c.set(predicate, "setp.lt.and.u32", rank, have, ask)
	first := c.set(word, "mov.u32", c.pool)
	c.put("add.u32 %s, %s, %s", c.pool, c.pool, c.set(word, "min.u32", need, have))
	c.put("@!%s bra %s", got, rest)
	c.put("add.u32 %s, %s, %s", c.slot, first, rank)
	c.put("setp.lt.u32 %s, %s, %s", c.more, c.slot, c.end)
	c.put("@!%s bra %s", c.more, rest)
	mask := c.set(word, "ld.global.u8", "["+c.element(c.mask, c.slot, 1)+"]")
	c.put("mov.u32 %s, %s", c.taken, c.stepsTaken(c.from))
	open := c.set(predicate, "setp.lt.u32", c.taken, c.upto)
	c.put("setp.eq.and.u32 %s, %s, 0, %s", c.live, mask, open)
	c.put("@!%s bra %s", c.live, rest)
	c.put("sub.u32 %s, %s, %s", c.left, c.upto, c.taken)
	c.put("add.u32 %s, %s, 1", c.claims, c.claims)
	c.takeUp(c.state)
	c.place(rest)
	c.put("bra %s", again)
	c.place(out)
}

// fill takes slots for the pool when it is empty: as many as there are lanes that want one, or as the warp has
// lanes while there are plenty. Near the end of the batch no warp keeps what another could run.
func (c *claiming) fill(want, need string) {
	full := c.newLabel("full")
	c.put("@%s bra %s", c.is("ne", c.pool, c.poolEnd), full)
	size := c.pick(c.is("lt", c.poolEnd, c.ample), 32, need)
	leader := c.set(word, "clz.b32", c.set(word, "brev.b32", want))
	c.put("mov.u32 %s, 0", c.pool)
	c.put("@%s atom.global.add.u32 %s, [%s], %s", c.is("eq", c.lane, leader), c.pool,
		c.field(unsafe.Offsetof(Control{}.Next)), size)
	c.put("shfl.sync.idx.b32 %s, %s, %s, 31, %s", c.pool, c.pool, leader, everyLane)
	c.put("add.u32 %s, %s, %s", c.poolEnd, c.pool, size)
	c.place(full)
}

// lookAtCancel makes the warp quit when cancel is set; it looks every most steps.
func (c *claiming) lookAtCancel(most uint32) {
	on := c.newLabel("on")
	c.put("add.u32 %s, %s, %s", c.since, c.since, c.chunk)
	c.put("@%s bra %s", c.set(predicate, "setp.lt.u32", c.since, most), on)
	c.put("mov.u32 %s, 0", c.since)
	c.mov(predicate, c.quit, c.anyOf(c.cancelled()))
	c.tell()
	c.place(on)
}

// tell adds the samples that the warp has finished to the control block.
func (c *claiming) tell() {
	leader := c.is("eq", c.lane, 0)
	c.put("@%s red.global.add.u32 [%s], %s", c.set(predicate, "setp.ne.and.u32", c.done, 0, leader), c.field(unsafe.Offsetof(Control{}.Finished)), c.done)
	c.put("mov.u32 %s, 0", c.done)
	if len(c.sites) > 0 {
		c.put("@%s red.global.add.u32 [%s], %s", c.set(predicate, "setp.ne.and.u32", c.bad, 0, leader), c.field(unsafe.Offsetof(Control{}.Faulted)), c.bad)
		c.put("mov.u32 %s, 0", c.bad)
	}
}

// anyOf says whether p holds in a lane of the warp.
func (f *function) anyOf(p string) string {
	return f.set(predicate, "setp.ne.u32", f.ballot(p), 0)
}

// chunkOfSteps runs the steps of a chunk where the lane has a sample, unless the warp quits. burst are the
// steps of it that were not run, and cut says that a step was given up.
func (c *claiming) chunkOfSteps(busy, burst, finished, cut string) {
	out, inner := c.newLabel("stepped"), c.newLabel("inner")
	c.put("@%s bra %s", c.quit, out)
	c.put("add.u64 %s, %s, %s", c.chunks, c.chunks, c.set(wide, "cvt.u64.u32", c.popc(busy)))
	c.put("@!%s bra %s", c.live, out)
	c.put("min.u32 %s, %s, %s", burst, c.left, c.chunk)
	c.put("sub.u32 %s, %s, %s", c.left, c.left, burst)
	c.place(inner)
	exit := c.trip(c.state)
	c.put("sub.u32 %s, %s, 1", burst, burst)
	c.mov(predicate, finished, exit)
	c.put("@%s bra %s", finished, out)
	c.put("@%s bra %s", c.set(predicate, "setp.ne.u32", burst, 0), inner)
	c.put("bra %s", out)
	c.place(c.abandon)
	c.put("mov.pred %s, 1", cut)
	c.put("bra %s", out)
	c.place(c.fault)
	c.put("mov.pred %s, 1", finished)
	c.place(out)
}

// putAway writes the tail of the lane's sample.
func (c *claiming) putAway(finished string) {
	c.tail(c.state)
	taken := c.set(word, "sub.u32", c.upto, c.left)
	c.keep(taken)
	c.mark(finished, taken)
	ran := c.set(word, "sub.u32", taken, c.taken)
	c.put("add.u64 %s, %s, %s", c.sum, c.sum, c.set(wide, "cvt.u64.u32", ran))
	c.put("max.u32 %s, %s, %s", c.longest, c.longest, ran)
	c.put("@%s max.u32 %s, %s, %s", finished, c.last, c.last, taken)
	c.put("mov.pred %s, 0", c.live)
}

// countStopped counts the samples that a warp leaves before they are done: those of its lanes, and slots of
// its pool.
func (c *claiming) countStopped(finished, over string) {
	rest := c.set(predicate, "setp.ne.and.u32", c.left, 0, over)
	rest = c.both(rest, c.not(finished))
	pool := c.set(word, "sub.u32", c.set(word, "min.u32", c.poolEnd, c.end), c.set(word, "min.u32", c.pool, c.end))
	count := c.add(c.popc(c.ballot(rest)), pool)
	c.put("@%s red.global.add.u32 [%s], %s", c.is("eq", c.lane, 0), c.field(unsafe.Offsetof(Control{}.Stopped)), count)
}

// settle adds what the warp's lanes did to the control block.
func (c *claiming) settle() {
	sum := c.reduceWide(c.sum)
	longest, last := c.reduce("max.u32", c.longest), c.reduce("max.u32", c.last)
	again := c.set(word, "sub.u32", c.claims, c.set(word, "min.u32", c.claims, 1))
	refills := c.reduce("add.u32", again)
	c.tell()
	leader := c.is("eq", c.lane, 0)
	c.put("@%s red.global.add.u64 [%s], %s", leader, c.field(unsafe.Offsetof(Control{}.Steps)), sum)
	c.put("@%s red.global.add.u64 [%s], %s", leader, c.field(unsafe.Offsetof(Control{}.LaneChunks)), c.chunks)
	c.put("@%s red.global.add.u32 [%s], %s", leader, c.field(unsafe.Offsetof(Control{}.Refills)), refills)
	c.raise(leader, longest, unsafe.Offsetof(Control{}.Longest))
	c.raise(leader, last, unsafe.Offsetof(Control{}.LastStop))
}
