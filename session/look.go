package session

import (
	"context"
	"fmt"
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels"
)

// Query is something that a view wants to know of the batch and that costs more than a glance at [State].
// Queries are data, as commands are; [Session.Look] answers them. An answer is the asker's own, and never changed.
type Query interface{ isQuery() }

type (
	// StopsQuery asks when each sample stopped: *Stops. Also during a run.
	StopsQuery struct{}
	// FollowQuery asks how 1 to 256 samples went, step by step from the start of the batch, on the interpreter, which
	// has the same bits: *Trajectory. To 0: to where the batch stands. At most Points steps are kept, evenly spread,
	// always the first and the last; 0, or more than 65,536: at most 65,536. Names are planes ("x"), components of
	// wide ones ("y_2", counted from 0), or observables. A batch that was changed on its way is refused.
	FollowQuery struct {
		Samples  []int
		From, To int
		Points   int
		Names    []string
	}
	// OriginQuery asks where the first NaN or infinity of a sample came from: *Origin.
	OriginQuery struct{ Sample int }
	// ReproductionQuery writes the least that shows what one sample does into a folder, which is made: *Reproduction.
	ReproductionQuery struct {
		Sample int
		Dir    string
	}
)

func (StopsQuery) isQuery()        {}
func (FollowQuery) isQuery()       {}
func (OriginQuery) isQuery()       {}
func (ReproductionQuery) isQuery() {}

type (
	// Stops is when each sample stopped. A sample's stop is Taken[i] when Mask[i] is set, later than Done
	// otherwise; so it tells what the mask was at every step of the run, under any schedule.
	Stops struct {
		Generation uint32
		Done       uint32        // steps of the run at this picture
		MaxSteps   uint32        // of the run
		Taken      []uint32      // by sample: steps of this run
		Mask       []byte        // by sample: 0 live, 1 finished, 2 faulted; one finished before the run has taken 0 steps
		Held       time.Duration // a run that is on waited that long for the copy
	}

	// Trajectory is how some samples went. Steps are counted from the start of the batch; Values[k][s][j] is
	// Names[k] of Samples[s] after Steps[j] steps, as it stays once the sample has stopped.
	Trajectory struct {
		Samples     []int
		Labels      []string // nil without
		Steps       []int
		Names       []string
		Units       []string
		Values      [][][]float64
		Stop        []int // by sample: the step at which it finished or faulted, -1 while live
		Fault       []string
		Comparisons []kernels.Comparison
		LHS, RHS    [][][]float64 // [comparison][sample][j]: operands in the step that follows Steps[j]
	}

	// Origin is the statement that made the first value of a sample that is not finite.
	Origin struct {
		Sample, Step int    // Step counts from the start of the batch; the step that made it
		What         string // NaN, +Inf or -Inf
		Plane        string // the first plane that held it, "" when it never reached one
		File         string
		Line, Column int
		Text         string // source text of the expression
		Operands     []Operand
		None         bool // every value of the sample's state is finite
	}
	// Operand is a value that went into an expression.
	Operand struct {
		Text  string // in the source, where it was made; "" when that is not known
		Value float64
	}

	// Reproduction is files and a command line that show one sample alone: the kernel's source, and its planes at
	// the start of the batch, bit for bit.
	Reproduction struct {
		Files   []string // that were written
		Command string
	}
)

// Look answers a query; it waits while the session is working. During a run it waits for the next boundary between
// two launches, which the run spends on a copy; a question that needs more than that is for between runs. Errors:
// engine.ErrBusy for such a one, [ErrOnePass] where the run has no boundaries, [ErrClosed], ctx's, or one sentence on
// what cannot be known and why.
func (s *Session) Look(ctx context.Context, q Query) (any, error) {
	var left rest
	err := s.ask(&request{ctx: ctx, query: q, deliver: func(r rest) { left = r }})
	if err != nil {
		return nil, err
	}
	return left.finish(ctx)
}

// lookAt answers a query beside the owner.
func (o *owner) lookAt(r *request) {
	b := o.batch
	if b == nil {
		r.reply <- errNoKernel
		return
	}
	s := &still{batch: b, generation: o.generation, done: o.steps, most: o.max}
	way := o.history.way()
	maker, options := o.maker, o.runOptions()
	o.start(nil, "looking at the batch", false, func(stop *engine.Stop) (apply func(), err error) {
		defer context.AfterFunc(r.ctx, stop.Set)()
		defer func() { r.reply <- err }()
		defer catch("looking at the batch", &err)
		var answer any
		switch q := r.query.(type) {
		case glancing:
			return nil, s.answer(r)
		case FollowQuery:
			answer, err = b.follow(q, way, stop)
		case FanQuery:
			answer, err = maker.fan(b, q, way, options, stop)
		case OriginQuery:
			answer, err = b.originOf(q, way, stop)
		case ReproductionQuery:
			answer, err = b.reproduce(q, way)
		default:
			err = fmt.Errorf("no such query: %T", q)
		}
		if err == nil {
			r.deliver(done(answer))
		}
		return nil, err
	})
}

// glance copies when each sample stopped.
func (StopsQuery) glance(s *still) (rest, error) {
	stops, err := s.stops()
	return done(stops), err
}

// stops is when each sample stopped.
func (s *still) stops() (*Stops, error) {
	if s.bound == nil {
		return nil, spoiled(s.batch)
	}
	began := time.Now()
	out := &Stops{Generation: s.generation, Done: uint32(s.done), MaxSteps: uint32(s.most), Taken: s.copyTaken(), Mask: s.copyMask()}
	if out.Taken == nil {
		out.Taken = make([]uint32, s.n)
	}
	out.Held = time.Since(began)
	return out, nil
}

// resultsQuery asks for a copy of all that the batch holds: *Results. Also during a run.
type resultsQuery struct{}

func (resultsQuery) isQuery() {}

func (resultsQuery) glance(s *still) (rest, error) {
	r, err := s.copyResults()
	return done(r), err
}
