package ptx

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/engine"
)

// The decisions of a run, by one thread: what package engine decides on the host, from the same figures and
// in the same order. [engine.Band], [engine.Doubling] and the run loop of engine/loop.go are what it is tested
// against.

// startKernel opens a run after its mask was counted.
func startKernel(while bool) string {
	r := decider("start", while)
	n := r.get(unsafe.Offsetof(Control{}.N))
	zero := r.number(0)
	r.give(unsafe.Offsetof(Control{}.Count), n)
	r.give(unsafe.Offsetof(Control{}.Span), n)
	r.give(unsafe.Offsetof(Control{}.Groups), r.set(word, "shr.u32", r.add(n, 31), 5))
	for _, at := range []uintptr{unsafe.Offsetof(Control{}.Snapshot), unsafe.Offsetof(Control{}.Ran), unsafe.Offsetof(Control{}.Fired), unsafe.Offsetof(Control{}.Stopped)} {
		r.give(at, zero)
	}
	// The first word: nothing is known yet, but for a batch that no boundary helps.
	most := r.get(unsafe.Offsetof(Control{}.StepsMax))
	whole := r.set(predicate, "or.pred", r.is("eq", r.get(unsafe.Offsetof(Control{}.Rule)), RuleFixed),
		r.both(r.is("eq", r.get(unsafe.Offsetof(Control{}.Rule)), RuleBand), r.is("ne", r.get(unsafe.Offsetof(Control{}.Resident)), 0)))
	r.give(unsafe.Offsetof(Control{}.K), r.pick(whole, most, r.set(word, "min.u32", most, engine.AutoK0)))
	r.open()
	r.goOn(while, r.over())
	return r.end()
}

// decider begins a kernel of one thread.
func decider(name string, while bool) *runner {
	params := []string{"control", "ring", "cancel"}
	if while {
		name += "_while"
		params = append(params, "handle")
	}
	r := newRunner(name, params...)
	r.first()
	if while {
		c := code{function: r.function, cancel: r.args["cancel"]}
		r.cancel = c.cancelled()
	}
	r.prefetch()
	r.publish()
	return r
}

// publish shows the reader what earlier kernels have written, and makes sure of room for what this one will
// write, as far as there is.
func (r *runner) publish() {
	ring := r.args["ring"]
	r.when(r.set(predicate, "setp.ne.u64", ring, 0), func() {
		told := r.getWide(unsafe.Offsetof(Control{}.Told))
		r.put("st.volatile.global.u64 [%s], %s", offset(ring, int(unsafe.Offsetof(Ring{}.Lost))), r.getWide(unsafe.Offsetof(Control{}.Lost)))
		r.put("st.volatile.global.u64 [%s], %s", offset(ring, int(unsafe.Offsetof(Ring{}.Head))), told)
		most := r.set(wide, "add.u64", r.set(wide, "sub.u64", told, r.getWide(unsafe.Offsetof(Control{}.Tail))), TurnEvents)
		r.when(r.set(predicate, "setp.gt.u64", most, r.getWide(unsafe.Offsetof(Control{}.Capacity))), func() {
			r.giveWide(unsafe.Offsetof(Control{}.Tail), r.set(wide, "ld.volatile.global.u64", "["+offset(ring, int(unsafe.Offsetof(Ring{}.Tail)))+"]"))
		})
	})
}

// over says whether nobody is left, or no turn may begin.
func (r *runner) over() string {
	all := r.is("eq", r.get(unsafe.Offsetof(Control{}.Finished)), r.get(unsafe.Offsetof(Control{}.N)))
	return r.set(predicate, "or.pred", all, r.is("ge", r.get(unsafe.Offsetof(Control{}.Done)), r.get(unsafe.Offsetof(Control{}.Boundary))))
}

