package cuda

import (
	"runtime"
	"time"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/cuda/ptx"
)

// How a wait goes on: busy at first, since most launches are short, then with rests that keep a stop well under a
// millisecond.
const (
	busyWait      = 200 * time.Microsecond
	rest          = 50 * time.Microsecond
	progressEvery = 10 * time.Millisecond
)

// watch tells somebody how far a launch is while it goes on.
type watch struct {
	before   ptx.Control
	progress func(finished, steps uint64)
	due      time.Time
}

func newWatch(before *ptx.Control, progress func(finished, steps uint64)) *watch {
	return &watch{before: *before, progress: progress, due: time.Now().Add(progressEvery)}
}

// look reads the control block beside the launch. What a thread has run is known when it has ended, so steps are
// those of ended threads only.
func (w *watch) look(b *bound) error {
	lib, d := b.device.lib, b.device
	err := steps(
		func() error {
			return lib.CuMemcpyDtoHAsync(unsafe.Pointer(&b.shared.look), b.ctrlA, int(unsafe.Sizeof(ptx.Control{})), d.side)
		},
		func() error { return lib.CuStreamSynchronize(d.side) },
	)
	if err == nil {
		w.progress(uint64(b.shared.look.Finished-w.before.Finished), b.shared.look.Steps)
	}
	w.due = time.Now().Add(progressEvery)
	return err
}

// wait waits for the stream, tells the lanes when the stop is set, and the watch how far they are.
func (b *bound) wait(stop *engine.Stop, w *watch) error {
	start, told := time.Now(), b.shared.control.cancel != 0
	for {
		through, err := b.device.lib.CuStreamQuery(b.device.stream)
		if through || err != nil {
			return err
		}
		if stop.IsSet() && !told {
			told = true
			if err := b.tell(); err != nil {
				return err
			}
		}
		now := time.Now()
		if w != nil && now.After(w.due) {
			if err := w.look(b); err != nil {
				return err
			}
		}
		if now.Sub(start) < busyWait {
			runtime.Gosched()
		} else {
			time.Sleep(rest)
		}
	}
}

// tell sets the word that stops lanes, beside what goes on in the stream. It is there when tell returns, so that it
// cannot stop a later launch.
func (b *bound) tell() error {
	lib, d := b.device.lib, b.device
	return steps(
		func() error {
			return lib.CuMemcpyHtoDAsync(b.cancelA(), unsafe.Pointer(&b.shared.stop), int(unsafe.Sizeof(b.shared.stop)), d.side)
		},
		func() error { return lib.CuStreamSynchronize(d.side) },
	)
}
