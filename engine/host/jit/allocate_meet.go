package jit

// Where control flow meets: what registers hold on one way is made what they hold on the other.

// snapshot is what the registers hold now.
func (a *allocator) snapshot(place int) meeting {
	m := meeting{place: place, owner: a.owner, valid: map[value]bool{}}
	for _, owners := range a.owner {
		for _, v := range owners {
			if v != 0 {
				m.valid[v] = a.valid[v]
			}
		}
	}
	return m
}

// meet makes the registers hold what they did at m.
func (a *allocator) meet(m *meeting) {
	for c := range a.owner {
		a.meetClass(class(c), &m.owner[c])
		for r, v := range m.owner[c] {
			if v != 0 && a.owner[c][r] == v {
				a.valid[v] = a.valid[v] && m.valid[v]
			}
		}
	}
}

func (a *allocator) meetClass(c class, want *[32]value) {
	alive := func(v value) bool { return v != 0 && a.next(v, a.pos) != never }
	goal := map[value]int8{}
	for r, v := range want {
		if alive(v) {
			goal[v] = int8(r)
		}
	}
	for _, v := range a.owner[c] {
		if _, stays := goal[v]; v != 0 && !stays {
			if alive(v) {
				a.save(v)
			}
			a.drop(v)
		}
	}
	for {
		moved, stuck := false, value(0)
		for r := range int8(32) {
			v := want[r]
			g, ok := goal[v]
			if !ok || g != r || a.reg[v] == r || a.reg[v] == none {
				continue
			}
			if a.owner[c][r] != 0 {
				stuck = v
				continue
			}
			from := a.reg[v]
			a.drop(v)
			a.move(v, from, r)
			moved = true
		}
		if !moved && stuck != 0 {
			a.save(stuck)
			a.drop(stuck)
			moved = true
		}
		if !moved {
			break
		}
	}
	for r := range int8(32) {
		if v := want[r]; goal[v] == r && alive(v) && a.reg[v] == none {
			a.fetch(v, r)
		}
	}
}

// move copies v's register.
func (a *allocator) move(v value, from, to int8) {
	if a.infos[v].class == mask {
		a.asm.mask2(kmovb, uint8(to), uint8(from))
	} else {
		a.asm.vector(bySize(a.infos[v].size, vmovdqa64, vmovdqa32), uint8(to), 0, inReg(uint8(from)), 0, false, 0)
	}
	a.put(v, to)
}

// preload fills registers, before a loop, with what it needs most: variables first, then what is read
// oftenest. It leaves as many free as values made inside are alive at a time.
func (a *allocator) preload(end int32) {
	for c := range class(2) {
		room := int(a.isa.registers[c].end-a.isa.registers[c].first) - a.pressure(c, end) - 1 - a.busy(c)
		for ; room > 0; room-- {
			best, most := value(0), 0
			for v := range a.infos {
				if v == 0 || a.infos[v].class != c || a.reg[v] != none || !a.valid[v] {
					continue
				}
				if score := a.score(value(v), end); score > most {
					best, most = value(v), score
				}
			}
			if best == 0 {
				break
			}
			a.fetch(best, a.free(c))
			a.locked = [2]uint32{}
		}
	}
}

// score is how much it is worth to have v in a register during a loop.
func (a *allocator) score(v value, end int32) int {
	if a.next(v, a.pos) > end {
		return 0
	}
	n := 0
	for _, at := range a.uses[v][a.cursor[v]:] {
		if at >= end {
			break
		}
		in := &a.code[at]
		if a.infos[v].uniform && a.isa.has(in.op, memory) && (in.b == v || a.isa.has(in.op, commutes)) {
			continue // as good from memory
		}
		n++
	}
	if n > 0 && a.infos[v].variable {
		n += 1000
	}
	return n
}

// pressure is how many values that are made in the loop from here to end are alive at a time.
func (a *allocator) pressure(c class, end int32) int {
	change := make([]int, end-a.pos+2)
	seen := map[value]bool{}
	for at := a.pos; at < end; at++ {
		v := a.code[at].dst
		if v == 0 || a.infos[v].class != c || a.infos[v].slot != none || a.reg[v] != none || seen[v] {
			continue
		}
		seen[v] = true
		last := at
		for _, u := range a.uses[v] {
			if u <= end {
				last = max(last, u)
			}
		}
		change[at-a.pos]++
		change[last-a.pos+1]--
	}
	now, most := 0, 0
	for _, d := range change {
		now += d
		most = max(most, now)
	}
	return most
}

// head begins a loop.
func (a *allocator) head(in *inst) {
	end := a.ends[in.n]
	a.preload(end)
	for at := a.pos; at < end; at++ {
		if d := a.code[at].dst; d != 0 && a.reg[d] != none && a.infos[d].variable {
			a.valid[d] = false
		}
	}
	m := a.snapshot(len(a.asm.code))
	a.heads[in.n] = m
}

// again ends a loop.
func (a *allocator) again(in *inst) {
	m := a.heads[in.n]
	if in.a != 0 {
		a.toGeneral(in.a)
	}
	a.meet(&m)
	counter := frameAt(in.disp)
	if in.a == 0 {
		a.asm.dec32(counter)
		a.asm.target(a.asm.jump(ifNotZero), m.place)
		return
	}
	a.asm.emit(0x85, 0xC0) // test eax, eax
	out := a.asm.jump(ifZero)
	a.asm.dec64(counter)
	a.asm.target(a.asm.jump(ifNotZero), m.place)
	a.asm.here(out)
}
