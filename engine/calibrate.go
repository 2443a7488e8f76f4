package engine

import (
	"crypto/sha256"
	"math"
	"sync"
	"time"

	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// defaultR is R for an engine that cannot time a compaction: as dear as one full-live step.
const defaultR = 1

// R is kept within these bounds: a clock that is too coarse must not give 0 or infinity.
const (
	minR = 1.0 / (1 << 20)
	maxR = 1 << 20
)

// calibrationKey says for what R was measured (runner.md, section 4).
type calibrationKey struct {
	engine, device string
	kernel         [sha256.Size]byte // of the printed IR without positions: what fixes the work of a step
	precision      ir.Type
	n              int
}

// calibrations keeps R for the process: the second run of a batch decides like the first, though clocks
// never say the same twice. Nothing is kept on disk.
var calibrations = struct {
	sync.Mutex
	r map[calibrationKey]float64
}{r: map[calibrationKey]float64{}}

// calibratedR is R for this runner's batch, measured once per process; measured events go to trace.
func (r *Runner) calibratedR(o *RunOptions) (float64, error) {
	if known, ok := r.knownR(); ok {
		return known, nil
	}
	c, ok := r.bound.(Calibrator)
	if !ok {
		return defaultR, nil
	}
	compaction, step, err := c.Calibrate()
	if err != nil {
		return 0, err
	}
	rounded := roundR(compaction, step)
	e := CalibrateEvent(compaction, step, rounded)
	e.Generation = o.Generation
	o.Trace.Emit(e)

	key := r.calibrationKey()
	calibrations.Lock()
	defer calibrations.Unlock()
	if known, ok := calibrations.r[key]; ok { // another runner was faster: one answer for all
		return known, nil
	}
	calibrations.r[key] = rounded
	return rounded, nil
}

// knownR is R where it was calibrated before.
func (r *Runner) knownR() (float64, bool) {
	key := r.calibrationKey()
	calibrations.Lock()
	defer calibrations.Unlock()
	known, ok := calibrations.r[key]
	return known, ok
}

func (r *Runner) calibrationKey() calibrationKey {
	return calibrationKey{
		engine: r.engineName, device: r.device, kernel: r.kernelDigest(),
		precision: r.kernel.Precision, n: r.planes.N,
	}
}

// roundR is compaction/step as the nearest power of two on the logarithmic scale, within [minR, maxR].
// A coarse number on purpose: timings vary by a few per cent, decisions must not.
func roundR(compaction, step time.Duration) float64 {
	ratio := float64(max(compaction, 1)) / float64(max(step, 1))
	return min(max(math.Exp2(math.Round(math.Log2(ratio))), minR), maxR)
}

// digestOf is the digest of a kernel, computed when first asked for: a recording may ask while a run does.
func digestOf(k *ir.Kernel) func() [sha256.Size]byte {
	return sync.OnceValue(func() [sha256.Size]byte {
		h := sha256.New()
		// Printing into a hash cannot fail: the kernel is verified and the writer never refuses.
		_ = ir.Print(h, k, false)
		return [sha256.Size]byte(h.Sum(nil))
	})
}
