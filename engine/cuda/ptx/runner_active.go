package ptx

import "unsafe"

// The active set: the count at the beginning of a run, and compaction.
//
// A compaction is two kernels over tiles of slots. The first counts the live slots of each tile, and its last
// block turns the counts into places; the second writes the map there. Both read mask bytes sixteen at a
// time, a thread each:
//
//	tile      0            1            2
//	mask      . x . . ...  x x x x ...  . . x x ...        . live
//	count     3            0            2
//	place     0            3            3        total 5
//	map       0 2 3                     8 9

// beginKernel counts the mask.
func beginKernel() string {
	r := newRunner("begin", "control", "mask", "map", "taken", "n", "keep")
	hasMap := r.set(predicate, "setp.ne.u64", r.args["map"], 0)
	reset := r.set(predicate, "setp.ne.u64", r.args["taken"], 0)
	reset = r.both(reset, r.is("eq", r.args["keep"], 0))
	zero := r.number(0)
	one := r.number(1)
	r.eachWarp(r.args["n"], func(i, in string) {
		mark := r.number(0)
		at := r.element(r.args["mask"], i, 1)
		r.put("@%s ld.global.u8 %s, [%s]", in, mark, at)
		done := r.is("ne", mark, 0)
		bad := r.is("eq", mark, 2)
		r.put("@%s st.global.u8 [%s], %s", r.both(done, r.not(bad)), at, one)
		r.put("@%s st.global.u32 [%s], %s", r.both(in, hasMap), r.element(r.args["map"], i, 4), i)
		r.put("@%s st.global.u32 [%s], %s", r.both(in, reset), r.element(r.args["taken"], i, 4), zero)
		r.tally(done, unsafe.Offsetof(Control{}.Finished))
		r.tally(bad, unsafe.Offsetof(Control{}.Faulted))
	})
	return r.end()
}

// threadSlots is the number of slots that a thread of a compaction looks at.
const threadSlots = TileSlots / RunnerBlock

// liveBits is a word with a bit for each of the thread's slots that is live; slot is the first.
func (r *runner) liveBits(slot, span string) string {
	live, rest, done := r.reg(word), r.newLabel("rest"), r.newLabel("done")
	at := r.element(r.args["mask"], slot, 1)
	r.put("mov.u32 %s, 0", live)
	r.put("@%s bra %s", r.is("ge", slot, span), done)
	whole := r.is("le", r.add(slot, threadSlots), span)
	r.put("@!%s bra %s", whole, rest)
	low, high := r.zeroBytes(at), r.zeroBytes(offset(at, 8))
	r.put("shl.b32 %s, %s, 8", high, high)
	r.put("or.b32 %s, %s, %s", live, low, high)
	r.put("bra %s", done)

	// The end of the span: one by one.
	r.place(rest)
	i, again := r.number(0), r.newLabel("byte")
	r.place(again)
	b := r.set(word, "ld.global.u8", "["+r.element(at, i, 1)+"]")
	bit := r.set(word, "shl.b32", r.pick(r.is("eq", b, 0), 1, 0), i)
	r.put("or.b32 %s, %s, %s", live, live, bit)
	r.put("add.u32 %s, %s, 1", i, i)
	r.put("@%s bra %s", r.is("lt", r.add(slot, i), span), again)
	r.place(done)
	return live
}

// zeroBytes is a word with bit j set where byte j of the 8 at an address is 0. The bytes' high bits say that
// they are, exactly; the product gathers them, since byte j's bit 8j times 2^(7(8-j)) is bit 56+j and no two
// other terms meet there.
func (r *runner) zeroBytes(address string) string {
	const low, ones, gather = "0x7F7F7F7F7F7F7F7F", "0x0101010101010101", "0x0102040810204080"
	w := r.set(wide, "ld.global.u64", "["+address+"]")
	t := r.set(wide, "add.u64", r.set(wide, "and.b64", w, low), low)
	t = r.set(wide, "or.b64", r.set(wide, "or.b64", t, w), low)
	t = r.set(wide, "shr.u64", r.set(wide, "not.b64", t), 7)
	t = r.set(wide, "mul.lo.u64", r.set(wide, "and.b64", t, ones), gather)
	return r.set(word, "cvt.u32.u64", r.set(wide, "shr.u64", t, 56))
}

