package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// processTime is the processor time of all threads of the process.
func processTime() time.Duration { return processorTimeOf(unix.CLOCK_PROCESS_CPUTIME_ID) }

func processorTimeOf(clock int32) time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(clock, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
