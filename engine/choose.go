package engine

import "fmt"

// What a run settles before its first turn: the entry, the policy, how far it goes.

// chooseEntry settles which entry the run takes. The pick takes part in whole runs without a named policy;
// a named policy is a choice of launches, and so of the fused entry.
func (r *Runner) chooseEntry(whole, stepping bool) {
	c := &r.run
	o := &c.options
	p, persists := r.bound.(Persister)
	switch {
	case !persists || stepping || !r.kernel.Auto() || c.inside.parts() > 0:
		c.entry = EntryFused
	case o.Entry != EntryAuto:
		c.entry = o.Entry
		c.pick = Pick{Entry: o.Entry, Reason: PickAsked, N: uint32(r.planes.N), Resident: p.Resident(), Wave: uint32(o.Wave)}
		c.pick.Block = uint32(r.firstArm(o.Entry).block)
	case whole && o.Policy == PolicyAuto:
		c.pick = r.choosePick(o, p.Resident())
		c.pick.Timed = c.pick.Timed && !o.Untracked // such a run teaches nothing
		c.entry, c.picked = c.pick.Entry, true
	default:
		c.entry = EntryFused
	}
	if c.entry == EntryPersistent {
		c.chunk = r.chunk(o)
		c.pick.Chunk = c.chunk
		if c.pick.Block > 0 {
			r.bound.(Blocker).UseBlock(int(c.pick.Block))
		}
	}
}

// choose resolves the policy and what it needs; live samples are unfinished.
func (r *Runner) choose(live uint32) error {
	c := &r.run
	o := &c.options
	n, stepsMax := uint32(r.planes.N), uint32(r.kernel.StepsMax)
	_, passer := r.bound.(Passer)
	c.passes = passer && o.Reorder == 0 && c.inside.parts() == 0
	c.chosen = o.Policy
	switch {
	case !r.kernel.Auto():
		c.chosen = PolicyFixed
	case c.entry == EntryPersistent: // no launch is a choice; in step mode they are tiled
	case c.chosen == PolicyAuto && passer:
		c.chosen = PolicyTiled
	case c.chosen == PolicyAuto:
		c.chosen = PolicyMeasured
	}
	switch c.chosen {
	case PolicyFixed:
		c.policy = &fixedPolicy{uint32(r.kernel.Steps)}
	case PolicyTiled, PolicyAuto:
		c.policy = &tiledPolicy{stepsMax}
	case PolicyDoubling:
		c.policy = &doublingPolicy{stepsMax: stepsMax}
	case PolicyMeasured:
		c.timed = true
		c.policy = &measuredPolicy{mark: live, band: bandPolicy{n: n, stepsMax: stepsMax}}
	case PolicyBand:
		c.resident = o.Wave > 0 && r.planes.N <= o.Wave && o.Reorder == 0
		if !c.resident {
			if err := r.needR(); err != nil {
				return err
			}
		}
		c.r = max(c.r, o.R)
		c.policy = &bandPolicy{n: n, stepsMax: stepsMax, r: c.r, resident: c.resident}
	}
	c.word = c.policy.first()
	return nil
}

// needR makes sure that R is known: pinned, or calibrated.
func (r *Runner) needR() (err error) {
	c := &r.run
	if c.r = c.options.R; c.r == 0 {
		if c.r, err = r.calibratedR(&c.options); err != nil {
			return fmt.Errorf("calibrate R: %w", err)
		}
	}
	return nil
}

// setLimit says how far the run goes: to target while there is one, else to maxSteps, which a fixed-K
// kernel passes by up to a turn less one step. The loop may make as many turns as the smallest words need.
func (c *run) setLimit() {
	c.limit, c.boundary = c.maxSteps, c.maxSteps
	if c.target != 0 {
		c.limit, c.boundary = c.target, c.target
	}
	left := uint64(c.limit) - uint64(min(c.done, c.limit))
	turn := uint64(c.smallestWord()) * uint64(c.perTurn)
	turns := (left + turn - 1) / turn
	if !c.exact && c.target == 0 && left > 0 {
		c.limit = c.done + uint32(turns*turn)
	}
	if c.exact {
		turns++ // the first word may be another one
	}
	if c.loop.at > 0 {
		turns++ // the turn that is going on
	}
	c.loop.MaxIters = c.loop.ran + int(turns)
}

// smallestWord is the least that the policy gives when nothing cuts it.
func (c *run) smallestWord() uint32 {
	switch p := c.policy.(type) {
	case *fixedPolicy:
		return p.k
	case *tiledPolicy:
		return p.stepsMax
	case *bandPolicy:
		return min(autoKMin, p.stepsMax)
	case *doublingPolicy:
		return min(autoKMin, p.stepsMax)
	}
	return 1
}