// moved says whether a sample has finished since the last compaction.
func (r *runner) moved() string {
	return r.is("ne", r.get(unsafe.Offsetof(Control{}.Finished)), r.get(unsafe.Offsetof(Control{}.Snapshot)))
}

// leaveUnless ends all threads where p, the same for all of them, does not hold.
func (r *runner) leaveUnless(p string) {
	on := r.newLabel("on")
	r.put("@%s bra %s", p, on)
	r.put("ret")
	r.place(on)
}

// blockSum adds x up over the threads of the block before this one; total is that of the block. shared is
// room for a word per warp, which no thread may still be reading.
func (r *runner) blockSum(x, shared string) (before, total string) {
	sum := r.set(word, "mov.u32", x)
	for step := 1; step < 32; step *= 2 {
		other := r.set(word, "shfl.sync.up.b32", sum, step, 0, everyLane)
		sum = r.add(sum, r.pick(r.is("ge", r.lane, step), other, 0))
	}
	tid := r.set(word, "mov.u32", "%tid.x")
	warp := r.set(word, "shr.u32", tid, 5)
	base := r.set(wide, "mov.u64", shared)
	r.put("@%s st.shared.u32 [%s], %s", r.is("eq", r.lane, 31), r.element(base, warp, 4), sum)
	r.put("bar.sync 0")
	before, total = r.set(word, "sub.u32", sum, x), r.number(0)
	for w := range RunnerBlock / 32 {
		s := r.set(word, "ld.shared.u32", "["+offset(base, 4*w)+"]")
		r.put("add.u32 %s, %s, %s", total, total, s)
		r.put("@%s add.u32 %s, %s, %s", r.is("gt", warp, w), before, before, s)
	}
	r.put("bar.sync 0")
	return before, total
}

// shared declares room for n words that the block shares.
func (r *runner) shared(name string, n int) {
	size := (4*n + 7) &^ 7
	r.locals = append(r.locals, ".shared .align 8 .b8 "+name+"["+itoa(size)+"];")
}

// lastBlock says whether this block is the last of the grid to come here; what others have written before
// can be read then.
func (r *runner) lastBlock() string {
	base := r.set(wide, "mov.u64", "last")
	leader := r.is("eq", r.set(word, "mov.u32", "%tid.x"), 0)
	r.put("bar.sync 0")
	r.when(leader, func() {
		r.put("membar.gl")
		blocks := r.set(word, "mul.lo.u32", r.set(word, "mov.u32", "%nctaid.x"), r.set(word, "mov.u32", "%nctaid.y"))
		ticket := r.reg(word)
		r.put("atom.global.add.u32 %s, [%s], 1", ticket, offset(r.control, int(unsafe.Offsetof(Control{}.Ticket))))
		last := r.is("eq", r.add(ticket, 1), blocks)
		r.put("membar.gl")
		r.put("st.shared.u32 [%s], %s", base, r.pick(last, 1, 0))
	})
	r.put("bar.sync 0")
	return r.is("ne", r.set(word, "ld.shared.u32", "["+base+"]"), 0)
}

