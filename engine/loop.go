package engine

import (
	"errors"
	"fmt"
	"hash/maphash"
	"time"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// run is where a run stands between two turns, and between two calls.
type run struct {
	begun   bool
	broken  bool // the engine gave an error: what the batch holds is not known to be at a boundary
	status  Status
	options RunOptions
	clock   func() time.Duration

	entry    Entry
	pick     Pick
	picked   bool   // between two entries, by the runner: the run counts for the next pick
	chunk    uint32 // persistent
	chosen   Policy // as resolved
	policy   policy
	r        float64
	passes   bool // the policy's launches may be made as one pass
	timed    bool // launches are timed by clock
	resident bool // no boundary pays: compaction is left out
	perTurn  int  // launches per turn
	maxSteps uint32
	target   uint32 // RunSteps: where the run pauses; 0: nowhere
	exact    bool   // words are cut to the steps that are left, so that their sum never passes limit
	limit    uint32 // no launch goes beyond
	boundary uint32 // no turn begins at or beyond; differs from limit only where a fixed K may overshoot

	course    *course
	at        onCourse // before the next launch
	stopAt    uint32   // a step at which the call ends, also within a launch; 0: none
	within    uint32   // steps that live samples have taken, within a launch that was ended there; 0: none was
	loop      *RepeatWhile
	inside    Inside
	turn      uint64
	inTurn    int    // number of the launch within its turn
	asked     uint32 // step mode: the word of the next launch, in place of the policy's
	ended     int    // launches that ran to their end
	done      uint32 // sum of the words, a cut launch's included
	word      uint32 // the policy's choice for the next launch, not yet cut to limit
	last      Launch // that ended
	lastWord  uint32
	launches  int
	byWord    map[uint32]int
	compacts  int
	reorders  int
	untracked bool   // steps taken are not kept
	permuted  bool   // the batch lies in another order than its samples
	steps     uint64 // sample-steps as launches counted them
	cut       cutLaunch
	pass      passState
	lanes     laneStats

	before      uint32 // samples finished when the run began
	interrupted bool   // a call ended before the run did: its wall says nothing
	wall        time.Duration
	looked      time.Duration // of the call that is on: somebody looked at the batch
	nonFinite   NonFinite     // when the last call returned
	open        bool          // a start event was sent, its end not yet
	fingerprint uint64        // of the mask when the last call returned
}

// cutLaunch is a launch that a stop cut: it has been counted with its whole word, and what it did until
// then waits for the rest. word 0: there is none.
type cutLaunch struct {
	word    uint32
	flags   EventFlags
	payload Launch
}

// errOver ends a loop within a turn, whose rest follows when the run goes on.
var errOver = errors.New("over")

// begin checks and starts a run; steps is RunSteps' number, 0 otherwise; stepping is for step mode, which
// has launches only. Nothing is changed when it refuses.
func (r *Runner) begin(bad *refusal, o RunOptions, steps int, stepping bool, inside Inside) error {
	bad.checkPlanes(r.kernel, r.planes, r.mask)
	if err := bad.err(); err != nil {
		return err
	}
	r.run = run{
		begun: true, options: o, byWord: make(map[uint32]int, 8),
		maxSteps: uint32(max(o.MaxSteps, steps)), target: uint32(steps),
		exact:   r.kernel.Auto(),
		perTurn: launchesPerTurn(r.kernel, o.Every),
		clock:   o.clock(), timed: o.Clock != nil, inside: inside,
		course: newCourse(o.Keyframes),
	}
	c := &r.run
	if inside.parts() > 0 { // they may read and write the batch
		if err := r.hold(false); err != nil {
			return err
		}
	}
	o.Keyframes.begin(r.planes.N)
	r.chooseEntry(steps == 0 && !stepping, stepping)
	if t, ok := r.bound.(Tracker); ok {
		t.Track(!o.Untracked)
	}
	counters, err := r.bound.Begin(false)
	if err == nil {
		c.untracked = r.bound.StepsTaken() == nil && r.planes.N > 0
		c.before = counters.Finished
		err = r.choose(uint32(r.planes.N) - counters.Finished)
	}
	if err == nil {
		c.loop, err = NewRepeatWhile(r.body(), func() bool { return !r.over() }, 0)
	}
	if err != nil {
		c.broken = true
		return err
	}
	c.setLimit()
	r.emitStart(false)
	if c.picked || c.entry == EntryPersistent {
		r.emit(c.pick.Event(), 0)
	}
	return nil
}

// dropTarget lets the run go on to maxSteps.
func (c *run) dropTarget() {
	if c.target != 0 {
		c.target = 0
		c.setLimit()
	}
}

// Inside are parts that a loop runs in every turn besides its own: First before the launches of the turn,
// Last after everything else.
type Inside struct{ First, Last []Part }

func (i *Inside) parts() int { return len(i.First) + len(i.Last) }

// body is one turn: the launches, then what a boundary is for.
func (r *Runner) body() []Part {
	c := &r.run
	body := append([]Part(nil), c.inside.First...)
	for j := range c.perTurn {
		body = append(body, PartFunc(func(stop *Stop) error { return r.launch(stop, j) }))
	}
	if r.kernel.Guard == ir.GuardActiveSet && !c.resident {
		ran := false
		body = append(body, PartFunc(func(*Stop) (err error) {
			ran, err = r.compact()
			return err
		}))
		if c.options.Reorder != 0 && r.planes.N >= reorderMinSpan {
			body = append(body, Skippable(PartFunc(r.reorder), func() bool { return ran }))
		}
	}
	body = append(body, PartFunc(r.decide))
	return append(body, c.inside.Last...)
}

// resume takes up the run where the last call left it. When somebody has edited the mask, the engine
// counts it anew and the active set starts from all samples.
func (r *Runner) resume() error {
	c := &r.run
	if c.inside.parts() > 0 {
		if err := r.hold(false); err != nil {
			return err
		}
	}
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
	c := &r.run
	sweeps := c.entry == EntryPersistent || (c.passes && c.chosen == PolicyTiled)
	for !sweeps || c.cut.word != 0 || c.loop.at != 0 || c.recalls() {
		more, err := r.next(stop)
		if !more || err != nil {
			return err
		}
	}
	return r.passOver(stop)
}

// next runs the next part of the loop. It returns false when the run is over, stopped or at its target,
// with the status set.
func (r *Runner) next(stop *Stop) (bool, error) {
	c := &r.run
	more, err := c.loop.Next(stop)
	switch {
	case errors.Is(err, errOver):
		return false, nil
	case errors.Is(err, errWithin):
		c.status = StatusPaused
		return false, nil
	case errors.Is(err, ErrStopped):
		r.cancelled()
		return false, nil
	case err != nil:
		c.broken = true
		return false, err
	case !more && !r.over():
		c.status = StatusMaxSteps
	}
	return more, nil
}

// one makes one launch, with what follows it in its turn, and pauses.
func (r *Runner) one(stop *Stop, word uint32) error {
	c := &r.run
	if c.pass.on { // a pass that was cut has no launches: it is finished first
		return r.passOver(stop)
	}
	if word != 0 && c.cut.word == 0 {
		c.loop.MaxIters++
		c.asked = word
		defer func() { c.asked = 0 }()
	}
	ended := c.ended
	for c.ended == ended || !c.beforeLaunch() {
		more, err := r.next(stop)
		if !more || err != nil {
			return err
		}
	}
	if r.over() {
		return nil
	}
	c.status = StatusPaused
	r.finishedInTurn()
	return nil
}

// beforeLaunch says whether a launch, or a new turn, comes next.
func (c *run) beforeLaunch() bool {
	return c.loop.at == 0 || (c.loop.at > len(c.inside.First) && c.loop.at < len(c.inside.First)+c.perTurn)
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
	between := c.loop.at == 0
	switch {
	case c.cut.word != 0:
		return false
	case between && r.allFinished():
		c.status = StatusFinished
	case c.done >= c.limit || (between && c.done >= c.boundary):
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

// launch makes launch j of a turn, or the rest of it when it was cut.
func (r *Runner) launch(stop *Stop, j int) error {
	c := &r.run
	if j > 0 && r.over() {
		return errOver
	}
	if stop.IsSet() {
		return ErrStopped
	}
	c.inTurn = j
	before := r.bound.Counters()
	fresh := c.cut.word == 0
	if fresh {
		if j == 0 {
			r.keep()
		}
		r.atBoundary()
		r.open(before)
	}
	l := &c.cut.payload
	var start time.Duration
	if c.timed {
		start = c.clock()
	}
	upto := c.done
	if c.stopAt != 0 {
		upto = min(upto, c.stopAt)
	}
	s, err := r.bound.Launch(stop, upto)
	if err != nil {
		return fmt.Errorf("launch %d: %w", c.launches, err)
	}
	if c.timed {
		s.Wall = c.clock() - start
	}
	after := r.bound.Counters()
	l.Newly += after.Finished - before.Finished
	l.Faulted += after.Faulted - before.Faulted
	l.SampleSteps += s.SampleSteps
	l.Wall += s.Wall
	c.steps += s.SampleSteps
	if s.Faulted > 0 && placeOf(c.launches, stageLaunch) > c.course.told {
		r.emitFaults(l.Done-l.Word, l.Done)
	}
	c.within = 0
	if s.Stopped && !r.allFinished() {
		if fresh && s.SampleSteps == 0 && s.Newly == 0 {
			r.unopen()
		}
		return ErrStopped
	}
	if upto < c.done && !r.allFinished() {
		c.within = upto
		return errWithin
	}
	c.last = *l
	c.lastWord = l.Word
	c.ended++
	if c.tells(stageLaunch) {
		r.emit(l.Event(), c.cut.flags)
	}
	c.cut = cutLaunch{}
	return nil
}

// open counts a launch with its whole word, before it runs, so that the words always cover the steps of
// every sample.
func (r *Runner) open(before Counters) {
	c := &r.run
	var flags EventFlags
	word, asked := c.word, c.asked != 0
	if asked {
		word = c.asked
	}
	recalled := c.recalls()
	if recalled {
		w := c.course.next(&c.at)
		if word, asked = w.word, w.asked; asked && c.inTurn == 0 {
			c.loop.MaxIters++
		}
		if !asked && word < c.word {
			flags |= FlagCut // as it was the first time
		}
	}
	if asked {
		flags |= FlagStepped
	}
	if left := c.limit - c.done; word > left {
		word = left
		flags |= FlagCut
	}
	if !recalled {
		c.course.add(&c.at, word, asked)
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
	if c.launches < c.course.launches {
		c.course.back(&c.at) // what was decided stays so
	}
	if c.byWord[w]--; c.byWord[w] == 0 {
		delete(c.byWord, w)
	}
	if c.inTurn == 0 {
		c.turn--
	}
}

// compact offers the engine a compaction; it runs only if the counter has moved since the last one.
func (r *Runner) compact() (bool, error) {
	c := &r.run
	before := r.bound.Counters().Active
	s, err := r.bound.Compact()
	if err != nil {
		return false, fmt.Errorf("compaction after launch %d: %w", c.launches, err)
	}
	var flags EventFlags
	if s.Ran {
		c.compacts++
	} else {
		flags = FlagSkipped
	}
	if c.tells(stageCompaction) {
		r.emit(Compaction{Before: before, After: s.Active, Groups: s.Groups, Wall: s.Wall}.Event(), flags)
	}
	return s.Ran, nil
}

// decide asks the policy for the next word.
func (r *Runner) decide(*Stop) error {
	c := &r.run
	after := r.bound.Counters()
	live := uint32(r.planes.N) - after.Finished
	switch p := c.policy.(type) {
	case *measuredPolicy:
		c.word = r.nextMeasured(p, live)
		return r.decideMeasured(p, after)
	case *bandPolicy, *doublingPolicy:
		c.word = c.policy.next(&c.last, live)
		r.emitPolicy(&c.last, after)
	default:
		c.word = c.policy.next(&c.last, live)
	}
	return nil
}

// nextMeasured is the measured policy's next word. A launch that it tried before is held against the same walls.
func (r *Runner) nextMeasured(p *measuredPolicy, live uint32) uint32 {
	c := &r.run
	before := c.course.tried(c.launches)
	if before != nil {
		p.one, c.last.Wall = before.probe.CurrentWall, before.probe.OtherWall
	}
	word := p.next(&c.last, live)
	if p.probe.CurrentWork != 0 && before == nil {
		c.course.tries = append(c.course.tries, try{c.launches, p.probe})
	}
	return word
}

// decideMeasured tells what a try of the measured policy came to, and what the band says once it is on.
func (r *Runner) decideMeasured(p *measuredPolicy, after Counters) error {
	c := &r.run
	if tried := p.probe.CurrentWork != 0; tried {
		if c.tells(stageProbe) {
			r.emit(p.probe.Event(), 0)
		}
		p.probe = Probe{}
		if p.stage == measuredBand {
			err := r.needR()
			p.band.r = c.r
			return err
		}
		return nil
	}
	if p.stage == measuredBand {
		r.emitPolicy(&c.last, after)
	}
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
