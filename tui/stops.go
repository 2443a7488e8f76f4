package tui

import (
	"context"
	"fmt"

	"github.com/eaglet-workbench/eaglet/engine/counting"
	"github.com/eaglet-workbench/eaglet/session"
)

// lookAtStops asks the session when samples stopped.
func lookAtStops(ctx context.Context, from Session) (*session.Stops, error) {
	answer, err := from.Look(ctx, session.StopsQuery{})
	if err != nil {
		return nil, err
	}
	stops, ok := answer.(*session.Stops)
	if !ok {
		return nil, fmt.Errorf("the session answered %T to a question about stops", answer)
	}
	return stops, nil
}

// stopSteps are stops as they are counted, by sample: 0 when it was finished before the run, Never while it is
// live, and for a fault the step that it happened in.
func stopSteps(s *session.Stops) []uint32 {
	out := make([]uint32, len(s.Taken))
	for i, taken := range s.Taken {
		switch {
		case s.Mask[i] == 0:
			out[i] = counting.Never
		case s.Mask[i] == 2:
			out[i] = taken + 1
		default:
			out[i] = taken
		}
	}
	return out
}
