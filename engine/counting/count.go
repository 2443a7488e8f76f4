package counting

import (
	"github.com/eaglet-workbench/eaglet/engine"
)

// Launch is one launch of a run that is counted, or some that are all alike.
type Launch struct {
	Word  uint32
	Times uint32 // launches of Word steps in a row in which all is the same: 1, more only where Newly is 0
	Live  uint32 // samples, before
	Lanes uint32 // that the launch holds: of the map, or of groups of 32 with a live sample
	Newly uint32 // finished
	Done  uint32 // steps of the run after the last of them

	Compacted bool    // behind it
	H         float64 // newly/(n*word)
	KStar     float64 // sqrt(2R/h), +Inf where nobody finished
	K         uint32  // what the policy chooses next, not yet cut
}

// Run is a run in figures.
type Run struct {
	Launches    int
	Steps       uint32 // sum of the words
	ByWord      map[uint32]int
	Compactions int
	Finished    uint32
	Paid        uint64  // lane-steps that lanes are held for
	Useful      uint64  // lane-steps that samples take
	Cost        float64 // Paid/n + R*Compactions, in steps of a full-live launch
}

// PaidPerUseful is paid lane-steps over useful ones, 1 or more; 1 when there is nothing to do.
func (r *Run) PaidPerUseful() float64 {
	if r.Useful == 0 {
		return 1
	}
	return float64(r.Paid) / float64(r.Useful)
}

// Count counts the run of a rule on a batch. each, if not nil, is called with every launch in order. What
// cannot be counted is the error, one sentence.
//
// It takes time in proportion to the launches that somebody finishes in, at most the distinct stops.
func Count(p *Profile, r Rule, each func(Launch)) (Run, error) {
	if err := r.Check(); err != nil {
		return Run{}, err
	}
	c := newCounter(p, &r, each)
	for c.finished < c.n && c.done < uint64(r.Cap) {
		for j := r.perTurn(); j > 0; j-- {
			c.launch(j == 1)
		}
	}
	return c.end(), nil
}

// counter is a count that is going on.
type counter struct {
	chooser
	p    *Profile
	each func(Launch)
	run  Run

	at       int // entry of the samples' curve
	groupAt  int // entry of the groups' curve
	done     uint64
	finished uint32
	snapshot uint32 // finished at the last compaction
	held     uint32 // live at the last compaction, or at the start
}

func newCounter(p *Profile, r *Rule, each func(Launch)) *counter {
	c := &counter{chooser: r.chooser(uint32(p.n)), p: p, each: each, run: Run{ByWord: map[uint32]int{}}}
	c.at = p.samples.advance(0, 0)
	c.finished = uint32(p.samples.gone(c.at))
	c.groupAt = p.groups.advance(0, 0)
	c.held = c.n - c.finished
	return c
}

// launch counts a launch, or as many as are alike; last says that the turn ends behind it.
func (c *counter) launch(last bool) {
	l := Launch{Word: c.word, Times: 1, Live: c.n - c.finished, Lanes: c.lanes()}
	if c.Policy != engine.PolicyFixed {
		l.Word = uint32(min(uint64(l.Word), uint64(c.Cap)-c.done))
	}
	if c.perTurn() == 1 && (c.snapshot == c.finished || !c.frees()) && c.settled() {
		l.Times = c.alike(l.Word)
	}
	c.done += uint64(l.Word) * uint64(l.Times)
	l.Done = uint32(c.done)
	c.at = c.p.samples.advance(c.at, l.Done)
	c.groupAt = c.p.groups.advance(c.groupAt, l.Done)
	after := uint32(c.p.samples.gone(c.at))
	l.Newly, c.finished = after-c.finished, after

	c.run.Launches += int(l.Times)
	c.run.ByWord[l.Word] += int(l.Times)
	c.run.Paid += uint64(l.Word) * uint64(l.Times) * uint64(l.Lanes)
	if last && c.frees() && c.finished != c.snapshot {
		l.Compacted = true
		c.run.Compactions++
		c.snapshot, c.held = c.finished, c.n-c.finished
	}
	c.decide(l.Newly, l.Word, c.n-c.finished)
	if c.each != nil {
		l.H = engine.FinishShare(l.Newly, c.n, l.Word)
		l.KStar, l.K = engine.KStar(c.R, l.H), c.word
		c.each(l)
	}
}

// alike is how many launches of word steps follow from here in which nobody finishes; 1 when somebody
// finishes in the next one.
func (c *counter) alike(word uint32) uint32 {
	until := min(uint64(c.p.samples.next(c.at))-1, uint64(c.Cap))
	if until <= c.done || word == 0 {
		return 1
	}
	return uint32(max((until-c.done)/uint64(word), 1))
}

// lanes are what a launch holds that begins here.
func (c *counter) lanes() uint32 {
	if c.frees() {
		return c.held
	}
	live := uint32(c.p.groups.total - c.p.groups.gone(c.groupAt))
	if live > 0 && uint64(c.p.last) > c.done {
		return live*groupSize - c.p.short
	}
	return live * groupSize
}

// end sums up.
func (c *counter) end() Run {
	c.run.Steps = uint32(c.done)
	c.run.Finished = c.finished
	c.run.Useful = c.p.Useful(c.run.Steps)
	if !c.frees() {
		c.run.Paid = c.p.grouped(c.run.Steps)
	}
	c.run.settle(c.p, c.R)
	return c.run
}

// settle computes the cost from what was counted.
func (r *Run) settle(p *Profile, perCompaction float64) {
	if p.n > 0 {
		r.Cost = float64(r.Paid)/float64(p.n) + perCompaction*float64(r.Compactions)
	}
}
