package jit

import "slices"

// shorten moves instructions up to where the last of their operands that they end is still alive, so that
// registers are free earlier: a sum of four stages of a step is then formed as the stages are, and not from
// all of them at the end. An instruction moves only if its result takes the place of an operand, so that
// there is never one value more alive than before. The processor reorders what is left to itself; what
// matters here is how many values wait at a time.
//
// It works on stretches without control flow. The result has the instructions of body in another order.
func (l *lowering) shorten(body []inst) []inst {
	uses := map[value]int{}
	for i := range body {
		for _, v := range l.reads(&body[i]) {
			uses[v]++
		}
	}
	for from := 0; from < len(body); {
		to := from
		for to < len(body) && straight(body[to].op) {
			to++
		}
		l.shortenStretch(body[from:to], uses)
		from = to + 1
	}
	return body
}

// straight says whether control goes on behind o whatever happens.
func straight(o op) bool { return o < firstPseudo || o == opFault || o == opDivide || o == opBytes }

// stretch is what is known about a value in the stretch at hand, at places in the order of its keys.
type stretch struct {
	written int // the last place where it is set, -1: before the stretch
	used    int // the last place where it is read
	seen    int // reads so far
}

func (l *lowering) shortenStretch(body []inst, uses map[value]int) {
	type keyed struct {
		inst
		key int
	}
	order := make([]keyed, len(body))
	known := map[value]*stretch{}
	of := func(v value) *stretch {
		s := known[v]
		if s == nil {
			s = &stretch{written: -1, used: -1}
			known[v] = s
		}
		return s
	}
	for i := range body {
		in := &body[i]
		reads := l.reads(in)
		order[i] = keyed{*in, i}
		ready := -1
		for _, v := range reads {
			of(v).seen++
			ready = max(ready, of(v).written)
		}
		if l.moves(in) {
			best := i
			for _, v := range reads {
				if s := of(v); s.seen == uses[v] && s.written >= 0 && !l.infos[v].variable {
					best = min(best, max(ready, s.used))
				}
			}
			order[i].key = best
		}
		for _, v := range reads {
			of(v).used = max(of(v).used, order[i].key)
		}
		if in.dst != 0 {
			of(in.dst).written = order[i].key
		}
	}
	// Instructions of one key keep their order, so that an operand comes before what needs it.
	slices.SortStableFunc(order, func(a, b keyed) int { return a.key - b.key })
	for i := range order {
		body[i] = order[i].inst
	}
}

// moves says whether an instruction does nothing but make a value.
func (l *lowering) moves(in *inst) bool {
	if in.op >= firstPseudo || in.dst == 0 || l.infos[in.dst].variable {
		return false
	}
	if in.op >= firstMask {
		return true
	}
	switch l.isa.insns[in.op].form {
	case formGather, formScatter, formLoad, formStore:
		return false
	}
	return true
}

// longestChain is about how many cycles the instructions of a trip need one after the other, because each
// needs the one before. It only says when more groups gain nothing, so the cycles are round numbers.
func (l *lowering) longestChain(body []inst) int {
	ready, longest := map[value]int{}, 0
	for i := range body {
		in, at := &body[i], 0
		for _, v := range l.reads(in) {
			at = max(at, ready[v])
		}
		at += cycles(in.op)
		longest = max(longest, at)
		if in.dst != 0 {
			ready[in.dst] = at
		}
	}
	return longest
}

// cycles is about the latency of an instruction.
func cycles(o op) int {
	switch o {
	case vaddpd, vaddps, vsubpd, vsubps, vmulpd, vmulps, vfmadd213pd, vfmadd213ps:
		return 4
	case vdivpd, vdivps:
		return 14
	case vsqrtpd, vsqrtps, vpgatherqq, vpgatherqd, opBytes:
		return 20
	case vpmullq, vpmulld, vpmulldWide, vrndscalepd, vrndscaleps:
		return 8
	case opDivide:
		return 100
	}
	if o >= firstPseudo {
		return 0
	}
	return 1
}
