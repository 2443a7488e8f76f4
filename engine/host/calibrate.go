package host

import (
	"time"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// What a calibration works on at most, and how: the best of some tries, since a busy machine only ever
// adds time.
const (
	calibrateSamples = 4096
	calibrateMask    = 1 << 20 // bytes
	calibrateSteps   = 8       // so that loading and storing, which a step does not have, count little
	calibrateTries   = 5
)

// Calibrate times one compaction of the mask and one full-live step of the batch. It works on a copy of
// the first samples, and scales to n what it finds; planes and mask are not touched.
func (b *bound) Calibrate() (compaction, step time.Duration, err error) {
	n := b.planes.N
	if n == 0 {
		return 1, 1, nil
	}
	compaction = b.timeCompaction(min(n, calibrateMask))
	step, err = b.timeStep(min(n, calibrateSamples))
	return compaction, step, err
}

func (b *bound) timeCompaction(size int) time.Duration {
	slots := make([]uint32, size)
	best := time.Duration(1<<63 - 1)
	for range calibrateTries {
		start := time.Now()
		compact(b.mask[:size], slots)
		best = min(best, time.Since(start))
	}
	return scale(best, b.planes.N, uint64(size))
}

func (b *bound) timeStep(size int) (time.Duration, error) {
	best := time.Duration(1<<63 - 1)
	for range calibrateTries {
		trial := &bound{
			program: b.program, planes: firstSamples(b.planes, size), mask: make([]byte, size),
			taken: make([]uint32, size), team: b.team, counters: engine.Counters{Active: uint32(size)},
		}
		start := time.Now()
		trial.prepare(nil, calibrateSteps, size)
		s, err := trial.finishLaunch(start, trial.runTeam("calibrate"))
		if err != nil {
			return 0, err
		}
		best = min(best, scale(s.Wall, b.planes.N, s.SampleSteps))
	}
	return best, nil
}

// scale is the time of n units when count took d; at least 1 ns, so that a coarse clock gives no zero.
func scale(d time.Duration, n int, count uint64) time.Duration {
	return max(1, time.Duration(float64(d)*float64(n)/float64(max(count, 1))))
}

// firstSamples copies the first size samples of a batch.
func firstSamples(p *engine.Planes, size int) *engine.Planes {
	c := engine.NewPlanes(p.Spec, size)
	for i := range p.Spec {
		src, dst := p.Bytes(i), c.Bytes(i)
		if p.Spec[i].Role == ir.RoleParam || p.Spec[i].Role == ir.RoleTable {
			copy(dst, src)
			continue
		}
		row, part := p.N*p.Spec[i].Type.Bytes(), size*p.Spec[i].Type.Bytes()
		for comp := range p.Spec[i].Width() {
			copy(dst[comp*part:(comp+1)*part], src[comp*row:])
		}
	}
	return c
}
