package session

import (
	"slices"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// still is a batch that stands still: at rest, or at a boundary of a run, which waits as long as somebody looks.
// What is asked of it is by sample, wherever its samples lie; it is read, never written.
type still struct {
	*batch
	generation uint32
	done, most int      // steps of the run at this moment, and the most that it makes
	places     []uint32 // by sample the slot in which it lies; nil: every sample lies at its own
}

// copyMask copies the mask.
func (s *still) copyMask() []byte { return inOrder(s.mask, s.places) }

// copyTaken copies the steps taken, nil when they are not kept.
func (s *still) copyTaken() []uint32 {
	if taken := s.bound.StepsTaken(); len(taken) == s.n {
		return inOrder(taken, s.places)
	}
	return nil
}

// copyPlane copies plane i as engine.Planes.Bytes gives it, component after component.
func (s *still) copyPlane(i int) []byte {
	spec, all := &s.planes.Spec[i], s.planes.Bytes(i)
	if s.places == nil || spec.Role == ir.RoleParam || spec.Role == ir.RoleTable {
		return slices.Clone(all)
	}
	out, size := make([]byte, 0, len(all)), spec.Type.Bytes()
	for c := range spec.Width() {
		row := all[c*s.n*size:][:s.n*size]
		for _, slot := range s.places {
			out = append(out, row[int(slot)*size:][:size]...)
		}
	}
	return out
}

// copyPlanes copies all planes.
func (s *still) copyPlanes() *engine.Planes {
	out := engine.NewPlanes(s.planes.Spec, s.n)
	for i := range out.Spec {
		if s.places == nil {
			copy(out.Bytes(i), s.planes.Bytes(i))
		} else {
			copy(out.Bytes(i), s.copyPlane(i))
		}
	}
	return out
}

// copyResults copies all that the batch holds.
func (s *still) copyResults() (*Results, error) {
	shared, err := s.results()
	if err != nil {
		return nil, err
	}
	r := *shared
	r.Planes, r.Mask, r.Labels = s.copyPlanes(), s.copyMask(), slices.Clone(s.labels)
	if shared.StepsTaken != nil {
		r.StepsTaken = s.copyTaken()
	}
	return &r, nil
}

// inOrder copies a row by sample.
func inOrder[T any](row []T, places []uint32) []T {
	if places == nil {
		return slices.Clone(row)
	}
	out := make([]T, len(places))
	for sample, slot := range places {
		out[sample] = row[slot]
	}
	return out
}
