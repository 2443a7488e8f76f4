package kernels

import "fmt"

// Severity of a diagnostic. An error stops the load, a warning does not.
type Severity uint8

// The severities.
const (
	Error Severity = iota
	Warning
)

// String gives the name used in JSON.
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// MarshalText implements encoding.TextMarshaler.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Severity) UnmarshalText(text []byte) error {
	switch string(text) {
	case "error":
		*s = Error
	case "warning":
		*s = Warning
	default:
		return fmt.Errorf("severity %q is neither error nor warning", text)
	}
	return nil
}

// Diagnostic is one thing that is wrong with a kernel file. Code is stable ("E031"; warnings "W..."): it
// is never renumbered or reused. What and Why are one clause each without a final stop; Rewrite says what
// to write instead. Line and columns are 1-based; EndColumn is one past the last.
type Diagnostic struct {
	File      string   `json:"file"`
	Line      int      `json:"line"`
	Column    int      `json:"column"`
	EndColumn int      `json:"end_column"`
	Severity  Severity `json:"severity"`
	Code      string   `json:"code"`
	What      string   `json:"what"`
	Why       string   `json:"why,omitempty"`
	Rewrite   string   `json:"rewrite,omitempty"`
	Fixes     []Fix    `json:"fixes,omitempty"` // mechanical rewrites, any one of which removes the diagnostic
	excerpt   string   // the source line, without its line end
}

// Fix is a rewrite that a tool can make. Its edits are of the diagnostic's file, do not overlap, and are in
// the order of the file.
type Fix struct {
	Message string `json:"message"` // what it does: "state a cap of 64 turns"
	Edits   []Edit `json:"edits"`
}

// Edit replaces the bytes of one line from Column up to, but not including, EndColumn by New, which may
// hold line ends. Equal columns insert. Line and columns are 1-based bytes, as in [Diagnostic].
type Edit struct {
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndColumn int    `json:"end_column"`
	New       string `json:"new"`
}

// Diagnostics are all of a load, sorted by file, line and column.
type Diagnostics []Diagnostic

// Errors says whether any of them stops the load.
func (ds Diagnostics) Errors() bool {
	for i := range ds {
		if ds[i].Severity == Error {
			return true
		}
	}
	return false
}
