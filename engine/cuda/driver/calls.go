package driver

import (
	"math"
	"runtime"
	"strings"
	"unsafe"
)

// CuInit readies the library.
func (l *Library) CuInit() error { return l.check("cuInit", call(l.f.cuInit, 0)) }

// CuDriverGetVersion is the newest CUDA that the driver knows: 12040 is 12.4.
func (l *Library) CuDriverGetVersion() (int, error) {
	var v int32
	err := l.check("cuDriverGetVersion", call(l.f.cuDriverGetVersion, uintptr(unsafe.Pointer(&v))))
	return int(v), err
}

// CuDeviceGetCount is the number of devices.
func (l *Library) CuDeviceGetCount() (int, error) {
	var n int32
	err := l.check("cuDeviceGetCount", call(l.f.cuDeviceGetCount, uintptr(unsafe.Pointer(&n))))
	return int(n), err
}

// CuDeviceGet is the handle of device i.
func (l *Library) CuDeviceGet(i int) (int32, error) {
	var d int32
	err := l.check("cuDeviceGet", call(l.f.cuDeviceGet, uintptr(unsafe.Pointer(&d)), uintptr(i)))
	return d, err
}

// CuDeviceGetName is a device's name.
func (l *Library) CuDeviceGetName(device int32) (string, error) {
	b := make([]byte, 256)
	err := l.check("cuDeviceGetName", call(l.f.cuDeviceGetName, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), uintptr(device)))
	name, _, _ := strings.Cut(string(b), "\x00")
	return name, err
}

// Attributes of a device.
const (
	AttributeClockRate       = 13 // kHz
	AttributeMultiprocessors = 16
	AttributeMaxThreads      = 39 // resident ones of a multiprocessor
	AttributeMajor           = 75
	AttributeMinor           = 76
)

// CuDeviceGetAttribute is a property of a device.
func (l *Library) CuDeviceGetAttribute(attribute int, device int32) (int, error) {
	var v int32
	err := l.check("cuDeviceGetAttribute", call(l.f.cuDeviceGetAttribute, uintptr(unsafe.Pointer(&v)), uintptr(attribute), uintptr(device)))
	return int(v), err
}

// CuDeviceTotalMem is a device's memory in bytes.
func (l *Library) CuDeviceTotalMem(device int32) (int64, error) {
	var n uintptr
	err := l.check("cuDeviceTotalMem", call(l.f.cuDeviceTotalMem, uintptr(unsafe.Pointer(&n)), uintptr(device)))
	return int64(n), err
}

// CuDevicePrimaryCtxRetain is the context that all of a process share.
func (l *Library) CuDevicePrimaryCtxRetain(device int32) (context uintptr, err error) {
	err = l.check("cuDevicePrimaryCtxRetain", call(l.f.cuDevicePrimaryCtxRetain, uintptr(unsafe.Pointer(&context)), uintptr(device)))
	return context, err
}

// CuCtxSetCurrent makes a context that of the calling thread.
func (l *Library) CuCtxSetCurrent(context uintptr) error {
	return l.check("cuCtxSetCurrent", call(l.f.cuCtxSetCurrent, context))
}

// CuCtxSynchronize waits for everything.
func (l *Library) CuCtxSynchronize() error {
	return l.check("cuCtxSynchronize", call(l.f.cuCtxSynchronize))
}

// CuMemGetInfo is the memory of the current device in bytes.
func (l *Library) CuMemGetInfo() (free, total int64, err error) {
	var f, t uintptr
	err = l.check("cuMemGetInfo", call(l.f.cuMemGetInfo, uintptr(unsafe.Pointer(&f)), uintptr(unsafe.Pointer(&t))))
	return int64(f), int64(t), err
}

// Options of compilations.
const (
	optionErrorLog      = 5
	optionErrorLogBytes = 6
)

// logBytes is the room for a log. It is no constant, so that logs lie on the heap, where they stay in place.
var logBytes = 16 << 10

// withLog adds the log of a compilation to its error.
func withLog(err error, log []byte) error {
	if r, ok := err.(*Result); ok {
		text, _, _ := strings.Cut(string(log), "\x00")
		r.Log = strings.TrimSpace(text)
	}
	return err
}

