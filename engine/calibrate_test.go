package engine

import (
	"testing"
	"time"
)

func TestRoundR(t *testing.T) {
	for _, c := range []struct {
		name             string
		compaction, step time.Duration
		want             float64
	}{
		{"a power of two stays", 250, 1000, 0.25},
		{"a little more is the same", 300, 1000, 0.25},
		{"up from sqrt(2) times", 354, 1000, 0.5},
		{"a compaction dearer than a step", 3000, 1000, 4},
		{"a clock too coarse for the compaction", 0, 1000, 0x1p-10},
		{"a clock too coarse for the step", 1000, 0, 1024},
		{"a clock that sees nothing", 0, 0, 1},
		{"never below the least", 1, time.Hour, minR},
		{"never above the most", time.Hour, 1, maxR},
	} {
		if got := roundR(c.compaction, c.step); got != c.want {
			t.Errorf("%s: %v/%v gives %g, want %g", c.name, c.compaction, c.step, got, c.want)
		}
	}
}
