package session

import (
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"

	"github.com/eaglet-workbench/eaglet/engine"
	"github.com/eaglet-workbench/eaglet/kernels"
)

// Errors that callers decide upon; besides these, a command gives engine.ErrBusy during a run.
var (
	ErrClosed    = errors.New("the session is closed")
	ErrCancelled = errors.New("cancelled; nothing has changed")
)

// MemoryError says that a batch does not fit into memory.
type MemoryError struct {
	N                    int
	NeedBytes, FreeBytes int64
}

// Error is one sentence with the figures.
func (e *MemoryError) Error() string {
	return fmt.Sprintf("a batch of %s needs %s of memory and %s is free: take fewer samples, or run it in shards",
		engine.Counted(e.N, "sample"), bytesText(e.NeedBytes), bytesText(e.FreeBytes))
}

// LoadError says that a kernel was not loaded; the diagnostics are also in State.
type LoadError struct {
	Path        string
	Diagnostics kernels.Diagnostics
}

// Error counts the errors and says the first.
func (e *LoadError) Error() string {
	count := 0
	first := kernels.Diagnostic{}
	for _, d := range e.Diagnostics {
		if d.Severity == kernels.Error {
			if count == 0 {
				first = d
			}
			count++
		}
	}
	if count == 0 {
		return fmt.Sprintf("%s was not loaded", e.Path)
	}
	where := first.File
	if first.Line > 0 {
		where = fmt.Sprintf("%s:%d:%d", first.File, first.Line, first.Column)
	}
	return fmt.Sprintf("%s was not loaded, it has %s; the first: %s %s %s", e.Path, engine.Counted(count, "error"), where, first.Code, first.What)
}

// BugError is a panic inside eaglet that was caught; the planes are kept.
type BugError struct {
	During string // what was being done
	Value  any    // of the panic
	Stack  []byte
}

// Error says whose fault it is; the stack is for a report.
func (e *BugError) Error() string {
	return fmt.Sprintf("%s: %v: this is a bug in eaglet; the planes are kept", e.During, e.Value)
}

// catch turns a panic into a BugError; to be deferred.
func catch(during string, err *error) {
	if v := recover(); v != nil {
		*err = &BugError{During: during, Value: v, Stack: debug.Stack()}
	}
}

// bytesText writes a size with a decimal prefix: 1.6 GB.
func bytesText(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10) + " B"
	}
	x, prefix := float64(n), 0
	for x >= 999.95 && prefix < 6 {
		x /= 1000
		prefix++
	}
	return strconv.FormatFloat(x, 'f', 1, 64) + " " + "_kMGTPE"[prefix:prefix+1] + "B"
}
