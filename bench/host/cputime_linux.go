package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is the processor time of the calling thread, processTime that of all threads.
func threadTime() time.Duration  { return processorTimeOf(unix.CLOCK_THREAD_CPUTIME_ID) }
func processTime() time.Duration { return processorTimeOf(unix.CLOCK_PROCESS_CPUTIME_ID) }

func processorTimeOf(clock int32) time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(clock, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
