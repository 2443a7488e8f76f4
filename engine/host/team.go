package host

import (
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/kernels/ir/interp"
)

// team is the machines of a batch's workers, made when they are first needed. A worker is a goroutine that
// lives for one call: starting one costs about a microsecond, and none can be left behind. What a call needs
// lies here between calls, so that a launch allocates nothing.
type team struct {
	machines []machine
	results  []*interp.Result // of the last call; nil: the worker was not needed
	stop     *teamStop

	start []func() // by worker: what its goroutine runs
	wait  sync.WaitGroup
	errs  []error // by worker
	call  struct {
		work   func(worker int)
		phase  string
		kernel *ir.Kernel
	}
}

func newTeam(workers int) *team {
	t := &team{
		machines: make([]machine, workers), results: make([]*interp.Result, workers), stop: new(teamStop),
		start: make([]func(), workers), errs: make([]error, workers),
	}
	for i := range t.start {
		t.start[i] = func() {
			defer t.wait.Done()
			t.run(i)
		}
	}
	return t
}

// begin readies the team for a call on so many positions; alone leaves all of them to one worker.
func (t *team) begin(stop *engine.Stop, c code, positions int, alone bool) (lanes, size int) {
	t.stop.begin(stop)
	clear(t.results)
	lanes, size = max(positions, c.width()), 1
	if !alone {
		lanes = t.share(positions)
		size = t.size(positions, lanes)
	}
	for i := range size {
		if t.machines[i] == nil {
			t.machines[i] = c.newMachine()
		}
	}
	return lanes, size
}

// progress is what the workers of the call that is going on have done so far.
func (t *team) progress(size int) (finished, steps uint64) {
	for _, m := range t.machines[:size] {
		f, s := m.progress()
		finished += f
		steps += s
	}
	return finished, steps
}

// teamStop is set when the user's stop is, or when a worker has panicked.
type teamStop struct {
	user  *engine.Stop
	abort atomic.Bool
}

func (s *teamStop) begin(user *engine.Stop) {
	s.user = user
	s.abort.Store(false)
}

func (s *teamStop) IsSet() bool { return s.abort.Load() || s.user.IsSet() }

// size is how many workers are worth starting for so many positions: none gets less than a strip's worth,
// or than lanes of it.
func (t *team) size(positions, lanes int) int {
	return max(1, min(len(t.machines), (positions+lanes-1)/lanes))
}

// minLanes is the least number of samples that are worth a worker's while.
const minLanes = 32

// share is how many samples a worker takes up at a time: so many that each of the team comes round several
// times and none is left alone with the rest, but not so few that the price of dispatch shows. It may be more
// than a machine has lanes.
func (t *team) share(positions int) int {
	const rounds = 4
	if len(t.machines) == 1 {
		return max(positions, minLanes)
	}
	share := positions / (rounds * len(t.machines))
	return max(share/8*8, minLanes)
}

// do runs f for workers 0 to size-1, one of them on the caller's goroutine, and returns when all have.
// A panic becomes an error that says it is our bug; the other workers are stopped then.
func (t *team) do(size int, phase string, k *ir.Kernel, f func(worker int)) error {
	t.call.work, t.call.phase, t.call.kernel = f, phase, k
	clear(t.errs)
	t.wait.Add(size - 1)
	for i := 1; i < size; i++ {
		go t.start[i]()
	}
	t.run(0)
	t.wait.Wait()
	for _, err := range t.errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// run is one worker's part of a call.
func (t *team) run(worker int) {
	err := &t.errs[worker]
	defer func() {
		if *err != nil {
			t.stop.abort.Store(true)
		}
	}()
	defer catch(t.call.phase, t.call.kernel, err)
	t.call.work(worker)
}

// BugError says that eaglet itself is wrong: something panicked that no kernel and no input should be able
// to make panic.
type BugError struct {
	Phase  string // "compile", "launch", "pass", "persist", "reorder", "restore", "init", "observe", "calibrate"
	Kernel string
	Cause  any // what was panicked with
	Stack  []byte
}

func (e *BugError) Error() string {
	return fmt.Sprintf("host: %s of kernel %s: this is a bug in eaglet, please report it with the kernel file: %v", e.Phase, e.Kernel, e.Cause)
}

// catch turns a panic into a BugError; it is deferred.
func catch(phase string, k *ir.Kernel, err *error) {
	if cause := recover(); cause != nil {
		*err = &BugError{Phase: phase, Kernel: k.Name, Cause: cause, Stack: debug.Stack()}
	}
}
