package engine

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/maphash"
	"sync/atomic"
	"time"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// RunOptions are the choices of one run. They hold until the run ends: Continue, and Launch on a paused
// run, go on with those of the call that began it, except that Launch may name another Trace, Generation
// and Onlooker.
type RunOptions struct {
	MaxSteps   int        // most steps of a sample in this run
	Policy     Policy     // how an auto kernel's steps per launch are chosen; a fixed-K kernel has its own
	R          float64    // a compaction's cost in steps of a full-live launch; 0: calibrate when the policy needs it
	Wave       int        // samples of one resident wave of a device; 0: unknown, nothing fits
	Every      int        // fixed-K kernels with an active set: steps between compactions; 0: K*ceil(16/K)
	Entry      Entry      // auto: the pick decides, where the engine has two and no policy is named
	Chunk      int        // persistent entry: steps between two looks for new samples; 0: chosen, see [ChooseChunk]
	Reorder    float64    // theta, 0.25 to 0.75, of a run that may reorder, see [ReorderFires]; 0: it may not
	Untracked  bool       // steps taken may be left out, for benchmarks, see [Tracker]: once stopped, the run is over
	Trace      *Trace     // where events go; nil: nowhere
	Generation uint32     // of the events
	Onlooker   *Onlooker  // may look at the batch at boundaries; nil: nobody does
	Keyframes  *Keyframes // kept of the run, so that it can go back, see [Runner.RunTo]; nil: none

	// Clock tells the time that walls are measured with, since any fixed moment, never going back; nil: the
	// system's. For tests and replays: the measured policy and the pick decide by walls.
	Clock func() time.Duration
}

// clock is Clock or the system's.
func (o *RunOptions) clock() func() time.Duration {
	if o.Clock != nil {
		return o.Clock
	}
	return monotonic
}

var began = time.Now()

func monotonic() time.Duration { return time.Since(began) }

// Runner runs a batch until every sample is done: the loop of runner.md, section 2, over the primitives
// of a Bound. It decides how many steps each launch takes and when to compact; the engine only carries out.
//
// One call runs at a time; a second one meanwhile gives [ErrBusy] and changes nothing. Between calls the
// caller may read and edit planes and mask. A run that was cancelled or paused is kept until it is
// continued to its end, Reset, or another one begins.
type Runner struct {
	program    Program
	kernel     *ir.Kernel
	bound      Bound
	planes     *Planes
	mask       []byte
	engineName string
	device     string

	busy         atomic.Bool
	run          run
	pick         picker
	seed         maphash.Seed
	kernelDigest func() [sha256.Size]byte
}

// NewRunner makes a runner of a Bound and of what it was bound to; engineName and device are what reports
// say. The caller keeps the ownership of all of them.
func NewRunner(p Program, b Bound, planes *Planes, mask []byte, engineName, device string) *Runner {
	return &Runner{
		program: p, kernel: p.Kernel(), bound: b, planes: planes, mask: mask,
		engineName: engineName, device: device, seed: maphash.MakeSeed(), kernelDigest: digestOf(p.Kernel()),
	}
}

// Run runs every unfinished sample until it finishes or has taken o.MaxSteps steps in this run. It starts
// from the mask as it is, so a second Run gives samples that reached the cap a new budget; when all
// samples are finished it launches nothing. A kernel without finish declaration is refused.
//
// The error is a [*Refusal], ErrBusy, or what the engine met; the report then says how far the run came.
// Reaching the cap and being stopped are results (Report.Status).
func (r *Runner) Run(stop *Stop, o RunOptions) (Report, error) {
	return r.exclusively(o.clock(), func() error { return r.start(stop, o, Inside{}) })
}

// start begins a whole run and makes it.
func (r *Runner) start(stop *Stop, o RunOptions, inside Inside) error {
	bad := refusal{Refusal{Kernel: r.kernel.Name}}
	if r.kernel.Finish == nil {
		bad.noFinish()
	}
	r.checkOptions(&bad, &o, false)
	if err := r.begin(&bad, o, 0, false, inside); err != nil {
		return err
	}
	return r.whole(stop)
}

