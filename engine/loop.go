package engine

import (
	"fmt"
	"hash/maphash"
	"time"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// policy says how many steps the next launch takes, before the word is cut to the steps that are left.
type policy interface {
	first() uint32
	// next decides after a launch of word steps in which newly samples finished.
	next(newly, word uint32) uint32
}

// run is where a run stands between two turns, and between two calls.
type run struct {
	begun   bool
	broken  bool // the engine gave an error: what the batch holds is not known to be at a boundary
	status  Status
	options RunOptions

	chosen   Policy // as resolved
	policy   policy
	r        float64
	resident bool // no boundary pays: compaction is left out
	perTurn  int  // launches per turn
	maxSteps uint32
	target   uint32 // RunSteps: stop here for now; 0: none
	exact    bool   // words are cut to the steps that are left, so that their sum never passes limit
	limit    uint32 // no launch goes beyond
	boundary uint32 // no turn begins at or beyond; differs from limit only where a fixed K may overshoot

	turn     uint64
	inTurn   int    // launches made in this turn
	done     uint32 // sum of the words, a cut launch's included
	word     uint32 // the policy's choice for the next launch, not yet cut to limit
	lastWord uint32
	launches int
	byWord   map[uint32]int
	compacts int
	steps    uint64 // sample-steps as launches counted them
	cut      cutLaunch
	pass     passState

	wall        time.Duration
	open        bool   // a start event was sent, its end not yet
	fingerprint uint64 // of the mask when the last call returned
}

// cutLaunch is a launch that a stop cut: it has been counted with its whole word, and what it did until
// then waits for the rest. word 0: there is none.
type cutLaunch struct {
	word    uint32
	flags   EventFlags
	payload Launch
}

// begin checks and starts a run; steps is RunSteps' number, 0 otherwise. Nothing is changed when it
// refuses.
func (r *Runner) begin(bad *refusal, o RunOptions, steps int) error {
	bad.checkPlanes(r.kernel, r.planes, r.mask)
	if err := bad.err(); err != nil {
		return err
	}
	c := run{
		begun: true, options: o, byWord: make(map[uint32]int, 8),
		maxSteps: uint32(max(o.MaxSteps, steps)), target: uint32(steps),
		exact:   r.kernel.Auto(),
		perTurn: launchesPerTurn(r.kernel, o.Every),
	}
	r.run = c
	if err := r.choose(); err != nil {
		r.run.broken = true
		return err
	}
	r.run.setLimit()
	if _, err := r.bound.Begin(false); err != nil {
		r.run.broken = true
		return err
	}
	r.emitStart(false)
	return nil
}

// choose resolves the policy and what it needs.
func (r *Runner) choose() error {
	c := &r.run
	n, stepsMax := uint32(r.planes.N), uint32(r.kernel.StepsMax)
	_, passes := r.bound.(Passer)
	c.chosen = c.options.Policy
	switch {
	case !r.kernel.Auto():
		c.chosen = PolicyFixed
	case c.chosen == PolicyAuto && passes:
		c.chosen = PolicyTiled
	case c.chosen == PolicyAuto:
		c.chosen = PolicyBand
	}
	switch c.chosen {
	case PolicyFixed:
		c.policy = &fixedPolicy{uint32(r.kernel.Steps)}
	case PolicyTiled:
		c.policy = &tiledPolicy{stepsMax}
	case PolicyBand:
		c.resident = c.options.Wave > 0 && r.planes.N <= c.options.Wave
		c.r = c.options.R
		if c.r == 0 && !c.resident {
			var err error
			if c.r, err = r.calibratedR(&c.options); err != nil {
				return fmt.Errorf("calibrate R: %w", err)
			}
		}
		c.policy = &bandPolicy{n: n, stepsMax: stepsMax, r: c.r, resident: c.resident}
	}
	c.word = c.policy.first()
	return nil
}

// setLimit says how far the run goes: to target while there is one, else to maxSteps, which a fixed-K
// kernel passes by up to a turn less one step.
func (c *run) setLimit() {
	if c.target != 0 {
		c.limit, c.boundary = c.target, c.target
		return
	}
	c.limit, c.boundary = c.maxSteps, c.maxSteps
	if !c.exact && c.maxSteps > c.done {
		turn := uint64(c.policy.first()) * uint64(c.perTurn)
		left := uint64(c.maxSteps - c.done)
		c.limit = c.done + uint32((left+turn-1)/turn*turn)
	}
}

// dropTarget lets the run go on to maxSteps.
func (c *run) dropTarget() {
	if c.target != 0 {
		c.target = 0
		c.setLimit()
	}
}

// resume takes up the run where the last call left it. When somebody has edited the mask, the engine
// counts it anew and the active set starts from all samples.
func (r *Runner) resume() error {
	c := &r.run
	if maphash.Bytes(r.seed, r.mask) == c.fingerprint {
		return nil
	}
	if _, err := r.bound.Begin(true); err != nil {
		c.broken = true
		return err
	}
	return nil
}

// whole runs turns until the run is over, stopped, or at its target.
func (r *Runner) whole(stop *Stop) error {
	_, passes := r.bound.(Passer)
	for {
		if passes && r.run.chosen == PolicyTiled && r.run.cut.word == 0 {
			return r.passOver(stop)
		}
		over, err := r.launch(stop, 0)
		if over || err != nil {
			return err
		}
	}
}

// one makes one launch and pauses.
func (r *Runner) one(stop *Stop, word uint32) error {
	if r.run.pass.on { // a pass that was cut has no launches: it is finished first
		return r.passOver(stop)
	}
	over, err := r.launch(stop, word)
	if over || err != nil || r.over() {
		return err
	}
	r.run.status = StatusPaused
	r.finishedInTurn()
	return nil
}

// finishedInTurn makes a call that ends within a turn say finished when nobody is left: the turn's other
// launches would do nothing.
func (r *Runner) finishedInTurn() {
	if r.allFinished() {
		r.run.status = StatusFinished
	}
}

func (r *Runner) allFinished() bool {
	return int64(r.bound.Counters().Finished) == int64(r.planes.N)
}

// over says whether the guard ends the run here, and sets the status when it does. The guard is looked at
// between turns; at limit nothing more can be launched.
func (r *Runner) over() bool {
	c := &r.run
	switch {
	case c.cut.word != 0:
		return false
	case c.inTurn == 0 && r.allFinished():
		c.status = StatusFinished
	case c.done >= c.limit || (c.inTurn == 0 && c.done >= c.boundary):
		c.status = StatusMaxSteps
		if c.target != 0 {
			c.status = StatusPaused
		}
		r.finishedInTurn()
	default:
		return false
	}
	return true
}

// launch makes the next launch, or the rest of the one that was cut, and the parts of the turn that follow
// it. word, when not 0, stands in for the policy's choice. It says whether the run is over or stopped.
func (r *Runner) launch(stop *Stop, word uint32) (over bool, err error) {
	c := &r.run
	if r.over() {
		return true, nil
	}
	if stop.IsSet() {
		r.cancelled()
		return true, nil
	}
	before := r.bound.Counters()
	fresh := c.cut.word == 0
	if fresh {
		r.open(word, before)
	}
	l := &c.cut.payload
	s, err := r.bound.Launch(stop, c.done)
	if err != nil {
		c.broken = true
		return true, fmt.Errorf("launch %d: %w", c.launches, err)
	}
	after := r.bound.Counters()
	l.Newly += after.Finished - before.Finished
	l.Faulted += after.Faulted - before.Faulted
	l.SampleSteps += s.SampleSteps
	l.Wall += s.Wall
	c.steps += s.SampleSteps
	if s.Faulted > 0 {
		r.emitFaults(l.Done-l.Word, l.Done)
	}
	if s.Stopped && !r.allFinished() {
		if fresh && s.SampleSteps == 0 && s.Newly == 0 {
			r.unopen()
		}
		r.cancelled()
		return true, nil
	}
	return false, r.close(after)
}

// open counts a launch with its whole word, before it runs, so that the words always cover the steps of
// every sample.
func (r *Runner) open(word uint32, before Counters) {
	c := &r.run
	var flags EventFlags
	if word != 0 {
		flags |= FlagStepped
	} else {
		word = c.word
	}
	if left := c.limit - c.done; word > left {
		word = left
		flags |= FlagCut
	}
	if c.inTurn == 0 {
		c.turn++
	}
	c.launches++
	c.byWord[word]++
	c.done += word
	c.cut = cutLaunch{word: word, flags: flags, payload: Launch{
		Number: uint32(c.launches), Word: word, Done: c.done,
		Live: uint32(r.planes.N) - before.Finished,
	}}
}

// unopen takes back a launch that was stopped before it did anything.
func (r *Runner) unopen() {
	c := &r.run
	w := c.cut.word
	c.cut = cutLaunch{}
	c.done -= w
	c.launches--
	if c.byWord[w]--; c.byWord[w] == 0 {
		delete(c.byWord, w)
	}
	if c.inTurn == 0 {
		c.turn--
	}
}

// close ends a launch that ran to its end, and the turn when it is its last: compaction, policy.
func (r *Runner) close(after Counters) error {
	c := &r.run
	l, flags := c.cut.payload, c.cut.flags
	c.cut = cutLaunch{}
	c.lastWord = l.Word
	r.emit(l.Event(), flags)
	if c.inTurn++; c.inTurn < c.perTurn {
		return nil
	}
	c.inTurn = 0
	if err := r.compact(); err != nil {
		c.broken = true
		return err
	}
	c.word = c.policy.next(l.Newly, l.Word)
	if c.chosen == PolicyBand {
		r.emitPolicy(&l, after)
	}
	return nil
}

// compact offers the engine a compaction; it runs only if the counter has moved since the last one.
func (r *Runner) compact() error {
	c := &r.run
	if r.kernel.Guard != ir.GuardActiveSet || c.resident {
		return nil
	}
	before := r.bound.Counters().Active
	s, err := r.bound.Compact()
	if err != nil {
		return fmt.Errorf("compaction after launch %d: %w", c.launches, err)
	}
	var flags EventFlags
	if s.Ran {
		c.compacts++
	} else {
		flags = FlagSkipped
	}
	r.emit(Compaction{Before: before, After: s.Active, Groups: s.Groups, Wall: s.Wall}.Event(), flags)
	return nil
}

// cancelled ends the call as stopped, unless nobody is left to stop.
func (r *Runner) cancelled() {
	c := &r.run
	c.status = StatusCancelled
	if r.finishedInTurn(); c.status == StatusFinished {
		return
	}
	r.emit(Cancel{Finished: r.bound.Counters().Finished, Steps: c.done, Word: c.cut.word}.Event(), 0)
}
