package enginetest

import (
	"slices"

	"github.com/eaglet-workbench/eaglet/engine"
)

// Mutants of what only some engines offer.

// ForgetsAPlane is a mutant whose reorders leave plane number plane as it was.
func ForgetsAPlane(e engine.Engine, plane int) engine.Engine {
	return Wrapped(e, func(b engine.Bound, p *engine.Planes, _ []byte) engine.Bound {
		o := offersOf(b)
		if o.Reorderer != nil {
			o.Reorderer = forgettingPlane{o.Reorderer, p, plane}
		}
		return o.of(&interrupted{Bound: b})
	})
}

type forgettingPlane struct {
	engine.Reorderer
	planes *engine.Planes
	plane  int
}

func (f forgettingPlane) Reorder(theta float32) (engine.ReorderStats, error) {
	before := slices.Clone(f.planes.Bytes(f.plane))
	s, err := f.Reorderer.Reorder(theta)
	copy(f.planes.Bytes(f.plane), before)
	return s, err
}

// NeverRestores is a mutant that leaves a reordered batch as it lies.
func NeverRestores(e engine.Engine) engine.Engine {
	return Wrapped(e, func(b engine.Bound, _ *engine.Planes, _ []byte) engine.Bound {
		o := offersOf(b)
		if o.Reorderer != nil {
			o.Reorderer = unrestoring{o.Reorderer}
		}
		return o.of(&interrupted{Bound: b})
	})
}

type unrestoring struct{ engine.Reorderer }

func (unrestoring) Restore() error { return nil }

// LosesChunks is a mutant whose persistent entry counts one chunk of a lane in ten: its slots would be more
// than full.
func LosesChunks(e engine.Engine) engine.Engine {
	return Wrapped(e, func(b engine.Bound, _ *engine.Planes, _ []byte) engine.Bound {
		o := offersOf(b)
		if o.Persister != nil {
			o.Persister = losingChunks{o.Persister}
		}
		return o.of(&interrupted{Bound: b})
	})
}

type losingChunks struct{ engine.Persister }

func (l losingChunks) Persist(stop *engine.Stop, upto, chunk uint32, progress func(finished, steps uint64)) (engine.PersistStats, error) {
	s, err := l.Persister.Persist(stop, upto, chunk, progress)
	s.LaneChunks /= 10
	return s, err
}
