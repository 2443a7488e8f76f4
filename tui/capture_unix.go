//go:build unix

package tui

import (
	"errors"
	"io"
	"os"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// capture takes the place of the process's standard output and error: what is written to them goes to w, a
// piece at a time, and what should go to the terminal is written to terminal. restore puts everything back; it
// is called once. What the Go runtime says of a crash goes to the terminal too, not only into the log that dies
// with the process.
func capture(w io.Writer) (terminal *os.File, restore func(), err error) {
	saved := [2]int{-1, -1}
	r, pipe, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	undo := func() {
		for i, fd := range saved {
			if fd >= 0 {
				_ = dup2(fd, i+1)
				_ = unix.Close(fd)
			}
		}
		_ = pipe.Close()
		_ = r.Close()
	}
	for i := range saved {
		fd, err := unix.FcntlInt(uintptr(i+1), unix.F_DUPFD_CLOEXEC, 3)
		if err == nil {
			saved[i] = fd
			err = dup2(int(pipe.Fd()), i+1)
		}
		if err != nil {
			undo()
			return nil, nil, errors.Join(errors.New("standard output cannot be kept off the screen"), err)
		}
	}
	_ = pipe.Close() // descriptors 1 and 2 hold its end open
	crash, err := unix.FcntlInt(uintptr(saved[1]), unix.F_DUPFD_CLOEXEC, 3)
	if err == nil {
		f := os.NewFile(uintptr(crash), "stderr")
		_ = debug.SetCrashOutput(f, debug.CrashOptions{})
		_ = f.Close() // the runtime has a copy
	}
	out, err := unix.FcntlInt(uintptr(saved[0]), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		undo()
		return nil, nil, err
	}
	terminal = os.NewFile(uintptr(out), "stdout")
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(w, r)
	}()
	return terminal, func() {
		_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
		for i, fd := range saved {
			_ = dup2(fd, i+1) // now nothing holds the pipe's end, and the copying ends
			_ = unix.Close(fd)
		}
		<-done
		_ = r.Close()
		_ = terminal.Close()
	}, nil
}
