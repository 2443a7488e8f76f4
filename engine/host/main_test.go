package host

import (
	"os"
	"testing"
	"time"
)

// TestMain makes every team work, however small the batch: what a call costs must not decide what is tested.
func TestMain(m *testing.M) {
	serialBelow = 0
	os.Exit(m.Run())
}

func TestShortCallsStaySerial(t *testing.T) {
	serialBelow = 12 * time.Microsecond
	defer func() { serialBelow = 0 }()
	for _, c := range []struct {
		name    string
		wall    time.Duration // of the last call
		workers int
		samples int
		steps   uint64
		whole   bool
		word    uint32 // of the next one, of as many samples
		alone   bool
	}{
		{"nothing has been run", 0, 1, 0, 0, true, 1, false},
		{"a short launch", 100 * time.Microsecond, 1, 1000, 100_000, false, 8, true},
		{"a long one of the same batch", 100 * time.Microsecond, 1, 1000, 100_000, false, 64, false},
		{"a pass whose samples stop early", 10 * time.Microsecond, 1, 1000, 10_000, true, 10_000, true},
		{"a pass that the limit ended", 10 * time.Microsecond, 1, 1000, 10_000, false, 10_000, false},
		{"half the wall with two workers is no shorter", 10 * time.Microsecond, 2, 1000, 10_000, true, 10_000, false},
		{"more steps than fit a product", time.Second, 1, 1 << 31, 1 << 40, false, 1 << 31, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var k cost
			k.learn(c.wall, c.workers, c.samples, c.steps, c.whole)
			if got := k.alone(c.samples, c.word); got != c.alone {
				t.Errorf("alone: %v, want %v; a step costs %v/1024, a sample takes %d", got, c.alone, k.perStep, k.mean)
			}
		})
	}
}
