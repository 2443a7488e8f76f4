package host

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/eaglet-workbench/eaglet/engine"
)

var (
	_ engine.Persister     = (*bound)(nil)
	_ engine.EntryReporter = (*bound)(nil)
)

func alike(n int32) stops { return func(*rand.Rand) int32 { return n } }

func TestPersistEqualsPlainLoop(t *testing.T) {
	for _, n := range []int{0, 1, 33, 2049} {
		for _, workers := range []int{1, 2, 5} {
			for _, chunk := range []uint32{1, 8, 32, 1000} {
				t.Run(fmt.Sprintf("n=%d/workers=%d/chunk=%d", n, workers, chunk), func(t *testing.T) {
					b := newBatch(t, workers, n, spread)
					for _, upto := range []uint32{40, 90, 200} { // the second and third take up where one ended
						want := b.plain(upto)
						got, err := b.Persist(nil, upto, chunk, nil)
						if err != nil {
							t.Fatal(err)
						}
						want.Wall = got.Wall
						if got.LaunchStats != want {
							t.Errorf("to %d: got %+v, want %+v", upto, got.LaunchStats, want)
						}
						if slots := got.LaneChunks * uint64(chunk); got.SampleSteps > slots {
							t.Errorf("to %d: %d steps in %d lane-chunks of %d", upto, got.SampleSteps, got.LaneChunks, chunk)
						}
						b.check()
					}
				})
			}
		}
	}
}

// TestLanesAreFullWhenEverybodyTakesWholeChunks counts exactly what the interpreter's lanes do; machine code may look
// earlier than a chunk ends, where a lane that is gone was near its last step.
func TestLanesAreFullWhenEverybodyTakesWholeChunks(t *testing.T) {
	t.Setenv(backEndVariable, interpName)
	for _, c := range []struct {
		name  string
		steps int32
		chunk uint32
		fill  float64
	}{
		{"2 chunks of 32", 64, 32, 1},
		{"2 chunks of 32, the last half used", 48, 32, 0.75},
		{"a chunk longer than the run", 16, 64, 0.25},
		{"a rest of the budget shorter than the chunk", 1 << 30, 48, 100.0 / 144},
	} {
		t.Run(c.name, func(t *testing.T) {
			const n = 1500
			b := newBatch(t, 2, n, alike(c.steps))
			clear(b.mask)
			bad := engine.View[int32](b.planes, b.planes.Index("bad"))
			for i := range bad {
				bad[i] = -1
			}
			if _, err := b.Begin(false); err != nil {
				t.Fatal(err)
			}
			s, err := b.Persist(nil, 100, c.chunk, nil)
			if err != nil {
				t.Fatal(err)
			}
			if fill := float64(s.SampleSteps) / float64(uint64(c.chunk)*s.LaneChunks); fill != c.fill {
				t.Errorf("slot fill %v, want %v: %+v", fill, c.fill, s)
			}
			// A worker that the other one was too fast for may have had fewer lanes.
			if lanes := uint64(n) - s.Refills; lanes < uint64(b.work.Lanes) || lanes > uint64(2*b.work.Lanes) {
				t.Errorf("%d samples, %d refills, with 2 workers of %d lanes", n, s.Refills, b.work.Lanes)
			}
		})
	}
}

func TestAStopEndsPersistWithinATrip(t *testing.T) {
	const n, upto, chunk = 2049, 100, 16
	for _, workers := range []int{1, 3} {
		for _, at := range []int64{1, 2, 17, 90} {
			t.Run(fmt.Sprintf("workers=%d/look=%d", workers, at), func(t *testing.T) {
				b := newBatch(t, workers, n, spread)
				var stop engine.Stop
				w := &watched{code: b.code, at: at, act: stop.Set}
				c := *b.program
				c.code, b.program = w, &c
				first, err := b.Persist(&stop, upto, chunk, nil)
				if err != nil || !first.Stopped {
					t.Fatalf("got %+v, %v, want it stopped", first, err)
				}
				if looks := w.looks.Load(); looks > at+int64(3*workers) {
					t.Errorf("%d looks at the stop, it was set at the %dth", looks, at)
				}
				stop.Clear()
				w.at = 0
				rest, err := b.Persist(&stop, upto, chunk, nil)
				if err != nil || rest.Stopped {
					t.Fatal(rest, err)
				}
				want := b.plain(upto)
				if got := first.SampleSteps + rest.SampleSteps; got != want.SampleSteps {
					t.Errorf("%d sample-steps in two parts, %d in one", got, want.SampleSteps)
				}
				b.check()
			})
		}
	}
}

func TestPersistSaysHowFarItIs(t *testing.T) {
	const n = 2000
	b := newBatch(t, 2, n, never)
	var stop engine.Stop
	var calls, last uint64
	s, err := b.Persist(&stop, 1<<30, 32, func(finished, steps uint64) { // ends because of the stop only
		if calls++; calls == 3 {
			stop.Set()
		}
		if finished > n || steps < last {
			t.Errorf("%d samples finished and %d steps run, after %d", finished, steps, last)
		}
		last = steps
	})
	if err != nil {
		t.Fatal(err)
	}
	if !s.Stopped || calls < 3 || last == 0 || last > s.SampleSteps {
		t.Errorf("stopped: %v, %d calls, the last said %d of %d steps", s.Stopped, calls, last, s.SampleSteps)
	}
}

func TestPersistRefusesAChunkOfNoSteps(t *testing.T) {
	b := newBatch(t, 1, 40, never)
	const want = "host: persist kernel count: the chunk is 0 steps: give 1 or more"
	if _, err := b.Persist(nil, 10, 0, nil); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	b.check()
}

func TestEntriesAreReported(t *testing.T) {
	for _, name := range BackEnds() {
		t.Run(name, func(t *testing.T) {
			t.Setenv(backEndVariable, name)
			entriesAreReported(t)
		})
	}
}

func entriesAreReported(t *testing.T) {
	b := newBatch(t, 3, 40, never)
	width := b.code.width()
	if got := b.Resident(); got != uint32(3*width) {
		t.Errorf("%d samples are resident with 3 workers of %d lanes", got, width)
	}
	list := b.EntryReports()
	if len(list) != 2 || list[0].Entry != "fused" || list[1].Entry != "persistent" {
		t.Fatalf("got %+v", list)
	}
	for _, r := range list {
		if !strings.HasPrefix(r.Code, "interpreter") {
			if r.Lanes != width || r.Demand != width || r.Unroll < 1 || r.Lanes%r.Unroll != 0 || r.TextBytes < 100 || r.Registers < 4 || r.Registers > 32 {
				t.Errorf("got %+v", r)
			}
			continue
		}
		if r.Lanes != width || r.Demand != width || r.Unroll != 1 || r.Spills != 0 || r.TextBytes != 0 {
			t.Errorf("got %+v", r)
		}
		// x, k, nstop, bad and what the trip makes of them.
		if r.Registers < 5 || r.Registers > 20 || r.LocalBytes != 8*r.Registers {
			t.Errorf("got %d rows of %d bytes", r.Registers, r.LocalBytes)
		}
	}
}