// compactCount is the first kernel of a compaction.
func compactCount() string {
	r := newRunner("compact_count", "control", "mask", "tiles")
	r.shared("sums", RunnerBlock/32)
	r.shared("last", 1)
	r.leaveUnless(r.moved())
	thread, _ := r.thread()
	slot := r.set(word, "mul.lo.u32", thread, threadSlots)
	live := r.liveBits(slot, r.get(unsafe.Offsetof(Control{}.Span)))
	_, total := r.blockSum(r.popc(live), "sums")

	// Two threads look at the 32 slots of a group.
	pair := r.set(word, "or.b32", live, r.set(word, "shfl.sync.bfly.b32", live, 1, 31, everyLane))
	even := r.is("eq", r.set(word, "and.b32", r.lane, 1), 0)
	r.tally(r.both(even, r.is("ne", pair, 0)), unsafe.Offsetof(Control{}.GroupSum))

	tid, tile := r.set(word, "mov.u32", "%tid.x"), r.set(word, "mov.u32", "%ctaid.x")
	leader := r.is("eq", tid, 0)
	r.put("@%s st.volatile.global.u32 [%s], %s", leader, r.element(r.args["tiles"], tile, 4), total)
	r.leaveUnless(r.lastBlock())
	count := r.placeTiles(tid)
	r.when(leader, func() {
		r.give(unsafe.Offsetof(Control{}.Before), r.get(unsafe.Offsetof(Control{}.Count)))
		r.give(unsafe.Offsetof(Control{}.Count), count)
		groups := r.get(unsafe.Offsetof(Control{}.GroupSum))
		r.give(unsafe.Offsetof(Control{}.Groups), groups)
		r.give(unsafe.Offsetof(Control{}.WasGroups), groups)
		r.give(unsafe.Offsetof(Control{}.WasSpan), r.get(unsafe.Offsetof(Control{}.Span)))
		r.give(unsafe.Offsetof(Control{}.Snapshot), r.get(unsafe.Offsetof(Control{}.Finished)))
		zero := r.number(0)
		r.give(unsafe.Offsetof(Control{}.GroupSum), zero)
		r.give(unsafe.Offsetof(Control{}.Ticket), zero)
		r.give(unsafe.Offsetof(Control{}.Ran), r.number(1))
	})
	return r.end()
}

// placeTiles turns the counts of all tiles into places, in one block, and gives their sum: every thread has a
// run of tiles of its own.
func (r *runner) placeTiles(tid string) string {
	tiles := r.set(word, "mov.u32", "%nctaid.x")
	per := r.set(word, "div.u32", r.add(tiles, RunnerBlock-1), RunnerBlock)
	from := r.set(word, "mul.lo.u32", tid, per)
	to := r.set(word, "min.u32", r.add(from, per), tiles)
	over := func(body func(address string)) {
		i, again, done := r.set(word, "mov.u32", from), r.newLabel("tile"), r.newLabel("tiled")
		r.place(again)
		r.put("@%s bra %s", r.is("ge", i, to), done)
		body(r.element(r.args["tiles"], i, 4))
		r.put("add.u32 %s, %s, 1", i, i)
		r.put("bra %s", again)
		r.place(done)
	}
	sum := r.number(0)
	over(func(address string) {
		r.put("add.u32 %s, %s, %s", sum, sum, r.set(word, "ld.volatile.global.u32", "["+address+"]"))
	})
	before, total := r.blockSum(sum, "sums")
	over(func(address string) {
		here := r.set(word, "ld.volatile.global.u32", "["+address+"]")
		r.put("st.volatile.global.u32 [%s], %s", address, before)
		r.put("add.u32 %s, %s, %s", before, before, here)
	})
	return total
}

// compactWrite is the second kernel of a compaction.
func compactWrite() string {
	r := newRunner("compact_write", "control", "mask", "tiles", "map", "dead")
	r.shared("sums", RunnerBlock/32)
	r.leaveUnless(r.is("ne", r.get(unsafe.Offsetof(Control{}.Ran)), 0))
	thread, _ := r.thread()
	slot := r.set(word, "mul.lo.u32", thread, threadSlots)
	span := r.get(unsafe.Offsetof(Control{}.Span))
	live := r.liveBits(slot, span)
	before, _ := r.blockSum(r.popc(live), "sums")
	tile := r.set(word, "mov.u32", "%ctaid.x")
	place := r.add(r.set(word, "ld.global.u32", "["+r.element(r.args["tiles"], tile, 4)+"]"), before)
	hasDead := r.set(predicate, "setp.ne.u64", r.args["dead"], 0)
	for j := range threadSlots {
		at := r.add(slot, j)
		on := r.is("ne", r.set(word, "and.b32", live, 1<<j), 0)
		r.put("@%s st.global.u32 [%s], %s", on, r.element(r.args["map"], place, 4), at)
		off := r.both(r.both(hasDead, r.not(on)), r.is("lt", at, span))
		r.put("@%s st.global.u32 [%s], %s", off, r.element(r.args["dead"], r.set(word, "sub.u32", at, place), 4), at)
		r.put("@%s add.u32 %s, %s, 1", on, place, place)
	}
	return r.end()
}
