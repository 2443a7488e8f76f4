package session

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels"
)

// owner holds what changes. Its fields belong to the goroutine of loop; a job works on what it is given.
type owner struct {
	s       *Session
	engines []engine.Engine
	load    func(string) (*kernels.Kernel, kernels.Diagnostics)
	loads   bool // load is ours: it takes compile options
	compile kernels.Options
	maker   maker
	window  *window

	wanted    SetBatch // the batch that was asked for last
	fits      string   // the name of the kernel it was made for; "" when for none yet
	batch     *batch   // nil without a kernel
	diags     kernels.Diagnostics
	policy    engine.Policy
	r         float64
	max       int
	launch    Launching
	recording *recording
	forked    *Fork
	history   history

	phase      Phase
	activity   string
	since      time.Time
	generation uint32
	report     *engine.Report
	finished   int
	steps      int
	furthest   int    // steps of the run that were made, the batch may have gone back since
	furthestOf uint32 // generation of that
	travels    bool   // keyframes are kept

	watching bool
	reload   reload
	reloaded *Reloaded
	finish   *FinishPicture
	after    []func() // to be done when the job that is going on has ended, before anybody who waits

	news    []Notification // to be told once the state shows what they speak of
	job     *job
	done    chan func()
	waiting []*request
	idlers  []*request
}

// job is what is going on beside the owner, one at a time.
type job struct {
	command Command // nil for one that nobody is told about
	running bool    // a run: other commands are refused, not kept waiting
	stop    engine.Stop
	before  Phase
}

func newOwner(s *Session, engines []engine.Engine, o Options) *owner {
	own := &owner{
		s: s, engines: engines, load: o.Load, loads: o.Load == nil,
		window: newWindow(),
		maker:  maker{memory: memory{limit: o.MemoryBytes, meminfo: "/proc/meminfo"}},
		wanted: SetBatch{Seed: DefaultSeed}, max: DefaultMaxSteps, since: time.Now(), done: make(chan func()),
		watching: o.Watch, travels: o.Travel, reload: reload{loaded: make(chan *loadedKernel, 1)},
	}
	if own.loads {
		own.load = kernels.Load
	}
	if len(engines) > 0 {
		own.maker.engine = engines[0]
	}
	if o.Observe {
		own.policy = engine.PolicyBand
	}
	return own
}

// loop takes requests and ends of jobs until the session is closed.
func (o *owner) loop() {
	defer close(o.s.closed)
	for {
		select {
		case r := <-o.s.requests:
			o.take(r)
		case finish := <-o.done:
			o.job = nil
			o.waiting = append(o.window.close(), o.waiting...)
			finish()
			after := o.after
			o.after = nil
			for _, f := range after {
				f()
			}
			o.follow()
			o.next()
		case change, ok := <-o.reload.changes:
			if !ok {
				o.reload.changes = nil
			} else {
				_ = o.loadAgain(Reload{}, change.Seen) // refused only without a kernel
			}
		case l := <-o.reload.loaded:
			o.takeLoaded(l)
		case <-o.s.closing:
			o.shutdown()
			return
		}
	}
}

// take answers a request, or lets it wait.
func (o *owner) take(r *request) {
	if _, cancel := r.command.(Cancel); cancel {
		if !r.fate.CompareAndSwap(pending, taken) {
			return
		}
		if o.job != nil {
			o.job.stop.Set()
		}
		r.reply <- nil
		return
	}
	if c, again := r.command.(Reload); again {
		if r.fate.CompareAndSwap(pending, taken) {
			r.reply <- o.loadAgain(c, time.Now())
		}
		return
	}
	switch c := r.command.(type) {
	case Record:
		if r.fate.CompareAndSwap(pending, taken) {
			r.reply <- o.record(c)
		}
		return
	case StopRecording:
		if r.fate.CompareAndSwap(pending, taken) {
			r.reply <- o.stopRecording()
		}
		return
	}
	if r.idle {
		o.idlers = append(o.idlers, r)
	} else {
		o.waiting = append(o.waiting, r)
	}
	o.next()
}

// next answers the waiting requests in their order, until one of them starts work that the others wait for.
func (o *owner) next() {
	if o.job == nil && o.reload.next != nil {
		o.swap()
	}
	for len(o.waiting) > 0 && (o.job == nil || o.job.running) {
		r := o.waiting[0]
		o.waiting = o.waiting[1:]
		if _, can := r.query.(glancing); can && o.job != nil {
			o.window.ask(r)
			continue
		}
		if !r.fate.CompareAndSwap(pending, taken) {
			continue
		}
		switch {
		case o.job != nil:
			r.reply <- engine.ErrBusy
		case r.query != nil:
			o.lookAt(r)
		default:
			r.reply <- o.accept(r.command)
		}
	}
	if o.job != nil || o.reload.loading || len(o.waiting) > 0 {
		return
	}
	for _, r := range o.idlers {
		if r.fate.CompareAndSwap(pending, taken) {
			r.reply <- nil
		}
	}
	o.idlers = nil
}

