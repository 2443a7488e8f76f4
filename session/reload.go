package session

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
	"github.com/eaglet-workbench/eaglet/watch"
)

// Keep says what a reloaded kernel begins with.
type Keep uint8

// What to keep. KeepAuto: everything while a run is on or paused, nothing at the start or when it is over.
const (
	KeepAuto   Keep = iota
	KeepPlanes      // planes of the same name, type and shape keep their data
	KeepNothing
)

// Reloaded says what became of the batch when the kernel was loaded again.
type Reloaded struct {
	At       time.Time
	Took     time.Duration   // from the first sign of the change to the new kernel in place; of that,
	Quiet    time.Duration   // waiting until the file is quiet
	Loading  time.Duration   // reading and compiling it
	Waiting  time.Duration   // for the run to come to a boundary
	Artifact []string        // what is different in what runs, one sentence each; see artifactChanges
	Before   *kernels.Kernel // that was replaced
	Rewound  bool            // the batch is at its start
	Resumed  bool            // a run was on and goes on with the new kernel, with a new budget
	Kept     []string        // planes that kept their data
	New      []string        // planes that are filled as at a start
	Dropped  []string        // planes that the new kernel does not have
	Mask     MaskFate
}

// MaskFate is what became of the finished samples.
type MaskFate uint8

// The fates. A finish declaration that is another one begins with all samples live: who is finished by the
// old one may not be by the new one.
const (
	MaskKept MaskFate = iota
	MaskCleared
)

// reload is what the owner knows of loading the kernel again.
type reload struct {
	watch   *watch.Watch
	changes <-chan watch.Change
	path    string // watched

	loading bool // a load is on its way
	again   bool // the file changed while it was
	loaded  chan *loadedKernel

	next   *loadedKernel // good, waiting for the run to stop
	resume bool          // the run goes on afterwards
}

// loadedKernel is an attempt to load the kernel again.
type loadedKernel struct {
	command Reload
	kernel  *kernels.Kernel
	diags   kernels.Diagnostics
	seen    time.Time // the first sign of the change
	began   time.Time // of the load
	loaded  time.Time // its end
}

// follow watches the file of the batch's kernel, if there is one and the session is to watch.
func (o *owner) follow() {
	if !o.watching || o.batch == nil || o.batch.kernel.Path == o.reload.path {
		return
	}
	o.unfollow()
	path := o.batch.kernel.Path
	w, err := watch.New(path, watch.Options{})
	if err != nil { // a bundled kernel; a file that is gone: the user can still reload by hand
		return
	}
	o.reload.watch, o.reload.changes, o.reload.path = w, w.Changes(), path
}

func (o *owner) unfollow() {
	if o.reload.watch != nil {
		o.reload.watch.Close()
	}
	o.reload.watch, o.reload.changes, o.reload.path = nil, nil, ""
}

// loadAgain begins to load the kernel again beside whatever is going on. A kernel that does not compile
// never disturbs a run.
func (o *owner) loadAgain(c Reload, seen time.Time) error {
	if o.batch == nil {
		return errNoKernel
	}
	if o.reload.loading {
		o.reload.again = true
		return nil
	}
	o.reload.loading = true
	path, load, out := o.batch.kernel.Path, o.load, o.reload.loaded
	go func() {
		l := &loadedKernel{command: c, seen: seen, began: time.Now()}
		err := func() (err error) {
			defer catch("loading "+path, &err)
			l.kernel, l.diags = load(path)
			return nil
		}()
		if err != nil {
			l.kernel = nil
			l.diags = kernels.Diagnostics{{File: path, Code: "E099", What: err.Error()}}
		}
		l.loaded = time.Now()
		out <- l
	}()
	return nil
}

// takeLoaded takes in a load that has ended.
func (o *owner) takeLoaded(l *loadedKernel) {
	o.reload.loading = false
	if o.reload.again {
		o.reload.again = false
		if err := o.loadAgain(l.command, l.seen); err == nil {
			return
		}
	}
	if o.batch == nil {
		return
	}
	o.diags = l.diags
	if l.kernel == nil {
		o.reload.next = nil // an older good one that waits is not what the file says any more
		o.publish()
		o.s.hub.notify(Failed{l.command, &LoadError{Path: o.batch.kernel.Path, Diagnostics: l.diags}})
		return
	}
	o.reload.next = l
	if o.job != nil && o.job.running {
		_, counted := o.job.command.(RunSteps)
		_, step := o.job.command.(Step)
		o.reload.resume = !counted && !step && !o.job.stop.IsSet()
		o.job.stop.Set()
	}
	o.next()
}

