//go:build !unix

package tui

import (
	"errors"
	"io"
	"os"
)

// capture is not known here: what is written to standard output lands on the screen.
func capture(io.Writer) (terminal *os.File, restore func(), err error) {
	return nil, nil, errors.New("standard output cannot be kept off the screen on this system")
}