// CuLink compiles PTX text: cuLinkCreate, cuLinkAddData, cuLinkComplete and cuLinkDestroy. The cubin is the caller's.
// An error has the compiler's log.
func (l *Library) CuLink(name, text string) (cubin []byte, err error) {
	log := make([]byte, logBytes)
	defer runtime.KeepAlive(log)
	options := []int32{optionErrorLog, optionErrorLogBytes}
	values := []uintptr{uintptr(unsafe.Pointer(&log[0])), uintptr(len(log))}
	var state uintptr
	err = l.check("cuLinkCreate", call(l.f.cuLinkCreate, uintptr(len(options)), uintptr(unsafe.Pointer(&options[0])),
		uintptr(unsafe.Pointer(&values[0])), uintptr(unsafe.Pointer(&state))))
	if err != nil {
		return nil, err
	}
	const typePTX = 1
	err = l.check("cuLinkAddData", call(l.f.cuLinkAddData, state, typePTX, uintptr(unsafe.Pointer(cString(text))), uintptr(len(text)+1),
		uintptr(unsafe.Pointer(cString(name))), 0, 0, 0))
	var image *byte
	var size uintptr
	if err == nil {
		err = l.check("cuLinkComplete", call(l.f.cuLinkComplete, state, uintptr(unsafe.Pointer(&image)), uintptr(unsafe.Pointer(&size))))
	}
	if err == nil {
		cubin = append(cubin, unsafe.Slice(image, size)...)
	}
	err = withLog(err, log)
	if e := l.check("cuLinkDestroy", call(l.f.cuLinkDestroy, state)); err == nil {
		err = e
	}
	return cubin, err
}

// CuModuleLoadDataEx loads a cubin, or PTX text that ends with a NUL.
func (l *Library) CuModuleLoadDataEx(image []byte) (module uintptr, err error) {
	log := make([]byte, logBytes)
	defer runtime.KeepAlive(log)
	options := []int32{optionErrorLog, optionErrorLogBytes}
	values := []uintptr{uintptr(unsafe.Pointer(&log[0])), uintptr(len(log))}
	err = l.check("cuModuleLoadDataEx", call(l.f.cuModuleLoadDataEx, uintptr(unsafe.Pointer(&module)), uintptr(unsafe.Pointer(&image[0])),
		uintptr(len(options)), uintptr(unsafe.Pointer(&options[0])), uintptr(unsafe.Pointer(&values[0]))))
	return module, withLog(err, log)
}

// CuModuleUnload lets a module go.
func (l *Library) CuModuleUnload(module uintptr) error {
	return l.check("cuModuleUnload", call(l.f.cuModuleUnload, module))
}

// CuModuleGetFunction finds a kernel.
func (l *Library) CuModuleGetFunction(module uintptr, name string) (function uintptr, err error) {
	err = l.check("cuModuleGetFunction "+name, call(l.f.cuModuleGetFunction, uintptr(unsafe.Pointer(&function)), module, uintptr(unsafe.Pointer(cString(name)))))
	return function, err
}

// Attributes of a function.
const (
	FunctionLocalBytes = 3
	FunctionRegisters  = 4
)

// CuFuncGetAttribute is what the compiler made of a function.
func (l *Library) CuFuncGetAttribute(attribute int, function uintptr) (int, error) {
	var v int32
	err := l.check("cuFuncGetAttribute", call(l.f.cuFuncGetAttribute, uintptr(unsafe.Pointer(&v)), uintptr(attribute), function))
	return int(v), err
}

// CuOccupancyMaxActiveBlocksPerMultiprocessor is how many blocks of a size a multiprocessor holds.
func (l *Library) CuOccupancyMaxActiveBlocksPerMultiprocessor(function uintptr, block int) (int, error) {
	var v int32
	err := l.check("cuOccupancyMaxActiveBlocksPerMultiprocessor",
		call(l.f.cuOccupancyMaxActiveBlocksPerMultiprocessor, uintptr(unsafe.Pointer(&v)), function, uintptr(block), 0))
	return int(v), err
}

// CuMemAlloc allocates memory of the device.
func (l *Library) CuMemAlloc(bytes int64) (a Address, err error) {
	err = l.check("cuMemAlloc", call(l.f.cuMemAlloc, uintptr(unsafe.Pointer(&a)), uintptr(bytes)))
	return a, err
}

// CuMemFree frees it.
func (l *Library) CuMemFree(a Address) error {
	return l.check("cuMemFree", call(l.f.cuMemFree, uintptr(a)))
}

// CuMemHostAlloc allocates memory of the host that stays in place, so that copies need not stage it: zeroed by nobody.
func (l *Library) CuMemHostAlloc(bytes int) (p unsafe.Pointer, err error) {
	err = l.check("cuMemHostAlloc", call(l.f.cuMemHostAlloc, uintptr(unsafe.Pointer(&p)), uintptr(bytes), 0))
	return p, err
}

// CuMemFreeHost frees it.
func (l *Library) CuMemFreeHost(p unsafe.Pointer) error {
	return l.check("cuMemFreeHost", call(l.f.cuMemFreeHost, uintptr(p)))
}

// CuMemcpyHtoD copies to the device.
func (l *Library) CuMemcpyHtoD(to Address, from []byte) error {
	if len(from) == 0 {
		return nil
	}
	return l.check("cuMemcpyHtoD", call(l.f.cuMemcpyHtoD, uintptr(to), uintptr(unsafe.Pointer(&from[0])), uintptr(len(from))))
}

