package session

import (
	"fmt"

	"github.com/eaglet-workbench/eaglet/engine"
)

// ListingQuery asks for the code that runs, as text: *engine.Listing. Target "" is the one that runs here. Also during
// a run.
type ListingQuery struct{ Target string }

func (ListingQuery) isQuery() {}

// glance takes the program only: the run does not wait for the text.
func (q ListingQuery) glance(s *still) (rest, error) {
	l, ok := s.program.(engine.Lister)
	if !ok {
		return nil, fmt.Errorf("engine %s does not show its code", s.engine)
	}
	return func(*engine.Stop) (any, error) { return l.Listing(q.Target) }, nil
}