// shutdown stops the job, waits for it, and refuses whoever waits.
func (o *owner) shutdown() {
	o.unfollow()
	if o.job != nil {
		o.job.stop.Set()
		(<-o.done)()
		o.job = nil
		o.waiting = append(o.window.close(), o.waiting...)
	}
	for _, r := range slices.Concat(o.waiting, o.idlers) {
		if r.fate.CompareAndSwap(pending, taken) {
			r.reply <- ErrClosed
		}
	}
	if o.recording != nil {
		_ = o.stopRecording() // there is nobody left to be told
	}
	if o.batch != nil {
		o.batch.close()
	}
	o.s.hub.close()
}

// accept begins to carry out a command, or refuses it with all that is wrong.
func (o *owner) accept(c Command) error {
	switch c := c.(type) {
	case LoadKernel:
		return o.loadKernel(c)
	case Diagnose:
		return o.diagnose(c)
	case SetBatch:
		return o.setBatch(c)
	case SetParam:
		return o.setParam(c)
	case SetCell:
		return o.setCell(c)
	case SetMask:
		return o.setMask(c)
	case Regenerate:
		return o.regenerate(c)
	case LoadPlane:
		return o.loadPlane(c)
	case Configure:
		return o.configure(c)
	case Run, Continue, Step, RunSteps:
		return o.startRun(c)
	case RunUntil:
		return o.runUntil(c)
	case Seek:
		return o.seek(c)
	case Rewind:
		return o.rewind(c)
	case Save:
		return o.save(c)
	case Export:
		return o.export(c)
	case ForkRun:
		return o.fork(c)
	case DropFork:
		o.forked = nil
		o.publish()
		return nil
	}
	return fmt.Errorf("no such command: %T", c)
}

// start begins a job. work runs on a goroutine of its own and gives what the owner is to do when it is
// over; when it fails or panics, the session stays as it was and the command's Failed is told.
func (o *owner) start(c Command, activity string, running bool, work func(stop *engine.Stop) (apply func(), err error)) {
	j := &job{command: c, running: running, before: o.phase}
	o.job = j
	if c != nil {
		if !leaves(c) {
			o.finish = nil // what is begun may change what it shows
		}
		o.activity, o.since = activity, time.Now()
		o.phase = Working
		if running {
			o.phase = Running
		}
		o.publish()
	}
	go func() {
		var apply func()
		err := func() (err error) {
			defer catch(activity, &err)
			apply, err = work(&j.stop)
			return err
		}()
		o.done <- func() {
			o.phase, o.activity, o.since = j.before, "", time.Now()
			if apply != nil {
				apply()
			}
			if c == nil {
				return
			}
			if err != nil {
				// Told before the state shows that the work is over: who sees that finds the failure.
				o.s.hub.notify(Failed{c, err})
			}
			o.publish()
			for _, n := range o.news {
				o.s.hub.notify(n)
			}
			o.news = nil
		}
	}()
}

// publish makes a new picture of the session and says that there is one.
func (o *owner) publish() {
	st := &State{
		Generation: o.generation, Phase: o.phase, Activity: o.activity, Since: o.since,
		Diagnostics: o.diags, Policy: o.policy, R: o.r, MaxSteps: o.max, Launching: o.launch, Seed: o.wanted.Seed,
		Report: o.report, Finished: o.finished, StepsDone: o.steps, History: o.history.segments,
		Reloaded: o.reloaded, Finish: o.finish, Fork: o.forked,
	}
	st.Furthest = st.StepsDone
	if o.furthestOf == o.generation {
		st.Furthest = max(st.Furthest, o.furthest)
	}
	if o.recording != nil {
		st.Recording = o.recording.path
	}
	if o.maker.engine != nil {
		st.Engine = o.maker.engine.Name()
	}
	if b := o.batch; b != nil {
		st.Kernel, st.Device = b.kernel, b.device
		st.N, st.Seed, st.Params, st.Notes = b.n, b.seed, b.params, b.notes
		st.LabelName, st.Labels, st.Entries = b.labelName, b.labels, b.entries
	}
	o.s.state.Store(st)
	o.s.hub.notify(Changed{})
}

// leaves says whether a command leaves the batch as it is.
func leaves(c Command) bool {
	switch c.(type) {
	case Export, Save, ForkRun:
		return true
	}
	return false
}

var errNoKernel = errors.New("no kernel is loaded")

// spoiled says why nothing can be run.
func spoiled(b *batch) error {
	return fmt.Errorf("the batch cannot be run on: %s; rewind it", b.spoiled)
}
