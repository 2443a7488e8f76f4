package jit

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// call runs code in executable memory on a frame.
//
//go:noescape
func call(entry uintptr, frame unsafe.Pointer)

func native(entry uintptr, frame unsafe.Pointer) { call(entry, frame) }

// Supported says whether this machine runs the code: nil, or an error that wraps ErrUnsupported. The
// system must save the registers as well, which the flags of package cpu include.
func Supported() error {
	for _, f := range []struct {
		name string
		has  bool
	}{
		{"AVX512F", cpu.X86.HasAVX512F},
		{"AVX512DQ", cpu.X86.HasAVX512DQ},
		{"AVX512VL", cpu.X86.HasAVX512VL},
	} {
		if !f.has {
			return fmt.Errorf("%w: the processor or its system has no %s", ErrUnsupported, f.name)
		}
	}
	return pagesSupported()
}
