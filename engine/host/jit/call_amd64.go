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

// Supported says whether this machine runs code of a target: nil, or an error that wraps ErrUnsupported.
// The system must save the registers as well, which the flags of package cpu include.
func Supported(t Target) error {
	type feature struct {
		name string
		has  bool
	}
	features := map[Target][]feature{
		AVX512: {{"AVX512F", cpu.X86.HasAVX512F}, {"AVX512DQ", cpu.X86.HasAVX512DQ}, {"AVX512VL", cpu.X86.HasAVX512VL}},
		AVX2:   {{"AVX2", cpu.X86.HasAVX2}, {"FMA", cpu.X86.HasFMA}},
	}[t]
	if features == nil {
		return fmt.Errorf("%w: there is no %v", ErrUnsupported, t)
	}
	for _, f := range features {
		if !f.has {
			return fmt.Errorf("%w: the processor or its system has no %s", ErrUnsupported, f.name)
		}
	}
	return pagesSupported()
}