// CuMemcpyDtoH copies from the device.
func (l *Library) CuMemcpyDtoH(to []byte, from Address) error {
	if len(to) == 0 {
		return nil
	}
	return l.check("cuMemcpyDtoH", call(l.f.cuMemcpyDtoH, uintptr(unsafe.Pointer(&to[0])), uintptr(from), uintptr(len(to))))
}

// CuMemcpyDtoHAsync copies from the device to memory of [Library.CuMemHostAlloc], when the stream comes to it.
func (l *Library) CuMemcpyDtoHAsync(to unsafe.Pointer, from Address, bytes int, stream uintptr) error {
	return l.check("cuMemcpyDtoHAsync", call(l.f.cuMemcpyDtoHAsync, uintptr(to), uintptr(from), uintptr(bytes), stream))
}

// CuMemcpyHtoDAsync copies to the device from memory of [Library.CuMemHostAlloc], when the stream comes to it.
func (l *Library) CuMemcpyHtoDAsync(to Address, from unsafe.Pointer, bytes int, stream uintptr) error {
	return l.check("cuMemcpyHtoDAsync", call(l.f.cuMemcpyHtoDAsync, uintptr(to), uintptr(from), uintptr(bytes), stream))
}

// CuMemcpyDtoD copies within the device.
func (l *Library) CuMemcpyDtoD(to, from Address, bytes int) error {
	return l.check("cuMemcpyDtoD", call(l.f.cuMemcpyDtoD, uintptr(to), uintptr(from), uintptr(bytes)))
}

// CuMemsetD8 fills memory of the device.
func (l *Library) CuMemsetD8(to Address, value byte, bytes int) error {
	return l.check("cuMemsetD8", call(l.f.cuMemsetD8, uintptr(to), uintptr(value), uintptr(bytes)))
}

// StreamNonBlocking is the flag of a stream that does not wait for the one that copies without a stream go through.
const StreamNonBlocking = 1

// CuStreamCreate makes a stream; flags are 0 or [StreamNonBlocking].
func (l *Library) CuStreamCreate(flags int) (stream uintptr, err error) {
	err = l.check("cuStreamCreate", call(l.f.cuStreamCreate, uintptr(unsafe.Pointer(&stream)), uintptr(flags)))
	return stream, err
}

// CuStreamSynchronize waits for a stream.
func (l *Library) CuStreamSynchronize(stream uintptr) error {
	return l.check("cuStreamSynchronize", call(l.f.cuStreamSynchronize, stream))
}

// CuStreamQuery says whether a stream is through.
func (l *Library) CuStreamQuery(stream uintptr) (through bool, err error) {
	code := call(l.f.cuStreamQuery, stream)
	if code == NotReady {
		return false, nil
	}
	return code == 0, l.check("cuStreamQuery", code)
}

// CuLaunchKernel launches a grid of blocks in one dimension, and rows of them in the other. params are pointers to
// the arguments, which are copied during the call.
func (l *Library) CuLaunchKernel(function uintptr, blocks, rows, block int, stream uintptr, params []unsafe.Pointer) error {
	return l.check("cuLaunchKernel", call(l.f.cuLaunchKernel, function, uintptr(blocks), uintptr(rows), 1,
		uintptr(block), 1, 1, 0, stream, uintptr(unsafe.Pointer(&params[0])), 0))
}

// CuEventCreate makes an event that tells the time.
func (l *Library) CuEventCreate() (event uintptr, err error) {
	err = l.check("cuEventCreate", call(l.f.cuEventCreate, uintptr(unsafe.Pointer(&event)), 0))
	return event, err
}

// CuEventDestroy lets an event go.
func (l *Library) CuEventDestroy(event uintptr) error {
	return l.check("cuEventDestroy", call(l.f.cuEventDestroy, event))
}

// CuEventRecord has the stream note the time when it comes to it.
func (l *Library) CuEventRecord(event, stream uintptr) error {
	return l.check("cuEventRecord", call(l.f.cuEventRecord, event, stream))
}

// CuEventSynchronize waits for an event.
func (l *Library) CuEventSynchronize(event uintptr) error {
	return l.check("cuEventSynchronize", call(l.f.cuEventSynchronize, event))
}

// CuEventElapsedTime is the time between two events in milliseconds.
func (l *Library) CuEventElapsedTime(from, to uintptr) (milliseconds float64, err error) {
	var bits uint32
	err = l.check("cuEventElapsedTime", call(l.f.cuEventElapsedTime, uintptr(unsafe.Pointer(&bits)), from, to))
	return float64(math.Float32frombits(bits)), err
}
