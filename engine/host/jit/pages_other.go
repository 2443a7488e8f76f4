//go:build !(linux || darwin || freebsd)

package jit

import (
	"fmt"
	"runtime"
)

func pagesSupported() error {
	return fmt.Errorf("%w: executable memory is not known on %s", ErrUnsupported, runtime.GOOS)
}

func makeExecutable([]byte) ([]byte, error) { return nil, pagesSupported() }
func freeExecutable([]byte)                 {}
func pageAddress([]byte) uintptr            { return 0 }