// goOn sets the guard, and the condition of the WHILE node.
func (r *runner) goOn(while bool, over string) {
	going := r.pick(over, 0, 1)
	r.give(unsafe.Offsetof(Control{}.Go), going)
	turn := r.getWide(unsafe.Offsetof(Control{}.Turn))
	r.giveWide(unsafe.Offsetof(Control{}.Turn), r.set(wide, "add.u64", turn, r.set(wide, "cvt.u64.u32", going)))
	if while {
		r.condition(r.pick(r.cancel, 0, going))
	}
}

// condition sets the condition of the WHILE node.
func (r *runner) condition(value string) {
	r.body.WriteString("\t{\n\t.param .b64 handle_arg;\n\t.param .b32 value_arg;\n")
	r.put("st.param.b64 [handle_arg], %s", r.args["handle"])
	r.put("st.param.b32 [value_arg], %s", value)
	r.put("call.uni cudaGraphSetConditional, (handle_arg, value_arg)")
	r.body.WriteString("\t}\n")
}

// open readies the next launch: its word is what the rule says, cut to the steps that are left.
func (r *runner) open() {
	done := r.get(unsafe.Offsetof(Control{}.Done))
	left := r.set(word, "sub.u32", r.get(unsafe.Offsetof(Control{}.Limit)), done)
	k := r.set(word, "min.u32", r.get(unsafe.Offsetof(Control{}.K)), left)
	r.give(unsafe.Offsetof(Control{}.From), done)
	r.give(unsafe.Offsetof(Control{}.Upto), r.add(done, k))
	r.give(unsafe.Offsetof(Control{}.WasFinished), r.get(unsafe.Offsetof(Control{}.Finished)))
	r.give(unsafe.Offsetof(Control{}.WasFaulted), r.get(unsafe.Offsetof(Control{}.Faulted)))
	zero := r.number(0)
	for _, at := range []uintptr{unsafe.Offsetof(Control{}.Short), unsafe.Offsetof(Control{}.Longest), unsafe.Offsetof(Control{}.LastStop)} {
		r.give(at, zero)
	}
	r.giveWide(unsafe.Offsetof(Control{}.Deficit), r.set(wide, "mov.u64", 0))
}

// launched is what the last launch came to.
type launched struct{ word, newly, live string }

// settle counts the launch that has ended, and tells it.
func (r *runner) settle() launched {
	upto, from := r.get(unsafe.Offsetof(Control{}.Upto)), r.get(unsafe.Offsetof(Control{}.From))
	steps := r.set(word, "sub.u32", upto, from)
	was := r.get(unsafe.Offsetof(Control{}.WasFinished))
	newly := r.set(word, "sub.u32", r.get(unsafe.Offsetof(Control{}.Finished)), was)
	bad := r.set(word, "sub.u32", r.get(unsafe.Offsetof(Control{}.Faulted)), r.get(unsafe.Offsetof(Control{}.WasFaulted)))
	live := r.set(word, "sub.u32", r.get(unsafe.Offsetof(Control{}.N)), was)
	r.give(unsafe.Offsetof(Control{}.Done), upto)
	ran := r.set(wide, "sub.u64", r.set(wide, "mul.wide.u32", live, steps), r.getWide(unsafe.Offsetof(Control{}.Deficit)))
	sum := r.set(wide, "add.u64", r.getWide(unsafe.Offsetof(Control{}.SampleSteps)), ran)
	r.giveWide(unsafe.Offsetof(Control{}.SampleSteps), sum)
	longest := r.get(unsafe.Offsetof(Control{}.Longest))
	some := r.is("lt", r.get(unsafe.Offsetof(Control{}.Short)), live)
	longest = r.pick(some, r.set(word, "max.u32", longest, steps), longest)
	reached := r.pick(r.is("ne", longest, 0), r.add(from, longest), 0)
	for _, m := range []struct {
		at uintptr
		x  string
	}{{unsafe.Offsetof(Control{}.RunLongest), reached}, {unsafe.Offsetof(Control{}.LastStopOfRun), r.get(unsafe.Offsetof(Control{}.LastStop))}} {
		r.give(m.at, r.set(word, "max.u32", r.get(m.at), m.x))
	}
	launches := r.add(r.get(unsafe.Offsetof(Control{}.Launches)), 1)
	r.give(unsafe.Offsetof(Control{}.Launches), launches)
	cut := r.countWord(steps)
	r.event(engine.EventLaunch, r.flag(cut, engine.FlagCut),
		r.pack(steps, live), r.pack(newly, bad), r.pack(launches, upto), ran)
	return launched{steps, newly, live}
}

