package enginetest

import (
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
