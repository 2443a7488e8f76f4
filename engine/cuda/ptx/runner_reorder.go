package ptx

import (
	"strconv"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/engine"
)

// The reorder: live samples to the front, every row by way of its scratch (see engine/host/reorder.go for a
// picture). Every kernel asks the trigger itself, of the same figures; the last one changes them when every
// block is through.

func itoa(n int) string { return strconv.Itoa(n) }

// fires is [engine.ReorderFires] of the compaction of this turn.
func (r *runner) fires() string {
	count, span := r.get(unsafe.Offsetof(Control{}.Count)), r.get(unsafe.Offsetof(Control{}.Span))
	theta := r.set(single, "ld.volatile.global.f32", "["+offset(r.control, int(unsafe.Offsetof(Control{}.Theta)))+"]")
	bound := r.set(double, "mul.rn.f64", r.set(double, "cvt.f64.f32", theta), "0d4040000000000000") // 32
	bound = r.set(double, "mul.rn.f64", bound, r.set(double, "cvt.rn.f64.u32", r.get(unsafe.Offsetof(Control{}.Groups))))
	p := r.set(predicate, "setp.lt.f64", r.set(double, "cvt.rn.f64.u32", count), bound)
	p = r.both(p, r.is("lt", count, span))
	p = r.both(p, r.is("ge", span, engine.ReorderMinSpan))
	return r.both(p, r.is("ne", r.get(unsafe.Offsetof(Control{}.Ran)), 0))
}

// row reads the descriptor of the row that the block works on.
func (r *runner) row() (address, scratch, size string) {
	at := r.element(r.args["rows"], r.set(word, "mov.u32", "%ctaid.y"), int(unsafe.Sizeof(Row{})))
	get := func(field uintptr) string {
		return r.set(wide, "ld.global.u64", "["+offset(at, int(field))+"]")
	}
	return get(unsafe.Offsetof(Row{}.Address)), get(unsafe.Offsetof(Row{}.Scratch)),
		r.set(word, "cvt.u32.u64", get(unsafe.Offsetof(Row{}.Size)))
}

// move copies element from of one row to element to of another.
func (r *runner) move(size, dst, to, src, from string) {
	source := r.set(wide, "mad.wide.u32", from, size, src)
	target := r.set(wide, "mad.wide.u32", to, size, dst)
	for _, bytes := range []int{1, 2, 4, 8} {
		x := r.reg(map[bool]class{true: wide, false: word}[bytes == 8])
		p := r.is("eq", size, bytes)
		r.put("@%s ld.global.u%d %s, [%s]", p, 8*bytes, x, source)
		r.put("@%s st.global.u%d [%s], %s", p, 8*bytes, target, x)
	}
	x, y, p := r.reg(wide), r.reg(wide), r.is("eq", size, 16)
	r.put("@%s ld.global.u64 %s, [%s]", p, x, source)
	r.put("@%s ld.global.u64 %s, [%s]", p, y, offset(source, 8))
	r.put("@%s st.global.u64 [%s], %s", p, target, x)
	r.put("@%s st.global.u64 [%s], %s", p, offset(target, 8), y)
}

func reorderGather() string {
	r := newRunner("reorder_gather", "control", "rows", "map", "dead")
	r.leaveUnless(r.fires())
	address, scratch, size := r.row()
	count := r.get(unsafe.Offsetof(Control{}.Count))
	r.each(r.get(unsafe.Offsetof(Control{}.Span)), func(i string) {
		live := r.is("lt", i, count)
		from := r.reg(word)
		r.put("@%s ld.global.u32 %s, [%s]", live, from, r.element(r.args["map"], i, 4))
		r.put("@!%s ld.global.u32 %s, [%s]", live, from, r.element(r.args["dead"], r.set(word, "sub.u32", i, count), 4))
		r.move(size, scratch, i, address, from)
	})
	return r.end()
}

func reorderCopy() string {
	r := newRunner("reorder_copy", "control", "rows")
	r.leaveUnless(r.fires())
	address, scratch, size := r.row()
	r.each(r.get(unsafe.Offsetof(Control{}.Span)), func(i string) { r.move(size, address, i, scratch, i) })
	return r.end()
}

