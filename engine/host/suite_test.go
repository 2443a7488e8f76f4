package host_test

import (
	"fmt"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
	"github.com/eaglet-workbench/eaglet/engine/host"
)

// TestOracles runs the suite on every back end of this machine: the best with teams of several sizes, the others with
// the largest.
func TestOracles(t *testing.T) {
	for i, name := range host.BackEnds() {
		sizes := teams
		if i > 0 {
			sizes = teams[len(teams)-1:]
		}
		for _, workers := range sizes {
			t.Run(fmt.Sprintf("EAGLET_HOST=%s/workers=%d", name, workers), func(t *testing.T) {
				t.Setenv("EAGLET_HOST", name)
				enginetest.Run(t, func(*testing.T) engine.Engine { return host.New(host.WithWorkers(workers)) })
			})
		}
	}
}