// countWord counts a launch by its word, and says whether it was cut.
func (r *runner) countWord(steps string) (cut string) {
	cut = r.is("lt", steps, r.get(unsafe.Offsetof(Control{}.K)))
	r.put("@%s st.global.u32 [%s], %s", cut, offset(r.control, int(unsafe.Offsetof(Control{}.CutWord))), steps)
	power := r.is("eq", r.popc(steps), 1)
	log := r.set(word, "sub.u32", r.number(31), r.set(word, "clz.b32", steps))
	at := r.element(r.control, r.pick(power, log, OddWord), 4)
	at = offset(at, int(unsafe.Offsetof(Control{}.ByLog)))
	r.put("@!%s red.global.add.u32 [%s], %s", cut, at, r.number(1))
	return cut
}

// settleKernel is what stands between two launches of a turn.
func settleKernel() string {
	r := newRunner("settle", "control", "ring")
	r.first()
	r.prefetch()
	r.publish()
	r.leaveUnless(r.is("eq", r.get(unsafe.Offsetof(Control{}.Stopped)), 0))
	r.settle()
	r.open()
	return r.end()
}

// policyKernel ends a turn: it counts and tells what happened in it, and chooses the next word.
func policyKernel(while bool) string {
	r := decider("policy", while)
	on := r.newLabel("on")
	r.put("@%s bra %s", r.is("eq", r.get(unsafe.Offsetof(Control{}.Stopped)), 0), on)
	r.give(unsafe.Offsetof(Control{}.Go), r.number(0))
	if while {
		r.condition(r.number(0))
	}
	r.put("ret")
	r.place(on)
	l := r.settle()
	r.tellActive()
	r.decide(l)
	r.open()
	zero := r.number(0)
	r.give(unsafe.Offsetof(Control{}.Ran), zero)
	r.give(unsafe.Offsetof(Control{}.Fired), zero)
	r.goOn(while, r.over())
	return r.end()
}

// tellActive counts and tells the compaction and the reorder of the turn.
func (r *runner) tellActive() {
	flags := r.get(unsafe.Offsetof(Control{}.Flags))
	ran, fired := r.get(unsafe.Offsetof(Control{}.Ran)), r.get(unsafe.Offsetof(Control{}.Fired))
	did := r.is("ne", ran, 0)
	groups := r.pick(did, r.get(unsafe.Offsetof(Control{}.WasGroups)), r.get(unsafe.Offsetof(Control{}.Groups)))
	count := r.get(unsafe.Offsetof(Control{}.Count))
	r.give(unsafe.Offsetof(Control{}.Compactions), r.add(r.get(unsafe.Offsetof(Control{}.Compactions)), ran))
	r.give(unsafe.Offsetof(Control{}.Reorders), r.add(r.get(unsafe.Offsetof(Control{}.Reorders)), fired))
	r.when(r.is("ne", r.set(word, "and.b32", flags, FlagActive), 0), func() {
		before := r.pick(did, r.get(unsafe.Offsetof(Control{}.Before)), count)
		r.event(engine.EventCompaction, r.flag(r.not(did), engine.FlagSkipped),
			r.pack(before, count), r.set(wide, "cvt.u64.u32", groups))
	})
	r.when(r.both(did, r.is("ne", r.set(word, "and.b32", flags, FlagReorder), 0)), func() {
		r.event(engine.EventReorder, r.flag(r.is("eq", fired, 0), engine.FlagSkipped),
			r.pack(count, groups), r.pack(r.get(unsafe.Offsetof(Control{}.WasSpan)), r.get(unsafe.Offsetof(Control{}.Theta))))
	})
}

