package interp

import (
	"fmt"
	"testing"
)

func TestChunksRunEqualsPlainLoop(t *testing.T) {
	for _, n := range []int{1, 9, 33, 1000} {
		start := oscillators(t, n, stopSpread)
		want := start.clone()
		p := want.plain()
		for i := range n {
			p.run(i, 60)
		}
		for _, width := range []int{1, 8, 0} {
			for _, chunk := range []uint32{1, 3, 8, 32, 1000} {
				t.Run(fmt.Sprintf("n=%d/width=%d/chunk=%d", n, width, chunk), func(t *testing.T) {
					got := start.clone()
					m := compileWidth(got.k, width).NewMachine()
					w := got.work(60)
					w.Chunk = chunk
					r := m.Run(w)
					same(t, got, want)
					if most := r.LaneChunks * uint64(chunk); r.SampleSteps > most {
						t.Errorf("%d steps in %d lane-chunks of %d", r.SampleSteps, r.LaneChunks, chunk)
					}
					if lanes := min(n, m.width); r.Refills != uint64(n-lanes) {
						t.Errorf("%d refills of %d lanes for %d samples", r.Refills, lanes, n)
					}
					r.LaneChunks, r.Refills = 0, 0
					checkResult(t, r, start, want, nil)
				})
			}
		}
	}
}

func TestLaneChunksAreCounted(t *testing.T) {
	for _, c := range []struct {
		name             string
		n, width         int
		chunk            uint32
		stop             func(i int) uint64
		laneChunks, more uint64
	}{
		{"everybody takes 20 steps: 2 chunks of 8 and a short one", 33, 8, 8, func(int) uint64 { return 20 }, 33 * 3, 25},
		{"one chunk is enough", 33, 8, 20, func(int) uint64 { return 20 }, 33, 25},
		{"a chunk of 1 wastes nothing", 33, 8, 1, func(int) uint64 { return 20 }, 33 * 20, 25},
		// Two lanes: sample 0 goes on, sample 1 is gone after 1 step, its lane waits for the look after 4;
		// then sample 2 joins for 1 chunk, and so on.
		{"a lane waits for the next look", 4, 2, 4, func(i int) uint64 { return []uint64{12, 1, 1, 1}[i] }, 3 + 3, 2},
		// Both lanes are gone after 2 steps: nobody waits for the rest of the chunk.
		{"no lane is left before the look", 4, 2, 4, func(int) uint64 { return 2 }, 4, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := oscillators(t, c.n, c.stop)
			w := b.work(60)
			w.Chunk, w.Lanes = c.chunk, c.width
			r := compileWidth(b.k, 8).NewMachine().Run(w)
			if r.LaneChunks != c.laneChunks || r.Refills != c.more {
				t.Errorf("got %d lane-chunks and %d refills, want %d and %d", r.LaneChunks, r.Refills, c.laneChunks, c.more)
			}
		})
	}
}

func TestChunksClaimNoMoreThanThereAreLanes(t *testing.T) {
	b := oscillators(t, 100, func(int) uint64 { return 30 })
	w := b.work(60)
	w.Chunk, w.Lanes = 8, 16
	stop := new(countStop)
	stop.left.Store(3) // before the claim, and before trips 1 and 2
	w.Stop = stop
	r := compileWidth(b.k, 32).NewMachine().Run(w)
	if lo, _ := w.Next.claim(1); lo != 16 || !r.Stopped || r.SampleSteps != 32 {
		t.Errorf("the next position is %d after %+v, want 16 claimed and 2 steps of each", lo, r)
	}
}
