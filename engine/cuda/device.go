package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/engine/cuda/driver"
	"github.com/eaglet-workbench/eaglet/engine/cuda/ptx"
)

// device is one GPU with its primary context. One goroutine, locked to its thread, owns the context and makes every
// call; it lives as long as the process. Use do from anywhere else.
type device struct {
	lib    *driver.Library
	handle int32
	name   string

	multiprocessors, maxThreads int // maxThreads: resident ones of a multiprocessor

	calls chan func()

	// Of the owner.
	context uintptr
	stream  uintptr // waits for copies, which may return before the device has what they copy
	side    uintptr // does not, for looks at what goes on in stream
	lost    error
	loop    map[string]uintptr // kernels of the run loop
	events  [2]uintptr
}

// library is the driver library, opened and readied once.
var library = sync.OnceValues(func() (*driver.Library, error) {
	lib, err := driver.Open()
	if err != nil {
		return nil, fmt.Errorf("cuda: %w", err)
	}
	if err := lib.CuInit(); err != nil {
		return nil, fmt.Errorf("cuda: the NVIDIA driver does not start: %w: is a GPU plugged in, and does nvidia-smi see it?", err)
	}
	n, err := lib.CuDeviceGetCount()
	if err == nil && n == 0 {
		err = fmt.Errorf("the NVIDIA driver sees no GPU: %w", engine.ErrNoDevice)
	}
	if err != nil {
		return nil, fmt.Errorf("cuda: %w", err)
	}
	return lib, nil
})

var devices = struct {
	sync.Mutex
	open map[int]*device
}{open: map[int]*device{}}

// openDevice is device i of the driver's list, opened once.
func openDevice(i int) (*device, error) {
	lib, err := library()
	if err != nil {
		return nil, err
	}
	devices.Lock()
	defer devices.Unlock()
	if d := devices.open[i]; d != nil {
		return d, nil
	}
	d, err := describe(lib, i)
	if err != nil {
		return nil, err
	}
	d.calls = make(chan func())
	opened := make(chan error)
	go d.own(opened)
	if err := <-opened; err != nil {
		return nil, fmt.Errorf("cuda: open %s: %w", d.name, err)
	}
	devices.open[i] = d
	return d, nil
}

// describe finds out what device i is, without a context.
func describe(lib *driver.Library, i int) (*device, error) {
	d := &device{lib: lib}
	var major, minor, version int
	var bytes int64
	var name string
	err := steps(
		func() (err error) { d.handle, err = lib.CuDeviceGet(i); return err },
		func() (err error) { name, err = lib.CuDeviceGetName(d.handle); return err },
		func() (err error) { bytes, err = lib.CuDeviceTotalMem(d.handle); return err },
		func() (err error) { version, err = lib.CuDriverGetVersion(); return err },
		d.attribute(driver.AttributeMultiprocessors, &d.multiprocessors),
		d.attribute(driver.AttributeMaxThreads, &d.maxThreads),
		d.attribute(driver.AttributeMajor, &major),
		d.attribute(driver.AttributeMinor, &minor),
	)
	if err != nil {
		return nil, fmt.Errorf("cuda: device %d: %w", i, err)
	}
	if major < 7 {
		return nil, fmt.Errorf("cuda: device %d, %s, has compute capability %d.%d: one of 7.0 or later is needed", i, name, major, minor)
	}
	d.name = fmt.Sprintf("%s, %d multiprocessors, %d GiB, compute capability %d.%d, driver for CUDA %d.%d",
		name, d.multiprocessors, bytes>>30, major, minor, version/1000, version%1000/10)
	return d, nil
}

func (d *device) attribute(attribute int, to *int) func() error {
	return func() (err error) {
		*to, err = d.lib.CuDeviceGetAttribute(attribute, d.handle)
		return err
	}
}

// steps makes calls one after the other until one fails.
func steps(calls ...func() error) error {
	for _, call := range calls {
		if err := call(); err != nil {
			return err
		}
	}
	return nil
}

// own is the owner.
func (d *device) own(opened chan<- error) {
	runtime.LockOSThread()
	err := steps(
		func() (err error) { d.context, err = d.lib.CuDevicePrimaryCtxRetain(d.handle); return err },
		func() error { return d.lib.CuCtxSetCurrent(d.context) },
		func() (err error) { d.stream, err = d.lib.CuStreamCreate(0); return err },
		func() (err error) { d.side, err = d.lib.CuStreamCreate(driver.StreamNonBlocking); return err },
		func() (err error) { d.events[0], err = d.lib.CuEventCreate(); return err },
		func() (err error) { d.events[1], err = d.lib.CuEventCreate(); return err },
	)
	opened <- err
	if err != nil {
		return
	}
	for call := range d.calls {
		call()
	}
}

// do has the owner call f, and waits for it. After an error that leaves the context useless every call gives
// [engine.ErrDeviceLost]. Not from within f.
func (d *device) do(f func() error) error {
	done := make(chan error)
	d.calls <- func() {
		if d.lost != nil {
			done <- d.lost
			return
		}
		err := f()
		if r, ok := errors.AsType[*driver.Result](err); ok && r.Lost() {
			d.lost = fmt.Errorf("cuda: %w: %s cannot be used any more in this process (%w); start eaglet anew to use it", engine.ErrDeviceLost, d.name, err)
			err = d.lost
		}
		done <- err
	}
	return <-done
}

// runLoop is a kernel of the run loop, by its name.
func (d *device) runLoop(name string) (uintptr, error) {
	if d.loop == nil {
		module, err := d.load(ptx.Runner())
		if err != nil {
			return 0, fmt.Errorf("the kernels of the run loop: %w", err)
		}
		loop := map[string]uintptr{}
		for _, name := range loopKernels {
			if loop[name], err = d.lib.CuModuleGetFunction(module, name); err != nil {
				return 0, err
			}
		}
		d.loop = loop
	}
	return d.loop[name], nil
}

// loopKernels are the kernels of [ptx.Runner] that are used one by one.
var loopKernels = []string{
	"begin", "compact_count", "compact_write", "reorder_gather", "reorder_copy", "reorder_finish",
	"restore_map", "restore_gather", "restore_copy", "restore_finish",
}

// load compiles a text.
func (d *device) load(text string) (module uintptr, err error) {
	return d.lib.CuModuleLoadDataEx(append([]byte(text), 0))
}

// launch puts a launch into the stream.
func (d *device) launch(function uintptr, blocks, rows, block int, args ...uint64) error {
	a := newArguments(args...)
	return d.lib.CuLaunchKernel(function, blocks, rows, block, d.stream, a.params)
}

// callLoop launches a kernel of the run loop.
func (d *device) callLoop(name string, blocks, rows int, args ...uint64) error {
	f, err := d.runLoop(name)
	if err != nil {
		return err
	}
	return d.launch(f, blocks, rows, ptx.RunnerBlock, args...)
}

// arguments are those of a launch, as the driver takes them.
type arguments struct {
	values []uint64 // one of 32 bits is the low half
	params []unsafe.Pointer
}

func newArguments(values ...uint64) *arguments {
	a := &arguments{values: values, params: make([]unsafe.Pointer, len(values))}
	for i := range values {
		a.params[i] = unsafe.Pointer(&a.values[i])
	}
	return a
}
