package driver

import "fmt"

// Result is a result of a call that is not CUDA_SUCCESS.
type Result struct {
	Call string // "cuMemAlloc"
	Code int32
	Name string // "CUDA_ERROR_OUT_OF_MEMORY", "" where the library has none
	Text string // what the library says about it
	Log  string // of a compilation, "" elsewhere
}

// Codes that callers decide upon.
const (
	OutOfMemory           = 2
	NotInitialized        = 3
	NoDevice              = 100
	InvalidPTX            = 218
	UnsupportedPTXVersion = 222
	NotReady              = 600
)

func (r *Result) Error() string {
	s := fmt.Sprintf("%s gave %d", r.Call, r.Code)
	if r.Name != "" {
		s += " " + r.Name
	}
	if r.Text != "" {
		s += " (" + r.Text + ")"
	}
	if r.Log != "" {
		s += ": " + r.Log
	}
	return s
}

// Lost says whether nothing in the context can be used any more: every later call gives the same.
func (r *Result) Lost() bool {
	switch r.Code {
	case 214, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719: // ECC, illegal address, timeout, destroyed, assert, ..., launch failed
		return true
	}
	return false
}
