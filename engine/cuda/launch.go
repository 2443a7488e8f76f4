package cuda

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/cuda/ptx"
)

// fusedBlock is the threads of a block of every entry but the persistent one.
const fusedBlock = 128

// spread is a grid of blocks of [ptx.RunnerBlock] that goes over n slots, some waves of it.
func (d *device) spread(n int) int {
	return max(1, min((n+ptx.RunnerBlock-1)/ptx.RunnerBlock, 8*d.multiprocessors))
}

// Launch runs every unfinished sample of the active map until its steps taken reach upto.
func (b *bound) Launch(stop *engine.Stop, upto uint32) (engine.LaunchStats, error) {
	kind := ptx.Fused
	if upto-b.from == 1 && !b.uneven {
		kind = ptx.Single
	}
	if b.mapA != 0 {
		kind += ptx.SingleActive - ptx.Single
	}
	return b.run("launch", stop, kind, upto, nil)
}

// Pass runs every unfinished sample until its steps taken reach upto: each thread its own, to its end.
func (b *bound) Pass(stop *engine.Stop, upto uint32, progress func(finished, steps uint64)) (engine.LaunchStats, error) {
	return b.run("pass", stop, ptx.Fused, upto, progress)
}

// run makes one launch of an entry that has a thread for every slot.
func (b *bound) run(phase string, stop *engine.Stop, kind ptx.Kind, upto uint32, progress func(finished, steps uint64)) (s engine.LaunchStats, err error) {
	start := time.Now()
	err = b.device.do(func() (err error) {
		if err = b.enter(); err != nil {
			return err
		}
		live, err := b.live(upto)
		if err != nil || live == 0 {
			return err
		}
		slots := b.planes.N
		if kind == ptx.SingleActive || kind == ptx.FusedActive {
			slots = int(b.counters.Active)
		}
		full := upto - b.from
		if kind == ptx.Single || kind == ptx.SingleActive {
			full = 1
		}
		s, err = b.advance(stop, kind, (slots+fusedBlock-1)/fusedBlock, fusedBlock, upto, progress)
		if err == nil {
			s.SampleSteps, s.Longest = b.control.Launch(live, full)
			s.Stopped = b.control.Stopped > 0
			err = b.after(upto, s.Stopped)
		}
		return err
	})
	s.Wall = time.Since(start)
	if err != nil {
		err = fmt.Errorf("cuda: %s of kernel %s: %w", phase, b.kernel.Name, err)
	}
	return s, err
}

// live is how many samples a launch to upto is for. Where all have taken as many steps, that is who is not finished.
func (b *bound) live(upto uint32) (uint32, error) {
	unfinished := uint32(b.planes.N) - b.counters.Finished
	if unfinished == 0 || !b.uneven || b.taken == nil {
		if !b.uneven && upto <= b.from {
			return 0, nil
		}
		return unfinished, nil
	}
	mask, taken := make([]byte, b.planes.N), make([]uint32, b.planes.N)
	err := steps(
		func() error { return b.device.lib.CuMemcpyDtoH(mask, b.maskA) },
		func() error { return b.device.lib.CuMemcpyDtoH(bytesOf(taken), b.takenA) },
	)
	live := uint32(0)
	for i, m := range mask {
		if m == 0 && taken[i] < upto {
			live++
		}
	}
	return live, err
}

// Persist is the persistent entry: one launch on as many threads as the device holds, which claim samples.
func (b *bound) Persist(stop *engine.Stop, upto, chunk uint32, progress func(finished, steps uint64)) (s engine.PersistStats, err error) {
	start := time.Now()
	if chunk == 0 {
		return s, fmt.Errorf("cuda: persist kernel %s: %w", b.kernel.Name, errNoChunk)
	}
	err = b.device.do(func() (err error) {
		if err = b.enter(); err != nil {
			return err
		}
		live, err := b.live(upto)
		if err != nil || live == 0 {
			return err
		}
		grid, err := b.grid(b.block)
		if err != nil {
			return err
		}
		b.control.Chunk = chunk
		grid = max(1, min(grid, (b.planes.N+b.block-1)/b.block))
		s.LaunchStats, err = b.advance(stop, ptx.Persistent, grid, b.block, upto, progress)
		if err == nil {
			c := &b.control
			s.LaneChunks, s.Refills = c.LaneChunks, uint64(c.Refills)
			s.SampleSteps, s.Longest = c.Steps, c.Longest
			s.Stopped = c.Stopped > 0 || (stop.IsSet() && c.Next < c.N)
			err = b.after(upto, s.Stopped)
		}
		return err
	})
	s.Wall = time.Since(start)
	if err != nil {
		err = fmt.Errorf("cuda: persist kernel %s: %w", b.kernel.Name, err)
	}
	return s, err
}