// swap puts the kernel that waits in the place of the one before, when nothing is going on.
func (o *owner) swap() {
	l, resume := o.reload.next, o.reload.resume
	o.reload.next, o.reload.resume = nil, false
	b, maker, wanted := o.batch, o.maker, o.wanted
	keep := l.command.Keep == KeepPlanes || l.command.Keep == KeepAuto && o.phase == Paused
	if b.spoiled != "" {
		keep = false
	}
	waited := time.Since(l.loaded)
	o.start(l.command, "swapping in "+l.kernel.IR.Name, false, func(stop *engine.Stop) (func(), error) {
		// A run that was stopped for a kernel that cannot be put in place goes on as it was.
		goOn := func() {
			if resume {
				o.after = append(o.after, func() { _ = o.startRun(Continue{}) })
			}
		}
		kept, dropped := adapt(wanted, b.kernel.IR.Name, l.kernel)
		if problems := checkBatch(l.kernel.IR, &kept); len(problems) > 0 {
			return goOn, errors.Join(problems...)
		}
		program, device, err := maker.compile(l.kernel)
		if err != nil {
			return goOn, err
		}
		fresh, err := maker.build(l.kernel, program, device, &kept, stop)
		if err != nil {
			return goOn, err
		}
		if err := fresh.inherit(b, stop); err != nil {
			fresh.close()
			return goOn, err
		}
		fresh.dropped = dropped
		fresh.note()
		r := &Reloaded{Before: b.kernel, Rewound: !keep, Mask: MaskCleared}
		if keep && fresh.n == b.n {
			r.carry(b, fresh)
		}
		r.Artifact = artifactChanges(b.kernel.IR, fresh.kernel.IR, b.entries, fresh.entries)
		r.At = time.Now()
		r.Took, r.Quiet, r.Loading, r.Waiting = r.At.Sub(l.seen), l.began.Sub(l.seen), l.loaded.Sub(l.began), waited
		return func() { o.swapped(fresh, kept, r, resume) }, nil
	})
}

// carry copies what the batches have in common from one to the other. The new one's start is as it was
// made: Rewind goes back to the new kernel's own start.
func (r *Reloaded) carry(from, to *batch) {
	for i := range to.planes.Spec {
		p := &to.planes.Spec[i]
		j := from.planes.Index(p.Name)
		if j < 0 || !alike(p, &from.planes.Spec[j]) {
			r.New = append(r.New, p.Name)
			continue
		}
		if p.Role == ir.RoleParam || p.Role == ir.RoleTable {
			continue // params and tables have their value from the batch that was asked for
		}
		copy(to.planes.Bytes(i), from.planes.Bytes(j))
		r.Kept = append(r.Kept, p.Name)
	}
	for i := range from.planes.Spec {
		p := &from.planes.Spec[i]
		if j := to.planes.Index(p.Name); j < 0 || !alike(p, &to.planes.Spec[j]) {
			r.Dropped = append(r.Dropped, p.Name)
		}
	}
	was, is := from.kernel.IR.Finish, to.kernel.IR.Finish
	if was != nil && is != nil && was.Text == is.Text {
		copy(to.mask, from.mask)
		r.Mask = MaskKept
	}
}

// alike says whether two planes hold the same kind of data.
func alike(a, b *ir.Plane) bool {
	return a.Type == b.Type && slices.Equal(a.Dims, b.Dims) && (a.Role == ir.RoleParam) == (b.Role == ir.RoleParam) &&
		(a.Role == ir.RoleTable) == (b.Role == ir.RoleTable)
}

// Parts says where the time of a reload went.
func (r *Reloaded) Parts() string {
	return fmt.Sprintf("%d ms: %d until the file was quiet, %d to load and compile, %d until a boundary, %d to bind",
		r.Took.Milliseconds(), r.Quiet.Milliseconds(), r.Loading.Milliseconds(), r.Waiting.Milliseconds(),
		max(r.Took-r.Quiet-r.Loading-r.Waiting, 0).Milliseconds())
}

// swapped takes in the new batch and begins a segment of history; a run that was on goes on.
func (o *owner) swapped(b *batch, wanted SetBatch, r *Reloaded, resume bool) {
	o.batch.close()
	o.batch, o.wanted, o.fits = b, wanted, b.kernel.IR.Name
	o.reloaded = r
	if r.Rewound {
		o.atStart()
		return
	}
	o.generation++
	o.report, o.steps, o.finished = nil, 0, 0
	for _, m := range b.mask {
		if m != 0 {
			o.finished++
		}
	}
	o.phase, b.unstarted = Paused, true
	o.history.begin(o.segment(nil))
	if resume && o.refuseRun(Run{}) == nil {
		r.Resumed = true
		o.after = append(o.after, func() { _ = o.startRun(Run{}) })
	}
}

// Sentence says what a reload did, for a status line.
func (r *Reloaded) Sentence() (text string) {
	var s strings.Builder
	fmt.Fprintf(&s, "reloaded in %d ms: ", r.Took.Milliseconds())
	defer func() {
		if len(r.Artifact) == 0 {
			text += "; the code is the same"
		} else {
			text += "; " + r.Artifact[0]
			if more := len(r.Artifact) - 1; more > 0 {
				text += fmt.Sprintf(" and %d more (5)", more)
			}
		}
	}()
	if r.Rewound {
		s.WriteString("the batch is at its start")
		return s.String()
	}
	fmt.Fprintf(&s, "kept %s", engine.Counted(len(r.Kept), "plane"))
	if len(r.New) > 0 {
		fmt.Fprintf(&s, ", new: %s", strings.Join(r.New, ", "))
	}
	if len(r.Dropped) > 0 {
		fmt.Fprintf(&s, ", dropped: %s", strings.Join(r.Dropped, ", "))
	}
	if r.Mask == MaskCleared {
		s.WriteString("; the finish declaration is another one, so all samples are live")
	}
	return s.String()
}
