package engine

import "fmt"

// Constants of the reorder (runner.md, section 3).
const (
	reorderMinSpan = 4096 // a shorter span fits the caches whatever its order
	thetaMin       = 0.25
	thetaMax       = 0.75
	thetaDefault   = 0.5 // what reorder=true stands for
)

// ReorderMinSpan is the shortest span that a reorder fires for.
const ReorderMinSpan = reorderMinSpan

// ThetaDefault is theta where the caller only says that a run may reorder.
const ThetaDefault = thetaDefault

// ReorderFires is the trigger of a reorder after a compaction: count live slots lie in live32 aligned
// groups of 32 slots and are spread over [0, span). It fires when the live slots fill less than theta of
// the groups that they keep busy, when there is something to gain (count < span), and when the span is
// long enough to matter. The product is taken in float64 of theta as a float32, so that every engine
// decides alike. Pure; the one copy in Go.
func ReorderFires(count, live32, span uint32, theta float32) bool {
	return span >= reorderMinSpan && count < span && float64(count) < float64(theta)*32*float64(live32)
}

// reorder offers the engine a reorder after a compaction; it is a part of the loop.
func (r *Runner) reorder(*Stop) error {
	c := &r.run
	s, err := r.bound.(Reorderer).Reorder(float32(c.options.Reorder))
	if err != nil {
		return fmt.Errorf("reorder after launch %d: %w", c.launches, err)
	}
	var flags EventFlags = FlagSkipped
	if s.Fired {
		flags = 0
		c.reorders++
		c.permuted = true
	}
	if c.tells(stageReorder) {
		r.emit(Reorder{Count: s.Count, Live32: s.Live32, Span: s.Span, Theta: s.Theta, Wall: s.Wall}.Event(), flags)
	}
	return nil
}

// restore puts a reordered batch back in sample order before the caller sees it. The map then lists the
// same samples at their own places, so that the run can go on.
func (r *Runner) restore() error {
	c := &r.run
	if !c.permuted {
		return nil
	}
	c.permuted = false
	if err := r.bound.(Reorderer).Restore(); err != nil {
		c.broken = true
		return fmt.Errorf("restore the order of the samples: %w", err)
	}
	return nil
}
