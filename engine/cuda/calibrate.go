package cuda

import (
	"fmt"
	"time"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/engine/cuda/driver"
	"github.com/eaglet-workbench/eaglet/engine/cuda/ptx"
)

// What a calibration works on at most, and how.
const (
	calibrateSteps = 8 // so that loading and storing, which a step does not have, count little
	calibrateTries = 5
)

// Calibrate times one compaction of the mask and one full-live step of the batch, on copies: of the mask, and of the
// planes of the first samples, as many as the device holds at a time. Times are those of the device's events.
func (b *bound) Calibrate() (compaction, step time.Duration, err error) {
	n := b.planes.N
	if n == 0 {
		return 1, 1, nil
	}
	err = b.device.do(func() error {
		if err := b.enter(); err != nil {
			return err
		}
		if compaction, err = b.timeCompaction(); err != nil {
			return err
		}
		step, err = b.timeStep(min(n, b.device.multiprocessors*b.device.maxThreads))
		return err
	})
	if err != nil {
		err = fmt.Errorf("cuda: calibrate kernel %s: %w", b.kernel.Name, err)
	}
	return compaction, step, err
}

// timed is the least of some tries of what f puts into the stream.
func (d *device) timed(ready, f func() error) (time.Duration, error) {
	best := time.Duration(1<<63 - 1)
	for range calibrateTries {
		var ms float64
		err := steps(ready,
			func() error { return d.lib.CuEventRecord(d.events[0], d.stream) },
			f,
			func() error { return d.lib.CuEventRecord(d.events[1], d.stream) },
			func() error { return d.lib.CuEventSynchronize(d.events[1]) },
			func() (err error) { ms, err = d.lib.CuEventElapsedTime(d.events[0], d.events[1]); return err },
		)
		if err != nil {
			return 0, err
		}
		best = min(best, max(1, time.Duration(ms*1e6)))
	}
	return best, nil
}

func (b *bound) timeCompaction() (best time.Duration, err error) {
	n, d := b.planes.N, b.device
	var room heap
	defer func() {
		if e := room.free(d); err == nil {
			err = e
		}
	}()
	var at [4]driver.Address
	for i, bytes := range []int{int(unsafe.Sizeof(ptx.Control{})), 4 * n, 4 * n, 4 * (tiles(n) + 1)} {
		if at[i], err = room.alloc(d, bytes); err != nil {
			return 0, err
		}
	}
	control := ptx.Control{N: uint32(n), Span: uint32(n), Count: uint32(n), Finished: 1}
	ready := func() error { return d.lib.CuMemcpyHtoD(at[0], control.Bytes()) }
	return d.timed(ready, func() error { return b.compact(at[0], b.maskA, at[1], at[2], at[3], n) })
}

func (b *bound) timeStep(size int) (best time.Duration, err error) {
	d := b.device
	var room heap
	defer func() {
		if e := room.free(d); err == nil {
			err = e
		}
	}()
	trial := &bound{program: b.program, planes: b.planes, shared: b.shared}
	for _, m := range []struct {
		at    *driver.Address
		bytes int
	}{{&trial.ctrlA, int(unsafe.Sizeof(controls{}))}, {&trial.maskA, size}} {
		if *m.at, err = room.alloc(d, m.bytes); err != nil {
			return 0, err
		}
	}
	for i := range b.planes.Spec {
		p := &b.planes.Spec[i]
		a := b.planesA[i]
		if perSample(p) {
			if a, err = room.alloc(d, size*p.Width()*p.Type.Bytes()); err != nil {
				return 0, err
			}
		}
		trial.planesA = append(trial.planesA, a)
	}
	args := trial.arguments(0, size)
	args.values[0] = uint64(size)
	control := []controls{{block: ptx.Control{N: uint32(size), Upto: calibrateSteps}}}
	ready := func() error {
		return steps(
			func() error { return b.copyFirst(trial.planesA, size) },
			func() error { return d.lib.CuMemsetD8(trial.maskA, 0, size) },
			func() error { return d.lib.CuMemcpyHtoD(trial.ctrlA, bytesOf(control)) },
		)
	}
	best, err = d.timed(ready, func() error {
		return d.lib.CuLaunchKernel(b.entries[ptx.Fused], (size+fusedBlock-1)/fusedBlock, 1, fusedBlock, d.stream, args.params)
	})
	return max(1, time.Duration(float64(best)/calibrateSteps*float64(b.planes.N)/float64(size))), err
}

// copyFirst copies the first size samples of the planes.
func (b *bound) copyFirst(to []driver.Address, size int) error {
	for i := range b.planes.Spec {
		p := &b.planes.Spec[i]
		if !perSample(p) {
			continue
		}
		row, part := b.planes.N*p.Type.Bytes(), size*p.Type.Bytes()
		for comp := range p.Width() {
			if err := b.device.lib.CuMemcpyDtoD(to[i]+driver.Address(comp*part), b.planesA[i]+driver.Address(comp*row), part); err != nil {
				return err
			}
		}
	}
	return nil
}
