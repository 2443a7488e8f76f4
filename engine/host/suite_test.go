package host_test

import (
	"fmt"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/enginetest"
	"github.com/eaglet-workbench/eaglet/engine/host"
)

func TestOracles(t *testing.T) {
	for _, workers := range teams {
		t.Run(fmt.Sprintf("workers=%d", workers), func(t *testing.T) {
			enginetest.Run(t, func(*testing.T) engine.Engine { return host.New(host.WithWorkers(workers)) })
		})
	}
}