func reorderFinish() string {
	r := newRunner("reorder_finish", "control", "map", "perm", "inv")
	r.shared("last", 1)
	r.leaveUnless(r.fires())
	count := r.get(unsafe.Offsetof(Control{}.Count))
	r.each(r.get(unsafe.Offsetof(Control{}.Span)), func(i string) {
		sample := r.set(word, "ld.global.u32", "["+r.element(r.args["perm"], i, 4)+"]")
		r.put("st.global.u32 [%s], %s", r.element(r.args["inv"], sample, 4), i)
		r.put("@%s st.global.u32 [%s], %s", r.is("lt", i, count), r.element(r.args["map"], i, 4), i)
	})
	r.leaveUnless(r.lastBlock())
	r.when(r.is("eq", r.set(word, "mov.u32", "%tid.x"), 0), func() {
		r.give(unsafe.Offsetof(Control{}.Span), count)
		r.give(unsafe.Offsetof(Control{}.Groups), r.set(word, "shr.u32", r.add(count, 31), 5))
		r.give(unsafe.Offsetof(Control{}.Fired), r.number(1))
		r.give(unsafe.Offsetof(Control{}.Ticket), r.number(0))
	})
	return r.end()
}

func restoreMap() string {
	r := newRunner("restore_map", "control", "map", "perm")
	r.each(r.get(unsafe.Offsetof(Control{}.Count)), func(i string) {
		at := r.element(r.args["map"], i, 4)
		slot := r.set(word, "ld.global.u32", "["+at+"]")
		r.put("st.global.u32 [%s], %s", at, r.set(word, "ld.global.u32", "["+r.element(r.args["perm"], slot, 4)+"]"))
	})
	return r.end()
}

func restoreGather() string {
	r := newRunner("restore_gather", "rows", "inv", "n")
	address, scratch, size := r.row()
	r.each(r.args["n"], func(i string) {
		from := r.set(word, "ld.global.u32", "["+r.element(r.args["inv"], i, 4)+"]")
		r.move(size, scratch, i, address, from)
	})
	return r.end()
}

func restoreCopy() string {
	r := newRunner("restore_copy", "rows", "n")
	address, scratch, size := r.row()
	r.each(r.args["n"], func(i string) { r.move(size, address, i, scratch, i) })
	return r.end()
}

// restoreFinish makes inv the identity, as perm is again, and counts the groups with a slot of the map.
func restoreFinish() string {
	r := newRunner("restore_finish", "control", "map", "inv", "n")
	r.shared("last", 1)
	count := r.get(unsafe.Offsetof(Control{}.Count))
	r.eachWarp(r.args["n"], func(i, in string) {
		r.put("@%s st.global.u32 [%s], %s", in, r.element(r.args["inv"], i, 4), i)
		mapped, later := r.is("lt", i, count), r.is("ne", i, 0)
		here, before := r.number(0), r.number(0)
		at := r.element(r.args["map"], i, 4)
		r.put("@%s ld.global.u32 %s, [%s]", mapped, here, at)
		r.put("@%s ld.global.u32 %s, [%s]", r.both(mapped, later), before, r.set(wide, "sub.u64", at, 4))
		other := r.is("ne", r.set(word, "shr.u32", here, 5), r.set(word, "shr.u32", before, 5))
		first := r.set(predicate, "or.pred", other, r.not(later))
		r.tally(r.both(mapped, first), unsafe.Offsetof(Control{}.GroupSum))
	})
	r.leaveUnless(r.lastBlock())
	r.when(r.is("eq", r.set(word, "mov.u32", "%tid.x"), 0), func() {
		zero := r.number(0)
		r.give(unsafe.Offsetof(Control{}.Groups), r.get(unsafe.Offsetof(Control{}.GroupSum)))
		r.give(unsafe.Offsetof(Control{}.GroupSum), zero)
		r.give(unsafe.Offsetof(Control{}.Ticket), zero)
		r.give(unsafe.Offsetof(Control{}.Span), r.args["n"])
	})
	return r.end()
}
