package engine

import "sync/atomic"

// Onlooker lets somebody look at a batch while a run is on. Who wants to look calls Ask, from any goroutine; at its
// next boundary the run calls the function, and waits until it returns. What the run decides is the same with and
// without: the time that is spent looking is in no wall. While nobody asks, a boundary costs one atomic load.
//
// One onlooker is for one run at a time, and outlives it: a run that goes on keeps the one that it began with.
type Onlooker struct {
	asked   atomic.Bool
	passing atomic.Bool
	look    func(Boundary)
}

// Boundary is where a run stands between two launches. Planes, mask and steps taken may be read, and not written,
// until the function that was given it returns.
type Boundary struct {
	Generation uint32   // of the run's events
	MaxSteps   uint32   // of the run
	Done       uint32   // steps of the run: every live sample has taken as many
	Launches   int      // made so far
	Places     []uint32 // by sample: the slot in which it lies; nil: every sample lies at its own. Shared
	// Pass says that there is nothing to be read, now and until the call is over: the batch is gone through in one
	// pass, in which every sample stands at a step of its own.
	Pass bool
}

// NewOnlooker makes an onlooker who looks by means of look.
func NewOnlooker(look func(Boundary)) *Onlooker { return &Onlooker{look: look} }

// Ask asks for a look at the next boundary; several that come before it are one. It returns false when the run has
// no boundary to come, for it is in a pass. When no run is on, the first boundary of the next one is looked at.
func (o *Onlooker) Ask() (comes bool) {
	o.asked.Store(true)
	return !o.passing.Load()
}

// atBoundary lets the onlooker look, before a launch, if he has asked. It does not allocate.
func (r *Runner) atBoundary() {
	c := &r.run
	o := c.options.Onlooker
	if o == nil || !o.asked.Load() {
		return
	}
	var b Boundary
	if c.permuted {
		b.Places = r.bound.(Reorderer).Places()
	}
	r.letLook(b)
}

// beginPass tells the onlooker that no boundary comes until endPass. A pass that was cut goes on from where no
// two samples need be at the same step, and so there is nothing to be seen before it either.
func (r *Runner) beginPass() {
	o := r.run.options.Onlooker
	if o == nil {
		return
	}
	if !r.run.pass.on {
		r.atBoundary()
	}
	o.passing.Store(true)
	if o.asked.Load() { // between the look and the store, or never to be answered
		r.letLook(Boundary{Pass: true})
	}
}

func (r *Runner) endPass() {
	if o := r.run.options.Onlooker; o != nil {
		o.passing.Store(false)
	}
}

// letLook calls the onlooker outside of the walls. Whoever asks while he looks is heard at the boundary after it.
func (r *Runner) letLook(b Boundary) {
	c := &r.run
	b.Generation, b.MaxSteps, b.Done, b.Launches = c.options.Generation, c.maxSteps, c.done, c.launches
	c.options.Onlooker.asked.Store(false)
	start := c.clock()
	b.Pass = b.Pass || r.fetch() != nil // what cannot be had now is the next launch's to report
	c.options.Onlooker.look(b)
	c.looked += c.clock() - start
}
