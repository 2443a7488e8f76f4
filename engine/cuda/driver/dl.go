//go:build linux && (amd64 || arm64) && !nogpu

package driver

import (
	"fmt"

	"github.com/ebitengine/purego"
)

// name is the driver's library; it comes with the driver and with nothing else.
const name = "libcuda.so.1"

// open opens the library.
func open() (uintptr, error) {
	handle, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return 0, fmt.Errorf("there is no NVIDIA driver here (%w): install one, or use another engine", err)
	}
	return handle, nil
}

// symbol is the address of a function of the library, 0 where it has none of that name.
func symbol(handle uintptr, name string) uintptr {
	at, err := purego.Dlsym(handle, name)
	if err != nil {
		return 0
	}
	return at
}

// call calls a C function whose arguments are integers or pointers.
//
//go:uintptrescapes
func call(fn uintptr, args ...uintptr) int32 {
	r, _, _ := purego.SyscallN(fn, args...)
	return int32(r)
}