// decide asks the rule for the next word, and tells it with what it was decided from.
func (r *runner) decide(l launched) {
	rule := r.get(unsafe.Offsetof(Control{}.Rule))
	r.when(r.is("ne", rule, RuleFixed), func() {
		n, most := r.get(unsafe.Offsetof(Control{}.N)), r.get(unsafe.Offsetof(Control{}.StepsMax))
		cost := r.getDouble(unsafe.Offsetof(Control{}.R))
		after := r.set(word, "sub.u32", n, r.get(unsafe.Offsetof(Control{}.Finished)))
		doubles := r.is("eq", rule, RuleDoubling)
		resident := r.both(r.is("ne", r.get(unsafe.Offsetof(Control{}.Resident)), 0), r.not(doubles))
		k := r.pick(doubles, r.doubling(l.newly, after, most), r.band(l.newly, n, l.word, cost, most))
		k = r.pick(resident, most, k)
		r.give(unsafe.Offsetof(Control{}.K), k)

		done := r.get(unsafe.Offsetof(Control{}.Done))
		limit := r.get(unsafe.Offsetof(Control{}.Limit))
		more := r.both(r.is("ne", after, 0), r.is("lt", done, limit))
		next := r.pick(more, r.set(word, "min.u32", k, r.set(word, "sub.u32", limit, done)), 0)
		h, star := r.figures(l, n, cost, doubles)
		flags := r.set(word, "or.b32", r.flag(resident, engine.FlagResident), r.flag(r.both(more, r.is("lt", next, k)), engine.FlagCut))
		r.event(engine.EventPolicy, flags,
			r.pack(n, l.newly), r.pack(l.word, k), r.pack(next, most), r.bits(cost), h, star,
			r.pack(r.pick(doubles, int(engine.PolicyDoubling), 0), after))
	})
}

// band is [engine.Band].
func (r *runner) band(newly, n, steps, cost, most string) string {
	gain := r.set(double, "mul.rn.f64", cost, r.set(double, "cvt.rn.f64.u64", r.set(wide, "mul.wide.u32", n, steps)))
	share := r.set(double, "cvt.rn.f64.u32", newly)
	top := r.set(wide, "cvt.u64.u32", most)
	k, again, out := r.reg(wide), r.newLabel("band"), r.newLabel("banded")
	r.put("mov.u64 %s, %d", k, engine.AutoKMin)
	r.place(again)
	r.put("@%s bra %s", r.set(predicate, "setp.ge.u64", k, top), out)
	need := r.set(double, "mul.rn.f64", r.set(double, "cvt.rn.f64.u64", r.set(wide, "mul.lo.u64", k, k)), share)
	r.put("@!%s bra %s", r.set(predicate, "setp.ge.f64", gain, need), out)
	r.put("add.u64 %s, %s, %s", k, k, k)
	r.put("bra %s", again)
	r.place(out)
	return r.set(word, "cvt.u32.u64", r.set(wide, "min.u64", k, top))
}

// doubling is [engine.Doubling].
func (r *runner) doubling(newly, live, most string) string {
	k := r.set(wide, "cvt.u64.u32", r.get(unsafe.Offsetof(Control{}.K)))
	wideLive := r.set(wide, "cvt.u64.u32", live)
	few := r.set(predicate, "setp.lt.u64", r.set(wide, "mul.wide.u32", newly, 16), wideLive)
	many := r.set(predicate, "setp.gt.u64", r.set(wide, "mul.wide.u32", newly, 4), wideLive)
	half := r.set(wide, "selp.b64", r.set(wide, "shr.u64", k, 1), k, many)
	k = r.set(wide, "selp.b64", r.set(wide, "shl.b64", k, 1), half, few)
	k = r.set(wide, "min.u64", r.set(wide, "max.u64", k, engine.AutoKMin), r.set(wide, "cvt.u64.u32", most))
	return r.set(word, "cvt.u32.u64", k)
}

