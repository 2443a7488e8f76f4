package engine_test

import (
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
)

// BenchmarkEmit is what one event costs.
func BenchmarkEmit(b *testing.B) {
	trace := engine.NewTrace(1 << 12)
	e := engine.Launch{Number: 1, Word: 16}.Event()
	for b.Loop() {
		trace.Emit(e)
	}
}
