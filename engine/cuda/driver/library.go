package driver

import (
	"fmt"
	"strings"
	"unsafe"
)

// Address is a place in the memory of a device.
type Address uint64

// Library is the opened driver library. It is safe for concurrent use.
type Library struct {
	f table
}

// table holds the addresses of the functions, by their C names without version suffixes.
type table struct {
	cuInit, cuDriverGetVersion, cuGetErrorName, cuGetErrorString                               uintptr
	cuDeviceGet, cuDeviceGetCount, cuDeviceGetName, cuDeviceGetAttribute, cuDeviceTotalMem     uintptr
	cuDevicePrimaryCtxRetain, cuCtxSetCurrent, cuCtxSynchronize, cuMemGetInfo                  uintptr
	cuModuleLoadDataEx, cuModuleUnload, cuModuleGetFunction, cuFuncGetAttribute                uintptr
	cuOccupancyMaxActiveBlocksPerMultiprocessor                                                uintptr
	cuLinkCreate, cuLinkAddData, cuLinkComplete, cuLinkDestroy                                 uintptr
	cuMemAlloc, cuMemFree, cuMemHostAlloc, cuMemFreeHost                                       uintptr
	cuMemcpyHtoD, cuMemcpyDtoH, cuMemcpyDtoD, cuMemcpyDtoHAsync, cuMemcpyHtoDAsync, cuMemsetD8 uintptr
	cuStreamCreate, cuStreamDestroy, cuStreamSynchronize, cuStreamQuery, cuLaunchKernel        uintptr
	cuEventCreate, cuEventDestroy, cuEventRecord, cuEventSynchronize, cuEventElapsedTime       uintptr
}

// symbolEntry is a function of the library: its exact symbol and where its address goes.
type symbolEntry struct {
	symbol string
	at     *uintptr
}

func (t *table) symbols() []symbolEntry {
	return []symbolEntry{
		{"cuInit", &t.cuInit},
		{"cuDriverGetVersion", &t.cuDriverGetVersion},
		{"cuGetErrorName", &t.cuGetErrorName},
		{"cuGetErrorString", &t.cuGetErrorString},
		{"cuDeviceGet", &t.cuDeviceGet},
		{"cuDeviceGetCount", &t.cuDeviceGetCount},
		{"cuDeviceGetName", &t.cuDeviceGetName},
		{"cuDeviceGetAttribute", &t.cuDeviceGetAttribute},
		{"cuDeviceTotalMem_v2", &t.cuDeviceTotalMem},
		{"cuDevicePrimaryCtxRetain", &t.cuDevicePrimaryCtxRetain},
		{"cuCtxSetCurrent", &t.cuCtxSetCurrent},
		{"cuCtxSynchronize", &t.cuCtxSynchronize},
		{"cuMemGetInfo_v2", &t.cuMemGetInfo},
		{"cuModuleLoadDataEx", &t.cuModuleLoadDataEx},
		{"cuModuleUnload", &t.cuModuleUnload},
		{"cuModuleGetFunction", &t.cuModuleGetFunction},
		{"cuFuncGetAttribute", &t.cuFuncGetAttribute},
		{"cuOccupancyMaxActiveBlocksPerMultiprocessor", &t.cuOccupancyMaxActiveBlocksPerMultiprocessor},
		{"cuLinkCreate_v2", &t.cuLinkCreate},
		{"cuLinkAddData_v2", &t.cuLinkAddData},
		{"cuLinkComplete", &t.cuLinkComplete},
		{"cuLinkDestroy", &t.cuLinkDestroy},
		{"cuMemAlloc_v2", &t.cuMemAlloc},
		{"cuMemFree_v2", &t.cuMemFree},
		{"cuMemHostAlloc", &t.cuMemHostAlloc},
		{"cuMemFreeHost", &t.cuMemFreeHost},
		{"cuMemcpyHtoD_v2", &t.cuMemcpyHtoD},
		{"cuMemcpyDtoH_v2", &t.cuMemcpyDtoH},
		{"cuMemcpyDtoD_v2", &t.cuMemcpyDtoD},
		{"cuMemcpyDtoHAsync_v2", &t.cuMemcpyDtoHAsync},
		{"cuMemcpyHtoDAsync_v2", &t.cuMemcpyHtoDAsync},
		{"cuMemsetD8_v2", &t.cuMemsetD8},
		{"cuStreamCreate", &t.cuStreamCreate},
		{"cuStreamDestroy_v2", &t.cuStreamDestroy},
		{"cuStreamSynchronize", &t.cuStreamSynchronize},
		{"cuStreamQuery", &t.cuStreamQuery},
		{"cuLaunchKernel", &t.cuLaunchKernel},
		{"cuEventCreate", &t.cuEventCreate},
		{"cuEventDestroy_v2", &t.cuEventDestroy},
		{"cuEventRecord", &t.cuEventRecord},
		{"cuEventSynchronize", &t.cuEventSynchronize},
		{"cuEventElapsedTime", &t.cuEventElapsedTime},
	}
}

// Open opens the library and finds its functions. The error says what is missing.
func Open() (*Library, error) {
	handle, err := open()
	if err != nil {
		return nil, err
	}
	return resolve(func(name string) uintptr { return symbol(handle, name) })
}

// resolve finds every function.
func resolve(symbol func(name string) uintptr) (*Library, error) {
	l := &Library{}
	var old []string
	for _, s := range l.f.symbols() {
		*s.at = symbol(s.symbol)
		if *s.at == 0 {
			old = append(old, s.symbol)
		}
	}
	if len(old) > 0 {
		return nil, fmt.Errorf("the NVIDIA driver is too old, it lacks %s: install one for CUDA 11.4 or later", strings.Join(old, ", "))
	}
	return l, nil
}

// check makes an error of a result.
func (l *Library) check(name string, code int32) error {
	if code == 0 {
		return nil
	}
	r := &Result{Call: name, Code: code}
	r.Name = l.words(l.f.cuGetErrorName, code)
	r.Text = l.words(l.f.cuGetErrorString, code)
	return r
}

// words is what cuGetErrorName or cuGetErrorString says about a code.
func (l *Library) words(fn uintptr, code int32) string {
	var text *byte
	if fn == 0 || call(fn, uintptr(code), uintptr(unsafe.Pointer(&text))) != 0 || text == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(text), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(text, n))
}

// cString is s with a NUL.
func cString(s string) *byte {
	b := make([]byte, len(s)+1)
	copy(b, s)
	return &b[0]
}
