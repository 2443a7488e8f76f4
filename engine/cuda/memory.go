package cuda

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/eaglet-workbench/eaglet/engine/cuda/driver"
	"github.com/eaglet-workbench/eaglet/kernels/ir"
)

// MemoryError says that a batch does not fit the memory of a device.
type MemoryError struct {
	NeedBytes, FreeBytes int64
	Device               string
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("the batch needs %s of device memory, %s are free on %s: take fewer samples, or the host engine",
		mebibytes(e.NeedBytes), mebibytes(e.FreeBytes), e.Device)
}

func mebibytes(b int64) string { return fmt.Sprintf("%.1f MiB", float64(b)/(1<<20)) }

// reservedBytes of the device's memory are left to the driver: code, local memory of threads, other programs' windows.
const reservedBytes = 256 << 20

// perSample says whether a plane has elements for every sample: params and tables belong to the batch.
func perSample(p *ir.Plane) bool { return p.Role != ir.RoleParam && p.Role != ir.RoleTable }

// room refuses what does not fit.
func (d *device) room(need int64) error {
	free, _, err := d.lib.CuMemGetInfo()
	if err != nil {
		return err
	}
	if free -= reservedBytes; need > free {
		return &MemoryError{NeedBytes: need, FreeBytes: max(free, 0), Device: d.name}
	}
	return nil
}

// heap is memory of the device that belongs to somebody.
type heap struct {
	owned []driver.Address
}

// alloc takes bytes of the device's memory; none are one byte, so that there is an address.
func (h *heap) alloc(d *device, bytes int) (driver.Address, error) {
	a, err := d.lib.CuMemAlloc(int64(max(bytes, 1)))
	if err != nil {
		if r, ok := errors.AsType[*driver.Result](err); ok && r.Code == driver.OutOfMemory {
			free, _, _ := d.lib.CuMemGetInfo()
			return 0, &MemoryError{NeedBytes: int64(bytes), FreeBytes: free, Device: d.name}
		}
		return 0, err
	}
	h.owned = append(h.owned, a)
	return a, nil
}

// free gives everything back.
func (h *heap) free(d *device) error {
	var errs []error
	for _, a := range h.owned {
		errs = append(errs, d.lib.CuMemFree(a))
	}
	h.owned = nil
	return errors.Join(errs...)
}

// bytesOf is the memory of a slice.
func bytesOf[T any](a []T) []byte {
	if len(a) == 0 {
		return nil
	}
	var zero T
	return unsafe.Slice((*byte)(unsafe.Pointer(&a[0])), len(a)*int(unsafe.Sizeof(zero)))
}
