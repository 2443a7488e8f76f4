//go:build !amd64

package jit

import (
	"fmt"
	"runtime"
	"unsafe"
)

func native(uintptr, unsafe.Pointer) { panic("jit: no code runs on " + runtime.GOARCH) }

// Supported says that this machine runs none of the code.
func Supported(Target) error {
	return fmt.Errorf("%w: the processor is %s, not amd64", ErrUnsupported, runtime.GOARCH)
}
