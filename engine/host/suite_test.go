package host_test

import (
	"fmt"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
	"github.com/eaglet-workbench/eaglet/engine/host"
)

// TestOracles runs the suite on every back end of this machine, with teams of several sizes.
func TestOracles(t *testing.T) {
	for _, name := range host.BackEnds() {
		for _, workers := range teams {
			t.Run(fmt.Sprintf("EAGLET_HOST=%s/workers=%d", name, workers), func(t *testing.T) {
				t.Setenv("EAGLET_HOST", name)
				enginetest.Run(t, func(*testing.T) engine.Engine { return host.New(host.WithWorkers(workers)) })
			})
		}
	}
}