var errNoChunk = errors.New("the chunk is 0 steps: give 1 or more")

// advance launches an entry and reads back what the samples did.
func (b *bound) advance(stop *engine.Stop, kind ptx.Kind, grid, block int, upto uint32, progress func(finished, steps uint64)) (s engine.LaunchStats, err error) {
	c := &b.control
	before := *c
	c.Upto, c.From = upto, b.from
	b.clearLaunch()
	args := b.arguments(0, b.planes.N)
	var watch *watch
	if progress != nil {
		watch = newWatch(&before, progress)
	}
	b.behind, b.fewer = true, true
	err = b.turnWatched(stop, watch, func() error {
		return b.device.lib.CuLaunchKernel(b.entries[kind], max(grid, 1), 1, block, b.device.stream, args.params)
	})
	if err != nil {
		return s, err
	}
	s.Newly, s.Faulted, s.LastStop = c.Finished-before.Finished, c.Faulted-before.Faulted, c.LastStop
	b.counters.Finished, b.counters.Faulted = c.Finished, c.Faulted
	return s, nil
}

// clearLaunch clears what a launch counts.
func (b *bound) clearLaunch() {
	c := &b.control
	c.Short, c.Deficit, c.Longest, c.LastStop = 0, 0, 0, 0
	c.Next, c.LaneChunks, c.Steps, c.Refills, c.Stopped = 0, 0, 0, 0, 0
	c.Ran, c.Fired = 0, 0
}

// after is what follows a launch to upto.
func (b *bound) after(upto uint32, stopped bool) error {
	if b.uneven = stopped && b.taken != nil; !stopped {
		b.from = max(b.from, upto)
	}
	if b.control.Faulted > 0 && b.faultsA != 0 {
		if err := b.readFaults(); err != nil {
			return err
		}
	}
	return b.leave()
}

// arguments are those of the entries, for the slots [start, end).
func (b *bound) arguments(start, end int) *arguments {
	taken := uint64(b.takenA)
	if b.taken == nil {
		taken = 0
	}
	list := []uint64{
		uint64(b.planes.N), uint64(start), uint64(end), uint64(b.ctrlA), uint64(b.cancelA()), uint64(b.maskA),
		taken, uint64(b.faultsA), uint64(b.mapA), uint64(b.outA),
	}
	for _, a := range b.planesA {
		list = append(list, uint64(a))
	}
	return newArguments(append(list, tableCells(b.planes)...)...)
}

// turn gives the device the control block, has it do what f launches, and takes the block back. A stop is told to the
// lanes.
func (b *bound) turn(stop *engine.Stop, f func() error) error { return b.turnWatched(stop, nil, f) }

func (b *bound) turnWatched(stop *engine.Stop, w *watch, f func() error) error {
	lib, d := b.device.lib, b.device
	b.shared.control = controls{block: b.control}
	if stop.IsSet() {
		b.shared.control.cancel = 1
	}
	sent, back := int(unsafe.Sizeof(controls{})), int(unsafe.Sizeof(ptx.Control{}))
	err := steps(
		func() error {
			return lib.CuMemcpyHtoDAsync(b.ctrlA, unsafe.Pointer(&b.shared.control), sent, d.stream)
		},
		f,
		func() error {
			return lib.CuMemcpyDtoHAsync(unsafe.Pointer(&b.shared.control), b.ctrlA, back, d.stream)
		},
		func() error { return b.wait(stop, w) },
	)
	b.control = b.shared.control.block
	return err
}