// checkOptions adds what is wrong with o for this kernel on this engine.
func (r *Runner) checkOptions(bad *refusal, o *RunOptions, steps bool) {
	bad.checkOptions(r.kernel, o, steps)
	bad.checkOffers(r.bound, r.engineName, o)
}

// Continue goes on with a cancelled or paused run: a launch that was cut is finished first, then the
// policy goes on, each sample with the rest of its budget. Planes, mask, steps and launches at the end are
// those of the run without the interruption, bit for bit. A mask that was edited meanwhile is honoured:
// the active set is built anew, samples taken back keep the steps they have used.
//
// A cancelled RunSteps goes on to its number of steps; once there, to MaxSteps of its options.
func (r *Runner) Continue(stop *Stop) (Report, error) {
	return r.exclusively(r.run.options.clock(), func() error { return r.goOn(stop) })
}

// goOn is Continue without the lock and the report.
func (r *Runner) goOn(stop *Stop) error {
	if err := r.resumable(); err != nil {
		return err
	}
	c := &r.run
	toTarget := c.target != 0 && c.status == StatusCancelled
	if !toTarget && r.kernel.Finish == nil {
		bad := refusal{Refusal{Kernel: r.kernel.Name}}
		bad.noFinish()
		return bad.err()
	}
	if err := r.resume(); err != nil {
		return err
	}
	if !toTarget {
		c.dropTarget()
	}
	r.emitStart(true)
	return r.whole(stop)
}

// Launch makes one launch: of word steps, or of the policy's when word is 0; it is cut to the steps left.
// It goes on with a paused or cancelled run and begins one otherwise, then with o. A launch that was cut
// by a cancel is finished instead, whatever word says. A run that went back goes word steps further on its course,
// or to the end of the next launch when word is 0. The status is paused unless the run is over.
// Step mode works on kernels without finish declaration too, and always on the fused entry: a run that was
// begun on the persistent one and paused goes on with launches of steps_max.
func (r *Runner) Launch(stop *Stop, o RunOptions, word int) (Report, error) {
	return r.exclusively(o.clock(), func() error {
		bad := refusal{Refusal{Kernel: r.kernel.Name}}
		if word < 0 || word > maxStepCount {
			bad.add("steps of the launch", fmt.Sprintf("a whole number from 1 to %d, or 0 for the policy's choice", maxStepCount),
				fmt.Sprint(word), "give how many steps the launch may take")
		}
		if r.resumable() == nil {
			if err := bad.err(); err != nil {
				return err
			}
			r.run.options.Trace, r.run.options.Generation, r.run.options.Onlooker = o.Trace, o.Generation, o.Onlooker
			if err := r.resume(); err != nil {
				return err
			}
			r.run.dropTarget()
			r.run.open = true // its end is worth an event, its start was sent
			if at, even := r.Stands(); word != 0 && even && (r.run.cut.word != 0 || r.run.recalls()) {
				return r.to(stop, uint32(at+word))
			}
		} else {
			r.checkOptions(&bad, &o, false)
			if err := r.begin(&bad, o, 0, true, Inside{}); err != nil {
				return err
			}
		}
		return r.one(stop, uint32(word))
	})
}

// RunSteps runs exactly n steps of every unfinished sample, with or without a finish declaration; a sample
// that finishes earlier stops there. It is a run of its own, and fixed-K kernels do not overshoot in it.
// The status is finished when no sample is left, else paused; o.MaxSteps may be 0. The entry is fused unless
// o asks for the persistent one: with as many steps for everybody there is no lane to refill.
func (r *Runner) RunSteps(stop *Stop, o RunOptions, n int) (Report, error) {
	return r.exclusively(o.clock(), func() error {
		bad := refusal{Refusal{Kernel: r.kernel.Name}}
		if n < 1 || n > maxStepCount {
			bad.add("steps", fmt.Sprintf("a whole number from 1 to %d", maxStepCount), fmt.Sprint(n),
				"give how many steps every sample is to take")
		}
		r.checkOptions(&bad, &o, true)
		if err := r.begin(&bad, o, n, false, Inside{}); err != nil {
			return err
		}
		return r.whole(stop)
	})
}

