//go:build linux || darwin || freebsd

package jit

import (
	"fmt"
	"sync"
	"syscall"
	"unsafe"
)

// pagesSupported says whether the system allows executable memory: some are hardened against it.
var pagesSupported = sync.OnceValue(func() error {
	page, err := makeExecutable([]byte{0xC3})
	if err != nil {
		return fmt.Errorf("%w: executable memory: %w", ErrUnsupported, err)
	}
	freeExecutable(page)
	return nil
})

// makeExecutable copies code into pages that may be executed and no longer written.
func makeExecutable(code []byte) ([]byte, error) {
	size := (len(code) + syscall.Getpagesize() - 1) &^ (syscall.Getpagesize() - 1)
	page, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	copy(page, code)
	if err := syscall.Mprotect(page, syscall.PROT_READ|syscall.PROT_EXEC); err != nil {
		freeExecutable(page)
		return nil, err
	}
	return page, nil
}

// freeExecutable gives pages back.
func freeExecutable(page []byte) { _ = syscall.Munmap(page) } // nothing could be done about a refusal

func pageAddress(page []byte) uintptr { return uintptr(unsafe.Pointer(&page[0])) }
