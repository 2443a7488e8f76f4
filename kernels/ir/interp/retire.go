package interp

import "math"

// The end of a trip: new values are taken over, and samples that are done leave their lanes.

// commit takes over the new values of the trip, except for lanes that faulted.
func (m *Machine) commit() {
	for i := range m.carry {
		c := &m.carry[i]
		if c.new == c.param {
			continue
		}
		param, value := m.whole(c.param), m.whole(c.new)
		if !m.fault {
			c.move(m.hi, param, value, row{}, row{})
			continue
		}
		for l, site := range m.site[:m.live] {
			if site == 0 {
				copyLane(param, value, c.typ, l)
			}
		}
	}
}

// exits says whether the exit flag of a live lane is set.
func (m *Machine) exits() bool {
	exit, full := m.whole(m.exit), m.whole(m.full)
	for i := range m.hi {
		if *word(exit, i)&*word(full, i) != 0 {
			return true
		}
	}
	return false
}

// sweep retires the lanes that finished, faulted or have taken their last step in the trip that was
// committed, and finds when the next lane is due.
func (m *Machine) sweep(w *Work) {
	exit := m.whole(m.exit)
	m.list = m.list[:0]
	m.due = math.MaxUint64
	for l := m.live - 1; l >= 0; l-- {
		s := m.sample[l]
		steps := m.trips - m.since[l]
		taken := m.took[l] + uint32(steps)
		switch {
		case m.site[l] != 0:
			steps, taken = steps-1, taken-1
			m.result.SampleSteps--
			m.result.Faulted++
			at := m.sites[m.site[l]-1]
			m.result.Faults.Add(Fault{Sample: s, Step: taken, Kind: at.kind, Pos: at.pos})
			m.finish(w, s, faultedByte, taken)
			m.site[l] = 0
		case at[uint8](exit, l/lanes)[l%lanes] != 0:
			m.finish(w, s, finishedByte, taken)
		case taken < w.Upto:
			m.due = min(m.due, m.trips+uint64(w.Upto-taken))
			continue
		}
		w.setTaken(s, taken)
		m.result.Longest = max(m.result.Longest, uint32(steps))
		m.list = append(m.list, int32(l))
	}
	m.fault = false
	m.retire(w)
}

// finish marks a sample.
func (m *Machine) finish(w *Work, s uint32, mark byte, taken uint32) {
	w.Mask[s] = mark
	m.result.Newly++
	m.result.LastStop = max(m.result.LastStop, taken)
	m.finished.Store(uint64(m.result.Newly))
}

// stopLanes stores every lane at the step boundary that it has reached. What a trip that was given up
// has left is dropped, its faults too: the step will be taken again.
func (m *Machine) stopLanes(w *Work) {
	m.list = m.list[:0]
	for l := m.live - 1; l >= 0; l-- {
		steps := uint32(m.trips - m.since[l])
		w.setTaken(m.sample[l], m.took[l]+steps)
		m.result.Longest = max(m.result.Longest, steps)
		m.site[l] = 0
		m.list = append(m.list, int32(l))
	}
	m.fault = false
	m.retire(w)
}

// retire stores the carried cells of the listed lanes, which descend, and closes the gaps they leave with
// lanes from the end.
func (m *Machine) retire(w *Work) {
	if len(m.list) == 0 {
		return
	}
	for i := range m.carry {
		c := &m.carry[i]
		scatter(m.whole(c.param), m.list, w.Planes[c.cell.Plane], int(c.cell.Comp), w.N, c.typ, m.sample[:m.live])
	}
	n := m.live
	m.to, m.from = m.to[:0], m.from[:0]
	for _, l := range m.list {
		n--
		if int(l) == n {
			continue
		}
		m.to, m.from = append(m.to, l), append(m.from, int32(n))
		m.sample[l], m.took[l], m.since[l] = m.sample[n], m.took[n], m.since[n]
	}
	if n > 0 && len(m.to) > 0 {
		for i := range m.keep {
			relocate(m.whole(m.keep[i].at), m.keep[i].typ, m.to, m.from, m.live)
		}
	}
	m.setLive(n)
}
