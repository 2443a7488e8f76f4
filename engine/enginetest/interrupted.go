package enginetest

import (
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
)

// Interrupted is an engine whose launches and passes are cut at the places that a plan gives: call i of a
// Bound's Launch or Pass, counted from 0, runs only share plan[i] of its steps and says that it was
// stopped, as a stop at a step boundary would; -1 and everything past the plan's end runs whole.
func Interrupted(e engine.Engine, plan []float64) engine.Engine {
	return Wrapped(e, func(b engine.Bound, _ *engine.Planes, _ []byte) engine.Bound {
		i := &interrupted{Bound: b, plan: plan}
		o := offersOf(b)
		if o.Passer != nil {
			o.Passer = interruptedPasser{i, o.Passer}
		}
		if o.Persister != nil {
			o.Persister = interruptedPersister{i, o.Persister}
		}
		return o.of(i)
	})
}

type interrupted struct {
	engine.Bound
	plan []float64
	from uint32 // steps that every live sample has taken at least
}

// Calibrate is that of the Bound, or the R that the runner takes where there is none.
func (i *interrupted) Calibrate() (compaction, step time.Duration, err error) {
	if c, ok := i.Bound.(engine.Calibrator); ok {
		return c.Calibrate()
	}
	return 1, 1, nil
}

// Track is that of the Bound, if it has one.
func (i *interrupted) Track(on bool) {
	if t, ok := i.Bound.(engine.Tracker); ok {
		t.Track(on)
	}
}

// Resume is that of the Bound, which must have one.
func (i *interrupted) Resume(done uint32, taken []uint32, faults []engine.Fault) (engine.Counters, error) {
	i.from = done
	return i.Bound.(engine.Resumer).Resume(done, taken, faults)
}

// ActiveMap is that of the Bound, nil where it shows none.
func (i *interrupted) ActiveMap() []uint32 {
	if m, ok := i.Bound.(activeMapper); ok {
		return m.ActiveMap()
	}
	return nil
}

// cut is where the next call ends instead of at upto.
func (i *interrupted) cut(upto uint32) (uint32, bool) {
	if len(i.plan) == 0 {
		return upto, false
	}
	share := i.plan[0]
	i.plan = i.plan[1:]
	if share < 0 || upto <= i.from {
		return upto, false
	}
	return i.from + uint32(share*float64(upto-i.from)), true
}

func (i *interrupted) Begin(keep bool) (engine.Counters, error) {
	if !keep {
		i.from = 0
	}
	return i.Bound.Begin(keep)
}

func (i *interrupted) run(stop *engine.Stop, upto uint32, call func(*engine.Stop, uint32) (engine.LaunchStats, error)) (engine.LaunchStats, error) {
	to, cut := i.cut(upto)
	s, err := call(stop, to)
	s.Stopped = s.Stopped || (cut && to < upto)
	if !s.Stopped || cut {
		i.from = to
	}
	return s, err
}

func (i *interrupted) Launch(stop *engine.Stop, upto uint32) (engine.LaunchStats, error) {
	return i.run(stop, upto, i.Bound.Launch)
}

type interruptedPasser struct {
	*interrupted
	passer engine.Passer
}

func (p interruptedPasser) Pass(stop *engine.Stop, upto uint32, progress func(finished, steps uint64)) (engine.LaunchStats, error) {
	return p.run(stop, upto, func(stop *engine.Stop, upto uint32) (engine.LaunchStats, error) {
		return p.passer.Pass(stop, upto, progress)
	})
}

type interruptedPersister struct {
	*interrupted
	persister engine.Persister
}

func (p interruptedPersister) Resident() uint32 { return p.persister.Resident() }

func (p interruptedPersister) Persist(stop *engine.Stop, upto, chunk uint32, progress func(finished, steps uint64)) (engine.PersistStats, error) {
	var s engine.PersistStats
	launch, err := p.run(stop, upto, func(stop *engine.Stop, upto uint32) (engine.LaunchStats, error) {
		var err error
		s, err = p.persister.Persist(stop, upto, chunk, progress)
		return s.LaunchStats, err
	})
	s.LaunchStats = launch
	return s, err
}