// Reset clears mask, counter and active set and forgets the run; the caller's state planes stay.
func (r *Runner) Reset() error {
	if !r.busy.CompareAndSwap(false, true) {
		return ErrBusy
	}
	defer r.busy.Store(false)
	clear(r.mask)
	r.run = run{}
	if _, err := r.bound.Begin(false); err != nil {
		return fmt.Errorf("%s: reset of %s: %w", r.engineName, r.kernel.Name, err)
	}
	return nil
}

// exclusively runs f, one call at a time, and makes the report of where the run stands after it. A call
// that is refused has no report. clock times the call.
func (r *Runner) exclusively(clock func() time.Duration, f func() error) (Report, error) {
	if !r.busy.CompareAndSwap(false, true) {
		return Report{}, ErrBusy
	}
	defer r.busy.Store(false)
	r.run.looked = 0
	start := clock()
	err := r.hold(true)
	if err == nil {
		err = f()
	}
	if _, refused := errors.AsType[*Refusal](err); refused || errors.Is(err, errNothingToContinue) || errors.Is(err, errUntracked) {
		return Report{}, errors.Join(err, r.hold(false))
	}
	if restored := r.restore(); restored != nil {
		err = errors.Join(err, restored)
	}
	if e := r.hold(false); err == nil {
		err = e
	}
	r.run.wall += clock() - start - r.run.looked
	r.run.fingerprint = maphash.Bytes(r.seed, r.mask)
	if err != nil {
		r.run.status = StatusCancelled
	}
	rep := r.report()
	if err == nil {
		r.remember(&rep)
	}
	r.emitEnd(&rep)
	if err != nil {
		err = fmt.Errorf("%s: kernel %s: %w", r.engineName, r.kernel.Name, err)
	}
	return rep, err
}

// remember takes from a run that was made whole, in one call, what later runs decide by.
func (r *Runner) remember(rep *Report) {
	c := &r.run
	if c.status == StatusCancelled || c.status == StatusPaused {
		c.interrupted = true
	}
	untracked := r.bound.StepsTaken() == nil // the longest sample is not known, nor the bucket
	if c.interrupted || untracked || rep.SampleSteps == 0 || c.before >= uint32(r.planes.N) {
		return
	}
	k := &r.pick
	k.mean = float64(rep.SampleSteps) / float64(uint32(r.planes.N)-c.before)
	k.fill = stepFill(rep.N, rep.Longest, rep.SampleSteps)
	if rep.Wall > 0 {
		k.rate = float64(rep.SampleSteps) / rep.Wall.Seconds()
	}
	if !c.picked {
		return
	}
	probe, compared := r.learn(&c.pick, timing{rep.Wall, rep.SampleSteps}, BucketOf(rep.N, rep.Longest, rep.SampleSteps))
	if compared {
		r.emit(probe.Event(), 0)
	}
}

var errUntracked = errors.New("the run was stopped and cannot be continued: its steps taken were not kept; Run starts a new one, with RunOptions.Untracked off it can be continued")

var errNothingToContinue = errors.New("there is nothing to continue: no run is paused or cancelled; Run starts a new one")

// resumable says whether a run is paused or cancelled.
func (r *Runner) resumable() error {
	c := &r.run
	if c.status == StatusCancelled && c.untracked {
		return errUntracked
	}
	if !c.begun || c.broken || (c.status != StatusPaused && c.status != StatusCancelled) {
		return errNothingToContinue
	}
	return nil
}