// figures are [engine.FinishShare] and [engine.KStar] as bits; the latter is the band's only.
func (r *runner) figures(l launched, n, cost, doubles string) (h, star string) {
	whole := r.set(double, "cvt.rn.f64.u64", r.set(wide, "mul.wide.u32", n, l.word))
	share := r.set(double, "div.rn.f64", r.set(double, "cvt.rn.f64.u32", l.newly), whole)
	none := r.set(predicate, "setp.eq.f64", whole, "0d0000000000000000")
	share = r.set(double, "selp.f64", "0d0000000000000000", share, none)
	best := r.set(double, "div.rn.f64", r.set(double, "mul.rn.f64", "0d4000000000000000", cost), share)
	best = r.set(double, "sqrt.rn.f64", best)
	inf := fmt.Sprintf("0d%016X", math.Float64bits(math.Inf(1)))
	best = r.set(double, "selp.f64", inf, best, r.set(predicate, "setp.eq.f64", share, "0d0000000000000000"))
	best = r.set(double, "selp.f64", "0d0000000000000000", best, doubles)
	return r.bits(share), r.bits(best)
}

// bits are those of a float.
func (r *runner) bits(x string) string { return r.set(wide, "mov.b64", x) }

// pack joins two words as an event's payload has them.
func (r *runner) pack(high, low string) string {
	x := r.reg(wide)
	r.put("mov.b64 %s, {%s, %s}", x, low, high)
	return x
}

// flag is the flag where p holds, else 0.
func (r *runner) flag(p string, flag engine.EventFlags) string { return r.pick(p, int(flag), 0) }

// event appends an event to the ring, if there is one; one that finds no room is counted. Payload that is
// not given is 0.
func (r *runner) event(kind engine.EventKind, flags string, payload ...string) {
	ring := r.args["ring"]
	r.when(r.set(predicate, "setp.ne.u64", ring, 0), func() {
		told, room := r.getWide(unsafe.Offsetof(Control{}.Told)), r.getWide(unsafe.Offsetof(Control{}.Capacity))
		full, end := r.newLabel("full"), r.newLabel("told")
		used := r.set(wide, "sub.u64", told, r.getWide(unsafe.Offsetof(Control{}.Tail)))
		r.put("@%s bra %s", r.set(predicate, "setp.ge.u64", used, room), full)
		index := r.set(wide, "and.b64", told, r.set(wide, "sub.u64", room, 1))
		slot := r.set(wide, "mad.lo.u64", index, engine.EventBytes, ring)
		words := []string{
			r.pack(r.get(unsafe.Offsetof(Control{}.Generation)), r.set(word, "mad.lo.u32", flags, 1<<16, r.number(int(kind)))),
			r.getWide(unsafe.Offsetof(Control{}.Turn)), r.set(wide, "mov.u64", "%globaltimer"),
		}
		words = append(words, payload...)
		zero := r.set(wide, "mov.u64", 0)
		for i := range engine.EventBytes / 8 {
			x := zero
			if i < len(words) {
				x = words[i]
			}
			r.put("st.global.u64 [%s], %s", offset(slot, RingSlots+8*i), x)
		}
		r.giveWide(unsafe.Offsetof(Control{}.Told), r.set(wide, "add.u64", told, 1))
		r.put("bra %s", end)
		r.place(full)
		r.giveWide(unsafe.Offsetof(Control{}.Lost), r.set(wide, "add.u64", r.getWide(unsafe.Offsetof(Control{}.Lost)), 1))
		r.place(end)
	})
}
