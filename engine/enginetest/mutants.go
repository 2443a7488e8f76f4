package enginetest

import (
	"math"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// Wrapped is an engine whose every Bound goes through wrap: mutants, which oracles must reject, and
// interruptions. What wrap returns offers only what it declares; an embedded engine.Bound hides Pass.
func Wrapped(e engine.Engine, wrap func(b engine.Bound, p *engine.Planes, mask []byte) engine.Bound) engine.Engine {
	return &wrappedEngine{e, wrap}
}

type wrappedEngine struct {
	engine.Engine
	wrap func(engine.Bound, *engine.Planes, []byte) engine.Bound
}

func (e *wrappedEngine) Compile(k *ir.Kernel) (engine.Program, error) {
	p, err := e.Engine.Compile(k)
	if err != nil {
		return nil, err
	}
	return &wrappedProgram{p, e.wrap}, nil
}

type wrappedProgram struct {
	engine.Program
	wrap func(engine.Bound, *engine.Planes, []byte) engine.Bound
}

func (p *wrappedProgram) Bind(planes *engine.Planes, mask []byte) (engine.Bound, error) {
	b, err := p.Program.Bind(planes, mask)
	if err != nil {
		return nil, err
	}
	return p.wrap(b, planes, mask), nil
}

// WithoutPasses hides Pass and Calibrate: the same engine, launch by launch.
func WithoutPasses(e engine.Engine) engine.Engine {
	return Wrapped(e, func(b engine.Bound, _ *engine.Planes, _ []byte) engine.Bound { return struct{ engine.Bound }{b} })
}

// MarksWithoutCounting is the red case of the guard: samples finish and are marked, the counter stays
// what it was when the run began.
func MarksWithoutCounting(e engine.Engine) engine.Engine {
	return Wrapped(e, func(b engine.Bound, _ *engine.Planes, _ []byte) engine.Bound { return &frozen{Bound: b} })
}

type frozen struct {
	engine.Bound
	at engine.Counters
}

func (f *frozen) Begin(keep bool) (engine.Counters, error) {
	c, err := f.Bound.Begin(keep)
	f.at = c
	return c, err
}

func (f *frozen) Counters() engine.Counters {
	c := f.at
	c.Active = f.Bound.Counters().Active
	return c
}

// Overshoots is a mutant whose launches run one step too many.
func Overshoots(e engine.Engine) engine.Engine {
	return Wrapped(e, func(b engine.Bound, _ *engine.Planes, _ []byte) engine.Bound { return overshooting{b} })
}

type overshooting struct{ engine.Bound }

func (o overshooting) Launch(stop *engine.Stop, upto uint32) (engine.LaunchStats, error) {
	return o.Bound.Launch(stop, upto+1)
}

// SlipsUntracked is a mutant whose launches end a step early in runs without steps taken.
func SlipsUntracked(e engine.Engine) engine.Engine {
	return Wrapped(e, func(b engine.Bound, _ *engine.Planes, _ []byte) engine.Bound { return &slipping{Bound: b} })
}

type slipping struct {
	engine.Bound
	untracked bool
}

func (s *slipping) Track(on bool) {
	s.untracked = !on
	if t, ok := s.Bound.(engine.Tracker); ok {
		t.Track(on)
	}
}

func (s *slipping) Launch(stop *engine.Stop, upto uint32) (engine.LaunchStats, error) {
	if s.untracked {
		upto--
	}
	return s.Bound.Launch(stop, upto)
}

// ForgetsMask is a mutant that runs samples which the caller has marked as finished.
func ForgetsMask(e engine.Engine) engine.Engine {
	return Wrapped(e, func(b engine.Bound, _ *engine.Planes, mask []byte) engine.Bound { return &forgetting{b, mask} })
}

type forgetting struct {
	engine.Bound
	mask []byte
}

func (f *forgetting) Begin(keep bool) (engine.Counters, error) {
	clear(f.mask)
	return f.Bound.Begin(keep)
}

// CompactsAlways is a mutant whose compaction claims to have run every time.
func CompactsAlways(e engine.Engine) engine.Engine {
	return Wrapped(e, func(b engine.Bound, _ *engine.Planes, _ []byte) engine.Bound { return compacting{b} })
}

type compacting struct{ engine.Bound }

func (c compacting) Compact() (engine.CompactStats, error) {
	s, err := c.Bound.Compact()
	s.Ran = true
	return s, err
}

// LosesALive is a mutant whose compaction drops the last live slot: it miscounts by one.
func LosesALive(e engine.Engine) engine.Engine {
	return Wrapped(e, func(b engine.Bound, _ *engine.Planes, _ []byte) engine.Bound { return losing{b} })
}

type losing struct{ engine.Bound }

func (l losing) Compact() (engine.CompactStats, error) {
	s, err := l.Bound.Compact()
	if s.Active > 0 {
		s.Active--
	}
	return s, err
}

// TearsAtStops is a mutant of [Interrupted] that leaves a sample between two steps when it is stopped.
func TearsAtStops(e engine.Engine, plan []float64) engine.Engine {
	return Wrapped(Interrupted(e, plan), func(b engine.Bound, p *engine.Planes, _ []byte) engine.Bound { return tearing{b, p} })
}

type tearing struct {
	engine.Bound
	planes *engine.Planes
}

func (t tearing) Launch(stop *engine.Stop, upto uint32) (engine.LaunchStats, error) {
	s, err := t.Bound.Launch(stop, upto)
	if s.Stopped && t.planes.N > 0 {
		t.planes.Bytes(t.planes.Index("k"))[0] ^= 1
	}
	return s, err
}

// WashesNaNs is a mutant that makes numbers of what is none in plane x.
func WashesNaNs(e engine.Engine) engine.Engine {
	return Wrapped(e, func(b engine.Bound, p *engine.Planes, _ []byte) engine.Bound { return washing{b, p} })
}

type washing struct {
	engine.Bound
	planes *engine.Planes
}

func (w washing) Launch(stop *engine.Stop, upto uint32) (engine.LaunchStats, error) {
	s, err := w.Bound.Launch(stop, upto)
	for i, x := range view[float64](w.planes, "x") {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			view[float64](w.planes, "x")[i] = 0
		}
	}
	return s, err
}

// CountsOneMore is a mutant whose counter is one ahead.
func CountsOneMore(e engine.Engine) engine.Engine {
	return Wrapped(e, func(b engine.Bound, _ *engine.Planes, _ []byte) engine.Bound { return ahead{b} })
}

type ahead struct{ engine.Bound }

func (a ahead) Counters() engine.Counters {
	c := a.Bound.Counters()
	c.Finished++
	return c
}

// SkipsTheRest is a mutant of [Interrupted]: what is left of a launch that was cut is not run, though the
// engine says so.
func SkipsTheRest(e engine.Engine, plan []float64) engine.Engine {
	return Wrapped(Interrupted(e, plan), func(b engine.Bound, _ *engine.Planes, _ []byte) engine.Bound {
		return &skipping{Bound: b}
	})
}

type skipping struct {
	engine.Bound
	cut bool
}

func (s *skipping) Launch(stop *engine.Stop, upto uint32) (engine.LaunchStats, error) {
	if s.cut {
		s.cut = false
		return engine.LaunchStats{}, nil
	}
	stats, err := s.Bound.Launch(stop, upto)
	s.cut = stats.Stopped
	return stats, err
}
