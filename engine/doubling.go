package engine

// Doubling is the older rule for the steps of the next launch, kept by name to be compared with [Band]:
// double when fewer than one live sample in 16 finished in the last launch, halve when more than one in 4
// did, else keep; clamped to [autoKMin, stepsMax] (a stepsMax below autoKMin is the only answer).
//
// newly finished in the launch, live are left after it, k is the rule's last answer. It looks at the share
// of the live samples and knows no price of a boundary: late in a run, when few are left, it shortens
// launches though a boundary costs as much as ever. Pure.
func Doubling(newly, live, k, stepsMax uint32) uint32 {
	next := uint64(k)
	switch {
	case uint64(newly)*16 < uint64(live):
		next *= 2
	case uint64(newly)*4 > uint64(live):
		next /= 2
	}
	return uint32(min(max(next, autoKMin), uint64(stepsMax)))
}

// doublingPolicy keeps its own k: a word that was cut, or asked for in step mode, is no choice of the rule.
type doublingPolicy struct{ k, stepsMax uint32 }

func (d *doublingPolicy) first() uint32 {
	d.k = min(autoK0, d.stepsMax)
	return d.k
}

func (d *doublingPolicy) next(l *Launch, live uint32) uint32 {
	d.k = Doubling(l.Newly, live, d.k, d.stepsMax)
	return d.k
}

func (d *doublingPolicy) clone() policy { c := *d; return &c }
