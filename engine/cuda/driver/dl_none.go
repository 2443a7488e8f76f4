//go:build !linux || (!amd64 && !arm64) || nogpu

package driver

import "errors"

func open() (uintptr, error) {
	return 0, errors.New("this build of eaglet has no CUDA: take one for Linux that was built without the tag nogpu")
}

func symbol(uintptr, string) uintptr { return 0 }

//go:uintptrescapes
func call(_ uintptr, _ ...uintptr) int32 { panic("driver: called without a library") }
